//! [`Pool`].

use std::sync::Arc;

use codemode_protocol::{Fault, FaultCode, HandleRequest, HandleResult, Sentence};

use crate::config::PoolConfig;
use crate::dispatcher::message::{Counts, Event};
use crate::events::PoolObserver;
use crate::job::{Finished, Job};
use crate::retained;
use crate::run;
use crate::supervisor::Shared;
use crate::worker::is_worker_process;

/// Worker processes and the queue before them. Dropping it ends them all.
///
/// Its methods that are async need a tokio runtime with I/O and time; different calls may come from different
/// runtimes.
pub struct Pool {
    shared: Arc<Shared>,
}

impl Pool {
    /// Makes a pool. Starts nothing: the first run does, or [`Pool::warm_up`].
    ///
    /// # Errors
    /// `INVALID_REQUEST` for a setting out of bounds. `WORKER_SETUP` in a process that a pool started: its `main`
    /// went past the call that would have made it a worker.
    pub fn new(config: PoolConfig) -> Result<Self, Fault> {
        Self::make(config, None)
    }

    /// Makes a pool that tells `observer` what it does.
    ///
    /// # Errors
    /// As [`Pool::new`].
    pub fn observed(config: PoolConfig, observer: Arc<dyn PoolObserver>) -> Result<Self, Fault> {
        Self::make(config, Some(observer))
    }

    fn make(config: PoolConfig, observer: Option<Arc<dyn PoolObserver>>) -> Result<Self, Fault> {
        if is_worker_process() {
            return Err(Sentence::WorkerSetup.into());
        }
        config.validate()?;
        let shared = Shared::new(config, observer).map_err(|error| {
            Fault::of(FaultCode::Internal).caused_by(format!("No event descriptor: {error}."))
        })?;
        Ok(Self { shared })
    }

    /// Runs one program in a process of its own. Dropping the future kills the process and frees its place.
    ///
    /// # Errors
    /// A [`Fault`] when the program was not served to its end. A program that failed, or met one of its bounds,
    /// is an `Ok`.
    pub async fn run(&self, job: Job) -> Result<Finished, Fault> {
        run::run(&self.shared, job).await
    }

    /// Sends one request to a handle of a retained execution. One at a time is served, in the order they come. Dropping
    /// the future leaves an invocation that began to its bound.
    ///
    /// # Errors
    /// A [`Fault`] when the invocation was not served: `HANDLES_CLOSED`, `HANDLE_NOT_FOUND`, `INVALID_REQUEST`,
    /// `QUEUE_FULL`, or that of a lost worker. A handler that failed, or met one of its bounds, is an `Ok`.
    pub async fn invoke_handle(
        &self,
        execution_id: &str,
        handle: &str,
        request: HandleRequest,
    ) -> Result<HandleResult, Fault> {
        retained::invoke(&self.shared, execution_id, handle, request).await
    }

    /// Ends a retained execution. Does nothing for one that is closed already.
    pub fn close_handles(&self, execution_id: &str) {
        self.shared.retained.close(execution_id);
    }

    /// Starts workers ahead of the first run and waits until they are ready.
    ///
    /// # Errors
    /// What the first run would have met.
    pub async fn warm_up(&self) -> Result<(), Fault> {
        self.shared.apply(Event::WarmUp).perform();
        loop {
            let changed = self.shared.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.shared.is_stopping() {
                return Err(Sentence::PoolShuttingDown.into());
            }
            if self.shared.is_warm() {
                return Ok(());
            }
            if let Some(fault) = self.shared.start_fault() {
                return Err(fault);
            }
            changed.await;
        }
    }

    /// Refuses what waits and what comes, lets running programs and invocations finish for as long as the setting
    /// `drain` says, then ends every worker and waits until they are gone.
    pub async fn dispose(&self) {
        self.shared.retained.dispose();
        self.shared.apply(Event::Dispose).perform();
        let drained = self.wait_for(|shared| shared.is_drained());
        // Past the bound the rest is killed.
        let _ = tokio::time::timeout(self.shared.config.drain, drained).await;
        self.shared.stop();
        self.wait_for(|shared| shared.thread_is_over()).await;
    }

    /// What the pool has and does at this moment.
    pub fn counts(&self) -> Counts {
        self.shared.counts()
    }

    /// Waits until the counts are as `holds` wants them.
    pub async fn until(&self, holds: impl Fn(Counts) -> bool) {
        self.wait_for(|shared| holds(shared.counts())).await;
    }

    /// What the last worker process that came up reported about its engine and its hardening, as names and values.
    /// Empty before the first.
    pub fn capabilities(&self) -> Vec<(String, String)> {
        self.shared.capabilities()
    }

    /// The settings.
    pub fn config(&self) -> &PoolConfig {
        &self.shared.config
    }

    async fn wait_for(&self, holds: impl Fn(&Shared) -> bool) {
        loop {
            let changed = self.shared.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if holds(&self.shared) {
                return;
            }
            changed.await;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.apply(Event::Dispose).perform();
        self.shared.stop();
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("counts", &self.counts()).finish_non_exhaustive()
    }
}
