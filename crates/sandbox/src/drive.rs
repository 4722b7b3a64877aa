//! [`Drive`]: the loop that carries a run from its start to its end.

use std::time::Duration;

use codemode_protocol::{FailureKind, HandleRequest, OutboundResponse, Sentence};
use codemode_runtime::v8::{self, Local, PinScope, Promise, PromiseState, Value};

use crate::modules::linker::Linker;
use crate::run::{SharedRun, in_engine};
use crate::text::js_string;
use crate::thrown::describe;
use crate::{HostEvent, Outcome, envelope, natives};

/// Turns of one run under one bound.
pub(crate) struct Drive<'a> {
    run: &'a SharedRun,
    linker: &'a Linker,
    /// The bound on counted time. `None` between invocations.
    bound: Option<Duration>,
    /// The bound was reached.
    expired: bool,
    /// A request to the handler of a retained execution.
    request: Option<HandleRequest>,
}

impl<'a> Drive<'a> {
    pub(crate) fn new(run: &'a SharedRun, linker: &'a Linker, bound: Duration) -> Self {
        Self { run, linker, bound: Some(bound), expired: false, request: None }
    }

    /// Turns while nobody waits for an answer: timers and answers of the host are served, and no time counts.
    pub(crate) fn unbounded(run: &'a SharedRun, linker: &'a Linker) -> Self {
        Self { run, linker, bound: None, expired: false, request: None }
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

    /// One turn of the loop: the expiry, a timer that is due, or an event of the host. `None` when the host is gone.
    pub(crate) fn turn(&mut self, scope: &mut PinScope<'_, '_>) -> Option<()> {
        let due = {
            let mut run = self.run.borrow_mut();
            let now = run.host.now();
            run.timers.take_due(now)
        };
        if !self.expired && self.until_expiry() == Some(Duration::ZERO) {
            self.expired = true;
            self.expire(scope);
            return Some(());
        }
        let wait = match due {
            Some(id) => {
                self.fire_timer(scope, id);
                Some(Duration::ZERO)
            }
            None => self.next_wake(),
        };
        if due.is_some() {
            in_engine(self.run, || scope.perform_microtask_checkpoint());
        }
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

    fn until_expiry(&self) -> Option<Duration> {
        self.run.borrow_mut().until(self.bound?)
    }

    /// How long to wait for the host: not at all while `crypto.subtle` has work to begin with, else until a timer is due or the
    /// bound can be reached. `None` is for ever.
    fn next_wake(&self) -> Option<Duration> {
        let bound = if self.expired { None } else { self.until_expiry() };
        let mut run = self.run.borrow_mut();
        if run.subtle.is_ready() {
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
        self.call_library(scope, "expire", message);
    }

    fn fire_timer(&self, scope: &mut PinScope<'_, '_>, id: u32) {
        let id = v8::Integer::new_from_unsigned(scope, id).into();
        self.call_library(scope, "fireTimer", Some(id));
    }

    /// Calls a function of the library. What it throws is dropped: a callback that throws is not the run.
    fn call_library<'s>(
        &self,
        scope: &mut PinScope<'s, '_>,
        function: &str,
        argument: Option<Local<'s, Value>>,
    ) {
        v8::tc_scope!(let caught, scope);
        let Some(function) = self.linker.library_function(caught, function) else { return };
        let undefined = v8::undefined(caught);
        in_engine(self.run, || function.call(caught, undefined.into(), argument.as_slice()));
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
