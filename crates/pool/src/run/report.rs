//! [`Report`]: what an observer hears of one run.

use std::sync::Arc;
use std::time::Instant;

use codemode_protocol::Fault;

use crate::dispatcher::queue::Tenant;
use crate::events::{PoolEvent, RunEnd};
use crate::supervisor::Shared;

/// Tells the observer of one run. Dropped before it was told of an end, it tells that its caller gave up.
pub(crate) struct Report<'a> {
    shared: &'a Shared,
    tenant: Tenant,
    run: u64,
    asked: Instant,
    begun: Option<Instant>,
    over: bool,
}

impl<'a> Report<'a> {
    /// A request came in.
    pub(crate) fn new(shared: &'a Arc<Shared>, tenant: Tenant) -> Self {
        let mut report = Self { shared, tenant, run: 0, asked: Instant::now(), begun: None, over: true };
        report.asked();
        report
    }

    /// The request was not served.
    pub(crate) fn refused(&mut self, fault: &Fault) {
        self.over = true;
        self.tell(|run, tenant| PoolEvent::Refused { run, tenant, code: Some(fault.code) });
    }

    /// The program begins.
    pub(crate) fn begun(&mut self, worker: u64, now: Instant) {
        self.begun = Some(now);
        let waited = now - self.asked;
        self.tell(|run, tenant| PoolEvent::RunBegun { run, tenant, worker, waited });
    }

    /// The run is over.
    pub(crate) fn ended(&mut self, end: RunEnd) {
        if let Some(begun) = self.begun.take() {
            self.over = true;
            let took = begun.elapsed();
            self.tell(|run, tenant| PoolEvent::RunEnded { run, tenant, end, took });
        }
    }

    /// The request comes in, for the first time or again.
    pub(crate) fn asked(&mut self) {
        self.run = self.shared.next_run();
        self.asked = Instant::now();
        self.over = false;
        self.tell(|run, tenant| PoolEvent::Requested { run, tenant });
    }

    fn tell(&self, event: impl FnOnce(u64, String) -> PoolEvent) {
        if self.shared.is_observed() {
            self.shared.observe(&event(self.run, self.tenant.as_ref().to_owned()));
        }
    }
}

impl Drop for Report<'_> {
    fn drop(&mut self) {
        self.ended(RunEnd::Cancelled);
        if !self.over {
            self.tell(|run, tenant| PoolEvent::Refused { run, tenant, code: None });
        }
    }
}
