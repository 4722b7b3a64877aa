//! [`Sandbox`]: one execution, in the order it meets its steps.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::time::Duration;

use codemode_protocol::provider::validate_providers;
use codemode_protocol::{FailureKind, ModuleSource, Sentence};
use codemode_runtime::Realm;
use codemode_runtime::v8::{self, Global, Local, Module, Object, PinScope, Promise, PromiseResolver};

use crate::drive::Drive;
use crate::entry::{EntrySource, build_entry};
use crate::modules::compile::compiled;
use crate::modules::dynamic::answer_dynamic_imports;
use crate::modules::linker::{Linker, SharedBindings, SharedLinker, resolve_import};
use crate::modules::map::Modules;
use crate::rejections::{SharedRejections, track_rejections};
use crate::retained::Retained;
use crate::run::{Run, SharedRun, in_engine};
use crate::thrown::thrown;
use crate::{Host, SandboxRequest, memory, natives};

/// How a sandbox is made.
#[derive(Clone, Copy, Debug)]
pub struct SandboxConfig {
    /// The heap may grow to this size.
    pub heap_limit_bytes: usize,
    /// How much of the stack below the call that makes the sandbox programs may use. The engine's own bound is the most.
    pub stack_bytes: usize,
    /// Ends the process when the heap reaches that size. Called from inside the engine: it must not return or allocate.
    pub heap_limit_reached: fn() -> !,
    /// Ends the process when the kernel has no memory for it any more. Called as the other is.
    pub memory_refused: fn() -> !,
}

/// An isolate that is ready for its one program.
///
/// Everything that no request decides is done when this is made, so that a process which holds one can be forked
/// and each child serves its request at once.
pub struct Sandbox {
    pub(crate) realm: Realm,
    library: Rc<Global<Object>>,
    ready: Rc<Global<PromiseResolver>>,
    bindings: Option<SharedBindings>,
}

/// What came of [`Sandbox::execute`].
pub struct Execution {
    /// How the run ended.
    pub settlement: Settlement,
    /// The program that stays, when the outcome is [`Outcome::Retained`].
    pub retained: Option<Retained>,
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
    /// The program returned a request handler and stays to serve it.
    Retained,
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
        let mut realm = Realm::restore(config.heap_limit_bytes, config.stack_bytes);
        memory::end_process_when_exhausted(
            &mut realm.isolate,
            memory::Ends {
                heap_limit_reached: config.heap_limit_reached,
                memory_refused: config.memory_refused,
            },
        );
        answer_dynamic_imports(&mut realm.isolate);
        track_rejections(&mut realm.isolate);
        let (library, ready) = {
            v8::scope_with_context!(let scope, &mut realm.isolate, &realm.context);
            let natives = natives::create(scope).ok_or("the host's functions could not be created")?;
            let library = Realm::bind(scope, natives)?;
            let ready =
                natives::define_completion_names(scope).ok_or("the completion names could not be defined")?;
            (Rc::new(Global::new(scope, library)), Rc::new(ready))
        };
        Ok(Self { realm, library, ready, bindings: None })
    }

    /// Runs the program of `request`. `None` when the host went away before the run settled.
    ///
    /// The isolate is left as the program left it: the process is about to exit, and taking a heap apart first would
    /// only delay the answer.
    pub fn execute(self, request: SandboxRequest, host: Box<dyn Host>) -> Option<Execution> {
        let bound = Duration::from_millis(request.timeout_ms);
        let mut sandbox = ManuallyDrop::new(self);
        let settlement = sandbox.run(request, host, true)?;
        let stays = settlement.outcome == Outcome::Retained;
        Some(Execution { settlement, retained: stays.then(|| Retained::new(sandbox, bound)) })
    }

    /// Compiles a module and runs nothing. `None` where its source does not compile. The isolate is left as it is, as by
    /// [`Sandbox::execute`].
    pub fn compile(self, source: &ModuleSource) -> Option<Vec<u8>> {
        let mut sandbox = ManuallyDrop::new(self);
        let realm = &mut sandbox.realm;
        v8::scope_with_context!(let scope, &mut realm.isolate, &realm.context);
        v8::tc_scope!(let caught, scope);
        compiled(caught, source)
    }

    /// Runs a program that is not a request's, so that what every run takes is compiled before the first one. The
    /// isolate serves its one request afterwards.
    ///
    /// # Errors
    /// A text when the program does not give the outcome it has to.
    pub fn rehearse(&mut self, request: SandboxRequest, host: Box<dyn Host>) -> Result<Outcome, String> {
        let settlement = self.run(request, host, false).ok_or("the rehearsal lost its host")?;
        self.realm.isolate.remove_slot::<SharedRun>();
        let linker = self.realm.isolate.remove_slot::<SharedLinker>();
        self.bindings = linker.and_then(|linker| linker.bindings());
        self.realm.isolate.remove_slot::<SharedRejections>();
        Ok(settlement.outcome)
    }

    fn run(&mut self, request: SandboxRequest, host: Box<dyn Host>, publish: bool) -> Option<Settlement> {
        codemode_runtime::wall_clock::coarsen(request.clock_resolution);
        let mut run = Run::new(&request, host);
        if let Err(sentence) = validate_providers(&request.providers) {
            return Some(Settlement {
                outcome: failed(FailureKind::Provider, &sentence),
                spent: Spent::default(),
            });
        }
        let entry = build_entry(&request.code, &request.providers, request.retain_handles);
        let modules = match Modules::new(request.modules) {
            Ok(modules) => modules.with_code_cache(request.code_cache),
            Err(sentence) => {
                return Some(Settlement {
                    outcome: failed(FailureKind::Module, &sentence),
                    spent: Spent::default(),
                });
            }
        };
        if publish {
            run.ready = Some(Rc::clone(&self.ready));
        }
        let run: SharedRun = Rc::new(RefCell::new(run));
        let linker = Linker::new(modules, Rc::clone(&self.library), self.bindings.clone());
        self.realm.isolate.set_slot(run.clone());
        self.realm.isolate.set_slot(linker.clone());
        self.realm.isolate.set_slot(SharedRejections::default());

        v8::scope_with_context!(let scope, &mut self.realm.isolate, &self.realm.context);
        let bound = Duration::from_millis(request.timeout_ms);
        let started =
            compile(scope, &run, &linker, &entry).and_then(|module| evaluate(scope, &run, &linker, module));
        let outcome = match started {
            Ok(evaluation) => Drive::new(&run, &linker, bound).until_report(scope, evaluation)?,
            Err(outcome) => outcome,
        };
        Some(Settlement { outcome, spent: spent(scope, &run) })
    }
}

