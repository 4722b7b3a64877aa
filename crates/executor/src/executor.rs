//! [`IsolateExecutor`]: the contract over the pool.

use std::sync::Arc;

use codemode_pool::ipc::frame::Module;
use codemode_pool::{Counts, Finished, Job, Outcome, Pool, RunRequest};
use codemode_protocol::codec::decode_outcome;
use codemode_protocol::handles::GRANTED_HANDLES;
use codemode_protocol::provider::validate_providers;
use codemode_protocol::{
    BoxFuture, ExecuteRequest, ExecuteResult, Executor, Fault, HandleRequest, HandleResult, Outbound,
    OutboundPolicy, Timeout, defaults,
};

use crate::IsolateExecutorBuilder;
use crate::builder::RunLimits;
use crate::code_cache::{CodeCache, Key};
use crate::native::NativeOutbound;

/// Runs programs in worker processes of this host. Cheap to clone; every clone shares the pool.
#[derive(Clone)]
pub struct IsolateExecutor {
    inner: Arc<Inner>,
}

struct Inner {
    settings: ExecuteRequest,
    limits: RunLimits,
    native: Arc<NativeOutbound>,
    code_cache: CodeCache,
    pool: Pool,
}

impl IsolateExecutor {
    /// The settings of a new executor.
    pub fn builder() -> IsolateExecutorBuilder {
        IsolateExecutorBuilder::default()
    }

    pub(crate) fn new(
        settings: ExecuteRequest,
        limits: RunLimits,
        native: Arc<NativeOutbound>,
        pool: Pool,
    ) -> Self {
        let code_cache = CodeCache::new(limits.code_cache_bytes);
        Self { inner: Arc::new(Inner { settings, limits, native, code_cache, pool }) }
    }

    /// Runs one program. The first call starts the pool. Dropping the future ends the program.
    ///
    /// # Errors
    /// A [`Fault`] when the executor could not serve the run. A program that failed is an `Ok` with `error` set.
    pub async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResult, Fault> {
        let request = request.over(&self.inner.settings);
        if let Err(sentence) = validate_providers(request.providers.as_deref().unwrap_or_default()) {
            return Ok(ExecuteResult::failed(sentence.kind(), sentence.to_string()));
        }
        let mut job = self.job(request);
        let without_code = self.inner.code_cache.fill(|| self.engine(), &mut job.request.modules);
        let tenant = job.tenant.clone();
        // Boxed: a host's own futures hold this one.
        let finished = Box::pin(self.inner.pool.run(job)).await?;
        self.compile_behind(without_code, tenant);
        Ok(result_of(finished))
    }

    /// Bytes of compiled code that are kept for later runs with the same modules.
    pub fn code_cache_bytes(&self) -> usize {
        self.inner.code_cache.bytes()
    }

    /// Sends one request to a handle of a retained execution: a run with `retain_handles` that returned a function, or
    /// an object with a method `fetch`. Invocations of one execution are served one at a time, in the order they come,
    /// each under the timeout of the run on a clock of its own. What the handler logs is dropped.
    ///
    /// An invocation that reaches its bound, and a program that exhausts its memory, end the execution; a handler that
    /// throws does not. So do [`IsolateExecutor::close_handles`] and the idle time.
    ///
    /// # Errors
    /// `HANDLES_CLOSED` for an execution that is not, or no longer, retained; `HANDLE_NOT_FOUND` for a handle it does not
    /// serve; `INVALID_REQUEST` for a request that is none; `QUEUE_FULL` behind too many others; another [`Fault`] when
    /// the worker was lost. A handler that failed is an `Ok` with `error` set.
    pub async fn invoke_handle(
        &self,
        execution_id: &str,
        handle: &str,
        request: HandleRequest,
    ) -> Result<HandleResult, Fault> {
        self.inner.pool.invoke_handle(execution_id, handle, request).await
    }

    /// Ends a retained execution. One that is closed already stays so.
    pub fn close_handles(&self, execution_id: &str) {
        self.inner.pool.close_handles(execution_id);
    }

    /// Starts the template and the spare workers, so that the first run waits for neither.
    ///
    /// # Errors
    /// The fault that the first run would meet.
    pub async fn warm_up(&self) -> Result<(), Fault> {
        self.inner.pool.warm_up().await
    }

    /// Lets running programs finish within the pool's drain time and ends every worker. Later calls of `execute`
    /// answer an `INTERNAL` fault.
    pub async fn dispose(&self) {
        self.inner.pool.dispose().await;
    }

