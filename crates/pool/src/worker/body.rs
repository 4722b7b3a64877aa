//! [`WorkerBody`]: what a worker does, for the pool a black box.

use crate::config::TemplateConfig;
use crate::ipc::frame::RunRequest;
use crate::ipc::worker::WorkerChannel;

/// What a worker does. Made once in the template; every worker has a copy of it by fork.
pub trait WorkerBody {
    /// Starts the engine. Called once, in the template, after it locked itself in: there is no file system and
    /// no network any more. Must leave no thread behind, or no worker can be forked.
    ///
    /// # Errors
    /// Why the engine did not come up. The text reaches the caller as a cause.
    fn prepare(&mut self, config: &TemplateConfig) -> Result<Prepared, String>;

    /// Does what runs do, once more after [`WorkerBody::prepare`] and still in the template, so that the pool learns which
    /// code and constants they take.
    ///
    /// # Errors
    /// What does not work. The text reaches the caller as a cause.
    fn rehearse(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// Makes this copy differ from its siblings: reseeds randomness, sets clocks. Called in the worker before its
    /// last rights are gone.
    fn after_fork(&mut self);

    /// Proves that a forked and locked-down copy works. Called in a child of its own before the first worker.
    ///
    /// # Errors
    /// What does not work.
    fn self_test(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// Does what every run does and little else, so that the pool learns which memory every run writes to. Called in a
    /// child of its own, before [`WorkerBody::self_test`].
    ///
    /// # Errors
    /// What does not work.
    fn least_run(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// Whether the run may hand work to a second thread, which a worker can have only before [`WorkerBody::run`].
    fn wants_second_thread(&self, _request: &RunRequest) -> bool {
        false
    }

    /// Serves the one run of this worker, whose last frame is `Settled`. The process exits behind it.
    fn run(&mut self, request: RunRequest, channel: &mut WorkerChannel);
}

/// What [`WorkerBody::prepare`] reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// What is on in the engine, as names and values for [`crate::Pool::capabilities`].
    pub capabilities: Vec<(String, String)>,
}
