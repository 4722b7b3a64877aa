//! [`IsolateExecutorBuilder`]: the settings of an executor.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use codemode_pool::{HardeningLevel, Pool, PoolConfig, PoolObserver, StartMode, WorkerCommand};
use codemode_protocol::{
    Dispatch, ExecuteRequest, Fault, FaultCode, LogSink, ModuleMap, Outbound, OutboundPolicy,
    ProviderDescriptor, Timeout, defaults,
};

use crate::IsolateExecutor;
use crate::native::{AddressPolicy, NativeOutbound};

/// The settings of an [`IsolateExecutor`]. Everything has a default (see [`codemode_protocol::defaults`]); what a
/// request names wins over what is set here.
#[derive(Default)]
pub struct IsolateExecutorBuilder {
    settings: ExecuteRequest,
    limits: RunLimits,
    addresses: AddressPolicy,
    pool: PoolConfig,
    observer: Option<Arc<dyn PoolObserver>>,
}

impl IsolateExecutorBuilder {
    /// The bound on counted time of a run that names none.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(Timeout::After(timeout));
        self
    }

    /// Whether waits on the host's functions count against the timeout.
    pub fn count_host_waits(mut self, count: bool) -> Self {
        self.settings.count_host_waits = Some(count);
        self
    }

    /// Who performs `fetch`. [`OutboundPolicy::Native`] where nothing is set.
    pub fn outbound(mut self, policy: OutboundPolicy) -> Self {
        self.settings.outbound = Some(policy);
        self
    }

    /// Closes the network for every run that does not open it.
    pub fn deny_outbound(self) -> Self {
        self.outbound(OutboundPolicy::Denied)
    }

    /// Which addresses the executor connects to where it performs `fetch` itself. Every address where nothing is set;
    /// [`AddressPolicy::public_only`] keeps programs out of the host's own network.
    pub fn outbound_addresses(mut self, addresses: AddressPolicy) -> Self {
        self.addresses = addresses;
        self
    }

    /// Lets a function of the host perform every `fetch`.
    pub fn outbound_fn(self, outbound: impl Outbound + 'static) -> Self {
        self.outbound(OutboundPolicy::Caller(Arc::new(outbound)))
    }

    /// The providers of every run that names none.
    pub fn providers(mut self, providers: Vec<ProviderDescriptor>) -> Self {
        self.settings.providers = Some(providers);
        self
    }

    /// Serves the tool calls of every run that brings no function of its own.
    pub fn dispatch(mut self, dispatch: impl Dispatch + 'static) -> Self {
        self.settings.dispatch = Some(Arc::new(dispatch));
        self
    }

    /// The modules of every run that names none.
    pub fn modules(mut self, modules: ModuleMap) -> Self {
        self.settings.modules = Some(modules);
        self
    }

    /// Receives the console lines of every run that brings no sink of its own.
    pub fn log_sink(mut self, sink: impl LogSink + 'static) -> Self {
        self.settings.log_sink = Some(Arc::new(sink));
        self
    }

    /// Memory budget of a run in megabytes: heap, buffers and everything else. No request moves it.
    pub fn memory_mb(mut self, memory_mb: u32) -> Self {
        self.pool.memory_mb = memory_mb;
        self
    }

    /// Headroom past the timeout, after which a worker is killed from outside.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.pool.grace = grace;
        self
    }

    /// Largest message in either direction, in bytes.
    pub fn payload_limit_bytes(mut self, limit: usize) -> Self {
        self.pool.payload_limit = limit;
        self
    }

    /// Console text one run may write, in UTF-16 code units of the lines as they cross.
    pub fn console_limit(mut self, limit: usize) -> Self {
        self.limits.console = limit;
        self
    }

    /// Compiled code that the executor keeps of modules which come again, in bytes. Zero keeps none. Nothing that ran a
    /// program adds to it.
    pub fn code_cache_bytes(mut self, limit: usize) -> Self {
        self.limits.code_cache_bytes = limit;
        self
    }

    /// Resolution of every clock that a program can read: `Date`, `Temporal`, `performance`, the time stamps of events
    /// and the moments at which timers fire. Readings are rounded down to multiples of it, timers up; no clock runs
    /// back. At most [`defaults::CLOCK_RESOLUTION_MAX`]. [`defaults::CLOCK_RESOLUTION`] where nothing is set.
    ///
    /// A coarse clock makes it harder for a program to measure what its neighbours on the machine do; High Resolution
    /// Time names 100 microseconds for a document that is not isolated.
    pub fn clock_resolution(mut self, resolution: Duration) -> Self {
        self.limits.clock_resolution = resolution;
        self
    }

    /// Keys that one run may hold through `crypto.subtle`, at most [`defaults::CRYPTO_KEY_LIMIT_MAX`]. Keys count
    /// towards the memory of the worker, but not towards the heap that the program's own values fill.
    pub fn crypto_key_limit(mut self, keys: u32) -> Self {
        self.limits.crypto_keys = keys;
        self
    }

    /// Programs that run at the same time.
    pub fn max_workers(mut self, workers: usize) -> Self {
        self.pool.max_workers = workers;
        self
    }

    /// Workers kept ready ahead of demand.
    pub fn spares(mut self, spares: usize) -> Self {
        self.pool.spares = spares;
        self
    }

    /// Requests that may wait for a place; one more is refused at once.
    pub fn max_queue(mut self, queue: usize) -> Self {
        self.pool.queue_limit = queue;
        self
    }

    /// Whether a run that returns a request handler stays to serve it.
    pub fn retain_handles(mut self, retain: bool) -> Self {
        self.settings.retain_handles = Some(retain);
        self
    }

    /// Executions that may be retained at the same time. A run that asks to be retained is refused beyond that before
    /// it begins.
    pub fn max_retained(mut self, retained: usize) -> Self {
        self.pool.retained_limit = retained;
        self
    }

    /// Idle time after which a retained execution is closed.
    pub fn handles_idle(mut self, idle: Duration) -> Self {
        self.pool.handles_idle = idle;
        self
    }

    /// How much operating-system hardening is demanded.
    pub fn hardening(mut self, level: HardeningLevel) -> Self {
        self.pool.hardening = level;
        self
    }

    /// How workers are started.
    pub fn start_mode(mut self, mode: StartMode) -> Self {
        self.pool.start_mode = mode;
        self
    }

    /// The executable that is started as a worker, for a host whose own cannot be: the binary `codemode-worker`, or
    /// any program whose `main` begins with [`crate::run_worker_if_requested`].
    pub fn worker_binary(mut self, path: impl Into<PathBuf>) -> Self {
        self.pool.worker = WorkerCommand { program: path.into(), args: Vec::new() };
        self
    }

    /// Tells `observer` what the pool does: runs, processes, refusals. With the feature `opentelemetry` there is one that
    /// makes metrics and spans of it, `Telemetry`.
    pub fn observer(mut self, observer: impl PoolObserver + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Every setting of the pool, for what has no method of its own here.
    pub fn pool(mut self, change: impl FnOnce(&mut PoolConfig)) -> Self {
        change(&mut self.pool);
        self
    }

    /// The executor. Starts nothing.
    ///
    /// # Errors
    /// `INVALID_REQUEST` for a setting out of bounds, `WORKER_SETUP` in a process that was itself started as a
    /// worker.
    pub fn build(self) -> Result<IsolateExecutor, Fault> {
        let native = NativeOutbound::new(self.addresses, self.pool.payload_limit);
        self.limits.validate()?;
        let pool = match self.observer {
            Some(observer) => Pool::observed(self.pool, observer)?,
            None => Pool::new(self.pool)?,
        };
        Ok(IsolateExecutor::new(self.settings, self.limits, Arc::new(native), pool))
    }
}

