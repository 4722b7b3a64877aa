//! [`Sandbox`]: one execution, in the order it meets its steps.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use codemode_protocol::provider::validate_providers;
use codemode_protocol::{FailureKind, Sentence};
use codemode_runtime::Realm;
use codemode_runtime::v8::{
    self, Global, Local, Module, Object, PinScope, Promise, PromiseResolver, PromiseState, Value,
};

use crate::entry::build_entry;
use crate::modules::dynamic::answer_dynamic_imports;
use crate::modules::linker::{Linker, SharedLinker, resolve_import};
use crate::modules::map::Modules;
use crate::run::{Run, SharedRun, in_engine};
use crate::text::{js_string, string_or_empty};
use crate::{Host, HostEvent, SandboxRequest, envelope, memory, natives};

/// How a sandbox is made.
#[derive(Clone, Copy, Debug)]
pub struct SandboxConfig {
    /// The heap may grow to this size.
    pub heap_limit_bytes: usize,
    /// Ends the process when memory is exhausted. Called from inside the engine: it must not return or allocate.
    pub memory_exhausted: fn() -> !,
}

/// An isolate that is ready for its one program.
///
/// Everything that no request decides is done when this is made, so that a process which holds one can be forked
/// and each child serves its request at once.
pub struct Sandbox {
    realm: Realm,
    library: Global<Object>,
    ready: Global<PromiseResolver>,
}

/// How a run ended, and what it spent.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    /// The outcome.
    pub outcome: Outcome,
    /// The cost.
    pub spent: Spent,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The envelope JSON, an object: `result`, or `error` where the program assigned one itself.
    Envelope(String),
    /// The program assigned something that is no outcome: an undefined result.
    Undefined,
    /// The run failed in band.
    Failed {
        /// Why.
        kind: FailureKind,
        /// The text for the model.
        text: String,
    },
}

/// What a run spent, as far as the isolate can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// What counted against the timeout.
    pub counted: Duration,
    /// Wall time since the run began.
    pub wall: Duration,
    /// Wall time with a host wait open.
    pub host_wait: Duration,
    /// Size of the heap at the end.
    pub heap_bytes: u64,
    /// Memory outside the heap at the end: buffers.
    pub buffer_bytes: u64,
    /// Tool calls made.
    pub tool_calls: u32,
}

impl Sandbox {
    /// Restores the isolate, hands the host's functions to the library and publishes the completion names.
    ///
    /// # Errors
    /// A text when the engine cannot serve this sandbox.
    pub fn prepare(config: SandboxConfig) -> Result<Self, String> {
        let mut realm = Realm::restore(config.heap_limit_bytes);
        memory::end_process_when_exhausted(&mut realm.isolate, config.memory_exhausted);
        answer_dynamic_imports(&mut realm.isolate);
        let (library, ready) = {
            v8::scope_with_context!(let scope, &mut realm.isolate, &realm.context);
            let natives = natives::create(scope).ok_or("the host's functions could not be created")?;
            let library = Realm::bind(scope, natives)?;
            let ready =
                natives::define_completion_names(scope).ok_or("the completion names could not be defined")?;
            (Global::new(scope, library), ready)
        };
        Ok(Self { realm, library, ready })
    }

    /// Runs the program of `request`. `None` when the host went away before the run settled.
    ///
    /// The isolate is left as the program left it: the process is about to exit, and taking a heap apart first would
    /// only delay the answer.
    pub fn execute(self, request: SandboxRequest, host: Box<dyn Host>) -> Option<Settlement> {
        std::mem::ManuallyDrop::new(self).run(request, host, true)
    }

    /// Runs a program that is not a request's, so that what every run takes is compiled before the first one. The
    /// isolate serves its one request afterwards.
    ///
    /// # Errors
    /// A text when the program does not give the outcome it has to.
    pub fn rehearse(&mut self, request: SandboxRequest, host: Box<dyn Host>) -> Result<Outcome, String> {
        let settlement = self.run(request, host, false).ok_or("the rehearsal lost its host")?;
        self.realm.isolate.remove_slot::<SharedRun>();
        self.realm.isolate.remove_slot::<SharedLinker>();
        Ok(settlement.outcome)
    }

