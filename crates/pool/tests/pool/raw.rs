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

/// Memory of that many MB with every page written.
pub(crate) fn touched(megabytes: usize) -> Vec<u8> {
    vec![1; megabytes << 20]
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

/// Makes one system call with null arguments.
pub(crate) fn syscall(number: i64) {
    // SAFETY: null pointers and zeros, which the kernel checks. What it does to this process is the test.
    unsafe { libc::syscall(number, 0, 0, 0, 0, 0, 0) };
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

/// A descriptor that names a process.
pub(crate) fn pidfd(number: i32) -> std::os::fd::OwnedFd {
    use std::os::fd::FromRawFd;
    // SAFETY: no pointers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, number, 0) };
    assert!(fd >= 0, "{}", std::io::Error::last_os_error());
    // SAFETY: the kernel just made it for us.
    unsafe { std::os::fd::OwnedFd::from_raw_fd(fd as i32) }
}
