//! The formats of keys, and which part of this module reads and writes which.

use crate::crypto::jwk::Jwk;
use crate::crypto::key::{Key, Material};
use crate::crypto::operation::Create;
use crate::crypto::parameters::Import;
use crate::crypto::{Failure, Name, Outcome, ec_keys, okp_keys, rsa_keys, symmetric};

/// A format of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// The bytes of a secret or public key.
    Raw,
    /// The bytes of a secret key, and of nothing else.
    RawSecret,
    /// The bytes of a public key, and of nothing else.
    RawPublic,
    /// `SubjectPublicKeyInfo` of X.509, for public keys.
    Spki,
    /// `PrivateKeyInfo` of PKCS #8, for private keys.
    Pkcs8,
    /// JSON Web Key.
    Jwk,
}

/// The data of a key in one of the formats.
#[derive(Clone, Debug)]
pub(crate) enum KeyData {
    Bytes(Vec<u8>),
    Jwk(Jwk),
}

impl Format {
    /// The format of this name.
    pub(crate) fn named(name: &str) -> Result<Format, Failure> {
        Ok(match name {
            "raw" => Format::Raw,
            "raw-secret" => Format::RawSecret,
            "raw-public" => Format::RawPublic,
            "spki" => Format::Spki,
            "pkcs8" => Format::Pkcs8,
            "jwk" => Format::Jwk,
            _ => return Err(Failure::type_error("The value is not a key format.")),
        })
    }
}

/// Makes a key of its data.
pub(crate) fn import_key(
    format: Format,
    data: KeyData,
    algorithm: &Import,
    create: Create,
) -> Result<Key, Failure> {
    match algorithm {
        Import::Aes { name } => symmetric::import_aes(*name, format, &data, create),
        Import::Hmac { hash, bits } => symmetric::import_hmac(*hash, *bits, format, &data, create),
        Import::Secret { name } => symmetric::import_secret(*name, format, &data, create),
        Import::Rsa { name, hash } => rsa_keys::import(*name, *hash, format, &data, create),
        Import::Ec { name, curve } => ec_keys::import(*name, curve, format, &data, create),
        Import::Okp { name } => okp_keys::import(*name, format, &data, create),
    }
}

/// Whether keys of the algorithm can be exported at all.
pub(crate) fn may_export(name: Name) -> bool {
    !matches!(name, Name::Hkdf | Name::Pbkdf2)
}

/// Writes a key in a format. Whether it may leave has been decided.
pub(crate) fn export_key(format: Format, key: &Key) -> Result<Outcome, Failure> {
    match key.material {
        Material::Aes(_) | Material::Hmac { .. } | Material::Secret(_) => symmetric::export(format, key),
        Material::RsaPublic { .. } | Material::RsaPrivate { .. } => rsa_keys::export(format, key),
        Material::EcPublic { .. } | Material::EcPrivate { .. } => ec_keys::export(format, key),
        Material::OkpPublic(_) | Material::OkpPrivate { .. } => okp_keys::export(format, key),
    }
}

/// The failure of a format that is for the other half of a pair.
pub(crate) fn wrong_half() -> Failure {
    Failure::access("The format is not for this half of a key pair.")
}

/// The data of a format that is bytes.
pub(crate) fn bytes_of(data: &KeyData) -> Result<&[u8], Failure> {
    match data {
        KeyData::Bytes(bytes) => Ok(bytes),
        KeyData::Jwk(_) => Err(Failure::data("The key data is not bytes.")),
    }
}

/// The data of the format `jwk`.
pub(crate) fn jwk_of(data: &KeyData) -> Result<&Jwk, Failure> {
    match data {
        KeyData::Jwk(jwk) => Ok(jwk),
        KeyData::Bytes(_) => Err(Failure::data("The key data is not a JSON Web Key.")),
    }
}
