//! HMAC.

use ::hmac::{KeyInit as _, Mac as _};

use crate::crypto::Failure;
use crate::crypto::hash::{Hash, with_hash};
use crate::crypto::key::{Key, Material};

/// The length of a key where nobody says one: a block of the hash function.
pub(crate) fn default_bits(hash: Hash) -> u32 {
    match hash {
        Hash::Sha1 | Hash::Sha256 => 512,
        Hash::Sha384 | Hash::Sha512 => 1024,
    }
}

/// The code of `data`.
pub(crate) fn sign(key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    let (hash, key) = parts(key)?;
    with_hash!(hash, D => {
        let mut mac = ::hmac::Hmac::<D>::new_from_slice(key).map_err(|_| refused())?;
        mac.update(data);
        Ok(mac.finalize().into_bytes().to_vec())
    })
}

/// Whether `code` is the code of `data`.
pub(crate) fn verify(key: &Key, code: &[u8], data: &[u8]) -> Result<bool, Failure> {
    let (hash, key) = parts(key)?;
    with_hash!(hash, D => {
        let mut mac = ::hmac::Hmac::<D>::new_from_slice(key).map_err(|_| refused())?;
        mac.update(data);
        Ok(mac.verify_slice(code).is_ok())
    })
}

/// Clears the bits of the last byte that are past the length of a key.
pub(crate) fn clear_unused_bits(bytes: &mut [u8], bits: u32) {
    if let (Some(last), unused @ 1..) = (bytes.last_mut(), (8 - bits % 8) % 8) {
        *last &= 0xff << unused;
    }
}

fn parts(key: &Key) -> Result<(Hash, &[u8]), Failure> {
    match &key.material {
        Material::Hmac { hash, bytes, .. } => Ok((*hash, bytes)),
        _ => Err(Failure::access("The key is not an HMAC key.")),
    }
}

fn refused() -> Failure {
    Failure::operation("HMAC does not take this key.")
}
