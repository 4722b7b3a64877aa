//! Where cases run: the executors, and the one function that asks one of them to run a program.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use codemode_executor::{ExecuteRequest, ExecuteResult, Fault, IsolateExecutor, OutboundPolicy, StartMode};
use codemode_protocol::{HandleResult, LogLine, ModuleMap, ModuleSource, ProviderDescriptor};

use crate::case::{self, Module, Provider, Run, Settings};
use crate::gate::Gates;
use crate::notation;
use crate::script::{Script, ScriptedOutbound};
use crate::web::Web;

/// How long a run may take before the suite gives it up. Every run has to settle; none of them is near this.
const PATIENCE: Duration = Duration::from_secs(120);

/// The timeout of runs of cases that name none.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The executors of a suite, one for each distinct settings.
#[derive(Default)]
pub struct Stage {
    executors: Mutex<HashMap<Settings, IsolateExecutor>>,
    places: usize,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Performance {
    /// The answer of the executor.
    pub outcome: Result<ExecuteResult, Fault>,
    /// The console lines as they reached the sink.
    pub lines: Vec<LogLine>,
    /// The tool calls as they reached the host.
    pub calls: Vec<String>,
    /// What the invocations of its handler came to.
    pub invocations: Vec<Result<HandleResult, Fault>>,
}

impl Stage {
    /// A stage on which this many programs of one executor can run at a time.
    pub fn new(places: usize) -> Self {
        Self { places, ..Self::default() }
    }

    /// The executor of these settings.
    ///
    /// # Errors
    /// The fault of an executor that cannot be built.
    pub fn executor(&self, settings: &Settings) -> Result<IsolateExecutor, Fault> {
        let mut executors = self.executors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = executors.get(settings) {
            return Ok(known.clone());
        }
        let executor = build(settings, self.places)?;
        executors.insert(settings.clone(), executor.clone());
        Ok(executor)
    }

    /// Ends every executor.
    pub async fn dispose(&self) {
        let executors: Vec<_> =
            self.executors.lock().unwrap_or_else(PoisonError::into_inner).drain().collect();
        for (_, executor) in executors {
            executor.dispose().await;
        }
    }
}

/// An executor of these settings with this many places.
///
/// # Errors
/// The fault of an executor that cannot be built.
pub fn build(settings: &Settings, places: usize) -> Result<IsolateExecutor, Fault> {
    let timeout = settings.timeout_ms.map_or(TIMEOUT, Duration::from_millis);
    let outbound = settings.outbound.unwrap_or(case::Outbound::Denied);
    let mut builder =
        IsolateExecutor::builder().timeout(timeout).outbound(policy(outbound)).max_workers(places).spares(1);
    if let Some(memory_mb) = settings.memory_mb {
        builder = builder.memory_mb(memory_mb);
    }
    if let Some(limit) = settings.payload_limit_bytes {
        builder = builder.payload_limit_bytes(limit);
    }
    if let Some(limit) = settings.console_limit {
        builder = builder.console_limit(limit);
    }
    if let Some(micros) = settings.clock_resolution_us {
        builder = builder.clock_resolution(Duration::from_micros(micros));
    }
    if let Some(keys) = settings.crypto_key_limit {
        builder = builder.crypto_key_limit(keys);
    }
    if let Some(grace_ms) = settings.grace_ms {
        builder = builder.grace(Duration::from_millis(grace_ms));
    }
    if settings.exec {
        builder = builder.start_mode(StartMode::Exec);
    }
    if let Some(count) = settings.count_host_waits {
        builder = builder.count_host_waits(count);
    }
    builder.build()
}

/// Runs one program on an executor.
///
/// # Errors
/// A text where the case cannot be put as a request, or the run does not settle.
pub async fn perform(executor: &IsolateExecutor, run: &Run, gates: &Gates) -> Result<Performance, String> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let calls = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    let mut request = request(run)?.log_sink(move |line: &LogLine| {
        sink.lock().unwrap_or_else(PoisonError::into_inner).push(line.clone());
    });
    if let Some(tools) = &run.tools {
        request = request.dispatch(Script {
            tools: tools.clone(),
            gates: gates.clone(),
            executor: executor.clone(),
            calls: calls.clone(),
        });
    }
    let outcome = tokio::time::timeout(PATIENCE, executor.execute(request))
        .await
        .map_err(|_| format!("the run did not settle within {PATIENCE:?}"))?;
    let mut invocations = Vec::new();
    if let Some(execution_id) = outcome.as_ref().ok().and_then(|result| result.execution_id.as_deref()) {
        for invoke in &run.invoke {
            let invoked = executor.invoke_handle(execution_id, invoke.handle(), invoke.request());
            let invoked = tokio::time::timeout(PATIENCE, invoked).await;
            invocations.push(invoked.map_err(|_| format!("no answer within {PATIENCE:?}"))?);
        }
        executor.close_handles(execution_id);
    }
    let taken = |list: &Mutex<Vec<String>>| list.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Performance {
        outcome,
        lines: lines.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        calls: taken(&calls),
        invocations,
    })
}

