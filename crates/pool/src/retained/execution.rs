//! [`Execution`]: one program that stays, and its worker.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use codemode_protocol::{FailureKind, Fault, HandleResponse, HandleResult, Sentence};
use tokio::sync::{mpsc, oneshot};

use super::{Invocation, Place, closed};
use crate::dispatcher::queue::Tenant;
use crate::events::{PoolEvent, RetainedEnd, RunEnd};
use crate::ipc::frame::{InvocationOutcome, Outcome, Spent};
use crate::run::{Drive, End, Served};
use crate::supervisor::Shared;

/// Serves one retained program until its end. Dropping it ends the worker and forgets the name.
pub(super) struct Execution {
    shared: Arc<Shared>,
    id: String,
    /// Gone once the worker is.
    drive: Option<Drive>,
    requests: mpsc::Receiver<Invocation>,
    /// Resolves when the name is forgotten.
    closed: oneshot::Receiver<Infallible>,
    /// Gone before the worker is reported gone, so that whoever waits for that finds it free.
    place: Option<Place>,
    tenant: Tenant,
    since: Instant,
    invocations: u64,
    end: RetainedEnd,
}

impl Execution {
    pub(super) fn new(
        shared: Arc<Shared>,
        id: String,
        drive: Drive,
        requests: mpsc::Receiver<Invocation>,
        closed: oneshot::Receiver<Infallible>,
        place: Place,
    ) -> Self {
        Self {
            tenant: place.tenant.clone(),
            shared,
            id,
            drive: Some(drive),
            requests,
            closed,
            place: Some(place),
            since: Instant::now(),
            invocations: 0,
            // What a runtime that goes away under the task means.
            end: RetainedEnd::Disposed,
        }
    }

    /// Serves invocations in the order they come.
    pub(super) async fn serve(mut self) {
        loop {
            let idle = tokio::time::sleep(self.shared.config.handles_idle);
            tokio::pin!(idle);
            let Some(drive) = self.drive.as_mut() else { return };
            let invocation = tokio::select! {
                biased;
                _ = &mut self.closed => return self.end(RetainedEnd::Closed),
                served = drive.serve() => {
                    // It answers only when it is invoked.
                    let end = served.err().unwrap_or(End::Closed);
                    let (_, how, outcome) = drive.explain(end, &self.shared).await;
                    self.place = None;
                    self.drive = None;
                    return self.tell_of_death(how, outcome, idle).await;
                }
                invocation = self.requests.recv() => invocation,
                () = &mut idle => return self.end(RetainedEnd::Idle),
            };
            let Some(invocation) = invocation else { return self.end(RetainedEnd::Closed) };
            if invocation.reply.is_closed() {
                continue;
            }
            if let Some(end) = self.perform(invocation).await {
                return self.end(end);
            }
        }
    }

    /// Serves one invocation. The end of the execution, where the invocation is that.
    async fn perform(&mut self, invocation: Invocation) -> Option<RetainedEnd> {
        let Invocation { request, reply } = invocation;
        let drive = self.drive.as_mut()?;
        self.invocations += 1;
        drive.invoke(request);
        let served = tokio::select! {
            biased;
            _ = &mut self.closed => {
                let fault = closed(&self.id).after_start(drive.tool_calls_completed());
                // The caller may be gone.
                let _ = reply.send(Err(fault));
                return Some(RetainedEnd::Closed);
            }
            served = drive.serve() => served,
        };
        let answered = match served {
            Ok(Served::Invoked(outcome, spent)) => read(drive, outcome, spent),
            Ok(Served::Settled(_)) => Err(End::Closed),
            Err(end) => Err(end),
        };
        let (end, answer) = match answered {
            Ok(answer) => {
                let timed_out = answer.as_ref().is_ok_and(|result| result.kind == Some(FailureKind::Timeout));
                (timed_out.then_some(RetainedEnd::Timeout), answer)
            }
            Err(end) => {
                let (exit, how, outcome) = drive.explain(end, &self.shared).await;
                let usage = drive.usage(drive.spent(exit));
                let answer = outcome.map(|outcome| {
                    let mut result = failure(outcome);
                    result.usage = usage;
                    result
                });
                (Some(retained_end(how)), answer)
            }
        };
        if end.is_some() {
            // Forgotten before the caller can ask again.
            self.shared.retained.close(&self.id);
        }
        // The caller may be gone.
        let _ = reply.send(answer);
        end
    }

