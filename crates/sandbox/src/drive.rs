//! [`Drive`]: the loop that carries a run from its start to its end.

use std::time::Duration;

use codemode_protocol::{FailureKind, HandleRequest, OutboundResponse, Sentence};
use codemode_runtime::v8::{self, Local, PinScope, Promise, PromiseState, Value};

use crate::modules::linker::Linker;
use crate::rejections::{self, Announcement, SharedRejections};
use crate::run::{SharedRun, in_engine};
use crate::text::js_string;
use crate::thrown::describe;
use crate::{HostEvent, Outcome, envelope, natives};

/// Turns of one run under one bound.
///
/// A turn is one task: the expiry, an event for a rejection, a timer or an event of the host. A checkpoint follows
/// each, so that the microtasks of one task are done before the next.
pub(crate) struct Drive<'a> {
    run: &'a SharedRun,
    linker: &'a Linker,
    /// The bound on counted time. `None` between invocations.
    bound: Option<Duration>,
    /// The bound was reached.
    expired: bool,
    /// The last turn but for rejections was a timer's, so the host has its turn before the next one.
    timer_fired: bool,
    /// A request to the handler of a retained execution.
    request: Option<HandleRequest>,
}

impl<'a> Drive<'a> {
    pub(crate) fn new(run: &'a SharedRun, linker: &'a Linker, bound: Duration) -> Self {
        Self { run, linker, bound: Some(bound), expired: false, timer_fired: false, request: None }
    }

    /// Turns while nobody waits for an answer: timers and answers of the host are served, and no time counts.
    pub(crate) fn unbounded(run: &'a SharedRun, linker: &'a Linker) -> Self {
        Self { bound: None, ..Self::new(run, linker, Duration::ZERO) }
    }

    /// Whether the bound was reached.
    pub(crate) fn is_expired(&self) -> bool {
        self.expired
    }

    /// Drives the isolate until a request to its handler comes. `None` when the host is gone.
    pub(crate) fn until_invoked(mut self, scope: &mut PinScope<'_, '_>) -> Option<HandleRequest> {
        loop {
            in_engine(self.run, || scope.perform_microtask_checkpoint());
            if let Some(request) = self.request.take() {
                return Some(request);
            }
            self.turn(scope)?;
        }
    }

    /// Drives the run until it reports, its evaluation is rejected, or its host goes away.
    pub(crate) fn until_report(
        mut self,
        scope: &mut PinScope<'_, '_>,
        evaluation: Local<'_, Promise>,
    ) -> Option<Outcome> {
        loop {
            in_engine(self.run, || scope.perform_microtask_checkpoint());
            let report = self.run.borrow_mut().report.take();
            if let Some(report) = report {
                let limit = self.run.borrow().payload_limit_bytes;
                let outcome = envelope::read(scope, report, limit);
                return Some(self.as_timeout(outcome));
            }
            if evaluation.state() == PromiseState::Rejected {
                let text = describe(scope, self.linker, evaluation.result(scope));
                return Some(Outcome::Failed { kind: FailureKind::Thrown, text });
            }
            self.turn(scope)?;
        }
    }

    /// One turn. `None` when the host is gone.
    pub(crate) fn turn(&mut self, scope: &mut PinScope<'_, '_>) -> Option<()> {
        // What a turn hands into the isolate is the program's to hold, and the turn's no longer than it lasts.
        v8::scope!(let scope, scope);
        if !self.expired && self.until_expiry() == Some(Duration::ZERO) {
            self.expired = true;
            self.expire(scope);
            return Some(());
        }
        if let Some(rejections) = rejections::current(scope) {
            let next = rejections.borrow_mut().next(scope);
            if let Some(announcement) = next {
                self.announce(scope, &rejections, announcement);
                return Some(());
            }
        }
        if let Some(id) = self.next_timer() {
            self.fire_timer(scope, id);
            return Some(());
        }
        let wait = self.next_wake(scope);
        let event = self.run.borrow_mut().host.wait(wait);
        match event {
            HostEvent::TimedOut => natives::perform_next_subtle(scope, self.run),
            HostEvent::WorkDone => natives::finish_subtle(scope, self.run),
            HostEvent::Closed => return None,
            HostEvent::ToolAnswer { id, outcome } => self.answer_tool(scope, id, outcome),
            HostEvent::OutboundAnswer { id, outcome } => self.answer_request(scope, id, outcome),
            HostEvent::Invoke(request) => self.request = Some(request),
        }
        Some(())
    }

