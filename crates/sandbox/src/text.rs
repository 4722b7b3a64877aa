//! Text between the engine and Rust.

use codemode_runtime::v8::{self, Local, PinScope, String as JsString, Value};

/// An engine string, or a `RangeError` thrown in the isolate where the text is longer than the engine's longest.
pub(crate) fn js_string<'s>(scope: &PinScope<'s, '_>, text: &str) -> Option<Local<'s, JsString>> {
    JsString::new(scope, text)
}

/// A short string that is part of this crate.
pub(crate) fn name<'s>(scope: &PinScope<'s, '_>, text: &str) -> Local<'s, JsString> {
    JsString::new(scope, text).expect("names of this crate are short")
}

/// The text of a string value, empty for any other value. Runs no code of the program.
pub(crate) fn string_or_empty(scope: &PinScope<'_, '_>, value: Local<'_, Value>) -> String {
    Local::<JsString>::try_from(value).map(|text| text.to_rust_string_lossy(scope)).unwrap_or_default()
}

/// An `Error` of the isolate with this message.
pub(crate) fn error<'s>(scope: &PinScope<'s, '_>, message: &str) -> Local<'s, Value> {
    let message = js_string(scope, message).unwrap_or_else(|| JsString::empty(scope));
    v8::Exception::error(scope, message)
}
