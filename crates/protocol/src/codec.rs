//! JSON: values as text, the dispatch envelope, and the contract types as records.
//!
//! # Values
//! [`Value::to_json`] writes what `JSON.stringify` writes for the same data, numbers included (`49`, `1e+21`,
//! `-0` as `0`), and [`Value::from_json`] reads what `JSON.parse` reads, with these decisions:
//! - Bytes cross as `{"__codemode_binary_v1__":"Uint8Array","data":"<base64>"}`, or with `"ArrayBuffer"`. An
//!   object with exactly these two members, both strings, is read as bytes: `"ArrayBuffer"` as an
//!   [`Value::ArrayBuffer`], any other name as a [`Value::Uint8Array`].
//! - An object of a program that has such a key of its own is not mistaken for bytes. On writing, a key made of
//!   the tag and any number of `~` gets one more `~`; on reading, one is taken away. So every value reads back as
//!   it was written.
//! - Keys keep their order. A key that comes twice has its last value at its first place. `__proto__` is a key
//!   like any other.
//! - An escape that names half of a surrogate pair reads as U+FFFD, since text here is UTF-8.
//! - A number beyond the range of a double is refused rather than read as an infinity, which could not be written
//!   back.
//! - A value has at most [`crate::defaults::VALUE_PARTS_LIMIT`] parts, itself and everything inside of it counted, since
//!   a part takes far more memory than its text; text with more of them is refused.
//! - Arrays and objects nest at most [`crate::defaults::VALUE_DEPTH_LIMIT`] deep; deeper text is refused. Neither
//!   reading nor writing recurses.
//!
//! # Envelopes
//! A tool call carries [`decode_args`] one way and [`answer_result`] or [`answer_error`] the other; a run reports
//! through [`decode_outcome`].

mod binary;
mod convert;
mod de;
mod envelope;
mod error;
mod number;
mod parse;
mod ser;
mod wire;
mod write;

pub use binary::BINARY_TAG;
pub use de::ValueDeserializer;
pub use envelope::{Outcome, answer_error, answer_result, decode_answer, decode_args, decode_outcome};
pub use error::DecodeError;

use serde::de::IntoDeserializer as _;

use crate::Value;
use crate::defaults::VALUE_DEPTH_LIMIT;

impl Value {
    /// Reads one value.
    ///
    /// # Errors
    /// [`DecodeError`] where the text is not JSON or holds something that a value cannot.
    pub fn from_json(text: &str) -> Result<Value, DecodeError> {
        parse::parse(text, VALUE_DEPTH_LIMIT)
    }

    /// Writes the value on one line.
    pub fn to_json(&self) -> String {
        write::compact(self)
    }

    /// Writes the value for people, indented by two spaces.
    pub fn to_json_pretty(&self) -> String {
        write::pretty(self)
    }

    /// Reads the value into a type that `serde` knows. Bytes reach a type that asks for bytes or for a sequence.
    ///
    /// # Errors
    /// [`DecodeError::Shape`] where the value does not fit the type.
    pub fn deserialize<T: serde::de::DeserializeOwned>(self) -> Result<T, DecodeError> {
        T::deserialize(self.into_deserializer())
    }

    /// Makes a value of a type that `serde` knows, as `JSON.parse` would read its JSON: numbers become doubles,
    /// and a `Value` inside the type keeps its bytes.
    ///
    /// # Errors
    /// [`DecodeError::Shape`] where the type has no JSON form, such as a map whose keys are no text.
    pub fn serialize_from<T: serde::Serialize + ?Sized>(source: &T) -> Result<Value, DecodeError> {
        let json = serde_json::to_value(source).map_err(|error| DecodeError::shape(error.to_string()))?;
        Value::try_from(json)
    }
}