    fn run(&mut self, request: SandboxRequest, host: Box<dyn Host>, publish: bool) -> Option<Settlement> {
        let mut run = Run::new(&request, host);
        if let Err(sentence) = validate_providers(&request.providers) {
            return Some(Settlement {
                outcome: failed(FailureKind::Provider, &sentence),
                spent: Spent::default(),
            });
        }
        let entry = build_entry(&request.code, &request.providers);
        let modules = match Modules::new(request.modules) {
            Ok(modules) => modules,
            Err(sentence) => {
                return Some(Settlement {
                    outcome: failed(FailureKind::Module, &sentence),
                    spent: Spent::default(),
                });
            }
        };
        if publish {
            run.ready = Some(self.ready.clone());
        }
        let run: SharedRun = Rc::new(RefCell::new(run));
        let linker = Linker::new(modules, self.library.clone());
        self.realm.isolate.set_slot(run.clone());
        self.realm.isolate.set_slot(linker.clone());

        v8::scope_with_context!(let scope, &mut self.realm.isolate, &self.realm.context);
        let step = Step { run: &run, linker: &linker, timeout: Duration::from_millis(request.timeout_ms) };
        let outcome = match step.compile(scope, &entry.text, entry.line_offset) {
            Ok(module) => match step.evaluate(scope, module) {
                Ok(evaluation) => step.drive(scope, evaluation)?,
                Err(outcome) => outcome,
            },
            Err(outcome) => outcome,
        };
        Some(Settlement { outcome, spent: spent(scope, &run) })
    }
}

/// The steps of one execution, which share its state.
struct Step<'a> {
    run: &'a SharedRun,
    linker: &'a SharedLinker,
    timeout: Duration,
}

