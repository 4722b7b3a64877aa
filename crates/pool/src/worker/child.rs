//! The worker: a copy of the template that serves one run.

use std::any::Any;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::getppid;
use rkyv::{Archive, Deserialize, Serialize};

use super::body::WorkerBody;
use super::harden;
use super::syscalls::Filters;
use crate::ipc::codec;
use crate::ipc::frame::{HostFrame, WorkerFrame};
use crate::ipc::worker::{Received, WorkerChannel};
use crate::sys::memory::{Before, Prefault};
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

/// Most pages of which the self-test tells that they were written to: more do not come of a run that does so little.
const MOST_WRITTEN: usize = 1024;

/// Number of the channel, the only descriptor a worker has.
const CHANNEL: i32 = 0;

/// What every worker takes away from itself.
pub(crate) struct Lockdown {
    pub(crate) filters: Option<Filters>,
    pub(crate) hardened: bool,
    pub(crate) keep_stderr: bool,
    /// Bound of `RLIMIT_DATA` in bytes.
    pub(crate) data_limit: u64,
    /// What every worker writes to.
    pub(crate) prefault: Prefault,
}

/// Serves one run and exits.
pub(crate) fn serve(body: &mut dyn WorkerBody, lockdown: &Lockdown, channel: OwnedFd, parent: i32) -> ! {
    // Between fork and this call the parent may have died without notice.
    let _ = prctl::set_pdeathsig(Signal::SIGKILL);
    if getppid().as_raw() != parent {
        process::exit_now(OK);
    }
    lockdown.prefault.perform();
    let served = catch_unwind(AssertUnwindSafe(|| {
        let Ok(channel) = take_channel(channel) else { process::exit_now(NOT_LOCKED) };
        match lock_down(body, lockdown) {
            Ok(()) => serve_one(body, lockdown.hardened, channel),
            Err((code, _)) => process::exit_now(code),
        }
    }));
    process::exit_now(if served.is_ok() { OK } else { BROKEN })
}

/// What the self-test tells the template.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct Tried {
    /// Why it failed.
    pub(crate) problem: String,
    /// Whether a worker can have a second thread.
    pub(crate) second_thread: bool,
    /// The pages that the least run has written to, by address.
    pub(crate) written: Vec<u64>,
}

/// Does what every worker does up to its request, then the least run and the body's self-test. Tells on `channel` what
/// came of it, and which pages of `writable` that run has written to.
pub(crate) fn try_out(
    body: &mut dyn WorkerBody,
    lockdown: &Lockdown,
    channel: OwnedFd,
    writable: &[(usize, usize)],
) -> ! {
    let Ok(channel) = take_channel(channel) else { process::exit_now(NOT_LOCKED) };
    let mut tried = Tried::default();
    let tested = catch_unwind(AssertUnwindSafe(|| {
        let before = Before::take(writable);
        lock_down(body, lockdown)?;
        body.least_run().map_err(|text| (BROKEN, text))?;
        tried.written =
            before.written_pages().into_iter().take(MOST_WRITTEN).map(|page| page as u64).collect();
        body.self_test().map_err(|text| (BROKEN, text))?;
        tried.second_thread = has_second_thread(&channel);
        if lockdown.hardened {
            harden::forbid_tasks().map_err(|error| (NOT_LOCKED, format!("limits: {error}")))?;
        }
        Ok(())
    }))
    .unwrap_or_else(|panic| Err((BROKEN, format!("it panicked: {}", panic_text(&*panic)))));
    let code = tested.err().map_or(OK, |(code, text)| {
        tried.problem = text;
        code
    });
    // The exit status says it too.
    let _ = channel.send_bytes(&codec::encode(&tried));
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
