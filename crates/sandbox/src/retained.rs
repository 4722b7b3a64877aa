//! [`Retained`]: a program that stays behind its run and serves the request handler it returned.

use std::mem::ManuallyDrop;
use std::time::Duration;

use codemode_protocol::sentence::subject;
use codemode_protocol::{FailureKind, HandleRequest, HandleResponse, Sentence};
use codemode_runtime::v8::{
    self, Array, Function, Global, Local, Object, PinScope, Promise, PromiseState, Uint8Array, Value,
};

use crate::bytes::{bytes_of, bytes_or_null};
use crate::drive::Drive;
use crate::modules::linker::Linker;
use crate::natives::header_pairs;
use crate::run::{self, SharedRun, in_engine};
use crate::sandbox::spent;
use crate::text::{js_string, name, string_or_empty};
use crate::thrown::describe;
use crate::{Invocation, Sandbox};

/// A program that stays. It lives in its isolate as its run left it, timers and open calls included.
pub struct Retained {
    sandbox: ManuallyDrop<Sandbox>,
    bound: Duration,
}

impl Retained {
    pub(crate) fn new(sandbox: ManuallyDrop<Sandbox>, bound: Duration) -> Self {
        Self { sandbox, bound }
    }

    /// Serves one invocation after the other, each on a clock of its own under the bound of the run. Returns when the
    /// host is gone, or behind an invocation that reached its bound: the handler still runs then, and nothing but the
    /// end of its isolate stops it.
    ///
    /// The lines of the run are delivered already: what the program writes from here on is dropped.
    pub fn serve(mut self) {
        let realm = &mut self.sandbox.realm;
        v8::scope_with_context!(let scope, &mut realm.isolate, &realm.context);
        let (Some(run), Some(linker)) = (run::current(scope), Linker::current(scope)) else { return };
        run.borrow_mut().console.stop();
        while let Some(request) = Drive::unbounded(&run, &linker).until_invoked(scope) {
            run.borrow_mut().restart_clock();
            let mut drive = Drive::new(&run, &linker, self.bound);
            let Some(invocation) = invoke(scope, &run, &linker, &mut drive, request) else { return };
            let over = matches!(invocation, Invocation::Failed { kind: FailureKind::Timeout, .. });
            let spent = spent(scope, &run);
            run.borrow_mut().host.invoked(invocation, spent);
            if over {
                return;
            }
        }
    }
}

/// Calls the handler and drives the isolate until it has answered. `None` when the host is gone.
fn invoke(
    scope: &mut PinScope<'_, '_>,
    run: &SharedRun,
    linker: &Linker,
    drive: &mut Drive<'_>,
    request: HandleRequest,
) -> Option<Invocation> {
    // What one invocation hands into the isolate does not stay until the last.
    v8::scope!(let scope, scope);
    let handler = run.borrow().handler.clone()?;
    let answer = match call(scope, run, linker, &handler, request) {
        Ok(answer) => answer,
        Err(text) => return Some(Invocation::Refused { text }),
    };
    loop {
        in_engine(run, || scope.perform_microtask_checkpoint());
        match answer.state() {
            PromiseState::Pending if drive.is_expired() => {
                let text = drive.timeout_sentence().to_string();
                return Some(Invocation::Failed { kind: FailureKind::Timeout, text });
            }
            PromiseState::Pending => drive.turn(scope)?,
            PromiseState::Rejected => {
                let text = describe(scope, linker, answer.result(scope));
                return Some(Invocation::Failed { kind: FailureKind::Thrown, text });
            }
            PromiseState::Fulfilled => {
                let limit_bytes = run.borrow().payload_limit_bytes;
                let answered = answer.result(scope);
                return Some(read(scope, answered, limit_bytes));
            }
        }
    }
}

/// Starts the handler. The text of what it was not started for is that of a request which is none.
fn call<'s>(
    scope: &mut PinScope<'s, '_>,
    run: &SharedRun,
    linker: &Linker,
    handler: &Global<Function>,
    request: HandleRequest,
) -> Result<Local<'s, Promise>, String> {
    v8::tc_scope!(let caught, scope);
    let answer = arguments(caught, request).and_then(|arguments| {
        let handler = Local::new(caught, handler);
        let undefined = v8::undefined(caught);
        in_engine(run, || handler.call(caught, undefined.into(), &arguments))
    });
    match answer.and_then(|answer| Local::<Promise>::try_from(answer).ok()) {
        Some(answer) => {
            // The host handles it, whatever becomes of it.
            answer.mark_as_handled();
            Ok(answer)
        }
        None => Err(match caught.exception() {
            Some(exception) => {
                caught.reset();
                describe(caught, linker, exception)
            }
            None => "It does not fit into the isolate.".to_owned(),
        }),
    }
}

fn arguments<'s>(scope: &mut PinScope<'s, '_>, request: HandleRequest) -> Option<[Local<'s, Value>; 4]> {
    let headers: Option<Vec<Local<Value>>> = request
        .headers
        .iter()
        .flat_map(|(header, value)| [header, value])
        .map(|text| js_string(scope, text).map(Into::into))
        .collect();
    let method = if request.method.is_empty() { "GET" } else { &request.method };
    let body = bytes_or_null(scope, request.body.as_deref())?;
    Some([
        js_string(scope, &request.url)?.into(),
        js_string(scope, method)?.into(),
        Array::new_with_elements(scope, &headers?).into(),
        body,
    ])
}

/// The answer of the library, which took the `Response` apart. It is measured and looked at here once more, since it
/// comes out of an isolate that a program had for itself.
fn read(scope: &mut PinScope<'_, '_>, answer: Local<'_, Value>, limit_bytes: usize) -> Invocation {
    let thrown =
        |sentence: Sentence| Invocation::Failed { kind: sentence.kind(), text: sentence.to_string() };
    let Some(response) = response_of(scope, answer) else { return thrown(Sentence::HandleAnswerNotResponse) };
    let size_bytes = response.size_bytes();
    if size_bytes > limit_bytes {
        return thrown(Sentence::PayloadTooLarge {
            subject: subject::HANDLE_RESPONSE,
            size_bytes,
            limit_bytes,
        });
    }
    Invocation::Answered(response)
}

fn response_of(scope: &mut PinScope<'_, '_>, answer: Local<'_, Value>) -> Option<HandleResponse> {
    let answer = Local::<Object>::try_from(answer).ok()?;
    let member = |key: &str| {
        let key = name(scope, key);
        answer.get(scope, key.into())
    };
    let (status, status_text) = (member("status")?, member("statusText")?);
    let (headers, body) = (member("headers")?, member("body")?);
    let status =
        u16::try_from(status.uint32_value(scope)?).ok().filter(|status| (200..=599).contains(status))?;
    let body = Local::<Uint8Array>::try_from(body).ok().map(|body| bytes_of(body.into()));
    let status_text = string_or_empty(scope, status_text);
    Some(HandleResponse { status, status_text, headers: header_pairs(scope, headers), body })
}
