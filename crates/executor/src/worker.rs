//! What runs in the other processes: the engine behind the pool's worker.

use std::collections::BTreeMap;

use codemode_pool::ipc::frame::Module;
use codemode_pool::{
    FailKind, Outcome, Prepared, RunRequest, Settlement, Spent, TemplateConfig, WorkerBody, WorkerChannel,
    WorkerFrame, worker,
};
use codemode_protocol::{ExecuteRequest, ModuleMap, defaults};
use codemode_sandbox::{Execution, Outbound, Sandbox, SandboxConfig, SandboxRequest};
use nix::sys::resource::{Resource, getrlimit};
use nix::time::{ClockId, clock_gettime};

use crate::channel_host::{ChannelHost, RehearsalHost};

/// Becomes a worker and never returns when this process was started as one; otherwise returns at once.
///
/// A host calls this first thing in `main`, before it starts threads: workers are this executable started again.
/// Without it the first execution fails with a fault that names this line.
pub fn run_worker_if_requested() {
    worker::serve_if_requested(|| Box::new(EngineBody { sandbox: None }));
}

/// The program that every template runs once, so that what runs take is compiled before the first fork. It asks for
/// the local time too: the engine looks for the time zone at the first question, in files, which a worker may not
/// even try to open.
const REHEARSAL: &str = "async () => {
  console.log('ready', new Date(0).toString(), new Intl.DateTimeFormat().format(0));
  await new Promise((resolve) => setTimeout(resolve, 0));
  return { sum: (await tools.numbers({ from: 1 })).reduce((sum, n) => sum + n, 0), bytes: new Uint8Array(2) };
}";

/// The program that does least.
const LEAST: &str = "async () => 0";

/// What the rehearsal has to report.
const REHEARSED: &str =
    r#"{"result":{"sum":6,"bytes":{"__codemode_binary_v1__":"Uint8Array","data":"AAA="}}}"#;

/// Stack that is no program's: the frames around the engine, and the engine's own beyond its limit.
const STACK_RESERVE_BYTES: usize = 192 << 10;
/// The least that programs can be run with.
const STACK_LEAST_BYTES: usize = 128 << 10;

struct EngineBody {
    sandbox: Option<Sandbox>,
}

impl WorkerBody for EngineBody {
    fn prepare(&mut self, config: &TemplateConfig) -> Result<Prepared, String> {
        let mut sandbox = Sandbox::prepare(SandboxConfig {
            heap_limit_bytes: config.memory_mb as usize * (1 << 20),
            stack_bytes: stack_bytes()?,
            heap_limit_reached: worker::exit_at_heap_limit,
            memory_refused: worker::exit_without_memory,
        })?;
        rehearse(&mut sandbox)?;
        // Finds the system call once, for every worker.
        getrandom::u32().map_err(|error| format!("the kernel gives no random numbers: {error}"))?;
        self.sandbox = Some(sandbox);
        let engine = codemode_sandbox::engine();
        Ok(Prepared {
            capabilities: vec![
                ("engine".into(), format!("V8 {}", engine.version)),
                ("memory_cage".into(), if engine.memory_cage { "on" } else { "off" }.into()),
            ],
        })
    }

    fn rehearse(&mut self) -> Result<(), String> {
        rehearse(self.sandbox.as_mut().ok_or("the engine was not prepared")?)
    }

    fn after_fork(&mut self) {
        let seed = getrandom::u32().unwrap_or_else(|_| std::process::id());
        codemode_sandbox::reseed(seed);
    }

    fn least_run(&mut self) -> Result<(), String> {
        let sandbox = self.sandbox.as_mut().ok_or("the engine was not prepared")?;
        let request = RunRequest { code: LEAST.to_owned(), ..RunRequest::default() };
        sandbox.rehearse(sandbox_request(request), Box::new(RehearsalHost::default())).map(|_| ())
    }

    fn self_test(&mut self) -> Result<(), String> {
        let sandbox = self.sandbox.as_mut().ok_or("the engine was not prepared")?;
        rehearse(sandbox).map_err(|error| format!("in a locked-down copy: {error}"))
    }

    fn wants_second_thread(&self, request: &RunRequest) -> bool {
        request.texts().any(|text| text.contains("subtle"))
    }

