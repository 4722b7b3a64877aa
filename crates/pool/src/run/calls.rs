//! [`Calls`]: what a run asked of its caller and has not got yet.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use codemode_protocol::{
    BoxFuture, Dispatch, Outbound, OutboundRequest, Sentence, ToolCall, defaults, sentence::subject,
};
use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::ipc::frame::{HostFrame, OutboundOutcome, OutboundParts, ToolOutcome};

/// The open calls of one run.
pub(crate) struct Calls {
    dispatch: Option<Arc<dyn Dispatch>>,
    outbound: Option<Arc<dyn Outbound>>,
    open: FuturesUnordered<BoxFuture<'static, Answer>>,
    open_bytes: usize,
    payload_limit: usize,
}

/// One answer.
pub(crate) struct Answer {
    pub(crate) frame: HostFrame,
    /// The call was a wait on the caller's function.
    pub(crate) waited: bool,
    /// It was a tool call.
    pub(crate) tool: bool,
    /// What the call carried, in bytes.
    size_bytes: usize,
}

impl Calls {
    pub(crate) fn new(
        dispatch: Option<Arc<dyn Dispatch>>,
        outbound: Option<Arc<dyn Outbound>>,
        payload_limit: usize,
    ) -> Self {
        Self { dispatch, outbound, open: FuturesUnordered::new(), open_bytes: 0, payload_limit }
    }

    /// Whether any call is open.
    pub(crate) fn any(&self) -> bool {
        !self.open.is_empty()
    }

    /// The next answer. Never comes while no call is open.
    pub(crate) async fn next(&mut self) -> Answer {
        match self.open.next().await {
            Some(answer) => {
                self.open_bytes -= answer.size_bytes;
                answer
            }
            None => std::future::pending().await,
        }
    }

    /// Starts a tool call. `Ok(false)` when nobody serves it: its answer is there, and no wait.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn tool(&mut self, id: u32, call: ToolCall) -> Result<bool, String> {
        let size_bytes = call.provider.len() + call.tool.len() + call.args_json.len();
        self.check_room(size_bytes)?;
        let served = self.dispatch.clone();
        let waited = served.is_some();
        let limit = self.payload_limit;
        self.open.push(Box::pin(async move {
            let outcome = perform_tool(served, call, limit).await;
            Answer { frame: HostFrame::ToolAnswer { id, outcome }, waited, tool: true, size_bytes }
        }));
        Ok(waited)
    }

    /// Starts an outbound request. `waits`: it is the caller's own function.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn outbound(&mut self, id: u32, request: OutboundParts, waits: bool) -> Result<bool, String> {
        let request = OutboundRequest::from(request);
        let size_bytes = request.size_bytes();
        self.check_room(size_bytes)?;
        let served = self.outbound.clone();
        let waited = waits && served.is_some();
        let limit = self.payload_limit;
        self.open.push(Box::pin(async move {
            let outcome = perform_outbound(served, request, limit).await;
            Answer { frame: HostFrame::OutboundAnswer { id, outcome }, waited, tool: false, size_bytes }
        }));
        Ok(waited)
    }

    /// The worker refuses such a call in band. One that arrives all the same comes from a worker that is broken.
    fn check_room(&mut self, size_bytes: usize) -> Result<(), String> {
        let (calls, bytes) =
            (defaults::OPEN_CALLS_LIMIT, defaults::open_call_bytes_limit(self.payload_limit));
        if self.open.len() >= calls {
            return Err(format!("more than {calls} open calls"));
        }
        if self.open_bytes.saturating_add(size_bytes) > bytes {
            return Err(format!("more than {bytes} bytes in open calls"));
        }
        self.open_bytes += size_bytes;
        Ok(())
    }
}

async fn perform_tool(served: Option<Arc<dyn Dispatch>>, call: ToolCall, limit_bytes: usize) -> ToolOutcome {
    let (provider, tool) = (call.provider.clone(), call.tool.clone());
    let Some(dispatch) = served else {
        return ToolOutcome::Thrown(Sentence::ToolNotFound { provider, tool }.to_string());
    };
    let answered = AssertUnwindSafe(async { dispatch.call(call).await }).catch_unwind().await;
    match answered {
        Ok(Ok(json)) if json.len() <= limit_bytes => ToolOutcome::Returned(json),
        Ok(Err(text)) if text.len() <= limit_bytes => ToolOutcome::Thrown(text),
        Ok(Ok(long) | Err(long)) => {
            ToolOutcome::Thrown(too_large(subject::TOOL_ANSWER, long.len(), limit_bytes))
        }
        Err(_) => ToolOutcome::Thrown(Sentence::ToolFailed { provider, tool }.to_string()),
    }
}

async fn perform_outbound(
    served: Option<Arc<dyn Outbound>>,
    request: OutboundRequest,
    limit_bytes: usize,
) -> OutboundOutcome {
    let Some(outbound) = served else {
        return OutboundOutcome::Thrown(Sentence::OutboundDisabled.to_string());
    };
    let answered = AssertUnwindSafe(async { outbound.fetch(request).await }).catch_unwind().await;
    match answered {
        Ok(Ok(response)) => {
            let size = response.size_bytes();
            if size <= limit_bytes {
                OutboundOutcome::Returned(response.into())
            } else {
                OutboundOutcome::Thrown(too_large(subject::OUTBOUND_RESPONSE, size, limit_bytes))
            }
        }
        Ok(Err(text)) if text.len() <= limit_bytes => OutboundOutcome::Thrown(text),
        Ok(Err(long)) => {
            OutboundOutcome::Thrown(too_large(subject::OUTBOUND_RESPONSE, long.len(), limit_bytes))
        }
        Err(_) => OutboundOutcome::Thrown("The outbound function failed in its host.".to_owned()),
    }
}

fn too_large(subject: &'static str, size_bytes: usize, limit_bytes: usize) -> String {
    Sentence::PayloadTooLarge { subject, size_bytes, limit_bytes }.to_string()
}
