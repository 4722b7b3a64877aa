//! Native requests against a server on the loopback address.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Redirect;
use axum::routing::{get, post};
use codemode_protocol::{Outbound as _, OutboundRequest, OutboundResponse};

use super::{AddressPolicy, NativeOutbound};

/// A server on a port of its own, and how many requests reached it.
async fn server() -> (String, Arc<AtomicUsize>) {
    let served = Arc::new(AtomicUsize::new(0));
    let counter = served.clone();
    let app =
        Router::new()
            .route("/text", get(|| async { "hello" }))
            .route("/none", get(|| async { StatusCode::NO_CONTENT }))
            .route("/large", get(|| async { Body::from(vec![b'x'; 4096]) }))
            .route("/missing", get(|| async { (StatusCode::NOT_FOUND, "no") }))
            .route("/hop", get(|| async { Redirect::temporary("/text") }))
            .route("/loop", get(|| async { Redirect::temporary("/loop") }))
            .route("/inward", get(|| async { Redirect::temporary("http://[::1]:1/") }))
            .route("/gzip", get(|| async { ([(header::CONTENT_ENCODING, "gzip")], GZIPPED_HELLO) }))
            .route(
                "/echo",
                post(|headers: HeaderMap, body: String| async move {
                    format!("{:?} {body}", headers.get("x-tag"))
                }),
            )
            .layer(axum::middleware::from_fn(move |request, next: axum::middleware::Next| {
                counter.fetch_add(1, Ordering::Relaxed);
                next.run(request)
            }));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    (origin, served)
}

/// `hello`, compressed by the gzip program.
const GZIPPED_HELLO: &[u8] = &[
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00,
    0x86, 0xa6, 0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
];

async fn get_from(client: &NativeOutbound, url: String) -> Result<OutboundResponse, String> {
    client.fetch(OutboundRequest { url, method: "GET".into(), ..OutboundRequest::default() }).await
}

#[tokio::test]
async fn answers_come_back_whole() {
    let (origin, _) = server().await;
    let client = NativeOutbound::new(AddressPolicy::any(), 1 << 20);
    for (path, status, body) in [
        ("/text", 200, Some("hello")),
        ("/missing", 404, Some("no")),
        ("/none", 204, None),
        ("/gzip", 200, Some("hello")),
        ("/hop", 200, Some("hello")),
    ] {
        let answer = get_from(&client, format!("{origin}{path}")).await.unwrap();
        let text = answer.body.map(|body| String::from_utf8(body).unwrap());
        assert_eq!((answer.status, text.as_deref()), (status, body), "{path}");
    }
    let hop = get_from(&client, format!("{origin}/hop")).await.unwrap();
    assert_eq!(hop.url, format!("{origin}/text"), "the URL is the one that answered");
}

#[tokio::test]
async fn requests_carry_method_headers_and_body() {
    let (origin, _) = server().await;
    let client = NativeOutbound::new(AddressPolicy::any(), 1 << 20);
    let request = OutboundRequest {
        url: format!("{origin}/echo"),
        method: "POST".into(),
        headers: vec![("x-tag".into(), "7".into())],
        body: Some(b"payload".to_vec()),
    };
    let answer = client.fetch(request).await.unwrap();
    assert_eq!(answer.body.unwrap(), b"Some(\"7\") payload");
}

#[tokio::test]
async fn failures_are_texts() {
    let (origin, _) = server().await;
    let client = NativeOutbound::new(AddressPolicy::any(), 1024);
    for (url, expected) in [
        (format!("{origin}/large"), "The outbound response is "),
        (format!("{origin}/loop"), "too many redirects"),
        ("nowhere".to_owned(), "fetch failed: relative URL without a base"),
        ("ftp://127.0.0.1/".to_owned(), "fetch failed: "),
        ("http://127.0.0.1:1/".to_owned(), "fetch failed: "),
    ] {
        let text = get_from(&client, url.clone()).await.unwrap_err();
        assert!(text.contains(expected), "{url}: {text}");
    }
}

#[tokio::test]
async fn a_refused_address_is_never_connected_to() {
    let (origin, served) = server().await;
    let port = origin.rsplit(':').next().unwrap().to_owned();
    let public = NativeOutbound::new(AddressPolicy::public_only(), 1 << 20);
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"] {
        let text = get_from(&public, format!("http://{host}:{port}/text")).await.unwrap_err();
        assert!(text.contains("is not one that this host lets programs reach"), "{host}: {text}");
    }
    assert_eq!(served.load(Ordering::Relaxed), 0);

    // A redirect is judged again.
    let only_this =
        NativeOutbound::new(AddressPolicy::admitting(|address| address.to_string() == "127.0.0.1"), 1 << 20);
    let text = get_from(&only_this, format!("{origin}/inward")).await.unwrap_err();
    assert!(text.contains("is not one that this host lets programs reach"), "{text}");
    assert_eq!(served.load(Ordering::Relaxed), 1);
}
