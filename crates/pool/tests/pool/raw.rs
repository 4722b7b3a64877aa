//! System calls of the test worker.

/// Eight bytes from the kernel.
pub(crate) fn random() -> u64 {
    let mut bytes = [0u8; 8];
    // SAFETY: the buffer is live and as long as the call is told.
    let length = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    assert_eq!(length, 8);
    u64::from_ne_bytes(bytes)
}

/// Ends this process by that signal.
pub(crate) fn raise(signal: i32) {
    // SAFETY: no pointers that anybody follows. The default action is put back first, since the runtime may have
    // its own; a real fault is what cannot be ignored, even by the first process of a namespace.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        match signal {
            // What an engine does when it gives up.
            #[cfg(target_arch = "x86_64")]
            libc::SIGTRAP => std::arch::asm!("int3"),
            libc::SIGSEGV => std::ptr::null_mut::<u8>().write_volatile(1),
            libc::SIGABRT => libc::abort(),
            _ => {}
        }
        libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::syscall(libc::SYS_gettid), signal);
    }
}

/// Touches memory that is not there, past whatever handler the runtime has for it.
pub(crate) fn fault() {
    // SAFETY: none; the fault is the test.
    unsafe { std::ptr::null_mut::<u8>().write_volatile(1) };
}

/// Memory of that many MB with every page written.
pub(crate) fn touched(megabytes: usize) -> Vec<u8> {
    vec![1; megabytes << 20]
}

/// Maps that many GB without a right to write, which no bound on data counts, and has the kernel make page tables for
/// them.
pub(crate) fn fill_page_tables(gigabytes: usize) {
    const STEP: usize = 2 << 20;
    let length = gigabytes << 30;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new anonymous mapping at an address of the kernel's choice, read within its bounds; the advice changes
    // no contents.
    unsafe {
        let at = libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, kind, -1, 0);
        assert_ne!(at, libc::MAP_FAILED);
        libc::madvise(at, length, libc::MADV_NOHUGEPAGE);
        for offset in (0..length).step_by(STEP) {
            at.cast::<u8>().add(offset).read_volatile();
        }
    }
}

/// Whether that many MB can be mapped.
pub(crate) fn try_map(megabytes: usize) -> bool {
    // SAFETY: a new anonymous mapping at an address of the kernel's choice touches nothing of ours.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            megabytes << 20,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    at != libc::MAP_FAILED
}

/// Closes a descriptor behind the back of its owner.
pub(crate) fn close(descriptor: i32) {
    // SAFETY: the process ends without using the descriptor again.
    unsafe { libc::close(descriptor) };
}

/// Makes one system call. Answers its result, or its error below zero.
pub(crate) fn syscall(number: i64, [a, b, c, d, e, f]: [i64; 6]) -> i64 {
    // SAFETY: the kernel checks numbers and pointers. What it does to this process, which runs nothing else any more,
    // is the test.
    let value = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    if value == -1 { -i64::from(nix::errno::Errno::last_raw()) } else { value }
}

