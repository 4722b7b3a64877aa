//! [`Report`] and [`Running`]: what an observer hears of one request and of its run.

use std::sync::Arc;
use std::time::Instant;

use codemode_protocol::Fault;

use crate::dispatcher::queue::Tenant;
use crate::events::{PoolEvent, RunEnd};
use crate::supervisor::Shared;

/// Tells the observer of one request. Dropped before it was served or refused, it tells that its caller gave up.
pub(crate) struct Report<'a> {
    shared: &'a Shared,
    tenant: Tenant,
    run: u64,
    asked: Instant,
    waits: bool,
}

/// Tells the observer how a run ends. Dropped before it is told of an end, it tells that its caller gave up.
pub(crate) struct Running<'r, 'a> {
    report: &'r Report<'a>,
    begun: Instant,
    over: bool,
}

impl<'a> Report<'a> {
    /// A request came in.
    pub(crate) fn new(shared: &'a Arc<Shared>, tenant: Tenant) -> Self {
        let mut report = Self { shared, tenant, run: 0, asked: Instant::now(), waits: false };
        report.asked();
        report
    }

    /// The request was not served.
    pub(crate) fn refused(&mut self, fault: &Fault) {
        self.waits = false;
        self.tell(|run, tenant| PoolEvent::Refused { run, tenant, code: Some(fault.code) });
    }

    /// The program begins.
    pub(crate) fn begun(&mut self, worker: u64, now: Instant) -> Running<'_, 'a> {
        self.waits = false;
        let waited = now - self.asked;
        self.tell(|run, tenant| PoolEvent::RunBegun { run, tenant, worker, waited });
        Running { report: self, begun: now, over: false }
    }

    /// The request comes in, for the first time or again.
    pub(crate) fn asked(&mut self) {
        self.run = self.shared.next_run();
        self.asked = Instant::now();
        self.waits = true;
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
        if self.waits {
            self.tell(|run, tenant| PoolEvent::Refused { run, tenant, code: None });
        }
    }
}

impl Running<'_, '_> {
    /// The run is over.
    pub(crate) fn ended(mut self, end: RunEnd) {
        self.tell(end);
    }

    fn tell(&mut self, end: RunEnd) {
        self.over = true;
        let took = self.begun.elapsed();
        self.report.tell(|run, tenant| PoolEvent::RunEnded { run, tenant, end, took });
    }
}

impl Drop for Running<'_, '_> {
    fn drop(&mut self) {
        if !self.over {
            self.tell(RunEnd::Cancelled);
        }
    }
}
