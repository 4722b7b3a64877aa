//! The hash functions.

use crate::crypto::{Data, Failure};

/// A hash function of the SHA family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// Evaluates an expression with a type name that stands for the hash function.
macro_rules! with_hash {
    ($hash:expr, $digest:ident => $body:expr) => {
        match $hash {
            $crate::crypto::hash::Hash::Sha1 => {
                type $digest = ::sha1::Sha1;
                $body
            }
            $crate::crypto::hash::Hash::Sha256 => {
                type $digest = ::sha2::Sha256;
                $body
            }
            $crate::crypto::hash::Hash::Sha384 => {
                type $digest = ::sha2::Sha384;
                $body
            }
            $crate::crypto::hash::Hash::Sha512 => {
                type $digest = ::sha2::Sha512;
                $body
            }
        }
    };
}
pub(crate) use with_hash;

impl Hash {
    /// The function of this name.
    pub(crate) fn named(name: &str) -> Result<Hash, Failure> {
        match name {
            "SHA-1" => Ok(Hash::Sha1),
            "SHA-256" => Ok(Hash::Sha256),
            "SHA-384" => Ok(Hash::Sha384),
            "SHA-512" => Ok(Hash::Sha512),
            _ => Err(Failure::unsupported("The hash function is not offered.")),
        }
    }

    /// The member `hash` of algorithm parameters.
    pub(crate) fn read(parameters: &Data) -> Result<Hash, Failure> {
        Hash::named(parameters.need("hash")?.as_text()?)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Hash::Sha1 => "SHA-1",
            Hash::Sha256 => "SHA-256",
            Hash::Sha384 => "SHA-384",
            Hash::Sha512 => "SHA-512",
        }
    }

    /// The number by which the names of JSON Web Algorithms call the function.
    pub(crate) fn jwa_number(self) -> &'static str {
        &self.name()["SHA-".len()..]
    }

    /// The size of an answer, in bytes.
    pub(crate) fn output_bytes(self) -> usize {
        match self {
            Hash::Sha1 => 20,
            Hash::Sha256 => 32,
            Hash::Sha384 => 48,
            Hash::Sha512 => 64,
        }
    }

    /// The hash of `data`.
    pub(crate) fn digest(self, data: &[u8]) -> Vec<u8> {
        use sha2::Digest as _;
        with_hash!(self, D => D::digest(data).to_vec())
    }
}
