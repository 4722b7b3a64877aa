//! Native requests against a server on the loopback address.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{any, get, post};
use codemode_protocol::{Outbound as _, OutboundRequest, OutboundResponse, RedirectMode};

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
            .route("/hops/{left}", any(hops))
            .route("/credentials", get(|| async { Redirect::temporary("http://user:pass@localhost/") }))
            .route("/file", get(|| async { Redirect::temporary("file:///etc/passwd") }))
            .route("/data", get(|| async { Redirect::temporary("data:,x") }))
            .route("/nowhere", get(|| async { StatusCode::FOUND }))
            .route("/turn/{status}", any(turn))
            .route("/whoami", any(whoami))
            .route("/to", any(to))
            .route("/secret", any(secret))
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

/// Redirects this many times and then answers.
async fn hops(Path(left): Path<u32>) -> Response {
    match left.checked_sub(1) {
        Some(left) => Redirect::temporary(&format!("/hops/{left}")).into_response(),
        None => "arrived".into_response(),
    }
}

/// Redirects with this status to where the request is shown.
async fn turn(Path(status): Path<u16>) -> Response {
    (StatusCode::from_u16(status).unwrap(), [(header::LOCATION, "/whoami")], "not to be seen").into_response()
}

/// Redirects to itself this many times and then to the URL.
async fn to(Query(query): Query<HashMap<String, String>>) -> Response {
    let hops: u32 = query["hops"].parse().unwrap();
    let target = match hops.checked_sub(1) {
        None => query["url"].clone(),
        Some(left) => {
            let mut itself = reqwest::Url::parse("http://x/to").unwrap();
            itself.query_pairs_mut().append_pair("url", &query["url"]).append_pair("hops", &left.to_string());
            format!("/to?{}", itself.query().unwrap())
        }
    };
    (StatusCode::FOUND, [(header::LOCATION, target.into_bytes())]).into_response()
}

async fn secret(headers: HeaderMap) -> String {
    format!("{:?}", headers.get("authorization"))
}

async fn whoami(method: Method, headers: HeaderMap, body: String) -> String {
    format!("{method} {body:?} {:?} {:?}", headers.get("content-type"), headers.get("referer"))
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
        ..OutboundRequest::default()
    };
    let answer = client.fetch(request).await.unwrap();
    assert_eq!(answer.body.unwrap(), b"Some(\"7\") payload");
}

/// Fetch, "HTTP-redirect fetch": at most 20 redirects, in turn.
#[tokio::test]
async fn redirects_are_followed_twenty_times() {
    let (origin, served) = server().await;
    let client = NativeOutbound::new(AddressPolicy::any(), 1 << 20);
    let answer = get_from(&client, format!("{origin}/hops/20")).await.unwrap();
    assert_eq!(answer.body.as_deref(), Some(&b"arrived"[..]));
    assert_eq!(served.swap(0, Ordering::Relaxed), 21);
    let text = get_from(&client, format!("{origin}/hops/21")).await.unwrap_err();
    assert!(text.contains("too many redirects"), "{text}");
    assert_eq!(served.load(Ordering::Relaxed), 21);
}

/// Fetch, "HTTP-redirect fetch", steps 11 and 12: a 301 or 302 turns a POST into a GET, a 303 everything but a HEAD.
#[tokio::test]
async fn a_redirect_keeps_method_and_body_or_drops_both() {
    let (origin, _) = server().await;
    let client = NativeOutbound::new(AddressPolicy::any(), 1 << 20);
    let kept = |method: &str| format!("{method} \"body\" Some(\"text/x\") None");
    let dropped = "GET \"\" None None".to_owned();
    for (status, method, expected) in [
        (301, "POST", dropped.clone()),
        (302, "POST", dropped.clone()),
        (303, "POST", dropped.clone()),
        (303, "PUT", dropped),
        (301, "PUT", kept("PUT")),
        (302, "PATCH", kept("PATCH")),
        (307, "POST", kept("POST")),
        (308, "POST", kept("POST")),
    ] {
        let request = OutboundRequest {
            url: format!("{origin}/turn/{status}"),
            method: method.into(),
            headers: vec![("content-type".into(), "text/x".into())],
            body: Some(b"body".to_vec()),
            ..OutboundRequest::default()
        };
        let answer = client.fetch(request).await.unwrap();
        assert_eq!(String::from_utf8(answer.body.unwrap()).unwrap(), expected, "{status} {method}");
    }
}