/// The address of a page of zeros, which is never given back.
pub(crate) fn room() -> i64 {
    let (rights, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new anonymous mapping at an address of the kernel's choice touches nothing of ours.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), 4096, rights, kind, -1, 0) };
    assert_ne!(at, libc::MAP_FAILED);
    at as i64
}

/// The address of an `iovec` over a page of zeros, which is never given back.
pub(crate) fn vector() -> i64 {
    let vector = libc::iovec { iov_base: room() as *mut libc::c_void, iov_len: 64 };
    std::ptr::from_ref(Box::leak(Box::new(vector))) as i64
}

/// The address of a soft and a hard limit of one, which is never given back.
pub(crate) fn limits() -> i64 {
    std::ptr::from_ref(Box::leak(Box::new(libc::rlimit { rlim_cur: 1, rlim_max: 1 }))) as i64
}

/// The address of a text with a zero behind it, which is never given back.
pub(crate) fn text(text: &str) -> i64 {
    std::ffi::CString::new(text).unwrap().into_raw() as i64
}

macro_rules! numbers {
    ($($name:ident $number:ident),* $(,)?) => {
        &[$((stringify!($name), libc::$number)),*]
    };
}

/// The number of a call. `None` where this processor has no such call.
pub(crate) fn number_of(call: &str) -> Option<i64> {
    const EVERYWHERE: &[(&str, libc::c_long)] = numbers! {
        add_key SYS_add_key, bpf SYS_bpf, capset SYS_capset, chroot SYS_chroot, clone SYS_clone,
        clone3 SYS_clone3, connect SYS_connect, dup SYS_dup, execve SYS_execve, execveat SYS_execveat,
        faccessat SYS_faccessat, getppid SYS_getppid, init_module SYS_init_module,
        io_uring_setup SYS_io_uring_setup, kcmp SYS_kcmp, keyctl SYS_keyctl, kill SYS_kill,
        madvise SYS_madvise, memfd_create SYS_memfd_create, mmap SYS_mmap, mount SYS_mount,
        mprotect SYS_mprotect, open_by_handle_at SYS_open_by_handle_at, openat SYS_openat,
        openat2 SYS_openat2, perf_event_open SYS_perf_event_open, personality SYS_personality,
        pidfd_open SYS_pidfd_open, pivot_root SYS_pivot_root, prctl SYS_prctl, prlimit64 SYS_prlimit64,
        process_vm_readv SYS_process_vm_readv, process_vm_writev SYS_process_vm_writev, ptrace SYS_ptrace,
        rt_sigaction SYS_rt_sigaction, rt_sigqueueinfo SYS_rt_sigqueueinfo,
        sched_getaffinity SYS_sched_getaffinity, sched_setaffinity SYS_sched_setaffinity,
        seccomp SYS_seccomp, sendmsg SYS_sendmsg, sendto SYS_sendto, setns SYS_setns,
        setpriority SYS_setpriority, setrlimit SYS_setrlimit, settimeofday SYS_settimeofday,
        setuid SYS_setuid, socket SYS_socket, socketpair SYS_socketpair, tgkill SYS_tgkill,
        timer_create SYS_timer_create, tkill SYS_tkill, umount2 SYS_umount2, unlinkat SYS_unlinkat,
        unshare SYS_unshare, userfaultfd SYS_userfaultfd
    };
    #[cfg(target_arch = "x86_64")]
    const HERE: &[(&str, libc::c_long)] = numbers! { fork SYS_fork, vfork SYS_vfork };
    #[cfg(not(target_arch = "x86_64"))]
    const HERE: &[(&str, libc::c_long)] = &[];
    let found = EVERYWHERE.iter().chain(HERE).find(|(name, _)| *name == call);
    assert!(found.is_some() || ["fork", "vfork"].contains(&call), "no number of {call}");
    found.map(|&(_, number)| number)
}

/// Number of open descriptors, found without opening any.
pub(crate) fn open_descriptors() -> usize {
    // SAFETY: `poll` with a zero timeout only asks about the descriptor.
    let is_open = |descriptor: i32| unsafe {
        let mut entry = libc::pollfd { fd: descriptor, events: 0, revents: 0 };
        libc::poll(&raw mut entry, 1, 0) >= 0 && entry.revents & libc::POLLNVAL == 0
    };
    (0..1024).filter(|&descriptor| is_open(descriptor)).count()
}

/// Puts a copy of descriptor 0 at that number, for good.
pub(crate) fn take_number(number: i32) {
    // SAFETY: no pointers; whatever had the number was nobody's.
    assert_eq!(unsafe { libc::dup2(0, number) }, number, "{}", std::io::Error::last_os_error());
}

/// Sets a limit of the parent process.
pub(crate) fn limit_parent(resource: libc::__rlimit_resource_t, value: u64) {
    let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the pointer is to a live value of the right type.
    let set = unsafe { libc::prlimit(libc::getppid(), resource, &raw const limit, std::ptr::null_mut()) };
    assert_eq!(set, 0, "{}", std::io::Error::last_os_error());
}

/// A number that this process shares with its children.
pub(crate) fn shared_counter() -> &'static std::sync::atomic::AtomicU32 {
    let (rights, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping of a page of zeros, which is a valid value of the type, aligned, and never given back.
    unsafe {
        let at = libc::mmap(std::ptr::null_mut(), 4096, rights, kind, -1, 0);
        assert_ne!(at, libc::MAP_FAILED);
        &*at.cast()
    }
}

/// A descriptor that names a process.
pub(crate) fn pidfd(number: i32) -> std::os::fd::OwnedFd {
    use std::os::fd::FromRawFd;
    // SAFETY: no pointers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, number, 0) };
    assert!(fd >= 0, "{}", std::io::Error::last_os_error());
    // SAFETY: the kernel just made it for us.
    unsafe { std::os::fd::OwnedFd::from_raw_fd(fd as i32) }
}
