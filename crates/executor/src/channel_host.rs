//! The sandbox's host over a worker's channel, and the one of the rehearsal.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use codemode_pool::{
    HostFrame, InvocationOutcome, OutboundOutcome, Received, ToolOutcome, WorkerChannel, WorkerFrame,
};
use codemode_protocol::{LogLevel, OutboundRequest, ToolCall};
use codemode_sandbox::{Host, HostEvent, Invocation, Spent, Work};

use crate::worker;

/// A [`Host`] that speaks to the host process.
pub(crate) struct ChannelHost {
    channel: WorkerChannel,
    started: Instant,
    closed: bool,
}

impl ChannelHost {
    pub(crate) fn new(channel: WorkerChannel) -> Self {
        Self { channel, started: Instant::now(), closed: false }
    }

    /// Writes a frame. A channel that is closed is reported by the next `wait`.
    fn send(&mut self, frame: &WorkerFrame) {
        if self.channel.send(frame).is_err() {
            self.closed = true;
        }
    }
}

impl Host for ChannelHost {
    fn now(&mut self) -> Duration {
        self.started.elapsed()
    }

    fn console(&mut self, level: LogLevel, text: String) {
        self.send(&WorkerFrame::Console { level: level.into(), text });
    }

    fn call_tool(&mut self, id: u32, call: ToolCall) {
        self.send(&WorkerFrame::ToolCall {
            id,
            provider: call.provider,
            tool: call.tool,
            args_json: call.args_json,
        });
    }

    fn send_request(&mut self, id: u32, request: OutboundRequest) {
        self.send(&WorkerFrame::OutboundCall { id, request: request.into() });
    }

    fn cancel_request(&mut self, id: u32) {
        self.send(&WorkerFrame::OutboundCancel { id });
    }

    fn perform_aside(&mut self, work: Work) -> Result<(), Work> {
        self.channel.perform_aside(work)
    }

    fn invoked(&mut self, invocation: Invocation, spent: Spent) {
        let outcome = match invocation {
            Invocation::Answered(response) => InvocationOutcome::Answered(response.into()),
            Invocation::Failed { kind, text } => InvocationOutcome::Failed { kind: kind.into(), text },
            Invocation::Refused { text } => InvocationOutcome::Refused { text },
        };
        self.send(&WorkerFrame::Invoked { outcome, usage: worker::spent(spent) });
    }

    fn wait(&mut self, timeout: Option<Duration>) -> HostEvent {
        if self.closed {
            return HostEvent::Closed;
        }
        match self.channel.receive(timeout) {
            Ok(Received::TimedOut) => HostEvent::TimedOut,
            Ok(Received::WorkDone) => HostEvent::WorkDone,
            Ok(Received::Frame(HostFrame::ToolAnswer { id, outcome })) => HostEvent::ToolAnswer {
                id,
                outcome: match outcome {
                    ToolOutcome::Returned(envelope) => Ok(envelope),
                    ToolOutcome::Thrown(text) => Err(text),
                },
            },
            Ok(Received::Frame(HostFrame::OutboundAnswer { id, outcome })) => HostEvent::OutboundAnswer {
                id,
                outcome: match outcome {
                    OutboundOutcome::Returned(response) => Ok(response.into()),
                    OutboundOutcome::Thrown(text) => Err(text),
                },
            },
            Ok(Received::Frame(HostFrame::Invoke(request))) => HostEvent::Invoke(request.into()),
            // A second run never enters this process.
            Ok(Received::Frame(HostFrame::Start(_))) | Err(_) => HostEvent::Closed,
        }
    }
}

/// A [`Host`] that answers the tool call of the rehearsal and whose clock stands still.
#[derive(Default)]
pub(crate) struct RehearsalHost {
    answers: VecDeque<HostEvent>,
    now: Duration,
}

impl Host for RehearsalHost {
    fn now(&mut self) -> Duration {
        self.now
    }

    fn console(&mut self, _level: LogLevel, _text: String) {}

    fn call_tool(&mut self, id: u32, _call: ToolCall) {
        self.answers.push_back(HostEvent::ToolAnswer { id, outcome: Ok(r#"{"result":[1,2,3]}"#.to_owned()) });
    }

    fn send_request(&mut self, _id: u32, _request: OutboundRequest) {}

    fn cancel_request(&mut self, _id: u32) {}

    /// The template has one thread, or it could not fork.
    fn perform_aside(&mut self, work: Work) -> Result<(), Work> {
        Err(work)
    }

    fn invoked(&mut self, _invocation: Invocation, _spent: Spent) {}

    fn wait(&mut self, timeout: Option<Duration>) -> HostEvent {
        if let Some(answer) = self.answers.pop_front() {
            return answer;
        }
        match timeout {
            Some(timeout) => {
                self.now += timeout;
                HostEvent::TimedOut
            }
            None => HostEvent::Closed,
        }
    }
}
