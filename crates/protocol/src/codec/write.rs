//! Values to text, without recursion.

use super::binary::{BINARY_DATA, BINARY_TAG, escape_key, tagged};
use super::number::push_number;
use crate::Value;

pub(super) fn compact(value: &Value) -> String {
    Writer { out: String::new(), pretty: false }.write(value)
}

pub(super) fn pretty(value: &Value) -> String {
    Writer { out: String::new(), pretty: true }.write(value)
}

/// Appends a string literal with the escapes that `JSON.stringify` writes.
pub(super) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            8 => "\\b",
            12 => "\\f",
            0..=31 => "",
            _ => continue,
        };
        out.push_str(&text[written..at]);
        out.push_str(escape);
        if escape.is_empty() {
            out.push_str(&format!("\\u{byte:04x}"));
        }
        written = at + 1;
    }
    out.push_str(&text[written..]);
    out.push('"');
}

/// An array or object that is open, and what of it is still to be written.
enum Frame<'a> {
    Array(std::slice::Iter<'a, Value>),
    Object(std::slice::Iter<'a, (String, Value)>),
}

struct Writer {
    out: String,
    pretty: bool,
}

impl Writer {
    fn write(mut self, value: &Value) -> String {
        let mut open: Vec<Frame<'_>> = Vec::new();
        self.value(value, &mut open);
        while let Some(frame) = open.last_mut() {
            let first = self.out.ends_with(['[', '{']);
            let (key, value) = match frame {
                Frame::Array(items) => (None, items.next()),
                Frame::Object(members) => members.next().map(|(key, value)| (Some(key), value)).unzip(),
            };
            match value {
                Some(value) => {
                    self.separate(first, open.len());
                    if let Some(key) = key.flatten() {
                        self.key(&escape_key(key));
                    }
                    self.value(value, &mut open);
                }
                None => self.close(&mut open),
            }
        }
        self.out
    }

    /// Writes a scalar or an empty container whole, and opens any other.
    fn value<'a>(&mut self, value: &'a Value, open: &mut Vec<Frame<'a>>) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(number) => push_number(&mut self.out, *number),
            Value::String(text) => push_string(&mut self.out, text),
            Value::Array(items) if items.is_empty() => self.out.push_str("[]"),
            Value::Object(members) if members.is_empty() => self.out.push_str("{}"),
            Value::Array(items) => {
                self.out.push('[');
                open.push(Frame::Array(items.iter()));
            }
            Value::Object(members) => {
                self.out.push('{');
                open.push(Frame::Object(members.iter()));
            }
            Value::Uint8Array(_) | Value::ArrayBuffer(_) => self.bytes(value, open.len()),
        }
    }

    fn bytes(&mut self, value: &Value, depth: usize) {
        let Some((kind, base64)) = tagged(value) else { return };
        self.out.push('{');
        self.separate(true, depth + 1);
        self.key(BINARY_TAG);
        push_string(&mut self.out, kind);
        self.separate(false, depth + 1);
        self.key(BINARY_DATA);
        push_string(&mut self.out, &base64);
        self.break_line(depth);
        self.out.push('}');
    }

    fn close(&mut self, open: &mut Vec<Frame<'_>>) {
        let frame = open.pop();
        self.break_line(open.len());
        self.out.push(if matches!(frame, Some(Frame::Array(_))) { ']' } else { '}' });
    }

    fn key(&mut self, key: &str) {
        push_string(&mut self.out, key);
        self.out.push_str(if self.pretty { ": " } else { ":" });
    }

    fn separate(&mut self, first: bool, depth: usize) {
        if !first {
            self.out.push(',');
        }
        self.break_line(depth);
    }

    fn break_line(&mut self, depth: usize) {
        if self.pretty {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", depth));
        }
    }
}
