//! How long an operation takes, by a measure that is known before it is performed.

use crate::crypto::Operation;
use crate::crypto::curve::Curve;
use crate::crypto::import::{Format, KeyData};
use crate::crypto::key::{Key, Material};
use crate::crypto::parameters::{Cipher, Derivation, Generation, Import, Signer, Wrapper};

/// Bytes that a hash function or a cipher goes through in a short operation.
const SHORT_BYTES: usize = 128 << 10;

/// Iterations of PBKDF2 in a short operation, those of all blocks of the output together.
const SHORT_ITERATIONS: u64 = 500;

/// Size of an RSA modulus for which using a public key is short. Using a private key never is.
const SHORT_RSA_BITS: u32 = 4096;

impl Operation {
    /// Whether the operation is over in less time than handing it to another thread is worth: less than a millisecond
    /// in an optimised build. Depends on sizes and algorithms alone, never on the bits of a key.
    pub(crate) fn is_short(&self) -> bool {
        match self {
            Operation::Digest { data, .. } => few(data),
            Operation::Encrypt { algorithm, key, data } => encrypts_shortly(algorithm, key, data.len()),
            Operation::Decrypt { algorithm, data, .. } => decrypts_shortly(algorithm, data),
            Operation::Sign { algorithm, key, data } => few(data) && signs_shortly(*algorithm, key),
            Operation::Verify { key, signature, data, .. } => {
                few(data) && few(signature) && uses_shortly(key)
            }
            Operation::GenerateKey { algorithm, .. } => generates_shortly(algorithm),
            Operation::ImportKey { format, data, algorithm, .. } => {
                few_data(data) && imports_shortly(*format, algorithm)
            }
            Operation::ExportKey { .. } => true,
            Operation::DeriveBits { algorithm, key, bits } => {
                uses_shortly(key) && derives_shortly(algorithm, *bits)
            }
            Operation::DeriveKey { algorithm, key, length, .. } => match length.bits() {
                Ok(bits) => uses_shortly(key) && derives_shortly(algorithm, bits),
                // Refused at once.
                Err(_) => true,
            },
            Operation::WrapKey { key, wrapping_key, algorithm, .. } => match algorithm {
                Wrapper::Kw => key.secret_bytes() <= SHORT_BYTES,
                Wrapper::Cipher(cipher) => encrypts_shortly(cipher, wrapping_key, key.secret_bytes()),
            },
            Operation::UnwrapKey { format, wrapped, algorithm, import, .. } => {
                let unwraps_shortly = match algorithm {
                    Wrapper::Kw => few(wrapped),
                    Wrapper::Cipher(cipher) => decrypts_shortly(cipher, wrapped),
                };
                unwraps_shortly && imports_shortly(*format, import)
            }
        }
    }
}

fn few(data: &[u8]) -> bool {
    data.len() <= SHORT_BYTES
}

fn few_data(data: &KeyData) -> bool {
    match data {
        KeyData::Bytes(bytes) => few(bytes),
        KeyData::Jwk(jwk) => jwk.text_bytes() <= SHORT_BYTES,
    }
}

fn encrypts_shortly(algorithm: &Cipher, key: &Key, bytes: usize) -> bool {
    match algorithm {
        Cipher::Oaep { label } => few(label) && uses_shortly(key),
        Cipher::Gcm { additional_data, .. } => bytes + additional_data.len() <= SHORT_BYTES,
        Cipher::Cbc { .. } | Cipher::Ctr { .. } => bytes <= SHORT_BYTES,
    }
}

fn decrypts_shortly(algorithm: &Cipher, data: &[u8]) -> bool {
    match algorithm {
        Cipher::Oaep { .. } => false,
        Cipher::Gcm { additional_data, .. } => data.len() + additional_data.len() <= SHORT_BYTES,
        Cipher::Cbc { .. } | Cipher::Ctr { .. } => few(data),
    }
}

fn signs_shortly(algorithm: Signer, key: &Key) -> bool {
    match algorithm {
        Signer::RsaPkcs1 | Signer::RsaPss { .. } => false,
        Signer::Hmac | Signer::Ecdsa { .. } | Signer::Ed25519 => uses_shortly(key),
    }
}

/// Whether one use of the key is short, whatever the data.
fn uses_shortly(key: &Key) -> bool {
    match &key.material {
        Material::Aes(_) | Material::Hmac { .. } | Material::Secret(_) => key.secret_bytes() <= SHORT_BYTES,
        Material::OkpPublic(_) | Material::OkpPrivate { .. } => true,
        Material::EcPublic { curve, .. } | Material::EcPrivate { curve, .. } => *curve == Curve::P256,
        Material::RsaPublic { key, .. } => crate::crypto::rsa::modulus_bits(key) <= SHORT_RSA_BITS,
        Material::RsaPrivate { .. } => false,
    }
}

fn generates_shortly(algorithm: &Generation) -> bool {
    match algorithm {
        Generation::Aes { .. } | Generation::Okp { .. } => true,
        Generation::Hmac { bits, .. } => bits.is_none_or(|bits| bits as usize / 8 <= SHORT_BYTES),
        Generation::Ec { curve, .. } => is_short_curve(curve),
        Generation::Rsa { .. } => false,
    }
}

fn imports_shortly(format: Format, algorithm: &Import) -> bool {
    match algorithm {
        Import::Aes { .. } | Import::Hmac { .. } | Import::Secret { .. } | Import::Okp { .. } => true,
        Import::Ec { curve, .. } => is_short_curve(curve),
        Import::Rsa { .. } => format == Format::Spki,
    }
}

fn is_short_curve(name: &str) -> bool {
    Curve::named(name).is_ok_and(|curve| curve == Curve::P256)
}

fn derives_shortly(algorithm: &Derivation, bits: Option<u32>) -> bool {
    match algorithm {
        Derivation::Hkdf { salt, info, .. } => few(salt) && info.len() <= SHORT_BYTES / 255,
        Derivation::Pbkdf2 { hash, salt, iterations } => {
            let blocks = bits.unwrap_or(0).div_ceil(hash.output_bytes() as u32 * 8);
            salt.len().saturating_mul(blocks as usize) <= SHORT_BYTES
                && u64::from(*iterations) * u64::from(blocks) <= SHORT_ITERATIONS
        }
        Derivation::Ecdh { public } => uses_shortly(public),
        Derivation::X25519 { .. } => true,
    }
}
