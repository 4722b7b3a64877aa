//! JSON as JavaScript writes it, and its length in UTF-16 code units.

use serde_json::{Number, Value};
use std::fmt::Write as _;

/// The length of [`compact`], without writing it.
pub(super) fn length(value: &Value) -> usize {
    match value {
        Value::Null => 4,
        Value::Bool(value) => 5 - usize::from(*value),
        Value::Number(value) => number(value).len(),
        Value::String(text) => string_length(text),
        Value::Array(items) => 2 + items.len().saturating_sub(1) + items.iter().map(length).sum::<usize>(),
        Value::Object(members) => {
            let own =
                members.iter().map(|(key, value)| string_length(key) + 1 + length(value)).sum::<usize>();
            2 + members.len().saturating_sub(1) + own
        }
    }
}

/// The length of a string with its quotes and escapes.
pub(super) fn string_length(text: &str) -> usize {
    let units = |c: char| match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        c if c < ' ' => 6,
        c => c.len_utf16(),
    };
    2 + text.chars().map(units).sum::<usize>()
}

/// The text of `JSON.stringify`.
pub(super) fn compact(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Number(value) => out.push_str(&number(value)),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, value)) in members.iter().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                let _ = write!(out, "{comma}{}:", Value::String(key.clone()));
                write(value, out);
            }
            out.push('}');
        }
        scalar => {
            let _ = write!(out, "{scalar}");
        }
    }
}

/// A number by the rules of `Number.prototype.toString`: an exponent from 1e21 and below 1e-6.
fn number(value: &Number) -> String {
    let float = value.as_f64().filter(|_| value.is_f64());
    match float {
        None => value.to_string(),
        Some(0.0) => "0".to_owned(),
        Some(float) if (1e-6..1e21).contains(&float.abs()) => float.to_string(),
        Some(float) if float.abs() >= 1e21 => format!("{float:e}").replace('e', "e+"),
        Some(float) => format!("{float:e}"),
    }
}

/// The first `units` code units of `text`; half a surrogate pair at the end becomes U+FFFD.
pub(super) fn prefix(text: &str, units: usize) -> String {
    let cut: Vec<u16> = text.encode_utf16().take(units).collect();
    String::from_utf16_lossy(&cut)
}

/// Whether [`prefix`] ends with half a pair.
pub(super) fn splits_pair(text: &str, units: usize) -> bool {
    let mut last = text.encode_utf16().take(units).skip(units.saturating_sub(1));
    // Whole pairs end with a low half.
    last.next().is_some_and(|unit| (0xd800..0xdc00).contains(&unit))
}

/// A number with a comma at each thousand.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_read_as_in_javascript() {
        let cases = [
            (json!(-1.0), "-1"),
            (json!(-0.0), "0"),
            (json!(0.1), "0.1"),
            (json!(1e20), "100000000000000000000"),
            (json!(1e21), "1e+21"),
            (json!(1.5e300), "1.5e+300"),
            (json!(0.000001), "0.000001"),
            (json!(1.5e-7), "1.5e-7"),
            (json!(u64::MAX), "18446744073709551615"),
        ];
        for (value, text) in cases {
            assert_eq!(compact(&value), text);
        }
    }

    #[test]
    fn the_length_is_that_of_the_text() {
        let value = json!({"a\"\n\u{1}": [null, true, false, 1.5, "😀é\\"], "": {}, "b": []});
        assert_eq!(length(&value), compact(&value).encode_utf16().count());
        assert_eq!(compact(&value), serde_json::to_string(&value).unwrap());
    }

    #[test]
    fn thousands_have_commas() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