/// Compiles the entry and links the graph behind it.
fn compile<'s>(
    scope: &mut PinScope<'s, '_>,
    run: &SharedRun,
    linker: &SharedLinker,
    entry: &EntrySource,
) -> Result<Local<'s, Module>, Outcome> {
    v8::tc_scope!(let caught, scope);
    let Some(module) = in_engine(run, || linker.compile_entry(caught, &entry.text, entry.line_offset)) else {
        return Err(thrown(caught, linker, FailureKind::Syntax));
    };
    match in_engine(run, || module.instantiate_module(caught, resolve_import)) {
        Some(true) => Ok(module),
        _ => Err(thrown(caught, linker, FailureKind::Module)),
    }
}

/// Starts the entry. The promise settles once the module has.
fn evaluate<'s>(
    scope: &mut PinScope<'s, '_>,
    run: &SharedRun,
    linker: &SharedLinker,
    module: Local<'s, Module>,
) -> Result<Local<'s, Promise>, Outcome> {
    v8::tc_scope!(let caught, scope);
    let evaluation = in_engine(run, || module.evaluate(caught));
    match evaluation.and_then(|value| Local::<Promise>::try_from(value).ok()) {
        Some(evaluation) => Ok(evaluation),
        None => Err(thrown(caught, linker, FailureKind::Thrown)),
    }
}

fn failed(kind: FailureKind, sentence: &Sentence) -> Outcome {
    Outcome::Failed { kind, text: sentence.to_string() }
}

pub(crate) fn spent(scope: &mut PinScope<'_, '_>, run: &SharedRun) -> Spent {
    let heap = scope.get_heap_statistics();
    let mut run = run.borrow_mut();
    let now = run.reading();
    Spent {
        counted: run.clock.elapsed(now),
        wall: now.wall.saturating_sub(run.clock_since),
        host_wait: run.clock.waited(now),
        heap_bytes: heap.used_heap_size() as u64,
        buffer_bytes: heap.external_memory() as u64,
        tool_calls: run.tool_calls,
    }
}
