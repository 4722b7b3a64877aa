//! What the engine threw, as an outcome and as text.

use codemode_protocol::FailureKind;
use codemode_runtime::v8::{self, Local, PinScope, Value};

use crate::Outcome;
use crate::modules::linker::Linker;
use crate::text::string_or_empty;

/// The failure that an exception left behind.
pub(crate) fn thrown(
    caught: &mut v8::PinnedRef<'_, v8::TryCatch<'_, '_, v8::HandleScope<'_>>>,
    linker: &Linker,
    kind: FailureKind,
) -> Outcome {
    let text = match caught.exception() {
        Some(exception) => {
            caught.reset();
            describe(caught, linker, exception)
        }
        None => "The program could not be started.".to_owned(),
    };
    Outcome::Failed { kind, text }
}

/// The text of a thrown value: the message of an error, anything else as `String()` has it.
pub(crate) fn describe(scope: &mut PinScope<'_, '_>, linker: &Linker, thrown: Local<'_, Value>) -> String {
    v8::tc_scope!(let caught, scope);
    let text = linker.library_function(caught, "describe").and_then(|describe| {
        let undefined = v8::undefined(caught);
        describe.call(caught, undefined.into(), &[thrown])
    });
    match text {
        Some(text) => string_or_empty(caught, text),
        None => "The program threw a value that has no text.".to_owned(),
    }
}