impl Step<'_> {
    /// Compiles the entry and links the graph behind it.
    fn compile<'s>(
        &self,
        scope: &mut PinScope<'s, '_>,
        text: &str,
        line_offset: i32,
    ) -> Result<Local<'s, Module>, Outcome> {
        v8::tc_scope!(let caught, scope);
        let Some(module) = in_engine(self.run, || self.linker.compile_entry(caught, text, line_offset))
        else {
            return Err(thrown(caught, self.linker, FailureKind::Syntax));
        };
        match in_engine(self.run, || module.instantiate_module(caught, resolve_import)) {
            Some(true) => Ok(module),
            _ => Err(thrown(caught, self.linker, FailureKind::Module)),
        }
    }

    /// Starts the entry. The promise settles once the module has.
    fn evaluate<'s>(
        &self,
        scope: &mut PinScope<'s, '_>,
        module: Local<'s, Module>,
    ) -> Result<Local<'s, Promise>, Outcome> {
        v8::tc_scope!(let caught, scope);
        let evaluation = in_engine(self.run, || module.evaluate(caught));
        match evaluation.and_then(|value| Local::<Promise>::try_from(value).ok()) {
            Some(evaluation) => Ok(evaluation),
            None => Err(thrown(caught, self.linker, FailureKind::Thrown)),
        }
    }

    /// Drives the run until it reports, its evaluation is rejected, or its host goes away.
    fn drive<'s>(&self, scope: &mut PinScope<'s, '_>, evaluation: Local<'s, Promise>) -> Option<Outcome> {
        let mut expired = false;
        loop {
            in_engine(self.run, || scope.perform_microtask_checkpoint());
            let report = self.run.borrow_mut().report.take();
            if let Some(report) = report {
                let limit = self.run.borrow().payload_limit_bytes;
                let outcome = envelope::read(scope, report, limit);
                return Some(self.as_timeout(outcome, expired));
            }
            if evaluation.state() == PromiseState::Rejected {
                let text = self.describe(scope, evaluation.result(scope));
                return Some(Outcome::Failed { kind: FailureKind::Thrown, text });
            }
            let due = {
                let mut run = self.run.borrow_mut();
                let now = run.host.now();
                run.timers.take_due(now)
            };
            if !expired && self.until_expiry() == Some(Duration::ZERO) {
                expired = true;
                self.expire(scope);
                continue;
            }
            let wait = match due {
                Some(id) => {
                    self.fire_timer(scope, id);
                    Some(Duration::ZERO)
                }
                None => self.next_wake(expired),
            };
            if due.is_some() {
                in_engine(self.run, || scope.perform_microtask_checkpoint());
            }
            let event = self.run.borrow_mut().host.wait(wait);
            match event {
                HostEvent::TimedOut => natives::perform_next_subtle(scope, self.run),
                HostEvent::Closed => return None,
                HostEvent::ToolAnswer { id, outcome } => self.answer_tool(scope, id, outcome),
                HostEvent::OutboundAnswer { id, outcome } => self.answer_request(scope, id, outcome),
            }
        }
    }

    fn until_expiry(&self) -> Option<Duration> {
        let mut run = self.run.borrow_mut();
        let now = run.reading();
        run.clock.until(self.timeout, now)
    }

    /// How long to wait for the host: not at all while `crypto.subtle` has work, else until a timer is due or the
    /// bound can be reached. `None` is for ever.
    fn next_wake(&self, expired: bool) -> Option<Duration> {
        let bound = if expired { None } else { self.until_expiry() };
        let mut run = self.run.borrow_mut();
        if run.subtle.is_waiting() {
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
        outcome: Result<codemode_protocol::OutboundResponse, String>,
    ) {
        let Some(resolver) = self.run.borrow_mut().close_call(id) else { return };
        let resolver = Local::new(scope, &resolver);
        natives::settle_request(scope, resolver, outcome);
    }

    fn describe(&self, scope: &mut PinScope<'_, '_>, thrown: Local<'_, Value>) -> String {
        describe(scope, self.linker, thrown)
    }

    fn timeout_sentence(&self) -> Sentence {
        Sentence::ExecutionTimeout { bound_ms: u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX) }
    }

    /// A failure that carries the sentence of the bound, after the bound was reached, is a timeout. A program that
    /// throws those words early keeps them as its own.
    fn as_timeout(&self, outcome: Outcome, expired: bool) -> Outcome {
        match outcome {
            Outcome::Failed { kind: FailureKind::Thrown, text }
                if expired && text == self.timeout_sentence().to_string() =>
            {
                Outcome::Failed { kind: FailureKind::Timeout, text }
            }
            other => other,
        }
    }
}

fn failed(kind: FailureKind, sentence: &Sentence) -> Outcome {
    Outcome::Failed { kind, text: sentence.to_string() }
}

/// The failure that an exception left behind.
fn thrown(
    caught: &mut v8::PinnedRef<'_, v8::TryCatch<'_, '_, v8::HandleScope<'_>>>,
    linker: &Linker,
    kind: FailureKind,
) -> Outcome {
    let text = match caught.exception() {
        Some(exception) => {
            caught.reset();
            describe(caught, linker, exception)
        }
        None => "The program could not be started.".to_owned(),
    };
    Outcome::Failed { kind, text }
}

/// The text of a thrown value: the message of an error, anything else as `String()` has it.
fn describe(scope: &mut PinScope<'_, '_>, linker: &Linker, thrown: Local<'_, Value>) -> String {
    v8::tc_scope!(let caught, scope);
    let text = linker.library_function(caught, "describe").and_then(|describe| {
        let undefined = v8::undefined(caught);
        describe.call(caught, undefined.into(), &[thrown])
    });
    match text {
        Some(text) => string_or_empty(caught, text),
        None => "The program threw a value that has no text.".to_owned(),
    }
}

fn spent(scope: &mut PinScope<'_, '_>, run: &SharedRun) -> Spent {
    let heap = scope.get_heap_statistics();
    let mut run = run.borrow_mut();
    let now = run.reading();
    Spent {
        counted: run.clock.elapsed(now),
        wall: now.wall.saturating_sub(run.started),
        host_wait: run.clock.waited(now),
        heap_bytes: heap.used_heap_size() as u64,
        buffer_bytes: heap.external_memory() as u64,
        tool_calls: run.tool_calls,
    }
}