    fn run(&mut self, request: RunRequest, channel: &mut WorkerChannel) {
        let sandbox = self.sandbox.take().expect("a worker runs one program, and prepare made its sandbox");
        if request.compile_only {
            return compile(sandbox, request, channel);
        }
        let host = ChannelHost::new(channel.clone());
        let Some(Execution { settlement, retained }) =
            sandbox.execute(sandbox_request(request), Box::new(host))
        else {
            return;
        };
        let usage = spent(settlement.spent);
        let outcome = match settlement.outcome {
            codemode_sandbox::Outcome::Envelope(envelope) => Outcome::Envelope(envelope),
            codemode_sandbox::Outcome::Undefined => Outcome::Undefined,
            codemode_sandbox::Outcome::Retained => Outcome::Retained,
            codemode_sandbox::Outcome::Failed { kind, text } => {
                Outcome::Failed { kind: FailKind::from(kind), text }
            }
        };
        let sent = channel.send(&WorkerFrame::Settled(Settlement { outcome, usage }));
        // A host that is gone wants no answer.
        if let (Ok(()), Some(retained)) = (sent, retained) {
            retained.serve();
        }
    }
}

/// Compiles the one module of a request. A worker that does so runs nothing.
fn compile(sandbox: Sandbox, request: RunRequest, channel: &WorkerChannel) {
    let module = request.modules.into_iter().next();
    let outcome = match module.and_then(|module| sandbox.compile(&module.body.into())) {
        Some(code) => Outcome::Compiled(code),
        None => Outcome::Failed { kind: FailKind::Syntax, text: "The module does not compile.".to_owned() },
    };
    // A host that is gone wants no answer.
    let _ = channel.send(&WorkerFrame::Settled(Settlement { outcome, usage: Spent::default() }));
}

fn rehearse(sandbox: &mut Sandbox) -> Result<(), String> {
    let mut request = RunRequest { code: REHEARSAL.to_owned(), has_dispatch: true, ..RunRequest::default() };
    request.providers = ExecuteRequest::default()
        .provider(codemode_protocol::ProviderDescriptor::new("tools", ["numbers"]))
        .providers
        .unwrap_or_default()
        .into_iter()
        .map(Into::into)
        .collect();
    match sandbox.rehearse(sandbox_request(request), Box::new(RehearsalHost::default()))? {
        codemode_sandbox::Outcome::Envelope(envelope) if envelope == REHEARSED => Ok(()),
        other => Err(format!("the engine gave a wrong answer to the program of its self-test: {other:?}")),
    }
}

fn sandbox_request(request: RunRequest) -> SandboxRequest {
    let outbound = match (request.outbound_enabled, request.outbound_waits) {
        (false, _) => Outbound::Denied,
        (true, false) => Outbound::Native,
        (true, true) => Outbound::Caller,
    };
    let (modules, code_cache) = modules_of(request.modules);
    SandboxRequest {
        code: request.code,
        code_cache,
        providers: request.providers.into_iter().map(Into::into).collect(),
        modules,
        timeout_ms: request.timeout_ms.min(defaults::MAX_DELAY_MS),
        count_host_waits: request.count_host_waits,
        has_dispatch: request.has_dispatch,
        outbound,
        retain_handles: request.retain_handles,
        console_limit: usize::try_from(request.console_limit).unwrap_or(usize::MAX),
        clock_resolution: std::time::Duration::from_micros(request.clock_resolution_us),
        crypto_key_limit: request.crypto_key_limit,
        payload_limit_bytes: usize::try_from(request.payload_limit).unwrap_or(usize::MAX),
    }
}

/// The module map, and the compiled code by the names in it.
fn modules_of(modules: Vec<Module>) -> (ModuleMap, BTreeMap<String, Vec<u8>>) {
    let mut code_cache = BTreeMap::new();
    let map = modules.into_iter().map(|module| {
        if let Some(code) = module.code_cache {
            code_cache.insert(module.name.clone(), code);
        }
        (module.name, module.body.into())
    });
    (ModuleMap(map.collect()), code_cache)
}

pub(crate) fn spent(spent: codemode_sandbox::Spent) -> Spent {
    Spent {
        counted_ms: spent.counted.as_secs_f64() * 1e3,
        cpu_ms: cpu_ms(),
        peak_heap_bytes: spent.heap_bytes,
        peak_buffer_bytes: spent.buffer_bytes,
        tool_calls: spent.tool_calls,
    }
}

/// What programs may use of this process's stack. The engine asks for less than any usual bound; where the host runs
/// under a lower one, recursion has to end before the stack does.
fn stack_bytes() -> Result<usize, String> {
    let (bound, _) = getrlimit(Resource::RLIMIT_STACK)
        .map_err(|error| format!("the bound of the stack cannot be read: {error}"))?;
    let bound = usize::try_from(bound).unwrap_or(usize::MAX);
    match bound.checked_sub(STACK_RESERVE_BYTES) {
        Some(left) if left >= STACK_LEAST_BYTES => Ok(left),
        _ => Err(format!(
            "the stack of this host's processes is bound to {bound} bytes, and a worker needs {}",
            STACK_RESERVE_BYTES + STACK_LEAST_BYTES
        )),
    }
}

fn cpu_ms() -> f64 {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .map(|time| std::time::Duration::from(time).as_secs_f64() * 1e3)
        .unwrap_or_default()
}
