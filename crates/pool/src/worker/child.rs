//! The worker: a copy of the template that serves one run.

use std::any::Any;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::getppid;

use super::body::WorkerBody;
use super::harden;
use super::syscalls::Filters;
use crate::ipc::frame::{HostFrame, WorkerFrame};
use crate::ipc::worker::{Received, WorkerChannel};
use crate::sys::process;

/// Exit status of a worker that did what it was made for, or was not needed.
pub(crate) const OK: i32 = 0;
/// Exit status of a worker whose own code failed.
pub(crate) const BROKEN: i32 = 70;
/// Exit status of a worker that could not be locked down.
pub(crate) const NOT_LOCKED: i32 = 71;
/// Exit status of a worker whose engine reached the limit of its heap and could say nothing else any more.
pub(crate) const HEAP_LIMIT: i32 = 73;
/// Exit status of a worker whose engine was refused memory by the kernel and could say nothing else any more.
pub(crate) const MEMORY_REFUSED: i32 = 74;

/// How long the second thread may take to do nothing, in the self-test.
const SECOND_THREAD_DEADLINE: Duration = Duration::from_secs(5);

/// Number of the channel, the only descriptor a worker has.
const CHANNEL: i32 = 0;

/// What every worker takes away from itself.
pub(crate) struct Lockdown {
    pub(crate) filters: Option<Filters>,
    pub(crate) hardened: bool,
    pub(crate) keep_stderr: bool,
    /// Bound of `RLIMIT_DATA` in bytes.
    pub(crate) data_limit: u64,
}

/// Serves one run and exits.
pub(crate) fn serve(body: &mut dyn WorkerBody, lockdown: &Lockdown, channel: OwnedFd, parent: i32) -> ! {
    // Between fork and this call the parent may have died without notice.
    let _ = prctl::set_pdeathsig(Signal::SIGKILL);
    if getppid().as_raw() != parent {
        process::exit_now(OK);
    }
    let served = catch_unwind(AssertUnwindSafe(|| {
        let Ok(channel) = take_channel(channel) else { process::exit_now(NOT_LOCKED) };
        match lock_down(body, lockdown) {
            Ok(()) => serve_one(body, lockdown.hardened, channel),
            Err((code, _)) => process::exit_now(code),
        }
    }));
    process::exit_now(if served.is_ok() { OK } else { BROKEN })
}

/// Does what every worker does up to its request, then the body's self-test. Says what failed on `channel`.
pub(crate) fn try_out(body: &mut dyn WorkerBody, lockdown: &Lockdown, channel: OwnedFd) -> ! {
    let Ok(channel) = take_channel(channel) else { process::exit_now(NOT_LOCKED) };
    let tested = catch_unwind(AssertUnwindSafe(|| {
        lock_down(body, lockdown)?;
        body.self_test().map_err(|text| (BROKEN, text))?;
        if !has_second_thread(&channel) {
            // The template knows it by this, beside the exit status of a test that was passed.
            let _ = channel.send_bytes(b"no second thread");
        }
        if lockdown.hardened {
            harden::forbid_tasks().map_err(|error| (NOT_LOCKED, format!("limits: {error}")))?;
        }
        Ok(())
    }))
    .unwrap_or_else(|panic| Err((BROKEN, format!("it panicked: {}", panic_text(&*panic)))));
    let Err((code, text)) = tested else { process::exit_now(OK) };
    // The exit status says it too.
    let _ = channel.send_bytes(text.as_bytes());
    process::exit_now(code)
}

/// Whether this process can have a second thread, now that it is locked down.
fn has_second_thread(channel: &WorkerChannel) -> bool {
    channel.start_second_thread();
    channel.perform_aside(Box::new(|| {})).is_ok()
        && channel.receive(Some(SECOND_THREAD_DEADLINE)) == Ok(Received::WorkDone)
}

/// Does what every worker does up to its request, then what none may. Ends by the filter, or says by its exit status
/// that there is none.
pub(crate) fn overstep(body: &mut dyn WorkerBody, lockdown: &Lockdown) -> ! {
    if lock_down(body, lockdown).is_err() {
        process::exit_now(NOT_LOCKED);
    }
    let _ = getppid();
    process::exit_now(OK)
}

/// The text of a panic, as far as it has one.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().map(str::to_owned);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no text".to_owned())
}

fn take_channel(channel: OwnedFd) -> std::io::Result<WorkerChannel> {
    Ok(WorkerChannel::new(process::move_to(channel, CHANNEL)?))
}

fn lock_down(body: &mut dyn WorkerBody, lockdown: &Lockdown) -> Result<(), (i32, String)> {
    let failed = |what: &str, error: &dyn std::fmt::Display| (NOT_LOCKED, format!("{what}: {error}"));
    let highest = if lockdown.keep_stderr {
        process::close_between(1, 1).map_err(|error| failed("descriptors", &error))?;
        2
    } else {
        0
    };
    process::close_from(highest + 1).map_err(|error| failed("descriptors", &error))?;
    SigSet::empty().thread_set_mask().map_err(|error| failed("signals", &error))?;
    body.after_fork();
    harden::limit_data(lockdown.data_limit).map_err(|error| failed("memory limit", &error))?;
    if lockdown.hardened {
        harden::limit_descriptors(u64::from(highest) + 1).map_err(|error| failed("limits", &error))?;
    }
    if let Some(filters) = &lockdown.filters {
        filters
            .confine_worker(std::process::id() as i32)
            .map_err(|error| failed("system call filter", &error))?;
    }
    Ok(())
}

fn serve_one(body: &mut dyn WorkerBody, hardened: bool, mut channel: WorkerChannel) {
    let Ok(Received::Frame(HostFrame::Start(request))) = channel.receive(None) else { return };
    if body.wants_second_thread(&request) {
        channel.start_second_thread();
    }
    if hardened && harden::forbid_tasks().is_err() {
        process::exit_now(NOT_LOCKED);
    }
    let run = catch_unwind(AssertUnwindSafe(|| body.run(request, &mut channel)));
    if let Err(panic) = run {
        // The exit status says it too.
        let _ = channel.send(&WorkerFrame::Broken { text: panic_text(&*panic) });
        process::exit_now(BROKEN);
    }
    // Closed by the end of the process: a worker may not even close a descriptor.
    std::mem::forget(channel);
}
