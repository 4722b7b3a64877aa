//! [`Meter`]: what a run spent that was given up, as far as its caller can tell.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use codemode_protocol::{BoxFuture, Dispatch, ExecuteRequest, ToolCall, Usage};

/// Counts from its start: time, and the tool calls of the request and the waits for them.
pub(crate) struct Meter {
    begun: Instant,
    waits: Arc<Mutex<Waits>>,
}

#[derive(Default)]
struct Waits {
    calls: u32,
    open: u32,
    since: Option<Instant>,
    waited: Duration,
}

impl Meter {
    /// Starts to count what becomes of a request.
    pub(crate) fn start(request: &mut ExecuteRequest) -> Self {
        let meter = Self { begun: Instant::now(), waits: Arc::default() };
        if let Some(inner) = request.dispatch.take() {
            request.dispatch = Some(Arc::new(Counted { inner, waits: meter.waits.clone() }));
        }
        meter
    }

    /// What was spent up to now: the whole time, tool calls and waits for them. What a worker alone can tell is zero.
    pub(crate) fn usage(&self) -> Usage {
        let waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = waits.waited + waits.since.map_or(Duration::ZERO, |since| since.elapsed());
        let mut usage = Usage::default();
        usage.wall_ms = self.begun.elapsed().as_secs_f64() * 1e3;
        usage.host_wait_ms = waited.as_secs_f64() * 1e3;
        usage.tool_calls = waits.calls;
        usage
    }
}

/// A function of tools that is counted.
struct Counted {
    inner: Arc<dyn Dispatch>,
    waits: Arc<Mutex<Waits>>,
}

impl Dispatch for Counted {
    fn call(&self, call: ToolCall) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async move {
            let _open = Open::enter(&self.waits);
            self.inner.call(call).await
        })
    }
}

/// A call that is being served, until it is dropped.
struct Open<'a>(&'a Mutex<Waits>);

impl<'a> Open<'a> {
    fn enter(waits: &'a Mutex<Waits>) -> Self {
        let mut inner = waits.lock().unwrap_or_else(PoisonError::into_inner);
        inner.calls = inner.calls.saturating_add(1);
        inner.open += 1;
        inner.since.get_or_insert_with(Instant::now);
        drop(inner);
        Self(waits)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waits.open -= 1;
        if waits.open == 0
            && let Some(since) = waits.since.take()
        {
            waits.waited += since.elapsed();
        }
    }
}
