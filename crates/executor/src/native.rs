//! [`NativeOutbound`]: performs the `fetch` of programs in the host process, so that no worker needs a network.

use std::sync::Arc;
use std::time::Duration;

use codemode_protocol::sentence::subject;
use codemode_protocol::{BoxFuture, Fault, FaultCode, Outbound, OutboundRequest, OutboundResponse, Sentence};
use reqwest::{Client, Method, Response, redirect};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;

/// Redirects that one request follows, the bound of the Fetch Standard.
const MAX_REDIRECTS: usize = 20;

/// How long a connection may take to be made. The run's own timeout bounds the rest: the program chose the URL.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Performs requests against whatever the network of this process reaches. Bodies are decompressed and buffered
/// whole, up to the payload bound.
pub struct NativeOutbound {
    client: Client,
    limit_bytes: usize,
}

impl NativeOutbound {
    /// A client whose answers are at most `limit_bytes` long.
    ///
    /// # Errors
    /// `INTERNAL` when TLS cannot be set up.
    pub fn new(limit_bytes: usize) -> Result<Self, Fault> {
        let set_up = |error: &dyn std::error::Error| {
            Fault::new(FaultCode::Internal, "The network client could not be set up.")
                .caused_by(error.to_string())
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_platform_verifier())
            .map_err(|error| set_up(&error))?
            .with_no_client_auth();
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::limited(MAX_REDIRECTS))
            .connect_timeout(CONNECT_TIMEOUT)
            .no_proxy()
            .build()
            .map_err(|error| set_up(&error))?;
        Ok(Self { client, limit_bytes })
    }

    async fn perform(&self, request: OutboundRequest) -> Result<OutboundResponse, String> {
        let method = Method::from_bytes(request.method.as_bytes()).map_err(|error| error.to_string())?;
        let mut builder = self.client.request(method, &request.url);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if let Some(body) = request.body {
            builder = builder.body(body);
        }
        let response = builder.send().await.map_err(|error| describe(&error))?;
        self.read(response).await
    }

    async fn read(&self, mut response: Response) -> Result<OutboundResponse, String> {
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
