//! Processes: fork, exit, wait, and descriptors that name a process.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;

use super::check;
use crate::ipc::control::Exit;

/// The two returns of a fork.
pub(crate) enum Fork {
    /// In the parent, with the number of the child.
    Parent(i32),
    /// In the child.
    Child,
}

/// Forks this process.
///
/// # Errors
/// What the kernel says, and `Unsupported` in a process with more than one thread: a child would inherit locks
/// that nobody in it can open.
pub(crate) fn fork(threads: u64) -> io::Result<Fork> {
    if threads != 1 {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("{threads} threads run in this process"),
        ));
    }
    // SAFETY: the caller counted one thread, so no lock is held elsewhere and the child may do anything.
    let pid = check(libc::c_long::from(unsafe { bare_fork()() }))?;
    Ok(if pid == 0 { Fork::Child } else { Fork::Parent(pid as i32) })
}

/// The C library's fork without what others ask it to do at every fork, where it has one: with one thread there are no
/// locks to be taken and given back, and doing so would make the child copy the pages of all of them.
fn bare_fork() -> unsafe extern "C" fn() -> libc::pid_t {
    static FORK: OnceLock<unsafe extern "C" fn() -> libc::pid_t> = OnceLock::new();
    *FORK.get_or_init(|| {
        // SAFETY: the name is a C string, and nothing is loaded.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_Fork".as_ptr()) };
        if found.is_null() {
            return libc::fork;
        }
        // SAFETY: POSIX.1-2024 has `pid_t _Fork(void)`.
        unsafe { std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn() -> libc::pid_t>(found) }
    })
}

/// Ends this process at once: no destructor, no exit handler, no flush.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: `_exit` has no precondition.
    unsafe { libc::_exit(code) }
}

/// A child that ended, when there is one (`Ok(None)`: there are children, none has ended).
///
/// # Errors
/// `ECHILD` when there is no child at all.
pub(crate) fn wait_any(block: bool) -> io::Result<Option<(i32, Exit)>> {
    wait(-1, if block { 0 } else { libc::WNOHANG })
}

/// Waits for that child.
pub(crate) fn wait_for(pid: i32) -> io::Result<Exit> {
    Ok(wait(pid, 0)?.expect("a blocking wait comes back with a child").1)
}

fn wait(pid: i32, flags: i32) -> io::Result<Option<(i32, Exit)>> {
    let mut status = 0;
    // SAFETY: an all-zero `rusage` is a valid value of a plain struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live locals of the right type.
        let ended = unsafe { libc::wait4(pid, &raw mut status, flags, &raw mut usage) };
        match check(libc::c_long::from(ended)) {
            Ok(0) => return Ok(None),
            Ok(_) => return Ok(Some((ended, exit_of(status, &usage)))),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn exit_of(status: i32, usage: &libc::rusage) -> Exit {
    let micros = |time: libc::timeval| time.tv_sec.unsigned_abs() * 1_000_000 + time.tv_usec.unsigned_abs();
    Exit {
        code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
        signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
        user_us: micros(usage.ru_utime),
        system_us: micros(usage.ru_stime),
        max_resident_kib: usage.ru_maxrss.unsigned_abs(),
    }
}

/// A descriptor that names the process `pid` of this namespace.
pub(crate) fn pidfd_open(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: a system call without pointers.
    let fd = check(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    // SAFETY: the kernel just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Kills the process that `pidfd` names. A process that is already gone is no error.
pub(crate) fn pidfd_kill(pidfd: BorrowedFd<'_>) {
    // SAFETY: a null `siginfo` asks for the one of `kill`; there is no other pointer.
    unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            pidfd.as_raw_fd(),
            libc::SIGKILL,
            std::ptr::null::<libc::siginfo_t>(),
            0,
        );
    }
}

/// How much further the nice value of a long run is.
const LONG_RUN_NICE: i32 = 10;

/// Raises the nice value of the first thread of process `pid` to ten past that of this thread. A matter of latency: a
/// kernel that refuses leaves it as it is.
pub(crate) fn lower_priority(pid: i32) {
    // SAFETY: system calls without pointers.
    unsafe {
        let own = libc::getpriority(libc::PRIO_PROCESS, 0);
        libc::setpriority(libc::PRIO_PROCESS, pid.unsigned_abs(), own + LONG_RUN_NICE);
    }
}

/// The number, in the namespace of the caller, of the process that `pidfd` names. `None` when it is gone.
pub(crate) fn pidfd_number(pidfd: BorrowedFd<'_>) -> Option<i32> {
    let text = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", pidfd.as_raw_fd())).ok()?;
    let number = text.lines().find_map(|line| line.strip_prefix("Pid:"))?.trim().parse().ok()?;
    (number > 0).then_some(number)
}

/// Moves `fd` to the number `target`, closing what was there.
pub(crate) fn move_to(fd: OwnedFd, target: RawFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() == target {
        return Ok(fd);
    }
    // SAFETY: `fd` is open. Whatever held `target` loses it, which is the point: the callers are processes that
    // close everything they did not ask for.
    check(libc::c_long::from(unsafe { libc::dup2(fd.as_raw_fd(), target) }))?;
    drop(fd);
    // SAFETY: `dup2` made `target` ours.
    Ok(unsafe { OwnedFd::from_raw_fd(target) })
}

/// Takes over the descriptor `raw`, when it is open. Once for each number.
pub(crate) fn adopt(raw: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: `fcntl` with `F_GETFD` only asks whether the descriptor is open.
    check(libc::c_long::from(unsafe { libc::fcntl(raw, libc::F_GETFD) }))?;
    // SAFETY: it is open, and it was put there for this process by whoever started it.
    Ok(unsafe { OwnedFd::from_raw_fd(raw) })
}

/// Closes every descriptor from `first` on.
pub(crate) fn close_from(first: u32) -> io::Result<()> {
    close_between(first, u32::MAX)
}

/// Closes every descriptor from `first` to `last`.
pub(crate) fn close_between(first: u32, last: u32) -> io::Result<()> {
    // SAFETY: no pointers. Descriptors in the range are not used afterwards: the callers keep theirs outside it.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) })?;
    Ok(())
}
