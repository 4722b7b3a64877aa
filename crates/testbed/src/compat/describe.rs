//! Values as the recording writes them: JSON as it is, anything else as an object with the key `$`.

use codemode_protocol::Value;
use serde_json::{Value as Json, json};

/// Past these, a value is written by its size and its ends.
const LONGEST_TEXT: usize = 4_096;
const LONGEST_ARRAY: usize = 400;
const DEEPEST: usize = 8;

/// The description of a value; `None` is `undefined`.
pub(super) fn described(value: Option<&Value>) -> Json {
    value.map_or_else(|| json!({ "$": "undefined" }), |value| describe(value, 0))
}

fn describe(value: &Value, depth: usize) -> Json {
    match value {
        Value::String(text) => return self::text(text),
        Value::Array(_) | Value::Object(_) | Value::Uint8Array(_) | Value::ArrayBuffer(_)
            if depth > DEEPEST =>
        {
            return json!({ "$": "too-deep" });
        }
        _ => {}
    }
    match value {
        Value::Array(items) => shortened(items.iter().map(|item| describe(item, depth + 1)).collect()),
        Value::Object(members) => {
            let member = |(key, value): &(String, Value)| (key.clone(), describe(value, depth + 1));
            Json::Object(members.iter().map(member).collect())
        }
        Value::Uint8Array(bytes) => json!({ "$": "Uint8Array", "values": bytes }),
        Value::ArrayBuffer(bytes) => json!({ "$": "ArrayBuffer", "bytes": bytes }),
        plain => plain.clone().into(),
    }
}

/// A text, or its length and its head.
pub(super) fn text(text: &str) -> Json {
    let units = text.encode_utf16().count();
    if units <= LONGEST_TEXT {
        return text.into();
    }
    let head: String = text.chars().take(64).collect();
    json!({ "$": "long-string", "length": units, "head": head })
}

/// An array, or its length and its ends.
pub(super) fn shortened(items: Vec<Json>) -> Json {
    if items.len() <= LONGEST_ARRAY {
        return items.into();
    }
    json!({ "$": "long-array", "length": items.len(), "first": items[..3], "last": items[items.len() - 3..] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_long_values_are_described() {
        let value = Value::object([("b", Value::Uint8Array(vec![1])), ("n", Value::Number(2.0))]);
        assert_eq!(described(Some(&value)), json!({ "b": { "$": "Uint8Array", "values": [1] }, "n": 2 }));
        assert_eq!(described(None), json!({ "$": "undefined" }));
        assert_eq!(text(&"é".repeat(5_000))["length"], 5_000);
        assert_eq!(shortened(vec![Json::Null; 401])["length"], 401);
    }
}
