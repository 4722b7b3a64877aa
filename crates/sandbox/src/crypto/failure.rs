//! [`Failure`]: how an operation fails, by the name a program branches on.

use codemode_protocol::{Sentence, defaults};

/// An exception for the program: `TypeError`, or a `DOMException` of the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The name of the exception.
    pub(crate) name: &'static str,
    /// What went wrong.
    pub(crate) message: String,
}

macro_rules! names {
    ($($(#[$doc:meta])* $function:ident => $name:literal;)*) => {
        impl Failure {
            $($(#[$doc])* pub(crate) fn $function(message: impl Into<String>) -> Self {
                Self { name: $name, message: message.into() }
            })*
        }
    };
}

names! {
    /// A value of another type than the interface declares.
    type_error => "TypeError";
    /// A usage that the algorithm does not have, or none where one is needed.
    syntax => "SyntaxError";
    /// A key that does not allow the operation.
    access => "InvalidAccessError";
    /// An algorithm, format or curve that is not offered.
    unsupported => "NotSupportedError";
    /// Key data that is not what it claims to be.
    data => "DataError";
    /// An operation that could not be performed on these values.
    operation => "OperationError";
}

impl Failure {
    /// The failure of a value that names no key of this run.
    pub(crate) fn not_a_key() -> Self {
        Self::type_error(Sentence::NotACryptoKey.to_string())
    }

    /// The failure of an algorithm that does not offer the operation.
    pub(crate) fn not_offered() -> Self {
        Self::unsupported("The algorithm does not offer this operation.")
    }

    /// The failure of a format that the algorithm does not have.
    pub(crate) fn format() -> Self {
        Self::unsupported("The algorithm does not offer this key format.")
    }
}

/// Zeroes of a length that a program chose, which may be more than there is memory for.
pub(crate) fn zeroes(length: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(length)
        .map_err(|_| Failure::operation("There is not enough memory for the result."))?;
    bytes.resize(length, 0);
    Ok(bytes)
}

/// A length in bytes that nothing but a number of the program's stands for. One call must not be able to ask for more
/// memory than there is.
pub(crate) fn chosen_length(bits: u32) -> Result<usize, Failure> {
    let (length, limit) = (bits.div_ceil(8) as usize, defaults::PAYLOAD_LIMIT_BYTES);
    if length > limit {
        return Err(Failure::operation(format!("The length is past the bound of {limit} bytes.")));
    }
    Ok(length)
}

/// Random bytes of the kernel.
pub(crate) fn random(length: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = zeroes(length)?;
    getrandom::fill(&mut bytes).map_err(|_| Failure::operation("The kernel gave no random bytes."))?;
    Ok(bytes)
}
