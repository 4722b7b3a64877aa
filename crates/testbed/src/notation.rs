//! Expected values as readable JSON.

use codemode_protocol::Value;
use serde_json::Value as Json;

/// The value that `text` writes: JSON, with `{"$Uint8Array": "00ff"}` and `{"$ArrayBuffer": "00ff"}` for bytes.
///
/// # Errors
/// What is wrong with the text.
pub fn value(text: &str) -> Result<Value, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| format!("{error} in {text}"))?;
    convert(&json)
}

fn convert(json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => Value::Number(number.as_f64().ok_or("a number that is no double")?),
        Json::String(text) => Value::String(text.clone()),
        Json::Array(items) => Value::Array(items.iter().map(convert).collect::<Result<_, _>>()?),
        Json::Object(members) => {
            if members.len() == 1 {
                if let Some(hex) = members.get("$Uint8Array") {
                    return Ok(Value::Uint8Array(bytes(hex)?));
                }
                if let Some(hex) = members.get("$ArrayBuffer") {
                    return Ok(Value::ArrayBuffer(bytes(hex)?));
                }
            }
            let member = |(key, value): (&String, &Json)| Ok((key.clone(), convert(value)?));
            Value::Object(members.iter().map(member).collect::<Result<_, String>>()?)
        }
    })
}

fn bytes(hex: &Json) -> Result<Vec<u8>, String> {
    let hex = hex
        .as_str()
        .filter(|hex| hex.is_ascii() && hex.len() % 2 == 0)
        .ok_or("bytes are a text of hex pairs")?;
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).map_err(|error| error.to_string());
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// A value as this notation writes it, for messages about a difference.
pub fn show(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let member =
                |(key, value): &(String, Value)| format!("{}:{}", Json::from(key.as_str()), show(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
        Value::Uint8Array(bytes) => format!("{{\"$Uint8Array\":\"{}\"}}", hex(bytes)),
        Value::ArrayBuffer(bytes) => format!("{{\"$ArrayBuffer\":\"{}\"}}", hex(bytes)),
        plain => plain.to_json(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_shows() {
        let text = r#"{"n":null,"a":[1,-2.5,"x\"",true],"b":{"$Uint8Array":"01ff"},"c":{"$ArrayBuffer":""}}"#;
        assert_eq!(show(&value(text).unwrap()), text);
        assert_eq!(value(text).unwrap().get("b"), Some(&Value::Uint8Array(vec![1, 255])));
        assert!(value(r#"{"$Uint8Array":"0"}"#).is_err());
    }
}
