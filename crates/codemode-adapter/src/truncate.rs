//! [`truncate_result`].
//!
//! Lengths are in UTF-16 code units of compact JSON, as JavaScript counts them, so that a budget means the same on
//! both sides. One difference remains: where a cut falls between the halves of a surrogate pair, the dialect keeps
//! the first half, and here U+FFFD stands in its place.

mod json;
mod shrink;

use json::{grouped, length, prefix};
use serde_json::Value;

/// What stands wherever something was left out.
const MARKER: &str = "--- TRUNCATED ---";
const CHARS_PER_TOKEN: usize = 4;
const DEFAULT_MAX_TOKENS: usize = 6_000;

/// How long a result may be. With neither bound, 6 000 tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TruncateOptions {
    /// In UTF-16 code units of compact JSON (of the text itself, for a string). Goes before `max_tokens`.
    pub max_chars: Option<usize>,
    /// In tokens, counted as four code units each.
    pub max_tokens: Option<usize>,
}

impl TruncateOptions {
    fn chars(self) -> usize {
        self.max_chars.unwrap_or_else(|| self.tokens().saturating_mul(CHARS_PER_TOKEN))
    }

    fn tokens(self) -> usize {
        self.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS)
    }
}

/// `value` itself where it is within the bound, else what of it fits.
///
/// A string is cut, and a note after it says how long it was; the note comes on top of the bound. Anything else
/// keeps its form: the largest parts are shortened first, strings end with a marker, arrays lose their tail and say
/// how many items it had, objects lose their largest values and name them. Where not even that fits, the compact
/// JSON is cut as a string is.
#[must_use]
pub fn truncate_result(value: Value, options: TruncateOptions) -> Value {
    let bound = options.chars();
    let text = match value {
        Value::String(text) if text.encode_utf16().count() <= bound => return Value::String(text),
        Value::String(text) => text,
        value if length(&value) <= bound => return value,
        value => {
            let shrunk = shrink::shrink(&value, bound);
            if length(&shrunk) <= bound {
                return shrunk;
            }
            json::compact(&value)
        }
    };
    Value::String(cut(&text, options))
}

fn cut(text: &str, options: TruncateOptions) -> String {
    let tokens = text.encode_utf16().count().div_ceil(CHARS_PER_TOKEN);
    format!(
        "{}\n\n{MARKER}\nResponse was ~{} tokens (limit: {}). Narrow the request to reduce response size.",
        prefix(text, options.chars()),
        grouped(tokens),
        grouped(options.tokens())
    )
}
