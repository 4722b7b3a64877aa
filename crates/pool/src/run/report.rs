//! [`Report`]: what an observer hears of one run.

use std::sync::Arc;
use std::time::Instant;

use codemode_protocol::Fault;

use crate::dispatcher::queue::Tenant;
use crate::events::{PoolEvent, RunEnd};
use crate::supervisor::Shared;

/// Tells the observer of one run. Dropped while the program runs, it tells that its caller gave up.
pub(crate) struct Report<'a> {
    shared: &'a Shared,
    tenant: Tenant,
    asked: Instant,
    begun: Option<Instant>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(shared: &'a Arc<Shared>, tenant: Tenant) -> Self {
        Self { shared, tenant, asked: Instant::now(), begun: None }
    }

    /// The request was not served.
    pub(crate) fn refused(&self, fault: &Fault) {
        self.tell(|tenant| PoolEvent::Refused { tenant, code: fault.code });
    }

    /// The program begins.
    pub(crate) fn begun(&mut self, worker: u64, now: Instant) {
        self.begun = Some(now);
        let waited = now - self.asked;
        self.tell(|tenant| PoolEvent::RunBegun { tenant, worker, waited });
    }

    /// The run is over.
    pub(crate) fn ended(&mut self, end: RunEnd) {
        if let Some(begun) = self.begun.take() {
            let took = begun.elapsed();
            self.tell(|tenant| PoolEvent::RunEnded { tenant, end, took });
        }
    }

    fn tell(&self, event: impl FnOnce(String) -> PoolEvent) {
        if self.shared.is_observed() {
            self.shared.observe(&event(self.tenant.as_ref().to_owned()));
        }
    }
}

impl Drop for Report<'_> {
    fn drop(&mut self) {
        self.ended(RunEnd::Cancelled);
    }
}
