//! [`Lease`]: one worker, for one run.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::oneshot;

use super::Shared;
use crate::dispatcher::message::{Event, WorkerId};
use crate::ipc::control::{Born, Exit};
use crate::sys::socket::Waited;
use crate::sys::{clock, process, socket};

/// A worker process. Dropping it kills the process.
pub(crate) struct WorkerHandle {
    pub(crate) id: WorkerId,
    stream: Option<UnixStream>,
    /// Memory it was born with.
    pub(crate) born: Born,
    /// Says how the process ended. Closes without a word when its template died too.
    pub(crate) exit: oneshot::Receiver<Exit>,
    pidfd: Arc<OwnedFd>,
    number: OnceLock<Option<i32>>,
}

impl WorkerHandle {
    pub(crate) fn new(
        id: WorkerId,
        stream: UnixStream,
        pidfd: Arc<OwnedFd>,
        born: Born,
        exit: oneshot::Receiver<Exit>,
    ) -> Self {
        Self { id, stream: Some(stream), born, exit, pidfd, number: OnceLock::new() }
    }

    /// Kills the process.
    pub(crate) fn kill(&self) {
        process::pidfd_kill(self.pidfd());
    }

    /// Processor time that the process has used. `None` when it is gone.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        self.read(clock::process_cpu)
    }

    /// Lowers the priority of the process.
    pub(crate) fn lower_priority(&self) {
        // Should it end in between, its number is not another's already.
        if let Some(number) = self.number().filter(|_| self.is_there()) {
            process::lower_priority(number);
        }
    }

    /// What the kernel says of the process. `None` when it is gone.
    pub(crate) fn status(&self) -> Option<String> {
        self.read(|number| std::fs::read_to_string(format!("/proc/{number}/status")).ok())
    }

    /// Reads something by the number of the process as this process sees it. What was read counts only when the process
    /// was there until after: a number may have gone to another since.
    fn read<T>(&self, read: impl FnOnce(i32) -> Option<T>) -> Option<T> {
        let value = read(self.number()?);
        value.filter(|_| self.is_there())
    }

    /// The number of the process as this process sees it, whether it is still there or not.
    fn number(&self) -> Option<i32> {
        *self.number.get_or_init(|| process::pidfd_number(self.pidfd()))
    }

    fn is_there(&self) -> bool {
        matches!(socket::wait_readable(self.pidfd(), Duration::ZERO), Ok(Waited::TimedOut))
    }

    fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A worker and the place it takes. Dropping it kills the worker and frees the place.
pub(crate) struct Lease {
    worker: Option<WorkerHandle>,
    shared: Arc<Shared>,
    /// The run ended as runs should.
    pub(crate) settled: bool,
}

impl Lease {
    pub(crate) fn new(worker: WorkerHandle, shared: Arc<Shared>) -> Self {
        Self { worker: Some(worker), shared, settled: false }
    }

    /// The channel of the worker, once.
    pub(crate) fn take_channel(&mut self) -> UnixStream {
        self.worker().stream.take().expect("a lease serves one run, which takes the channel once")
    }

    /// The run is over and its program stays: frees the place and keeps the worker.
    pub(crate) fn retain(&mut self) {
        let event = Event::Retained(self.worker().id);
        self.shared.apply(event).perform();
    }

    /// The worker.
    pub(crate) fn worker(&mut self) -> &mut WorkerHandle {
        self.worker.as_mut().expect("a lease holds its worker until it is dropped")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            let event = Event::Released { worker: worker.id, settled: self.settled };
            // Killed before the place is free: no two programs ever share it.
            drop(worker);
            self.shared.apply(event).perform();
        }
    }
}
