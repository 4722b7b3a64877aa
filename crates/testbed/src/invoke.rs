//! Invocations of a retained handler: what is sent and what has to come back.

use std::collections::BTreeMap;

use codemode_protocol::{Fault, HandleRequest, HandleResult};
use serde::Deserialize;

use crate::case::Bound;

/// One invocation.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Invoke {
    /// The handle; `fetch` where absent.
    pub handle: Option<String>,
    /// The URL; `https://handle.test/` where absent.
    pub url: Option<String>,
    /// The method; empty where absent.
    pub method: Option<String>,
    /// Headers in order.
    pub headers: Vec<(String, String)>,
    /// A body of text.
    pub body: Option<String>,
    /// The status that has to come back.
    pub status: Option<u16>,
    /// The status text, where a status is expected.
    pub status_text: String,
    /// Headers that have to come back, among others.
    pub answer_headers: BTreeMap<String, String>,
    /// The text of the body that has to come back. Absent: a null body.
    pub answer: Option<String>,
    /// The length of the body that has to come back, in place of its text.
    pub answer_bytes: Option<usize>,
    /// The whole text of the error.
    pub error: Option<String>,
    /// The kind of the failure; `thrown` where an error is expected and this is absent.
    pub kind: Option<String>,
    /// The bound that ends the invocation.
    pub bound: Option<Bound>,
    /// The code of a fault.
    pub fault: Option<String>,
}

impl Invoke {
    pub(crate) fn check(&self) -> Result<(), String> {
        let outcomes =
            [self.status.is_some(), self.error.is_some(), self.bound.is_some(), self.fault.is_some()];
        match outcomes.iter().filter(|named| **named).count() {
            1 => Ok(()),
            _ => Err("an invocation names one outcome: status, error, bound or fault".into()),
        }
    }

    pub(crate) fn handle(&self) -> &str {
        self.handle.as_deref().unwrap_or("fetch")
    }

    pub(crate) fn request(&self) -> HandleRequest {
        HandleRequest {
            url: self.url.clone().unwrap_or_else(|| "https://handle.test/".to_owned()),
            method: self.method.clone().unwrap_or_default(),
            headers: self.headers.clone(),
            body: self.body.clone().map(String::into_bytes),
        }
    }

    /// What differs; `sentence` says how a bound reads and of what kind it is.
    pub(crate) fn differences(
        &self,
        got: &Result<HandleResult, Fault>,
        sentence: impl Fn(Bound) -> (String, &'static str),
    ) -> Vec<String> {
        let result = match (got, &self.fault) {
            (Err(fault), Some(code)) if fault.code.as_str() == code => return Vec::new(),
            (Err(fault), _) => {
                return vec![format!("fault {} {:?} {:?}", fault.code, fault.message, fault.causes)];
            }
            (Ok(result), Some(code)) => return vec![format!("no fault {code}: {result:?}")],
            (Ok(result), None) => result,
        };
        let (error, kind) = match (self.bound.map(sentence), &self.error) {
            (Some((text, kind)), _) => (Some(text), Some(kind)),
            (None, Some(text)) => (Some(text.clone()), Some(self.kind.as_deref().unwrap_or("thrown"))),
            (None, None) => (None, None),
        };
        let mut problems = Vec::new();
        if result.error != error || result.kind.map(|kind| kind.as_str()) != kind {
            problems.push(format!("got {:?} {:?}, expected {kind:?} {error:?}", result.kind, result.error));
        }
        match (&result.response, self.status) {
            (None, None) => {}
            (Some(response), Some(status)) => {
                let body = response.body.as_ref().map(|body| String::from_utf8_lossy(body).into_owned());
                if (response.status, response.status_text.as_str()) != (status, self.status_text.as_str()) {
                    problems.push(format!("got status {} {:?}", response.status, response.status_text));
                }
                match self.answer_bytes {
                    Some(length) if response.body.as_ref().map(Vec::len) == Some(length) => {}
                    Some(_) => problems.push(format!("got {:?} bytes", response.body.as_ref().map(Vec::len))),
                    None if body == self.answer => {}
                    None => problems.push(format!("got body {body:?}, expected {:?}", self.answer)),
                }
                for (name, value) in &self.answer_headers {
                    let found: Vec<_> = response.headers.iter().filter(|(key, _)| key == name).collect();
                    if !matches!(found[..], [(_, found)] if found == value) {
                        problems.push(format!("header {name}: got {found:?}, expected {value:?}"));
                    }
                }
            }
            (response, status) => problems.push(format!("got {response:?}, expected {status:?}")),
        }
        problems
    }
}
