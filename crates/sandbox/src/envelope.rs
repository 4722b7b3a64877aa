//! Reading the outcome of a run that assigned the completion name itself.

use codemode_runtime::v8::{self, Global, Local, PinScope, Value};

use crate::Outcome;
use crate::run::Report;
use codemode_protocol::sentence::subject;
use codemode_protocol::{FailureKind, Sentence};

/// What a report means for the caller. `payload_limit_bytes` bounds what may be sent onward.
pub(crate) fn read(scope: &mut PinScope<'_, '_>, report: Report, payload_limit_bytes: usize) -> Outcome {
    match report {
        Report::Returned(envelope) => Outcome::Envelope(envelope),
        Report::Handler => Outcome::Retained,
        Report::Threw(text) => Outcome::Failed { kind: FailureKind::Thrown, text },
        Report::TooLarge(size) => too_large(size, payload_limit_bytes),
        Report::Assigned(value) => read_assigned(scope, &value, payload_limit_bytes),
    }
}

/// A program owns what it assigns, so the value is an outcome only where it reads as one: a string of JSON that is
/// an object. Anything else is an undefined result, and text that is not JSON is reported as the parser's error.
fn read_assigned(scope: &mut PinScope<'_, '_>, value: &Global<Value>, payload_limit_bytes: usize) -> Outcome {
    let value = Local::new(scope, value);
    let Ok(text) = Local::<v8::String>::try_from(value) else { return Outcome::Undefined };
    let size = text.utf8_length(scope);
    if size > payload_limit_bytes {
        return too_large(size, payload_limit_bytes);
    }
    v8::tc_scope!(let caught, scope);
    match v8::json::parse(caught, text) {
        Some(parsed) if parsed.is_object() => Outcome::Envelope(text.to_rust_string_lossy(caught)),
        Some(_) => Outcome::Undefined,
        None => {
            let text = caught
                .exception()
                .and_then(|error| Local::<v8::Object>::try_from(error).ok())
                .and_then(|error| {
                    let key = crate::text::name(caught, "message");
                    error.get(caught, key.into())
                })
                .map(|message| crate::text::string_or_empty(caught, message))
                .unwrap_or_default();
            Outcome::Failed { kind: FailureKind::Thrown, text }
        }
    }
}

fn too_large(size_bytes: usize, limit_bytes: usize) -> Outcome {
    let sentence = Sentence::PayloadTooLarge { subject: subject::RUN_ANSWER, size_bytes, limit_bytes };
    Outcome::Failed { kind: sentence.kind(), text: sentence.to_string() }
}
