//! Tool calls across the boundary.

use codemode_protocol::codec::answer_error;
use codemode_protocol::sentence::subject;
use codemode_protocol::{Sentence, ToolCall};
use codemode_runtime::v8::{
    FunctionCallbackArguments, Global, Local, PinScope, PromiseResolver, ReturnValue, String as JsString,
};

use crate::run;
use crate::text::{error, js_string, string_or_empty};

/// `dispatch(provider, tool, argsJson)`: a promise for the envelope JSON.
///
/// The promise rejects with an error of the isolate, so no stack of the host is ever seen.
pub(super) fn dispatch(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let Some(resolver) = PromiseResolver::new(scope) else { return };
    answer.set(resolver.get_promise(scope).into());
    match admit(scope, &args, resolver) {
        Ok(()) => {}
        Err(Refusal::Thrown(sentence)) => {
            let thrown = error(scope, &sentence.to_string());
            resolver.reject(scope, thrown);
        }
        Err(Refusal::Envelope(text)) => {
            if let Some(text) = js_string(scope, &text) {
                resolver.resolve(scope, text.into());
            }
        }
    }
}

enum Refusal {
    /// The call fails with this sentence.
    Thrown(Sentence),
    /// The call is answered with this envelope.
    Envelope(String),
}

fn admit(
    scope: &mut PinScope<'_, '_>,
    args: &FunctionCallbackArguments<'_>,
    resolver: Local<'_, PromiseResolver>,
) -> Result<(), Refusal> {
    let Some(run) = run::current(scope) else { return Err(Refusal::Thrown(Sentence::ExecutionCompleted)) };
    if run.borrow().is_over() {
        return Err(Refusal::Thrown(Sentence::ExecutionCompleted));
    }
    let size_bytes = (0..3).map(|index| utf8_length(scope, args.get(index))).sum();
    let limit_bytes = run.borrow().payload_limit_bytes;
    if size_bytes > limit_bytes {
        return Err(Refusal::Thrown(Sentence::PayloadTooLarge {
            subject: subject::TOOL_CALL,
            size_bytes,
            limit_bytes,
        }));
    }
    run.borrow().admit_call(size_bytes).map_err(Refusal::Thrown)?;
    let [provider, tool, args_json] = [0, 1, 2].map(|index| string_or_empty(scope, args.get(index)));
    if !run.borrow().has_dispatch {
        return Err(Refusal::Envelope(answer_error(&Sentence::ToolNotFound { provider, tool }.to_string())));
    }
    let resolver = Global::new(scope, resolver);
    let mut run = run.borrow_mut();
    run.tool_calls += 1;
    let id = run.open_call(resolver, true, false, size_bytes);
    run.host.call_tool(id, ToolCall { provider, tool, args_json });
    Ok(())
}

fn utf8_length(scope: &PinScope<'_, '_>, value: Local<'_, codemode_runtime::v8::Value>) -> usize {
    Local::<JsString>::try_from(value).map(|text| text.utf8_length(scope)).unwrap_or_default()
}
