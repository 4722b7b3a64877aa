//! [`IsolateExecutor`]: the contract over the pool.

use std::sync::Arc;

use codemode_pool::{Counts, Finished, Job, Outcome, Pool, RunRequest};
use codemode_protocol::codec::decode_outcome;
use codemode_protocol::provider::validate_providers;
use codemode_protocol::{
    BoxFuture, ExecuteRequest, ExecuteResult, Executor, Fault, Outbound, OutboundPolicy, Timeout, defaults,
};

use crate::IsolateExecutorBuilder;
use crate::builder::RunLimits;
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
        Self { inner: Arc::new(Inner { settings, limits, native, pool }) }
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
        let finished = self.inner.pool.run(self.job(request)).await?;
        Ok(result_of(finished))
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
            tenant: None,
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
        Outcome::Undefined => ExecuteResult::returned(None),
        Outcome::Failed { kind, text } => ExecuteResult::failed(kind.into(), text),
    };
    result.logs = finished.logs;
    result.usage = finished.usage;
    result
}
