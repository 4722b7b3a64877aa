//! The traits of the contract: [`Executor`] for whoever runs programs, and what a caller implements.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{
    ExecuteRequest, ExecuteResult, Fault, HandleRequest, HandleResult, LogLine, OutboundRequest,
    OutboundResponse, Sentence,
};

/// A boxed future, so that the traits stay object-safe and name no async runtime.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Runs programs. Implemented by the in-process executor and by the client of a daemon alike.
pub trait Executor: Send + Sync {
    /// Runs one program under one request. Dropping the future gives the run up: the program is ended and its
    /// place is freed.
    ///
    /// # Errors
    /// A [`Fault`] when the executor could not serve the run. A program that failed is an `Ok` with `error` set.
    fn execute(&self, request: ExecuteRequest) -> BoxFuture<'_, Result<ExecuteResult, Fault>>;

    /// Sends one request to a handle of a retained execution. Invocations of one execution are served one at a time,
    /// in the order they come. Dropping the future leaves the invocation to its bound: an execution cannot be stopped
    /// without ending it, which is [`Executor::close_handles`].
    ///
    /// An executor that retains nothing need not implement this.
    ///
    /// # Errors
    /// `HANDLES_CLOSED` for an execution that is not, or no longer, retained; `HANDLE_NOT_FOUND` for a handle it
    /// does not serve; `INVALID_REQUEST` for a request that is none; `QUEUE_FULL` behind too many others; another
    /// [`Fault`] when the worker was lost. A handler that failed is an `Ok` with `error` set.
    fn invoke_handle(
        &self,
        execution_id: &str,
        _handle: &str,
        _request: HandleRequest,
    ) -> BoxFuture<'_, Result<HandleResult, Fault>> {
        let fault = Sentence::HandlesClosed { execution_id: execution_id.to_owned() }.into();
        Box::pin(std::future::ready(Err(fault)))
    }

    /// Ends a retained execution. Invocations that wait for their turn answer `HANDLES_CLOSED`. An execution that is
    /// not retained is closed already.
    fn close_handles(&self, _execution_id: &str) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Ends every worker. Later calls of `execute` answer an `INTERNAL` fault.
    fn dispose(&self) -> BoxFuture<'_, ()>;
}

/// One tool call of a program, as three strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The provider named.
    pub provider: String,
    /// The tool named. A program may name a tool that no declaration carries.
    pub tool: String,
    /// The arguments as JSON: an array, or one object under the single-object convention. Bytes are in the
    /// tagged base64 envelope.
    pub args_json: String,
}

/// Serves the tool calls of a program.
pub trait Dispatch: Send + Sync {
    /// Answers one call with the envelope JSON, `{"result":…}` or `{"error":"…"}`.
    ///
    /// # Errors
    /// A text, which the program reads as the message of the error thrown at its call.
    fn call(&self, call: ToolCall) -> BoxFuture<'_, Result<String, String>>;
}

/// Performs the network requests of a program in the caller's own code.
pub trait Outbound: Send + Sync {
    /// Answers one request. The future is dropped as soon as nobody waits for its answer any more: when the program
    /// aborts the request, and when its run ends.
    ///
    /// # Errors
    /// A text, which the program reads as the message of a `TypeError`.
    fn fetch(&self, request: OutboundRequest) -> BoxFuture<'_, Result<OutboundResponse, String>>;
}

/// Receives console lines as they are written. Must not block: it is called on the path of the run.
pub trait LogSink: Send + Sync {
    /// One line, in order.
    fn line(&self, line: &LogLine);
}

impl<F: Fn(&LogLine) + Send + Sync> LogSink for F {
    fn line(&self, line: &LogLine) {
        self(line);
    }
}

impl<E: Executor + ?Sized> Executor for Arc<E> {
    fn execute(&self, request: ExecuteRequest) -> BoxFuture<'_, Result<ExecuteResult, Fault>> {
        (**self).execute(request)
    }

    fn invoke_handle(
        &self,
        execution_id: &str,
        handle: &str,
        request: HandleRequest,
    ) -> BoxFuture<'_, Result<HandleResult, Fault>> {
        (**self).invoke_handle(execution_id, handle, request)
    }

    fn close_handles(&self, execution_id: &str) -> BoxFuture<'_, ()> {
        (**self).close_handles(execution_id)
    }

    fn dispose(&self) -> BoxFuture<'_, ()> {
        (**self).dispose()
    }
}

impl<D: Dispatch + ?Sized> Dispatch for Arc<D> {
    fn call(&self, call: ToolCall) -> BoxFuture<'_, Result<String, String>> {
        (**self).call(call)
    }
}

impl<O: Outbound + ?Sized> Outbound for Arc<O> {
    fn fetch(&self, request: OutboundRequest) -> BoxFuture<'_, Result<OutboundResponse, String>> {
        (**self).fetch(request)
    }
}

/// A [`Dispatch`] made of an async closure.
pub fn dispatch_fn<F, Fut>(function: F) -> impl Dispatch
where
    F: Fn(ToolCall) -> Fut + Send + Sync,
    Fut: Future<Output = Result<String, String>> + Send + 'static,
{
    struct FnDispatch<F>(F);
    impl<F, Fut> Dispatch for FnDispatch<F>
    where
        F: Fn(ToolCall) -> Fut + Send + Sync,
        Fut: Future<Output = Result<String, String>> + Send + 'static,
    {
        fn call(&self, call: ToolCall) -> BoxFuture<'_, Result<String, String>> {
            Box::pin((self.0)(call))
        }
    }
    FnDispatch(function)
}

/// An [`Outbound`] made of an async closure.
pub fn outbound_fn<F, Fut>(function: F) -> impl Outbound
where
    F: Fn(OutboundRequest) -> Fut + Send + Sync,
    Fut: Future<Output = Result<OutboundResponse, String>> + Send + 'static,
{
    struct FnOutbound<F>(F);
    impl<F, Fut> Outbound for FnOutbound<F>
    where
        F: Fn(OutboundRequest) -> Fut + Send + Sync,
        Fut: Future<Output = Result<OutboundResponse, String>> + Send + 'static,
    {
        fn fetch(&self, request: OutboundRequest) -> BoxFuture<'_, Result<OutboundResponse, String>> {
            Box::pin((self.0)(request))
        }
    }
    FnOutbound(function)
}
