//! What goes into a pool and what comes out.

use std::sync::Arc;

use codemode_protocol::{Dispatch, LogLine, LogSink, Outbound, Usage};

use crate::ipc::frame::{Outcome, RunRequest};

/// One program for a pool, with those who serve it.
#[derive(Clone)]
pub struct Job {
    /// The run. The fields that its documentation says so of are filled in by the pool.
    pub request: RunRequest,
    /// Who it is for. Tenants take turns in the queue; jobs without one are one tenant.
    pub tenant: Option<Arc<str>>,
    /// Serves tool calls. Without one every call fails as the call of an unknown tool does.
    pub dispatch: Option<Arc<dyn Dispatch>>,
    /// Performs outbound requests. Without one the network is closed.
    pub outbound: Option<Arc<dyn Outbound>>,
    /// Receives console lines as they come.
    pub log_sink: Option<Arc<dyn LogSink>>,
}

/// What came of a [`Job`].
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// What the worker reported, or the sentence of the bound that ended the run.
    pub outcome: Outcome,
    /// The name of the retained execution, when the outcome is [`Outcome::Retained`].
    pub execution_id: Option<String>,
    /// The console lines, in order.
    pub logs: Vec<LogLine>,
    /// What the run spent.
    pub usage: Usage,
}

impl Job {
    /// A job that nobody serves.
    pub fn new(request: RunRequest) -> Self {
        Self { request, tenant: None, dispatch: None, outbound: None, log_sink: None }
    }
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("request", &self.request).finish_non_exhaustive()
    }
}
