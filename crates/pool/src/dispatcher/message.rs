//! What goes into the dispatcher and what comes out.

use std::time::Duration;

use super::queue::Tenant;
use crate::events::StartCause;

/// A request of a caller.
pub(crate) type JobId = u64;
/// A worker process. Worker and template numbers come from one sequence, from 1.
pub(crate) type WorkerId = u64;
/// A template process.
pub(crate) type TemplateId = u64;

/// The bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) max_workers: usize,
    pub(crate) spares: usize,
    pub(crate) queue_limit: usize,
    pub(crate) template_forks: u32,
    pub(crate) template_age: Duration,
}

/// How workers come to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Forked; where the template says that it cannot, started one by one.
    Auto,
    /// Forked, or not at all.
    Fork,
    /// Started one by one.
    Exec,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A caller asks for a worker.
    Submit { job: JobId, tenant: Tenant },
    /// A caller that waits gives up. Unknown numbers are ignored: the answer may be on its way.
    Cancel(JobId),
    /// Get ready without a request.
    WarmUp,
    /// The run of that worker is over and its program stays: the place is free, the worker is not.
    Retained(WorkerId),
    /// That worker serves nothing any more and is being killed. `settled`: it ended as runs should.
    Released { worker: WorkerId, settled: bool },
    /// A template is up.
    TemplateReady { template: TemplateId, can_fork: bool },
    /// A template did not come up.
    TemplateFailed { template: TemplateId, failure: Failure },
    /// A template that was up is gone, and its workers with it.
    TemplateGone(TemplateId),
    /// A worker exists.
    Forked(WorkerId),
    /// A worker did not come to be.
    ForkFailed { worker: WorkerId, failure: Failure },
    /// A worker is gone.
    Exited { worker: WorkerId, text: String },
    /// The machine's memory is short from now on, or no longer.
    Pressure(bool),
    /// Time passed.
    Tick,
    /// Nothing is served any more.
    Dispose,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// The job runs on the worker.
    Assign { job: JobId, worker: WorkerId },
    /// The job is not served.
    Refuse { job: JobId, refusal: Refusal },
    /// Start a template.
    StartTemplate(TemplateId),
    /// End a template that has no worker left.
    CloseTemplate(TemplateId),
    /// Fork a worker.
    Fork { template: TemplateId, worker: WorkerId, cause: StartCause },
    /// Start a worker by itself.
    Launch { worker: WorkerId, cause: StartCause },
    /// Kill a worker that nobody uses.
    Kill(WorkerId),
}

/// Why a job is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The queue is at its bound.
    QueueFull { limit: usize, retry_after: Duration },
    /// Workers do not come up.
    Start { number: u64, failure: Failure, retry_after: Duration },
    /// The pool is at its end.
    ShuttingDown,
}

/// Why something did not come up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) cause: Cause,
    /// What is known about it, outermost first.
    pub(crate) texts: Vec<String>,
}

/// What kind of reason something did not come up for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The process never spoke: the host program is not set up, or the named program is another one.
    Setup,
    /// The engine did not come up. It will not the next time either.
    Engine,
    /// Something outside: a process that was killed, a resource that ran out. The next try may work.
    Accident,
}

impl Failure {
    pub(crate) fn new(cause: Cause, text: impl Into<String>) -> Self {
        Self { cause, texts: vec![text.into()] }
    }
}

/// What the dispatcher counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Programs that run.
    pub running: usize,
    /// Programs that stayed behind their run to serve the handles they returned.
    pub retained: usize,
    /// Workers that wait for a program.
    pub idle: usize,
    /// Workers that are being made.
    pub starting: usize,
    /// Workers whose run is over and whose exit is outstanding.
    pub ending: usize,
    /// Requests that wait.
    pub queued: usize,
    /// Template processes.
    pub templates: usize,
}
