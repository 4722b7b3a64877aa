//! Retained handles: how a host calls a program that stayed, once its run is over.
//!
//! A run that was asked to retain its handles and returned a function, or an object with a method `fetch`, keeps its
//! worker. Its [`ExecuteResult`](crate::ExecuteResult) carries an `execution_id` and the names of the handles in
//! place of a value, and [`Executor::invoke_handle`](crate::Executor::invoke_handle) sends requests to it until it is
//! closed, idles for too long or meets one of its bounds.

use crate::request::{body_bytes, header_bytes};
use crate::{FailureKind, Usage};

/// The handles that a retained execution serves: the request handler alone.
pub const GRANTED_HANDLES: [&str; 1] = ["fetch"];

/// One request to a retained handle, as plain data. The handler sees it as a `Request`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandleRequest {
    /// Absolute URL.
    pub url: String,
    /// Method. Empty is `GET`.
    pub method: String,
    /// Header names and values in order.
    pub headers: Vec<(String, String)>,
    /// Body bytes, absent for none.
    pub body: Option<Vec<u8>>,
}

/// What a handler answered: the `Response` it returned, as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandleResponse {
    /// Status code, 200 to 599.
    pub status: u16,
    /// Status text, often empty.
    pub status_text: String,
    /// Header names and values in order.
    pub headers: Vec<(String, String)>,
    /// Body bytes, absent for a null body.
    pub body: Option<Vec<u8>>,
}

/// The outcome of one invocation, for handlers that answered and handlers that failed alike.
///
/// Read `error` first, as in an [`ExecuteResult`](crate::ExecuteResult): without one, `response` is there.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct HandleResult {
    /// What the handler answered.
    pub response: Option<HandleResponse>,
    /// Why the invocation failed, as text for the model that wrote the handler.
    pub error: Option<String>,
    /// Why it failed, as a kind. After a `timeout` and after `memory` the retained execution is gone; after anything
    /// else it goes on with its handles.
    pub kind: Option<FailureKind>,
    /// What the invocation spent. `cpu_ms` and the peaks are those of the whole retained execution so far.
    pub usage: Usage,
}

impl HandleRequest {
    /// A `GET` of `url`.
    pub fn get(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }

    /// What counts against the payload bound: URL, method, every header name and value, and the body.
    pub fn size_bytes(&self) -> usize {
        self.url.len() + self.method.len() + header_bytes(&self.headers) + body_bytes(self.body.as_deref())
    }
}

impl HandleResponse {
    /// What counts against the payload bound: status text, every header name and value, and the body.
    pub fn size_bytes(&self) -> usize {
        self.status_text.len() + header_bytes(&self.headers) + body_bytes(self.body.as_deref())
    }
}

impl HandleResult {
    /// An invocation that was answered.
    pub fn answered(response: HandleResponse) -> Self {
        Self { response: Some(response), ..Self::default() }
    }

    /// An invocation that failed with `error`.
    pub fn failed(kind: FailureKind, error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), kind: Some(kind), ..Self::default() }
    }

    /// The response, or the sentence of the failure.
    ///
    /// # Errors
    /// The text of `error` when the invocation failed.
    pub fn into_response(self) -> Result<HandleResponse, String> {
        match (self.error, self.response) {
            (Some(error), _) => Err(error),
            (None, response) => Ok(response.unwrap_or_default()),
        }
    }
}
