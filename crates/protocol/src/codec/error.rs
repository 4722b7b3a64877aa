//! [`DecodeError`].

use std::fmt;

use crate::Sentence;

/// Why a text or record could not be read. Offsets count bytes from the start of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The text is not JSON.
    Syntax {
        /// Where.
        offset: usize,
        /// What would have been right there.
        expected: &'static str,
    },
    /// Arrays and objects nest too deep.
    TooDeep {
        /// The bound.
        depth_limit: usize,
    },
    /// More parts than a host reads.
    TooManyParts {
        /// The bound.
        parts_limit: usize,
    },
    /// A number beyond the range of a double.
    NumberOutOfRange {
        /// Where.
        offset: usize,
    },
    /// Tagged bytes whose text is not base64.
    Base64,
    /// JSON of another shape than asked for.
    Shape {
        /// What does not fit.
        detail: String,
    },
}

impl DecodeError {
    pub(crate) fn shape(detail: impl Into<String>) -> Self {
        DecodeError::Shape { detail: detail.into() }
    }

    /// The name of the kind, as test vectors spell it.
    pub fn as_str(&self) -> &'static str {
        match self {
            DecodeError::Syntax { .. } => "syntax",
            DecodeError::TooDeep { .. } => "too_deep",
            DecodeError::TooManyParts { .. } => "too_many_parts",
            DecodeError::NumberOutOfRange { .. } => "number_out_of_range",
            DecodeError::Base64 => "base64",
            DecodeError::Shape { .. } => "shape",
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Syntax { offset, expected } => write!(f, "expected {expected} at byte {offset}"),
            DecodeError::TooDeep { depth_limit } => {
                Sentence::ValueTooDeep { depth_limit: *depth_limit }.fmt(f)
            }
            DecodeError::TooManyParts { parts_limit } => {
                Sentence::ValueTooManyParts { parts_limit: *parts_limit }.fmt(f)
            }
            DecodeError::NumberOutOfRange { offset } => {
                write!(f, "the number at byte {offset} is beyond the range of a double")
            }
            DecodeError::Base64 => f.write_str("tagged bytes whose text is not base64"),
            DecodeError::Shape { detail } => f.write_str(detail),
        }
    }
}

impl std::error::Error for DecodeError {}

impl serde::de::Error for DecodeError {
    fn custom<T: fmt::Display>(detail: T) -> Self {
        DecodeError::shape(detail.to_string())
    }
}