fn request(run: &Run) -> Result<ExecuteRequest, String> {
    let code = match &run.normalized {
        None => run.code.clone(),
        Some(expected) => {
            let normalized = codemode_adapter::normalize_code(&run.code);
            if normalized != *expected {
                return Err(format!("normalized to {normalized:?}, expected {expected:?}"));
            }
            normalized
        }
    };
    let mut request = ExecuteRequest::new(code);
    for provider in &run.providers {
        request = request.provider(descriptor(provider));
    }
    if !run.modules.is_empty() {
        let modules = run.modules.iter().map(|module| Ok((module.name.clone(), source(module)?)));
        request = request.modules(ModuleMap(modules.collect::<Result<_, String>>()?));
    }
    if let Some(timeout_ms) = run.timeout_ms {
        request = request.timeout(Duration::from_millis(timeout_ms));
    }
    if let Some(count) = run.count_host_waits {
        request = request.count_host_waits(count);
    }
    if let Some(outbound) = run.outbound {
        request = request.outbound(policy(outbound));
    }
    if let Some(retain) = run.retain {
        request = request.retain_handles(retain);
    }
    Ok(request)
}

fn policy(outbound: case::Outbound) -> OutboundPolicy {
    match outbound {
        case::Outbound::Denied => OutboundPolicy::Denied,
        case::Outbound::Web => OutboundPolicy::Caller(Arc::new(Web::default())),
        scripted => OutboundPolicy::Caller(Arc::new(ScriptedOutbound(scripted))),
    }
}

fn descriptor(provider: &Provider) -> ProviderDescriptor {
    let mut descriptor = ProviderDescriptor::new(provider.name.clone(), provider.tools.clone());
    descriptor.positional_args = provider.positional;
    descriptor.prelude = provider.prelude.clone();
    descriptor.proxy_source = provider.proxy_source.clone();
    descriptor
}

fn source(module: &Module) -> Result<ModuleSource, String> {
    let bytes = |hex: &String| match notation::value(&format!("{{\"$ArrayBuffer\":\"{hex}\"}}"))? {
        codemode_protocol::Value::ArrayBuffer(bytes) => Ok(ModuleSource::Data(bytes)),
        _ => Err("bytes are written in hex".to_owned()),
    };
    let kinds = [
        module.js.clone().map(|text| Ok(ModuleSource::Js(text))),
        module.cjs.clone().map(|text| Ok(ModuleSource::Cjs(text))),
        module.json.clone().map(|text| Ok(ModuleSource::Json(text))),
        module.text.clone().map(|text| Ok(ModuleSource::Text(text))),
        module.data.as_ref().map(bytes),
        module.unsupported.then_some(Ok(ModuleSource::Unsupported)),
    ];
    let mut kinds = kinds.into_iter().flatten();
    match (kinds.next(), kinds.next()) {
        (Some(source), None) => source,
        _ => Err(format!("module {:?} is of one kind", module.name)),
    }
}
