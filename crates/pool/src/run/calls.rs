//! [`Calls`]: what a run asked of its caller and has not got yet.

use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

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
    /// One of each call, those that were taken back among them until they are swept out.
    open: FuturesUnordered<Call>,
    /// The outbound calls, which a program can take back.
    outbound_calls: HashMap<u32, OutboundCall>,
    /// Calls in `open` that were taken back.
    husks: usize,
    open_bytes: usize,
    payload_limit: usize,
    /// Counts the clocks of the run: an invocation of a retained handle has one of its own.
    pub(crate) epoch: u32,
}

/// The work behind a call. Whoever takes it out ends it.
type Work = Arc<Mutex<Option<BoxFuture<'static, Answer>>>>;

/// A call, as the set of open ones polls it: its answer, or `None` once its work was taken away.
struct Call(Work);

/// What it takes to take a call back.
struct OutboundCall {
    work: Work,
    size_bytes: usize,
    /// As in its [`Answer`].
    waited: Option<u32>,
}

impl Future for Call {
    type Output = Option<Answer>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut work = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match work.as_mut() {
            Some(future) => future.as_mut().poll(context).map(Some),
            None => Poll::Ready(None),
        }
    }
}

/// Calls that were taken back may be this many more than half of all before they are swept out.
const HUSKS_KEPT: usize = 64;

