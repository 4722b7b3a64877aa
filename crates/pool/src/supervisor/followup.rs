//! [`Followup`]: what an event of the dispatcher leaves to do once the lock is open.

use std::os::fd::AsFd;
use std::sync::Arc;

use codemode_protocol::{Fault, Sentence};
use tokio::sync::oneshot;

use super::shared::{Grant, Shared};
use super::{Lease, WorkerHandle};
use crate::dispatcher::message::{Cause, Failure, Refusal, TemplateId, WorkerId};
use crate::events::PoolEvent;
use crate::ipc::control::ToTemplate;
use crate::sys::socket;

/// What is left to do once the lock is open.
#[must_use = "forks and answers happen in `perform`"]
pub(crate) struct Followup<'a> {
    shared: &'a Arc<Shared>,
    pub(super) forks: Vec<(TemplateId, WorkerId)>,
    pub(super) killed: Vec<WorkerHandle>,
    pub(super) answers: Vec<(oneshot::Sender<Grant>, Grant)>,
    pub(super) events: Vec<PoolEvent>,
    pub(super) wake: bool,
}

impl<'a> Followup<'a> {
    pub(super) fn new(shared: &'a Arc<Shared>) -> Self {
        Self {
            shared,
            forks: Vec::new(),
            killed: Vec::new(),
            answers: Vec::new(),
            events: Vec::new(),
            wake: false,
        }
    }

    /// A worker for whoever waits under `caller`; without anybody the lease frees its place as it is dropped.
    pub(super) fn assign(&mut self, caller: Option<oneshot::Sender<Grant>>, worker: WorkerHandle) {
        let lease = Lease::new(worker, Arc::clone(self.shared));
        self.answers.push((caller.unwrap_or_else(|| oneshot::channel().0), Ok(lease)));
    }

    /// Adds what another event left to do.
    pub(super) fn absorb(&mut self, mut other: Followup<'_>) {
        self.forks.append(&mut other.forks);
        self.killed.append(&mut other.killed);
        self.answers.append(&mut other.answers);
        self.events.append(&mut other.events);
        self.wake |= other.wake;
    }

    /// Answers the callers whose turn it is.
    pub(super) fn answer(&mut self) {
        for (caller, grant) in self.answers.drain(..) {
            // A caller that is gone drops its lease here.
            drop(caller.send(grant));
        }
    }

    /// Does what is left.
    pub(crate) fn perform(mut self) {
        self.answer();
        self.killed.clear();
        for (template, worker) in std::mem::take(&mut self.forks) {
            if let Err(error) = self.fork(template, worker) {
                let failure =
                    Failure::new(Cause::Accident, format!("A worker could not be asked for: {error}."));
                self.shared.fork_failed(worker, failure).perform();
                // The next try is the thread's.
                self.wake = true;
            }
        }
        if self.wake {
            self.shared.wake_thread();
        }
        for event in &self.events {
            self.shared.observe(event);
        }
        self.shared.changed.notify_waiters();
    }

    fn fork(&self, template: TemplateId, worker: WorkerId) -> std::io::Result<()> {
        let (host, channel) = socket::channel_pair()?;
        let control = self.shared.expect_fork(template, worker, host)?;
        control.send(&ToTemplate::Fork { worker }, Some(channel.as_fd()))
    }
}

/// What a caller is told.
pub(super) fn fault_of(refusal: Refusal) -> Fault {
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    match refusal {
        Refusal::QueueFull { limit, retry_after } => {
            Fault::from(Sentence::QueueFull { limit }).retry_after_ms(millis(retry_after))
        }
        Refusal::ShuttingDown => Sentence::PoolShuttingDown.into(),
        Refusal::Start { failure, .. } if failure.cause == Cause::Setup => {
            let mut fault = Fault::from(Sentence::WorkerSetup);
            fault.causes = failure.texts;
            fault
        }
        Refusal::Start { number, failure, retry_after } => {
            let mut fault = Fault::from(Sentence::WorkerStartFailed { number });
            fault.causes = failure.texts;
            fault.retry_after_ms(millis(retry_after))
        }
    }
}