/// Bounds that every run gets and the pool knows nothing of.
#[derive(Clone, Copy)]
pub(crate) struct RunLimits {
    /// Console text in UTF-16 code units.
    pub(crate) console: usize,
    /// Keys of `crypto.subtle`.
    pub(crate) crypto_keys: u32,
    /// Of every clock that the program can read.
    pub(crate) clock_resolution: Duration,
    /// Compiled code of modules that the host keeps.
    pub(crate) code_cache_bytes: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            console: defaults::CONSOLE_CAPTURE_LIMIT,
            crypto_keys: defaults::CRYPTO_KEY_LIMIT,
            clock_resolution: defaults::CLOCK_RESOLUTION,
            code_cache_bytes: defaults::CODE_CACHE_BYTES,
        }
    }
}

impl RunLimits {
    fn validate(self) -> Result<(), Fault> {
        let (keys, most) = (self.crypto_keys, defaults::CRYPTO_KEY_LIMIT_MAX);
        if keys > most {
            let text = format!("The setting crypto_key_limit is {keys} and has to be between 0 and {most}.");
            return Err(Fault::new(FaultCode::InvalidRequest, text));
        }
        let (resolution, most) = (self.clock_resolution, defaults::CLOCK_RESOLUTION_MAX);
        if resolution > most || resolution.subsec_nanos() % 1_000 != 0 {
            let text = format!(
                "The setting clock_resolution is {resolution:?} and has to be whole microseconds up to {most:?}."
            );
            return Err(Fault::new(FaultCode::InvalidRequest, text));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resolution_of_clocks_has_bounds() {
        let build = |resolution| IsolateExecutor::builder().clock_resolution(resolution).build();
        for wrong in [Duration::from_nanos(1_500), Duration::from_millis(1_001)] {
            let fault = build(wrong).err().expect("a setting out of bounds is refused");
            assert!(fault.to_string().contains("clock_resolution"), "{fault}");
        }
        assert!(build(Duration::ZERO).is_ok() && build(Duration::from_secs(1)).is_ok());
    }

    #[test]
    fn the_bound_on_keys_has_bounds() {
        let build = |keys| IsolateExecutor::builder().crypto_key_limit(keys).build();
        let fault = build(1_000_001).err().expect("a setting out of bounds is refused");
        assert_eq!(fault.code, FaultCode::InvalidRequest);
        assert!(fault.to_string().contains("crypto_key_limit"), "{fault}");
        assert!(build(0).is_ok() && build(1_000_000).is_ok());
    }
}
