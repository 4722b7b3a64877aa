//! The files of a checkout, as the suite's own server sends them.

use std::fs;
use std::path::{Component, Path, PathBuf};

use codemode_protocol::{BoxFuture, Outbound, OutboundRequest, OutboundResponse};

/// Where tests believe they are.
const ORIGIN: &str = "http://web-platform.test:8000";

/// Content types by the end of a name, as the suite's server has them.
const CONTENT_TYPES: &[(&str, &str)] = &[
    ("css", "text/css"),
    ("gif", "image/gif"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("idl", "text/plain"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mp4", "video/mp4"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("text", "text/plain"),
    ("txt", "text/plain"),
    ("wasm", "application/wasm"),
    ("xml", "text/xml"),
];

/// Headers and bytes.
type Found = (Vec<(String, String)>, Vec<u8>);

/// A checkout of the suite, served to programs.
pub struct Checkout(PathBuf);

impl Checkout {
    /// The checkout in this folder.
    pub fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    fn answer(&self, request: &OutboundRequest) -> Result<OutboundResponse, String> {
        let Some(rest) = request.url.strip_prefix(ORIGIN) else {
            return Err(format!("{} is not in the suite", request.url));
        };
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        let found = local(&self.0, path).and_then(|file| read(&file));
        let (status, status_text) = if found.is_some() { (200, "OK") } else { (404, "Not Found") };
        let (headers, body) = found.unwrap_or_default();
        let body = (request.method != "HEAD").then_some(body);
        Ok(OutboundResponse {
            status,
            status_text: status_text.to_owned(),
            headers,
            body,
            url: request.url.clone(),
        })
    }
}

impl Outbound for Checkout {
    fn fetch(&self, request: OutboundRequest) -> BoxFuture<'_, Result<OutboundResponse, String>> {
        Box::pin(async move { self.answer(&request) })
    }
}

/// The file or folder a path of a URL names, where it stays in the checkout. No name in the suite needs unescaping.
fn local(root: &Path, path: &str) -> Option<PathBuf> {
    let relative = Path::new(path.trim_start_matches('/'));
    let stays = relative.components().all(|part| matches!(part, Component::Normal(_)));
    stays.then(|| root.join(relative))
}

/// The headers and bytes of a file, or the listing of a folder.
fn read(path: &Path) -> Option<Found> {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    if path.is_dir() {
        return Some((vec![header("Content-Type", "text/html")], b"<!doctype html>\n".to_vec()));
    }
    let bytes = fs::read(path).ok()?;
    if path.extension().is_some_and(|end| end == "asis") {
        return Some(as_is(&bytes));
    }
    let mut headers = Vec::new();
    if let Ok(text) = fs::read_to_string(format!("{}.headers", path.display())) {
        let lines = text.lines().filter_map(|line| line.split_once(':'));
        headers.extend(lines.map(|(name, value)| header(name.trim(), value.trim())));
    }
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        let known = CONTENT_TYPES.iter().find(|(known, _)| *known == end).map(|(_, value)| *value);
        headers.push(header("Content-Type", known.unwrap_or("application/octet-stream")));
    }
    Some((headers, bytes))
}

/// The headers and body of a file that holds a whole response. Every one of them has status 200.
fn as_is(bytes: &[u8]) -> Found {
    let mut headers = Vec::new();
    let mut rest = bytes;
    let mut first = true;
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let line: String = rest[..end].iter().map(|byte| char::from(*byte)).collect();
        rest = &rest[end + 1..];
        let line = line.trim_end_matches('\r');
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':').filter(|_| !first) {
            headers.push((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()));
        }
        first = false;
    }
    (headers, rest.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(url: &str) -> Result<OutboundResponse, String> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf();
        let request = OutboundRequest { url: url.into(), method: "GET".into(), ..Default::default() };
        Checkout::new(here).answer(&request)
    }

    #[test]
    fn files_come_with_their_type_and_nothing_else_comes() {
        let found = ask("http://web-platform.test:8000/wpt/shim.js?x#y").expect("in the suite");
        assert_eq!(found.status, 200);
        assert_eq!(found.headers, [("Content-Type".to_owned(), "text/javascript".to_owned())]);
        assert!(found.body.is_some_and(|body| !body.is_empty()));
        assert_eq!(ask("http://web-platform.test:8000/none.js").map(|answer| answer.status), Ok(404));
        assert_eq!(
            ask("http://web-platform.test:8000/../../Cargo.toml").map(|answer| answer.status),
            Ok(404)
        );
        assert!(ask("http://example.com/").is_err());
    }

    #[test]
    fn a_whole_response_is_taken_apart() {
        let (headers, body) = as_is(b"HTTP/1.0 200 OK\r\na: 1\r\nb:\x0b\n\nbody\n");
        let pairs: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(pairs, [("a", "1"), ("b", "\u{b}")]);
        assert_eq!(body, b"body\n");
    }
}
