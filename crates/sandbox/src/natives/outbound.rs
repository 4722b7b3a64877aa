//! Network requests across the boundary.

use codemode_protocol::sentence::subject;
use codemode_protocol::{OutboundRequest, OutboundResponse, RedirectMode, Sentence};
use codemode_runtime::v8::{
    self, Array, FunctionCallbackArguments, Global, Local, Object, PinScope, PromiseResolver, ReturnValue,
    Uint8Array, Value,
};

use crate::Outbound;
use crate::bytes::{bytes_of, bytes_or_null};
use crate::run::{self, SharedRun};
use crate::text::{js_string, name, string_or_empty};

/// `sendRequest(url, method, headers, body, redirect)`: `[id, promise]`, where the promise is for
/// `['returned', response]` or `['thrown', text]` and the id, zero when nothing was sent, is for `cancelRequest`.
///
/// `headers` is a flat array of names and values, `body` a `Uint8Array` or null, `redirect` the name of a redirect
/// mode. The promise never rejects.
pub(super) fn send_request(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let Some(resolver) = PromiseResolver::new(scope) else { return };
    let Some(run) = run::current(scope) else { return };
    let id = admit(scope, &args, resolver, &run).unwrap_or_else(|sentence| {
        settle(scope, resolver, Err(sentence.to_string()));
        0
    });
    let id = v8::Integer::new_from_unsigned(scope, id);
    let promise = resolver.get_promise(scope);
    answer.set(Array::new_with_elements(scope, &[id.into(), promise.into()]).into());
}

/// `cancelRequest(id)`: nobody waits for the answer any more, and its promise never settles.
pub(super) fn cancel_request(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    _answer: ReturnValue<'_>,
) {
    let Some(run) = run::current(scope) else { return };
    let id = args.get(0).uint32_value(scope).unwrap_or_default();
    run.borrow_mut().cancel_request(id);
}

/// Settles the promise of a request with its outcome.
pub(crate) fn settle(
    scope: &mut PinScope<'_, '_>,
    resolver: Local<'_, PromiseResolver>,
    outcome: Result<OutboundResponse, String>,
) {
    let frame = match outcome {
        Ok(response) => response_object(scope, response).map(|response| ("returned", response.into())),
        Err(text) => js_string(scope, &text).map(|text| ("thrown", text.into())),
    };
    let Some((tag, payload)) = frame else { return };
    let tag = name(scope, tag);
    let frame = Array::new_with_elements(scope, &[tag.into(), payload]);
    // Resolving looks for a `then`, which a program may have put on a prototype.
    let null = v8::null(scope);
    frame.set_prototype(scope, null.into());
    resolver.resolve(scope, frame.into());
}

fn admit(
    scope: &mut PinScope<'_, '_>,
    args: &FunctionCallbackArguments<'_>,
    resolver: Local<'_, PromiseResolver>,
    run: &SharedRun,
) -> Result<u32, Sentence> {
    let outbound = run.borrow().outbound;
    if outbound == Outbound::Denied {
        return Err(Sentence::OutboundDisabled);
    }
    if run.borrow().is_over() {
        return Err(Sentence::ExecutionCompleted);
    }
    let limit_bytes = run.borrow().payload_limit_bytes;
    let request = OutboundRequest {
        url: string_or_empty(scope, args.get(0)),
        method: string_or_empty(scope, args.get(1)),
        headers: header_pairs(scope, args.get(2)),
        body: Local::<Uint8Array>::try_from(args.get(3)).ok().map(|body| bytes_of(body.into())),
        redirect: RedirectMode::from_name(&string_or_empty(scope, args.get(4))).unwrap_or_default(),
    };
    let size_bytes = request.size_bytes();
    if size_bytes > limit_bytes {
        return Err(Sentence::PayloadTooLarge {
            subject: subject::OUTBOUND_REQUEST,
            size_bytes,
            limit_bytes,
        });
    }
    run.borrow().admit_call(size_bytes)?;
    let resolver = Global::new(scope, resolver);
    let mut run = run.borrow_mut();
    let id = run.open_call(resolver, outbound == Outbound::Caller, true, size_bytes);
    run.host.send_request(id, request);
    Ok(id)
}

/// Pairs out of a flat array of names and values.
pub(crate) fn header_pairs(scope: &mut PinScope<'_, '_>, value: Local<'_, Value>) -> Vec<(String, String)> {
    let Ok(flat) = Local::<Array>::try_from(value) else { return Vec::new() };
    let texts: Vec<String> = (0..flat.length())
        .filter_map(|index| flat.get_index(scope, index).map(|item| string_or_empty(scope, item)))
        .collect();
    texts.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}

fn response_object<'s>(
    scope: &mut PinScope<'s, '_>,
    response: OutboundResponse,
) -> Option<Local<'s, Object>> {
    let object = Object::new(scope);
    let pairs: Option<Vec<Local<Value>>> = response
        .headers
        .iter()
        .map(|(header, value)| {
            let pair = [js_string(scope, header)?.into(), js_string(scope, value)?.into()];
            Some(Array::new_with_elements(scope, &pair).into())
        })
        .collect();
    let body = bytes_or_null(scope, response.body.as_deref())?;
    let members: [(&str, Local<Value>); 5] = [
        ("status", v8::Integer::new_from_unsigned(scope, u32::from(response.status)).into()),
        ("statusText", js_string(scope, &response.status_text)?.into()),
        ("headers", Array::new_with_elements(scope, &pairs?).into()),
        ("body", body),
        ("url", js_string(scope, &response.url)?.into()),
    ];
    for (key, value) in members {
        let key = name(scope, key);
        object.create_data_property(scope, key.into(), value)?;
    }
    Some(object)
}