/// One answer.
pub(crate) struct Answer {
    pub(crate) frame: HostFrame,
    /// The clock that the call held a wait open of, when it was a wait on the caller's function.
    pub(crate) waited: Option<u32>,
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
        Self {
            dispatch,
            outbound,
            open: FuturesUnordered::new(),
            outbound_calls: HashMap::new(),
            husks: 0,
            open_bytes: 0,
            payload_limit,
            epoch: 0,
        }
    }

    /// Whether any call is open.
    pub(crate) fn any(&self) -> bool {
        self.open.len() > self.husks
    }

    /// The next answer. Never comes while no call is open.
    pub(crate) async fn next(&mut self) -> Answer {
        loop {
            match self.open.next().await {
                Some(Some(answer)) => {
                    self.open_bytes -= answer.size_bytes;
                    if let HostFrame::OutboundAnswer { id, .. } = answer.frame {
                        self.outbound_calls.remove(&id);
                    }
                    return answer;
                }
                Some(None) => self.husks -= 1,
                None => std::future::pending().await,
            }
        }
    }

    /// Ends an outbound call and drops what works on it. The clock that it held a wait open of, when it was open and
    /// a wait.
    pub(crate) fn cancel_outbound(&mut self, id: u32) -> Option<u32> {
        let OutboundCall { work, size_bytes, waited } = self.outbound_calls.remove(&id)?;
        work.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.open_bytes -= size_bytes;
        self.husks += 1;
        // A program that takes calls back without end must not gather what is left of them.
        if self.husks > self.open.len() / 2 + HUSKS_KEPT {
            let is_husk = |call: &Call| call.0.lock().unwrap_or_else(PoisonError::into_inner).is_none();
            let calls = std::mem::take(&mut self.open);
            self.open = calls.into_iter().filter(|call| !is_husk(call)).collect();
            self.husks = 0;
        }
        waited
    }

    /// Lets every call reach the function that serves it. That is as far as one gets that its program did not wait for:
    /// what is answered here is answered to nobody.
    pub(crate) fn begin_all(&mut self) {
        while let Some(Some(_)) = self.open.next().now_or_never() {}
    }

    /// Drops everything that is being worked on: nobody waits for answers any more.
    pub(crate) fn drop_all(&mut self) {
        self.open.clear();
        self.outbound_calls.clear();
        self.husks = 0;
        self.open_bytes = 0;
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
        let epoch = waited.then_some(self.epoch);
        self.start(async move {
            let outcome = perform_tool(served, call, limit).await;
            Answer { frame: HostFrame::ToolAnswer { id, outcome }, waited: epoch, tool: true, size_bytes }
        });
        Ok(waited)
    }

    /// Starts an outbound request. `waits`: it is the caller's own function.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn outbound(&mut self, id: u32, request: OutboundParts, waits: bool) -> Result<bool, String> {
        if self.outbound_calls.contains_key(&id) {
            return Err(format!("two open outbound calls of id {id}"));
        }
        let request = OutboundRequest::from(request);
        let size_bytes = request.size_bytes();
        self.check_room(size_bytes)?;
        let served = self.outbound.clone();
        let waited = waits && served.is_some();
        let limit = self.payload_limit;
        let epoch = waited.then_some(self.epoch);
        let work = self.start(async move {
            let outcome = perform_outbound(served, request, limit).await;
            Answer {
                frame: HostFrame::OutboundAnswer { id, outcome },
                waited: epoch,
                tool: false,
                size_bytes,
            }
        });
        self.outbound_calls.insert(id, OutboundCall { work, size_bytes, waited: epoch });
        Ok(waited)
    }

    fn start(&mut self, future: impl Future<Output = Answer> + Send + 'static) -> Work {
        let work: Work = Arc::new(Mutex::new(Some(Box::pin(future))));
        self.open.push(Call(work.clone()));
        work
    }

    /// The worker refuses such a call in band. One that arrives all the same comes from a worker that is broken.
    fn check_room(&mut self, size_bytes: usize) -> Result<(), String> {
        let (calls, bytes) =
            (defaults::OPEN_CALLS_LIMIT, defaults::open_call_bytes_limit(self.payload_limit));
        if self.open.len() - self.husks >= calls {
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

#[cfg(test)]
mod tests {
    use codemode_protocol::outbound_fn;

    use super::*;

    /// Calls whose outbound function never answers, and how many of its futures are alive.
    fn silent() -> (Calls, Arc<()>) {
        let alive = Arc::new(());
        let token = alive.clone();
        let outbound = outbound_fn(move |_request| {
            let token = token.clone();
            async move {
                let _token = token;
                std::future::pending().await
            }
        });
        (Calls::new(None, Some(Arc::new(outbound)), 1 << 20), alive)
    }

    fn poll(calls: &mut Calls) {
        assert!(calls.next().now_or_never().is_none(), "nobody answers");
    }

    #[test]
    fn a_call_that_is_taken_back_is_dropped_at_once_and_makes_room() {
        let (mut calls, alive) = silent();
        let idle = Arc::strong_count(&alive);
        for id in 0..10 {
            assert_eq!(calls.outbound(id, OutboundParts::default(), true), Ok(true));
        }
        poll(&mut calls);
        assert_eq!(Arc::strong_count(&alive), idle + 10);
        assert_eq!(calls.cancel_outbound(3), Some(0));
        assert_eq!(Arc::strong_count(&alive), idle + 9);
        assert_eq!(calls.cancel_outbound(3), None, "it is gone");
        assert_eq!(calls.cancel_outbound(77), None, "it never was");
        for id in (0..10).filter(|&id| id != 3) {
            assert_eq!(calls.cancel_outbound(id), Some(0));
        }
        assert_eq!((Arc::strong_count(&alive), calls.any(), calls.open_bytes), (idle, false, 0));
    }

    #[test]
    fn calls_that_are_taken_back_do_not_gather() {
        let (mut calls, alive) = silent();
        let idle = Arc::strong_count(&alive);
        let request = || OutboundParts { body: Some(vec![0; 1 << 20]), ..OutboundParts::default() };
        calls.outbound(0, OutboundParts::default(), true).unwrap();
        for id in 1..2_000 {
            // Past both bounds, were the ones before it still counted.
            calls.outbound(id, request(), true).unwrap();
            calls.cancel_outbound(id).unwrap();
            assert!(calls.open.len() < 4 * HUSKS_KEPT);
        }
        poll(&mut calls);
        assert_eq!((calls.open.len() - calls.husks, Arc::strong_count(&alive)), (1, idle + 1), "one is open");
        calls.drop_all();
        assert_eq!((calls.any(), Arc::strong_count(&alive)), (false, idle));
    }
}
