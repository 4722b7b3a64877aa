//! The tagged base64 envelope, and what becomes of an object when its last member is read.

use std::borrow::Cow;
use std::collections::HashMap;

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};

use super::DecodeError;
use crate::Value;

/// The key that marks an object as bytes.
pub const BINARY_TAG: &str = "__codemode_binary_v1__";
/// The key of the base64 text.
pub(super) const BINARY_DATA: &str = "data";
pub(super) const UINT8_ARRAY: &str = "Uint8Array";
pub(super) const ARRAY_BUFFER: &str = "ArrayBuffer";

/// Appended to a key that would read as the tag.
const ESCAPE: char = '~';
/// Members from which repeated keys are looked for with a hash table.
const MANY_MEMBERS: usize = 16;

/// The kind and the base64 text of a binary value.
pub(super) fn tagged(value: &Value) -> Option<(&'static str, String)> {
    match value {
        Value::Uint8Array(bytes) => Some((UINT8_ARRAY, STANDARD.encode(bytes))),
        Value::ArrayBuffer(bytes) => Some((ARRAY_BUFFER, STANDARD.encode(bytes))),
        _ => None,
    }
}

/// A key as it is written.
pub(super) fn escape_key(key: &str) -> Cow<'_, str> {
    match escapes(key) {
        Some(_) => Cow::Owned(format!("{key}{ESCAPE}")),
        None => Cow::Borrowed(key),
    }
}

/// How many escapes follow the tag, or `None` for a key that is not made of tag and escapes.
fn escapes(key: &str) -> Option<usize> {
    let rest = key.strip_prefix(BINARY_TAG)?;
    rest.chars().all(|character| character == ESCAPE).then_some(rest.len())
}

/// The value of an object whose members have all been read, in order and as written.
pub(super) fn finish_object(mut members: Vec<(String, Value)>) -> Result<Value, DecodeError> {
    keep_last_of_repeated(&mut members);
    if let Some(bytes) = untag(&members) {
        return bytes;
    }
    let mut unescaped = false;
    for (key, _) in &mut members {
        if escapes(key).is_some_and(|count| count > 0) {
            key.pop();
            unescaped = true;
        }
    }
    if unescaped {
        keep_last_of_repeated(&mut members);
    }
    Ok(Value::Object(members))
}

/// The bytes, when these members are an envelope.
fn untag(members: &[(String, Value)]) -> Option<Result<Value, DecodeError>> {
    let [first, second] = members else { return None };
    let (tag, data) = if first.0 == BINARY_TAG { (first, second) } else { (second, first) };
    let (Value::String(kind), Value::String(text)) = (&tag.1, &data.1) else { return None };
    if tag.0 != BINARY_TAG || data.0 != BINARY_DATA {
        return None;
    }
    Some(decode_base64(text).map(|bytes| match kind.as_str() {
        ARRAY_BUFFER => Value::ArrayBuffer(bytes),
        _ => Value::Uint8Array(bytes),
    }))
}

/// Reads base64 as `atob` does: padding may be missing but not be half there, white space does not matter.
pub(super) fn decode_base64(text: &str) -> Result<Vec<u8>, DecodeError> {
    const FORGIVING: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let is_space = |character: char| matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{C}');
    let text =
        if text.contains(is_space) { Cow::Owned(text.replace(is_space, "")) } else { Cow::Borrowed(text) };
    if text.ends_with('=') && !text.len().is_multiple_of(4) {
        return Err(DecodeError::Base64);
    }
    FORGIVING.decode(text.as_bytes()).map_err(|_| DecodeError::Base64)
}

/// A repeated key keeps its first place and its last value.
fn keep_last_of_repeated(members: &mut Vec<(String, Value)>) {
    let Some(first_places) = first_places(members) else { return };
    let mut kept: Vec<(String, Value)> = Vec::with_capacity(members.len());
    let mut place_in_kept = vec![0; members.len()];
    for (index, (key, value)) in std::mem::take(members).into_iter().enumerate() {
        let first = first_places[index];
        if first == index {
            place_in_kept[index] = kept.len();
            kept.push((key, value));
        } else {
            kept[place_in_kept[first]].1 = value;
        }
    }
    *members = kept;
}

/// For each member the index of the first one with its key, or `None` when no key comes twice.
fn first_places(members: &[(String, Value)]) -> Option<Vec<usize>> {
    if members.len() <= MANY_MEMBERS {
        let first = |index: usize| members.iter().position(|(key, _)| *key == members[index].0);
        let places: Vec<usize> = (0..members.len()).map(|index| first(index).unwrap_or(index)).collect();
        let repeated = places.iter().enumerate().any(|(index, &place)| index != place);
        return repeated.then_some(places);
    }
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(members.len());
    let places: Vec<usize> =
        members.iter().enumerate().map(|(index, (key, _))| *seen.entry(key).or_insert(index)).collect();
    (seen.len() < members.len()).then_some(places)
}