    /// What hardening and what engine the workers report, as names and values. Empty before the first start.
    pub fn capabilities(&self) -> Vec<(String, String)> {
        self.inner.pool.capabilities()
    }

    /// How many runs wait, run and are ready to run.
    pub fn counts(&self) -> Counts {
        self.inner.pool.counts()
    }

    /// Has modules compiled for later runs, each in a worker of its own that runs nothing, unless somebody waits for a
    /// place.
    fn compile_behind(&self, modules: Vec<(Key, Module)>, tenant: Option<Arc<str>>) {
        for (key, module) in modules {
            if self.counts().queued > 0 || !self.inner.code_cache.begin(&key) {
                continue;
            }
            let (executor, tenant) = (self.clone(), tenant.clone());
            tokio::spawn(async move {
                let request =
                    RunRequest { modules: vec![module], compile_only: true, ..RunRequest::default() };
                let compiled = executor.inner.pool.run(Job { tenant, ..Job::new(request) }).await;
                match compiled.map(|finished| finished.outcome) {
                    Ok(Outcome::Compiled(code)) => executor.inner.code_cache.keep(&key, Some(code)),
                    Ok(_) => executor.inner.code_cache.keep(&key, None),
                    Err(_) => executor.inner.code_cache.give_up(&key),
                }
            });
        }
    }

    /// What the workers say of their engine.
    fn engine(&self) -> String {
        let said = self.capabilities().into_iter().find(|(name, _)| name == "engine");
        said.map(|(_, engine)| engine).unwrap_or_default()
    }

    fn job(&self, request: ExecuteRequest) -> Job {
        let (outbound, waits): (Option<Arc<dyn Outbound>>, bool) = match request.outbound {
            Some(OutboundPolicy::Caller(function)) => (Some(function), true),
            Some(OutboundPolicy::Native) | None => (Some(self.inner.native.clone()), false),
            Some(_) => (None, false),
        };
        Job {
            request: RunRequest {
                code: request.code,
                providers: request.providers.unwrap_or_default().into_iter().map(Into::into).collect(),
                modules: codemode_pool::convert::modules_of(request.modules.unwrap_or_default()),
                timeout_ms: request.timeout.unwrap_or(Timeout::After(defaults::TIMEOUT)).as_millis(),
                count_host_waits: request.count_host_waits.unwrap_or(false),
                outbound_waits: waits,
                console_limit: self.inner.limits.console as u64,
                clock_resolution_us: u64::try_from(self.inner.limits.clock_resolution.as_micros())
                    .unwrap_or(u64::MAX),
                crypto_key_limit: self.inner.limits.crypto_keys,
                retain_handles: request.retain_handles.unwrap_or(false),
                ..RunRequest::default()
            },
            tenant: request.tenant,
            dispatch: request.dispatch,
            outbound,
            log_sink: request.log_sink,
        }
    }
}

impl Executor for IsolateExecutor {
    fn execute(&self, request: ExecuteRequest) -> BoxFuture<'_, Result<ExecuteResult, Fault>> {
        Box::pin(self.execute(request))
    }

    fn invoke_handle(
        &self,
        execution_id: &str,
        handle: &str,
        request: HandleRequest,
    ) -> BoxFuture<'_, Result<HandleResult, Fault>> {
        let (execution_id, handle) = (execution_id.to_owned(), handle.to_owned());
        Box::pin(async move { self.invoke_handle(&execution_id, &handle, request).await })
    }

    fn close_handles(&self, execution_id: &str) -> BoxFuture<'_, ()> {
        self.close_handles(execution_id);
        Box::pin(std::future::ready(()))
    }

    fn dispose(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.dispose())
    }
}

fn result_of(finished: Finished) -> ExecuteResult {
    let mut result = match finished.outcome {
        Outcome::Envelope(envelope) => {
            let outcome = decode_outcome(&envelope);
            match outcome.error {
                Some(error) => ExecuteResult::failed(
                    outcome.kind.unwrap_or(codemode_protocol::FailureKind::Thrown),
                    error,
                ),
                None => ExecuteResult::returned(outcome.result),
            }
        }
        Outcome::Undefined | Outcome::Retained | Outcome::Compiled(_) => ExecuteResult::returned(None),
        Outcome::Failed { kind, text } => ExecuteResult::failed(kind.into(), text),
    };
    result.handles = finished.execution_id.as_ref().map(|_| GRANTED_HANDLES.map(str::to_owned).to_vec());
    result.execution_id = finished.execution_id;
    result.logs = finished.logs;
    result.usage = finished.usage;
    result
}
