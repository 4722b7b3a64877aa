//! [`Host`]: what an execution needs of the process it runs in.

use std::time::Duration;

use codemode_protocol::{
    FailureKind, HandleRequest, HandleResponse, LogLevel, OutboundRequest, OutboundResponse, ToolCall,
};

use crate::Spent;

/// Work that a [`Host`] performs on another thread. It knows nothing of the engine.
pub type Work = Box<dyn FnOnce() + Send>;

/// The other side of the isolate. In production this is the channel to the host process.
pub trait Host {
    /// Monotonic time since any fixed moment.
    fn now(&mut self) -> Duration;

    /// One console line. Must have left this process when it returns.
    fn console(&mut self, level: LogLevel, text: String);

    /// Sends one tool call. Its answer comes back through [`Host::wait`] under the same `id`.
    fn call_tool(&mut self, id: u32, call: ToolCall);

    /// Sends one network request. Its answer comes back through [`Host::wait`] under the same `id`.
    fn send_request(&mut self, id: u32, request: OutboundRequest);

    /// Says that nobody waits for the answer to a network request any more.
    fn cancel_request(&mut self, id: u32);

    /// Performs `work` on a thread beside this one. [`Host::wait`] reports its end as [`HostEvent::WorkDone`]; no other
    /// work is handed over before that.
    ///
    /// # Errors
    /// Gives the work back where there is no such thread.
    fn perform_aside(&mut self, work: Work) -> Result<(), Work>;

    /// The outcome of the invocation that the last [`HostEvent::Invoke`] asked for.
    fn invoked(&mut self, invocation: Invocation, spent: Spent);

    /// Waits for the next event, at most for `timeout` (`None`: without bound; zero: look and return).
    fn wait(&mut self, timeout: Option<Duration>) -> HostEvent;
}

/// What a [`Host`] reports.
#[derive(Debug)]
pub enum HostEvent {
    /// The answer to a call: the envelope JSON, or the text of a failure.
    ToolAnswer {
        /// The call.
        id: u32,
        /// Its outcome.
        outcome: Result<String, String>,
    },
    /// The answer to a network request, or the text of a failure.
    OutboundAnswer {
        /// The request.
        id: u32,
        /// Its outcome.
        outcome: Result<OutboundResponse, String>,
    },
    /// The work that was handed over last is done.
    WorkDone,
    /// A request to the handler of a retained execution. Comes once the execution is retained, and the next one when
    /// this one has its answer.
    Invoke(HandleRequest),
    /// Nothing happened within the timeout.
    TimedOut,
    /// The host is gone. The execution ends without an outcome.
    Closed,
}

/// How an invocation of a retained handle ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// The handler answered.
    Answered(HandleResponse),
    /// The handler failed in band. After [`FailureKind::Timeout`] the execution is over.
    Failed {
        /// Why.
        kind: FailureKind,
        /// The text for the model.
        text: String,
    },
    /// What the caller sent is no request; the handler was not called.
    Refused {
        /// What is wrong with it.
        text: String,
    },
}