#[tokio::test]
async fn redirects_that_are_not_followed_are_answers() {
    let (origin, served) = server().await;
    let client = NativeOutbound::new(AddressPolicy::any(), 1 << 20);
    for redirect in [RedirectMode::Manual, RedirectMode::Error] {
        for (path, status, body) in [
            ("/turn/301", 301, None),
            ("/turn/302", 302, None),
            ("/turn/303", 303, None),
            ("/turn/307", 307, None),
            ("/turn/308", 308, None),
            ("/nowhere", 302, None),
            ("/text", 200, Some(&b"hello"[..])),
        ] {
            let url = format!("{origin}{path}");
            let request = OutboundRequest {
                url: url.clone(),
                method: "GET".into(),
                redirect,
                ..OutboundRequest::default()
            };
            let answer = client.fetch(request).await.unwrap();
            assert_eq!((answer.status, answer.body.as_deref()), (status, body), "{path}");
            assert_eq!((answer.url, served.swap(0, Ordering::Relaxed)), (url, 1), "{path}");
        }
    }
}

#[tokio::test]
async fn redirects_lead_to_the_web_alone() {
    let (origin, served) = server().await;
    let client = NativeOutbound::new(AddressPolicy::any(), 1 << 20);
    for path in ["/credentials", "/file", "/data"] {
        let text = get_from(&client, format!("{origin}{path}")).await.unwrap_err();
        assert!(text.starts_with("fetch failed: "), "{path}: {text}");
        assert_eq!(served.swap(0, Ordering::Relaxed), 1, "{path}");
    }
    // A redirect that names no target is the answer.
    assert_eq!(get_from(&client, format!("{origin}/nowhere")).await.unwrap().status, 302);
}

/// Each hop of a chain is judged, however its host is spelled.
#[tokio::test]
async fn a_chain_of_redirects_never_reaches_a_closed_address() {
    let (origin, served) = server().await;
    let port = origin.rsplit(':').next().unwrap().to_owned();
    // This one address is open, and it is the first hop; every spelling below is another one, or a name for one.
    let client =
        NativeOutbound::new(AddressPolicy::admitting(|address| address.to_string() == "127.0.0.1"), 1 << 20);
    for target in [
        "[::1]",
        "[::ffff:127.0.0.2]",
        "[::ffff:7f00:1]",
        "0.0.0.0",
        "0",
        "127.0.0.2",
        "127.2",
        "2130706434",
        "0x7f000002",
        "0177.0.0.2",
        "169.254.169.254",
        "10.0.0.1",
        "[fd00:ec2::254]",
        "[64:ff9b::7f00:2]",
        "127。0。0。2",
    ] {
        for url in [format!("http://{target}:{port}/text"), format!("http://{target}:{port}/whoami#x")] {
            let mut address = reqwest::Url::parse(&format!("{origin}/to")).unwrap();
            address.query_pairs_mut().append_pair("url", &url).append_pair("hops", "3");
            let text = get_from(&client, address.to_string()).await.unwrap_err();
            assert!(text.starts_with("fetch failed: "), "{url}: {text}");
            assert_eq!(served.swap(0, Ordering::Relaxed), 4, "{url}: each hop before it and no more");
        }
    }
    // A name is judged by what it resolves to, at every hop.
    let none = NativeOutbound::new(AddressPolicy::public_only(), 1 << 20);
    let text = get_from(&none, format!("http://localhost:{port}/hop")).await.unwrap_err();
    assert!(text.contains("is not one that this host lets programs reach"), "{text}");
    assert_eq!(served.load(Ordering::Relaxed), 0);
}

/// What belongs to one origin stays there: Fetch, "HTTP-redirect fetch", step 13.
#[tokio::test]
async fn credentials_do_not_follow_to_another_origin() {
    let (here, _) = server().await;
    let (there, _) = server().await;
    let client = NativeOutbound::new(AddressPolicy::any(), 1 << 20);
    for (target, expected) in [(&here, "Some(\"secret\")"), (&there, "None")] {
        let mut address = reqwest::Url::parse(&format!("{here}/to")).unwrap();
        address.query_pairs_mut().append_pair("url", &format!("{target}/secret")).append_pair("hops", "0");
        let request = OutboundRequest {
            url: address.to_string(),
            method: "GET".into(),
            headers: vec![("authorization".into(), "secret".into())],
            ..OutboundRequest::default()
        };
        let answer = client.fetch(request).await.unwrap();
        assert_eq!(String::from_utf8(answer.body.unwrap()).unwrap(), expected, "{target}");
    }
}

/// Dropping the future is all it takes: the connection closes.
#[tokio::test]
async fn a_request_that_is_dropped_leaves_its_server() {
    use tokio::io::AsyncReadExt as _;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let client = NativeOutbound::new(AddressPolicy::any(), 1 << 20);
    let mut server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut chunk = [0; 4096];
        assert!(stream.read(&mut chunk).await.unwrap() > 0, "the request arrives");
        (stream, chunk)
    });
    let mut request = Box::pin(get_from(&client, url));
    let (mut stream, mut chunk) = tokio::select! {
        answer = &mut request => panic!("nobody answers: {answer:?}"),
        served = &mut server => served.unwrap(),
    };
    drop(request);
    assert_eq!(stream.read(&mut chunk).await.unwrap_or(0), 0, "the connection closes");
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