    /// The worker died while nobody waited for it. The next caller is told how, unless nobody calls in time.
    async fn tell_of_death(
        mut self,
        how: RunEnd,
        outcome: Result<Outcome, Fault>,
        idle: std::pin::Pin<&mut tokio::time::Sleep>,
    ) {
        let invocation = tokio::select! {
            biased;
            _ = &mut self.closed => None,
            invocation = self.requests.recv() => invocation,
            () = idle => None,
        };
        if let Some(invocation) = invocation {
            self.shared.retained.close(&self.id);
            let answer = outcome.map(failure).map_err(|mut fault| {
                // This caller's invocation never began.
                (fault.started, fault.tool_calls_completed) = (false, 0);
                fault
            });
            // The caller may be gone.
            let _ = invocation.reply.send(answer);
        }
        self.end(retained_end(how));
    }

    fn end(mut self, end: RetainedEnd) {
        self.end = end;
    }
}

impl Drop for Execution {
    fn drop(&mut self) {
        self.shared.retained.close(&self.id);
        // The worker is killed before anybody is told.
        if let Some(drive) = &mut self.drive {
            drive.kill();
        }
        self.place = None;
        self.drive = None;
        self.requests.close();
        while let Ok(invocation) = self.requests.try_recv() {
            let fault = match self.end {
                RetainedEnd::Disposed => Sentence::PoolShuttingDown.into(),
                _ => closed(&self.id),
            };
            // The caller may be gone.
            let _ = invocation.reply.send(Err(fault));
        }
        if self.shared.is_observed() {
            self.shared.observe(&PoolEvent::RetainedEnded {
                tenant: self.tenant.as_ref().to_owned(),
                end: self.end,
                took: self.since.elapsed(),
                invocations: self.invocations,
            });
        }
    }
}

/// What the worker says of an invocation. It is looked at once more: a worker is hostile once its engine is.
fn read(drive: &Drive, outcome: InvocationOutcome, spent: Spent) -> Result<Result<HandleResult, Fault>, End> {
    let mut result = match outcome {
        InvocationOutcome::Answered(response) => {
            let response = HandleResponse::from(response);
            if !is_response(&response) || response.size_bytes() > drive.payload_limit() {
                return Err(End::Violation("an answer of a handle that is none".to_owned()));
            }
            HandleResult::answered(response)
        }
        InvocationOutcome::Failed { kind, text } => HandleResult::failed(kind.into(), text),
        InvocationOutcome::Refused { text } => {
            return Ok(Err(Sentence::HandleRequestInvalid { detail: text }.into()));
        }
    };
    result.usage = drive.usage(spent);
    Ok(Ok(result))
}

/// Whether a status, a status text and headers are what the Fetch standard allows a `Response` to have.
fn is_response(response: &HandleResponse) -> bool {
    let reason = |byte: u8| byte == b'\t' || (byte >= b' ' && byte != 0x7F);
    (200..=599).contains(&response.status)
        && response.status_text.bytes().all(reason)
        && response.headers.iter().all(|(name, value)| {
            !name.is_empty() && name.bytes().all(is_token) && !value.contains(['\0', '\r', '\n'])
        })
}

/// A character of a header name: the `tchar` of RFC 9110.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn failure(outcome: Outcome) -> HandleResult {
    match outcome {
        Outcome::Failed { kind, text } => HandleResult::failed(kind.into(), text),
        // A death is never an answer.
        Outcome::Envelope(_) | Outcome::Undefined | Outcome::Retained | Outcome::Compiled(_) => {
            HandleResult::default()
        }
    }
}

fn retained_end(how: RunEnd) -> RetainedEnd {
    match how {
        RunEnd::KilledOnTimeout => RetainedEnd::Timeout,
        RunEnd::OutOfMemory(_) => RetainedEnd::OutOfMemory,
        RunEnd::Disposed => RetainedEnd::Disposed,
        RunEnd::Settled | RunEnd::Crashed | RunEnd::Cancelled => RetainedEnd::Crashed,
    }
}