    /// The next timer that is due. Of two that are, the host has its turn between them.
    fn next_timer(&mut self) -> Option<u32> {
        if self.timer_fired {
            self.timer_fired = false;
            return None;
        }
        let mut run = self.run.borrow_mut();
        let now = run.host.now();
        let due = run.timers.take_due(now);
        self.timer_fired = due.is_some();
        due
    }

    fn until_expiry(&self) -> Option<Duration> {
        self.run.borrow_mut().until(self.bound?)
    }

    /// How long to wait for the host: not at all while `crypto.subtle` has work to begin with or a rejection is to be
    /// announced, else until a timer is due or the bound can be reached. `None` is for ever.
    fn next_wake(&self, scope: &PinScope<'_, '_>) -> Option<Duration> {
        let bound = if self.expired { None } else { self.until_expiry() };
        let mut run = self.run.borrow_mut();
        let announcing =
            rejections::current(scope).is_some_and(|rejections| rejections.borrow().is_waiting());
        if announcing || run.subtle.is_ready() {
            return Some(Duration::ZERO);
        }
        let now = run.host.now();
        match (bound, run.timers.until_next(now)) {
            (Some(bound), Some(timer)) => Some(bound.min(timer)),
            (bound, timer) => bound.or(timer),
        }
    }

    /// Rejects the race that the program runs in.
    fn expire(&self, scope: &mut PinScope<'_, '_>) {
        let text = self.timeout_sentence().to_string();
        let message = js_string(scope, &text).map(Local::<Value>::from);
        self.call_library(scope, "expire", message.as_slice());
    }

    fn fire_timer(&self, scope: &mut PinScope<'_, '_>, id: u32) {
        let id = v8::Integer::new_from_unsigned(scope, id).into();
        self.call_library(scope, "fireTimer", &[id]);
    }

    /// HTML's task that "notify about rejected promises" queues, for one promise.
    fn announce(
        &self,
        scope: &mut PinScope<'_, '_>,
        rejections: &SharedRejections,
        announcement: Announcement,
    ) {
        match announcement {
            Announcement::Handled(promise) => {
                let promise = Local::new(scope, &promise);
                let reason = promise.result(scope);
                self.call_library(scope, "notifyRejectionHandled", &[promise.into(), reason]);
            }
            Announcement::Unhandled(promise) => {
                let promise = Local::new(scope, &promise);
                if promise.has_handler() {
                    return;
                }
                let reason = promise.result(scope);
                self.call_library(scope, "notifyUnhandledRejection", &[promise.into(), reason]);
                if !promise.has_handler() {
                    rejections.borrow_mut().announced(scope, promise);
                }
            }
        }
    }

    /// Calls a function of the library. What it throws is dropped: a callback that throws is not the run.
    fn call_library<'s>(&self, scope: &mut PinScope<'s, '_>, function: &str, arguments: &[Local<'s, Value>]) {
        v8::tc_scope!(let caught, scope);
        let Some(function) = self.linker.library_function(caught, function) else { return };
        let undefined = v8::undefined(caught);
        in_engine(self.run, || function.call(caught, undefined.into(), arguments));
    }

    fn answer_tool(&self, scope: &mut PinScope<'_, '_>, id: u32, outcome: Result<String, String>) {
        let Some(resolver) = self.run.borrow_mut().close_call(id) else { return };
        let resolver = Local::new(scope, &resolver);
        match outcome {
            Ok(envelope) => {
                if let Some(envelope) = js_string(scope, &envelope) {
                    resolver.resolve(scope, envelope.into());
                }
            }
            Err(text) => {
                let thrown = crate::text::error(scope, &text);
                resolver.reject(scope, thrown);
            }
        }
    }

    fn answer_request(
        &self,
        scope: &mut PinScope<'_, '_>,
        id: u32,
        outcome: Result<OutboundResponse, String>,
    ) {
        let Some(resolver) = self.run.borrow_mut().close_call(id) else { return };
        let resolver = Local::new(scope, &resolver);
        natives::settle_request(scope, resolver, outcome);
    }

    /// What a program reads that reached the bound.
    pub(crate) fn timeout_sentence(&self) -> Sentence {
        let bound = self.bound.unwrap_or(Duration::MAX);
        Sentence::ExecutionTimeout { bound_ms: u64::try_from(bound.as_millis()).unwrap_or(u64::MAX) }
    }

    /// A failure that carries the sentence of the bound, after the bound was reached, is a timeout. A program that
    /// throws those words early keeps them as its own.
    fn as_timeout(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Failed { kind: FailureKind::Thrown, text }
                if self.expired && text == self.timeout_sentence().to_string() =>
            {
                Outcome::Failed { kind: FailureKind::Timeout, text }
            }
            other => other,
        }
    }
}
