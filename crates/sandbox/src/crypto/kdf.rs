//! HKDF and PBKDF2, and the length of what a key agreement gives.

use crate::crypto::Failure;
use crate::crypto::failure::{chosen_length, zeroes};
use crate::crypto::hash::{Hash, with_hash};
use crate::crypto::hmac::clear_unused_bits;
use crate::crypto::key::{Key, Material};

/// Derives `bits` with HKDF (RFC 5869).
pub(crate) fn hkdf(
    key: &Key,
    hash: Hash,
    salt: &[u8],
    info: &[u8],
    bits: Option<u32>,
) -> Result<Vec<u8>, Failure> {
    let secret = secret_of(key)?;
    let length = whole_bytes(bits)?;
    if length > 255 * hash.output_bytes() {
        return Err(Failure::operation("HKDF gives at most 255 times the length of its hash."));
    }
    let mut output = zeroes(length)?;
    with_hash!(hash, D => {
        let failed = |_| Failure::operation("HKDF cannot give this length.");
        ::hkdf::Hkdf::<D>::new(Some(salt), secret).expand(info, &mut output).map_err(failed)?;
    });
    Ok(output)
}

/// Derives `bits` with PBKDF2 (RFC 8018).
pub(crate) fn pbkdf2(
    key: &Key,
    hash: Hash,
    salt: &[u8],
    iterations: u32,
    bits: Option<u32>,
) -> Result<Vec<u8>, Failure> {
    let password = secret_of(key)?;
    let length = whole_bytes(bits)?;
    if iterations == 0 {
        return Err(Failure::operation("PBKDF2 needs at least one iteration."));
    }
    let mut output = zeroes(length)?;
    if length > 0 {
        with_hash!(hash, D => ::pbkdf2::pbkdf2_hmac::<D>(password, salt, iterations, &mut output));
    }
    Ok(output)
}

/// The first `bits` of an agreed secret, all of it where nobody says how many.
pub(crate) fn truncate(mut secret: Vec<u8>, bits: Option<u32>) -> Result<Vec<u8>, Failure> {
    let Some(bits) = bits else { return Ok(secret) };
    let length = bits.div_ceil(8) as usize;
    if length > secret.len() {
        return Err(Failure::operation("The agreed secret is shorter than the length asked for."));
    }
    secret.truncate(length);
    clear_unused_bits(&mut secret, bits);
    Ok(secret)
}

fn whole_bytes(bits: Option<u32>) -> Result<usize, Failure> {
    match bits {
        Some(bits) if bits.is_multiple_of(8) => chosen_length(bits),
        Some(_) => Err(Failure::operation("The length is not a multiple of 8 bits.")),
        None => Err(Failure::operation("The derivation needs a length.")),
    }
}

fn secret_of(key: &Key) -> Result<&[u8], Failure> {
    match &key.material {
        Material::Secret(bytes) => Ok(bytes),
        _ => Err(Failure::access("The key is not the input of a key derivation.")),
    }
}
