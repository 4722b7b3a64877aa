//! Keys of AES and HMAC, and the inputs of key derivations: their formats.

use crate::crypto::hash::Hash;
use crate::crypto::hmac::clear_unused_bits;
use crate::crypto::import::{Format, KeyData, bytes_of, jwk_of};
use crate::crypto::jwk::Jwk;
use crate::crypto::key::{Key, Material};
use crate::crypto::operation::Create;
use crate::crypto::{Failure, Name, Outcome};

/// Imports an AES key.
pub(crate) fn import_aes(name: Name, format: Format, data: &KeyData, create: Create) -> Result<Key, Failure> {
    create.usages.only(name.usages())?;
    let bytes = match format {
        Format::Raw | Format::RawSecret => bytes_of(data)?.to_vec(),
        Format::Jwk => {
            let jwk = jwk_of(data)?;
            jwk.check("oct", name, create)?;
            let bytes = jwk.bytes("k")?;
            jwk.check_algorithm(&[&aes_jwa_name(name, bytes.len())])?;
            bytes
        }
        _ => return Err(Failure::format()),
    };
    if !matches!(bytes.len(), 16 | 24 | 32) {
        return Err(Failure::data("An AES key has 128, 192 or 256 bits."));
    }
    Ok(key(name, create, Material::Aes(bytes)))
}

/// Imports an HMAC key, of `bits` bits where somebody says so.
pub(crate) fn import_hmac(
    hash: Hash,
    bits: Option<u32>,
    format: Format,
    data: &KeyData,
    create: Create,
) -> Result<Key, Failure> {
    create.usages.only(Name::Hmac.usages())?;
    let mut bytes = match format {
        Format::Raw | Format::RawSecret => bytes_of(data)?.to_vec(),
        Format::Jwk => {
            let jwk = jwk_of(data)?;
            jwk.check("oct", Name::Hmac, create)?;
            let bytes = jwk.bytes("k")?;
            jwk.check_algorithm(&[&hmac_jwa_name(hash)])?;
            bytes
        }
        _ => return Err(Failure::format()),
    };
    let whole = u32::try_from(bytes.len() * 8).map_err(|_| Failure::data("The key is too long."))?;
    if whole == 0 {
        return Err(Failure::data("The key is empty."));
    }
    let bits = bits.unwrap_or(whole);
    if bits > whole || bits <= whole - 8 {
        return Err(Failure::data("The length does not fit the key data."));
    }
    clear_unused_bits(&mut bytes, bits);
    Ok(key(Name::Hmac, create, Material::Hmac { hash, bits, bytes }))
}

/// Imports the input of a key derivation, which never leaves again.
pub(crate) fn import_secret(
    name: Name,
    format: Format,
    data: &KeyData,
    create: Create,
) -> Result<Key, Failure> {
    let (Format::Raw | Format::RawSecret) = format else { return Err(Failure::format()) };
    create.usages.only(name.usages())?;
    if create.extractable {
        return Err(Failure::syntax("The input of a key derivation cannot be extractable."));
    }
    Ok(key(name, create, Material::Secret(bytes_of(data)?.to_vec())))
}

/// Exports a symmetric key.
pub(crate) fn export(format: Format, key: &Key) -> Result<Outcome, Failure> {
    let (bytes, algorithm) = match &key.material {
        Material::Aes(bytes) => (bytes, aes_jwa_name(key.name, bytes.len())),
        Material::Hmac { hash, bytes, .. } => (bytes, hmac_jwa_name(*hash)),
        _ => return Err(Failure::not_offered()),
    };
    match format {
        Format::Raw | Format::RawSecret => Ok(Outcome::Bytes(bytes.clone())),
        Format::Jwk => {
            let jwk = Jwk::export("oct", key.usages).with_bytes("k", bytes).with("alg", algorithm);
            Ok(Outcome::Jwk(jwk))
        }
        _ => Err(Failure::format()),
    }
}

/// A key of these parts.
pub(crate) fn key(name: Name, create: Create, material: Material) -> Key {
    Key { name, extractable: create.extractable, usages: create.usages, material }
}

fn aes_jwa_name(name: Name, length: usize) -> String {
    format!("A{}{}", length * 8, &name.text()["AES-".len()..])
}

fn hmac_jwa_name(hash: Hash) -> String {
    format!("HS{}", hash.jwa_number())
}
