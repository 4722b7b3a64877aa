//! The notation of the vectors: values as trees of type and value.

use codemode_protocol::Value;
use serde_json::Value as Json;

/// Reads a file of `vectors/`.
pub(crate) fn vectors(file: &str) -> Json {
    let path = format!("{}/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of a table, of which there must be some.
pub(crate) fn rows<'a>(table: &'a Json, name: &str) -> &'a [Json] {
    let rows = if name.is_empty() { table } else { &table[name] };
    let rows = rows.as_array().unwrap_or_else(|| panic!("`{name}` is no table"));
    assert!(!rows.is_empty(), "`{name}` is empty");
    rows
}

pub(crate) fn text<'a>(row: &'a Json, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_else(|| panic!("`{name}` is no text in {row}"))
}

/// The value that a tree of type and value stands for.
pub(crate) fn value(tree: &Json) -> Value {
    let content = &tree["value"];
    match tree["type"].as_str() {
        Some("null") => Value::Null,
        Some("boolean") => Value::Bool(content.as_bool().unwrap()),
        Some("number") => Value::Number(text(tree, "value").parse().unwrap()),
        Some("string") => Value::String(text(tree, "value").to_owned()),
        Some("array") => Value::Array(values(content)),
        Some("object") => {
            let member = |pair: &Json| (pair[0].as_str().unwrap().to_owned(), value(&pair[1]));
            Value::Object(content.as_array().unwrap().iter().map(member).collect())
        }
        Some("Uint8Array") => Value::Uint8Array(bytes(text(tree, "value"))),
        Some("ArrayBuffer") => Value::ArrayBuffer(bytes(text(tree, "value"))),
        other => panic!("no type {other:?} in {tree}"),
    }
}

pub(crate) fn values(trees: &Json) -> Vec<Value> {
    trees.as_array().unwrap().iter().map(value).collect()
}

/// The value of an optional column.
pub(crate) fn optional_value(row: &Json, name: &str) -> Option<Value> {
    row.get(name).map(value)
}

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// Equal down to the sign of zero, which `==` does not tell.
pub(crate) fn assert_same(got: &Value, want: &Value, case: &str) {
    assert_eq!(format!("{got:?}"), format!("{want:?}"), "{case}");
}
