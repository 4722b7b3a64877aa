//! The envelopes: the arguments and the answer of a tool call, and the report of a run.

use super::write::push_string;
use super::{DecodeError, parse};
use crate::defaults::VALUE_DEPTH_LIMIT;
use crate::{FailureKind, Sentence, Value};

/// An envelope is one level around the value that it carries.
const ENVELOPE_DEPTH_LIMIT: usize = VALUE_DEPTH_LIMIT + 1;

/// What a run reported.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// What the program returned, when it did not fail.
    pub result: Option<Value>,
    /// Why the program failed. An empty text is a failure too.
    pub error: Option<String>,
    /// The kind of that failure.
    pub kind: Option<FailureKind>,
}

impl Outcome {
    fn failed(kind: FailureKind, error: String) -> Self {
        Self { result: None, error: Some(error), kind: Some(kind) }
    }
}

/// Reads the arguments of a tool call. No text is no arguments; anything but an array is the one argument of the
/// single-object convention.
///
/// # Errors
/// [`DecodeError`] where the text is not JSON or holds something that a value cannot.
pub fn decode_args(args_json: &str) -> Result<Vec<Value>, DecodeError> {
    if args_json.is_empty() {
        return Ok(Vec::new());
    }
    Ok(match parse::parse(args_json, ENVELOPE_DEPTH_LIMIT)? {
        Value::Array(items) => items,
        single => vec![single],
    })
}

/// Writes the answer of a tool that worked. `None` is `undefined`.
pub fn answer_result(result: Option<&Value>) -> String {
    match result {
        Some(value) => format!("{{\"result\":{}}}", value.to_json()),
        None => "{}".to_owned(),
    }
}

/// Writes the answer of a tool that failed. The program reads the text as the message of the error thrown at its
/// call, and an empty text as no failure at all.
pub fn answer_error(text: &str) -> String {
    let mut envelope = String::from("{\"error\":");
    push_string(&mut envelope, text);
    envelope.push('}');
    envelope
}

/// Reads the answer of a tool as the program reads it: an error that is empty, `null`, `false` or zero is none, and
/// an array or bytes are an object without members. An error that is no text counts as its JSON.
///
/// # Errors
/// The text of the failure, or of [`Sentence::DispatchOutsideEnvelope`] where the text is no envelope.
pub fn decode_answer(answer_json: &str) -> Result<Option<Value>, String> {
    let members = match parse::parse(answer_json, ENVELOPE_DEPTH_LIMIT) {
        Ok(Value::Object(members)) => members,
        Ok(Value::Array(_) | Value::Uint8Array(_) | Value::ArrayBuffer(_)) => return Ok(None),
        _ => return Err(Sentence::DispatchOutsideEnvelope.to_string()),
    };
    let (result, error) = result_and_error(members);
    match error.filter(is_truthy) {
        Some(error) => Err(text_of(error)),
        None => Ok(result),
    }
}

/// Reads the report of a run. A program can write its own, so every text has an outcome: JSON that is no object
/// is an `undefined` result, and text that is not JSON is a failure. A failure is told by its member `error`,
/// which is text; any other value but `null` counts as its JSON.
pub fn decode_outcome(envelope_json: &str) -> Outcome {
    let members = match parse::parse(envelope_json, ENVELOPE_DEPTH_LIMIT) {
        Ok(Value::Object(members)) => members,
        Ok(_) => return Outcome::default(),
        Err(error) => return unreadable(&error),
    };
    match result_and_error(members) {
        (result, None | Some(Value::Null)) => Outcome { result, ..Outcome::default() },
        (_, Some(error)) => Outcome::failed(FailureKind::Thrown, text_of(error)),
    }
}

fn unreadable(error: &DecodeError) -> Outcome {
    let sentence = match error {
        DecodeError::TooDeep { .. } => Sentence::ValueTooDeep { depth_limit: VALUE_DEPTH_LIMIT },
        DecodeError::TooManyParts { parts_limit } => {
            Sentence::ValueTooManyParts { parts_limit: *parts_limit }
        }
        _ => Sentence::AnswerNotJson { detail: error.to_string() },
    };
    Outcome::failed(sentence.kind(), sentence.to_string())
}

fn result_and_error(members: Vec<(String, Value)>) -> (Option<Value>, Option<Value>) {
    let (mut result, mut error) = (None, None);
    for (key, value) in members {
        match key.as_str() {
            "result" => result = Some(value),
            "error" => error = Some(value),
            _ => {}
        }
    }
    (result, error)
}

fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => *number != 0.0,
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}

fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_json(),
    }
}
