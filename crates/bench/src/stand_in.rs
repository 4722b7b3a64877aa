//! Workers that stand in for the real one: without an engine, and with an engine whose global is the language alone.

use codemode_pool::{
    Outcome, Prepared, RunRequest, Settlement, Spent, TemplateConfig, WorkerBody, WorkerChannel, WorkerFrame,
    is_worker_process, serve_if_requested,
};
use codemode_runtime::{engine, v8};

/// Which worker a process becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandIn {
    /// Answers at once. What a run costs with it is the pool, the fork and the socket.
    NoEngine,
    /// Runs the program in an isolate of the engine's own, without the library.
    EmptyGlobal,
}

impl StandIn {
    /// The argument that asks for it.
    pub fn argument(self) -> &'static str {
        match self {
            StandIn::NoEngine => "stand-in:no-engine",
            StandIn::EmptyGlobal => "stand-in:empty-global",
        }
    }
}

/// Becomes such a worker and never returns, when a pool of this program started this process as one.
pub fn serve_stand_in_if_requested() {
    if !is_worker_process() {
        return;
    }
    let argument = std::env::args().nth(2).unwrap_or_default();
    if argument == StandIn::NoEngine.argument() {
        serve_if_requested(|| Box::new(NoEngine::default()));
    } else if argument == StandIn::EmptyGlobal.argument() {
        serve_if_requested(|| Box::new(EmptyGlobal::default()));
    }
}

#[derive(Default)]
struct NoEngine {
    /// Makes the template as large as the measurement wants it.
    held: Vec<u8>,
}

impl WorkerBody for NoEngine {
    fn prepare(&mut self, config: &TemplateConfig) -> Result<Prepared, String> {
        let megabytes: usize = String::from_utf8_lossy(&config.body).parse().unwrap_or(0);
        self.held = vec![1; megabytes << 20];
        Ok(Prepared::default())
    }

    fn after_fork(&mut self) {}

    fn run(&mut self, _request: RunRequest, channel: &mut WorkerChannel) {
        // Keeps the memory in use to the end.
        std::hint::black_box(&self.held);
        settle(channel, "{\"result\":42}".to_owned());
    }
}

/// What the real template asks of the language in its rehearsal.
const REHEARSAL: &str =
    "async () => [new Date(0).toString(), new Intl.DateTimeFormat().format(0), new Uint8Array(2).length]";

#[derive(Default)]
struct EmptyGlobal {
    realm: Option<(v8::OwnedIsolate, v8::Global<v8::Context>)>,
}

impl WorkerBody for EmptyGlobal {
    fn prepare(&mut self, config: &TemplateConfig) -> Result<Prepared, String> {
        engine::start();
        let params = v8::CreateParams::default().heap_limits(0, (config.memory_mb as usize) << 20);
        let mut isolate = v8::Isolate::new(params);
        isolate.set_microtasks_policy(v8::MicrotasksPolicy::Explicit);
        let context = {
            v8::scope!(let handles, &mut isolate);
            let context = v8::Context::new(handles, v8::ContextOptions::default());
            v8::Global::new(handles, context)
        };
        self.realm = Some((isolate, context));
        // As the real template does: what both have to compile is compiled, and what the language looks for in files, the
        // time zone and the locale, is found before there are none.
        self.perform(REHEARSAL)?;
        Ok(Prepared::default())
    }

    fn after_fork(&mut self) {
        engine::reseed(std::process::id());
    }

    fn rehearse(&mut self) -> Result<(), String> {
        self.perform(REHEARSAL)
    }

    fn least_run(&mut self) -> Result<(), String> {
        self.perform("async () => 0")
    }

    fn run(&mut self, request: RunRequest, channel: &mut WorkerChannel) {
        // Nothing is taken apart before the answer, as in the real worker.
        let mut realm = std::mem::ManuallyDrop::new(self.realm.take().expect("a worker runs one program"));
        let result = evaluate(&mut realm, &request.code).unwrap_or_default();
        settle(channel, format!("{{\"result\":{result}}}"));
    }
}

impl EmptyGlobal {
    fn perform(&mut self, code: &str) -> Result<(), String> {
        let realm = self.realm.as_mut().ok_or("the engine was not prepared")?;
        evaluate(realm, code).map(drop).ok_or_else(|| "the engine does not evaluate".to_owned())
    }
}

/// The JSON of what the promise of the program is fulfilled with.
fn evaluate(
    (isolate, context): &mut (v8::OwnedIsolate, v8::Global<v8::Context>),
    code: &str,
) -> Option<String> {
    v8::scope_with_context!(let scope, isolate, &*context);
    let source = v8::String::new(scope, &format!("({code})()"))?;
    let value = v8::Script::compile(scope, source, None)?.run(scope)?;
    scope.perform_microtask_checkpoint();
    let promise = v8::Local::<v8::Promise>::try_from(value).ok()?;
    let result = promise.result(scope);
    Some(v8::json::stringify(scope, result)?.to_rust_string_lossy(scope))
}

fn settle(channel: &WorkerChannel, envelope: String) {
    let settlement = Settlement { outcome: Outcome::Envelope(envelope), usage: Spent::default() };
    // A host that is gone wants no answer.
    let _ = channel.send(&WorkerFrame::Settled(settlement));
}
