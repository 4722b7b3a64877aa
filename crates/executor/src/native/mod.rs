//! [`NativeOutbound`]: performs the `fetch` of programs in the host process, so that no worker needs a network.

mod address;
mod client;

use std::sync::OnceLock;

use codemode_protocol::sentence::subject;
use codemode_protocol::{BoxFuture, Outbound, OutboundRequest, OutboundResponse, RedirectMode, Sentence};
use reqwest::{Method, Response, header};

pub use address::AddressPolicy;

/// Performs requests against whatever the network of this process reaches and its [`AddressPolicy`] admits. Bodies
/// are decompressed and buffered whole, up to a bound.
pub struct NativeOutbound {
    /// Made by the first request: reading the machine's certificates takes longer than starting a worker.
    clients: OnceLock<Result<client::Clients, String>>,
    addresses: AddressPolicy,
    limit_bytes: usize,
}

impl NativeOutbound {
    /// Answers are at most `limit_bytes` long, and connections go where `addresses` admits.
    pub fn new(addresses: AddressPolicy, limit_bytes: usize) -> Self {
        Self { clients: OnceLock::new(), addresses, limit_bytes }
    }

    async fn perform(&self, request: OutboundRequest) -> Result<OutboundResponse, String> {
        let clients = self.clients.get_or_init(|| client::build(&self.addresses)).as_ref()?;
        let follows = request.redirect == RedirectMode::Follow;
        let client = if follows { &clients.following } else { &clients.stopping };
        let method = Method::from_bytes(request.method.as_bytes()).map_err(|error| error.to_string())?;
        let url = reqwest::Url::parse(&request.url).map_err(|error| format!("fetch failed: {error}"))?;
        self.addresses.admit_url(&url).map_err(|error| format!("fetch failed: {error}"))?;
        let mut builder = client.request(method, url);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if let Some(body) = request.body {
            builder = builder.body(body);
        }
        let response = builder.send().await.map_err(|error| describe(&error))?;
        self.read(response, follows).await
    }

    /// The answer that a response makes. A redirect that is not followed is an answer without a body: nobody sees it.
    async fn read(&self, mut response: Response, follows: bool) -> Result<OutboundResponse, String> {
        let mut answer = OutboundResponse {
            status: response.status().as_u16(),
            status_text: response.status().canonical_reason().unwrap_or_default().to_owned(),
            headers: response
                .headers()
                .iter()
                .map(|(name, value)| {
                    (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
                })
                .collect(),
            body: None,
            url: response.url().to_string(),
        };
        if matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
            if !follows {
                return Ok(answer);
            }
            // The library hands back redirects to what it cannot request.
            if response.headers().contains_key(header::LOCATION) {
                return Err("fetch failed: a redirect to a URL that cannot be fetched".to_owned());
            }
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| describe(&error))? {
            let size_bytes = body.len() + chunk.len();
            if size_bytes > self.limit_bytes {
                let subject = subject::OUTBOUND_RESPONSE;
                let limit_bytes = self.limit_bytes;
                return Err(Sentence::PayloadTooLarge { subject, size_bytes, limit_bytes }.to_string());
            }
            body.extend_from_slice(&chunk);
        }
        // Statuses that the Fetch Standard gives no body.
        if !matches!(answer.status, 101 | 103 | 204 | 205 | 304) {
            answer.body = Some(body);
        }
        Ok(answer)
    }
}

impl Outbound for NativeOutbound {
    fn fetch(&self, request: OutboundRequest) -> BoxFuture<'_, Result<OutboundResponse, String>> {
        Box::pin(self.perform(request))
    }
}

/// The whole chain of causes: the outermost alone says only that a request failed.
fn describe(error: &reqwest::Error) -> String {
    let mut text = format!("fetch failed: {error}");
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests;
