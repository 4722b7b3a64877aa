//! [`Value`] and `serde_json::Value`. The latter has no bytes, so it holds the form that crosses the wire.

use serde_json::{Map, Number, Value as Json};

use super::DecodeError;
use super::binary::{BINARY_DATA, BINARY_TAG, escape_key, finish_object, tagged};
use super::number::exact_integer;
use crate::Value;

impl From<Value> for Json {
    fn from(value: Value) -> Json {
        if let Some((kind, base64)) = tagged(&value) {
            return Json::Object(Map::from_iter([
                (BINARY_TAG.to_owned(), kind.into()),
                (BINARY_DATA.to_owned(), base64.into()),
            ]));
        }
        match value {
            Value::Bool(value) => Json::Bool(value),
            Value::Number(number) => json_number(number),
            Value::String(text) => Json::String(text),
            Value::Array(items) => Json::Array(items.into_iter().map(Json::from).collect()),
            Value::Object(members) => Json::Object(
                members
                    .into_iter()
                    .map(|(key, value)| (escape_key(&key).into_owned(), value.into()))
                    .collect(),
            ),
            Value::Null | Value::Uint8Array(_) | Value::ArrayBuffer(_) => Json::Null,
        }
    }
}

/// A number that prints without a fraction when it has none; `null` where JSON has no number.
fn json_number(number: f64) -> Json {
    match exact_integer(number) {
        Some(integer) => integer.into(),
        None => Number::from_f64(number).map_or(Json::Null, Json::Number),
    }
}

impl TryFrom<Json> for Value {
    type Error = DecodeError;

    fn try_from(json: Json) -> Result<Value, DecodeError> {
        Ok(match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(value),
            Json::Number(number) => {
                let finite = number.as_f64().filter(|number| number.is_finite());
                Value::Number(
                    finite.ok_or_else(|| DecodeError::shape("a number beyond the range of a double"))?,
                )
            }
            Json::String(text) => Value::String(text),
            Json::Array(items) => {
                Value::Array(items.into_iter().map(Value::try_from).collect::<Result<_, _>>()?)
            }
            Json::Object(members) => {
                let members = members.into_iter().map(|(key, json)| Ok((key, Value::try_from(json)?)));
                finish_object(members.collect::<Result<_, DecodeError>>()?)?
            }
        })
    }
}
