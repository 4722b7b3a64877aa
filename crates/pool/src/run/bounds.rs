//! [`Bounds`]: what the host enforces on a run.

use std::time::Duration;

use codemode_protocol::defaults;

use crate::config::PoolConfig;
use crate::ipc::frame::{Outcome, RunRequest};

/// What the host enforces on a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) timeout_ms: u64,
    /// Counted time after which the worker is killed.
    pub(crate) kill_after: Duration,
    /// Counted time after which its priority is lowered, until it is.
    pub(crate) long_run: Option<Duration>,
    pub(crate) count_host_waits: bool,
    pub(crate) outbound_waits: bool,
    pub(crate) console_limit: u64,
    pub(crate) memory_mb: u32,
    pub(crate) payload_limit: usize,
    /// A handler that the program returns is kept.
    retains: bool,
    /// Nothing runs: a module is compiled.
    compiles: bool,
}

impl Bounds {
    pub(crate) fn of(request: &RunRequest, config: &PoolConfig) -> Self {
        let kill_after_ms = request.timeout_ms.saturating_add(request.grace_ms).min(defaults::MAX_DELAY_MS);
        Self {
            timeout_ms: request.timeout_ms,
            kill_after: Duration::from_millis(kill_after_ms),
            long_run: config.long_run,
            count_host_waits: request.count_host_waits,
            outbound_waits: request.outbound_waits,
            console_limit: request.console_limit,
            memory_mb: request.memory_mb,
            payload_limit: config.payload_limit,
            retains: request.retain_handles,
            compiles: request.compile_only,
        }
    }

    /// Whether a worker may say that of its run.
    pub(crate) fn admit(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Retained => self.retains,
            Outcome::Compiled(_) => self.compiles,
            Outcome::Failed { .. } => true,
            Outcome::Envelope(_) | Outcome::Undefined => !self.compiles,
        }
    }
}
