//! [`Web`]: an outbound function that answers as the path of the URL says, so that a case can meet redirects, silence
//! and what became of the requests that it aborted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use codemode_protocol::{BoxFuture, Outbound, OutboundRequest, OutboundResponse};

use crate::script::echo;

/// Answers by path:
/// - `/never` does not answer.
/// - `/open` answers the number of requests that are still being worked on.
/// - `/status/CODE` answers with that status and the header `location`.
/// - `/followed` answers as if it had followed a redirect.
/// - `/fail` fails with the text `no route`.
/// - anything else answers 200 with the request as JSON text.
#[derive(Clone, Default)]
pub struct Web {
    open: Arc<AtomicUsize>,
}

impl Web {
    /// Requests that are being worked on.
    pub fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }

    async fn answer(&self, request: OutboundRequest) -> Result<OutboundResponse, String> {
        let path = request.url.splitn(4, '/').nth(3).unwrap_or_default().to_owned();
        match path.split(['/', '?']).collect::<Vec<_>>()[..] {
            ["never", ..] => {
                let _open = Open::count(&self.open);
                std::future::pending().await
            }
            ["open", ..] => Ok(OutboundResponse {
                status: 200,
                body: Some(self.open().to_string().into_bytes()),
                ..OutboundResponse::default()
            }),
            ["status", code, ..] => Ok(OutboundResponse {
                status: code.parse().map_err(|_| format!("no status: {code}"))?,
                status_text: "As Asked".to_owned(),
                headers: vec![("location".to_owned(), "https://elsewhere.example/".to_owned())],
                body: Some(b"the body".to_vec()),
                url: request.url,
            }),
            ["followed", ..] => {
                Ok(OutboundResponse { url: "https://elsewhere.example/".to_owned(), ..echo(request) })
            }
            ["fail", ..] => Err("no route".to_owned()),
            _ => Ok(echo(request)),
        }
    }
}

impl Outbound for Web {
    fn fetch(&self, request: OutboundRequest) -> BoxFuture<'_, Result<OutboundResponse, String>> {
        Box::pin(self.answer(request))
    }
}

/// Counts a request until it is dropped.
struct Open(Arc<AtomicUsize>);

impl Open {
    fn count(counter: &Arc<AtomicUsize>) -> Self {
        counter.fetch_add(1, Ordering::SeqCst);
        Self(counter.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
