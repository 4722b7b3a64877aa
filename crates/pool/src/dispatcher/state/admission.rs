//! Who may wait, and what those are told who may not.

use std::time::Duration;

use super::State;
use crate::dispatcher::message::{Action, Cause, Failure, JobId, Refusal};
use crate::dispatcher::queue::Tenant;

impl State {
    /// What a request would meet now, when starts fail.
    pub(crate) fn failing(&self, now: Duration) -> Option<Refusal> {
        (self.starts.is_hopeless() || self.forks.is_hopeless()).then(|| self.start_refusal(now))
    }

    pub(super) fn submit(&mut self, now: Duration, job: JobId, tenant: Tenant, actions: &mut Vec<Action>) {
        self.warm = true;
        let places = self.limits.max_workers.saturating_sub(self.running);
        if self.disposed {
            actions.push(Action::Refuse { job, refusal: Refusal::ShuttingDown });
        } else if self.starts.is_hopeless()
            && self.starts.waits_until(now).is_some()
            && self.current.is_none()
            && self.idle.is_empty()
        {
            actions.push(Action::Refuse { job, refusal: self.start_refusal(now) });
        } else if self.queue.len() >= places + self.limits.queue_limit {
            let limit = self.limits.queue_limit;
            actions.push(Action::Refuse { job, refusal: self.full(limit) });
        } else if let Some(limit) = self.queue.full_for(&tenant) {
            actions.push(Action::Refuse { job, refusal: self.full(limit) });
        } else {
            self.queue.push(tenant, job);
        }
    }

    pub(super) fn full(&self, limit: usize) -> Refusal {
        Refusal::QueueFull { limit, retry_after: self.pace.time_for(self.queue.len().div_ceil(2)) }
    }

    pub(super) fn refuse_all(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let refusal = self.start_refusal(now);
        for job in self.queue.drain() {
            actions.push(Action::Refuse { job, refusal: refusal.clone() });
        }
    }

    pub(super) fn start_refusal(&self, now: Duration) -> Refusal {
        let until = self.retry_at(now).unwrap_or(now);
        let failure = self.starts.last().or(self.forks.last()).cloned();
        let failure = failure.unwrap_or_else(|| Failure::new(Cause::Accident, "It is not known why."));
        Refusal::Start { number: self.failed_start, failure, retry_after: until - now }
    }

    /// When something may be started again, while that lies ahead.
    pub(super) fn retry_at(&self, now: Duration) -> Option<Duration> {
        self.starts.waits_until(now).max(self.forks.waits_until(now))
    }
}
