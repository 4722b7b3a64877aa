//! [`Host`]: what an execution needs of the process it runs in.

use std::time::Duration;

use codemode_protocol::{LogLevel, OutboundRequest, OutboundResponse, ToolCall};

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
    /// Nothing happened within the timeout.
    TimedOut,
    /// The host is gone. The execution ends without an outcome.
    Closed,
}
