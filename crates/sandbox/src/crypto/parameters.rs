//! The parameters of the algorithms, read from normalized algorithm records.

use std::sync::Arc;

use crate::crypto::hash::Hash;
use crate::crypto::key::Key;
use crate::crypto::{Data, Failure, KeyStore, Name};

/// The algorithm of `encrypt` and `decrypt`.
#[derive(Clone, Debug)]
pub(crate) enum Cipher {
    Cbc { iv: Vec<u8> },
    Ctr { counter: Vec<u8>, length_bits: u8 },
    Gcm { iv: Vec<u8>, additional_data: Vec<u8>, tag_bits: u8 },
    Oaep { label: Vec<u8> },
}

/// The algorithm of `wrapKey` and `unwrapKey`.
#[derive(Clone, Debug)]
pub(crate) enum Wrapper {
    Kw,
    Cipher(Cipher),
}

/// The algorithm of `sign` and `verify`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signer {
    Hmac,
    RsaPkcs1,
    RsaPss { salt_bytes: u32 },
    Ecdsa { hash: Hash },
    Ed25519,
}

/// The algorithm of `deriveBits` and `deriveKey`.
#[derive(Clone, Debug)]
pub(crate) enum Derivation {
    Hkdf { hash: Hash, salt: Vec<u8>, info: Vec<u8> },
    Pbkdf2 { hash: Hash, salt: Vec<u8>, iterations: u32 },
    Ecdh { public: Arc<Key> },
    X25519 { public: Arc<Key> },
}

/// The algorithm of `generateKey`.
#[derive(Clone, Debug)]
pub(crate) enum Generation {
    Aes { name: Name, bits: u32 },
    Hmac { hash: Hash, bits: Option<u32> },
    Rsa { name: Name, hash: Hash, bits: u32, exponent: Vec<u8> },
    Ec { name: Name, curve: String },
    Okp { name: Name },
}

/// The algorithm of `importKey`.
#[derive(Clone, Debug)]
pub(crate) enum Import {
    Aes { name: Name },
    Hmac { hash: Hash, bits: Option<u32> },
    Secret { name: Name },
    Rsa { name: Name, hash: Hash },
    Ec { name: Name, curve: String },
    Okp { name: Name },
}

/// How long a derived key is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DerivedLength {
    Aes { bits: u32 },
    Hmac { hash: Hash, bits: Option<u32> },
    Whole,
}

fn name_of(record: &Data) -> Result<Name, Failure> {
    Name::named(record.need("name")?.as_text()?)
}

fn bytes(record: &Data, member: &str) -> Result<Vec<u8>, Failure> {
    Ok(record.need(member)?.as_bytes()?.to_vec())
}

fn bytes_or_none(record: &Data, member: &str) -> Result<Vec<u8>, Failure> {
    record.get(member).map_or(Ok(Vec::new()), |bytes| Ok(bytes.as_bytes()?.to_vec()))
}

fn number_or_none(record: &Data, member: &str) -> Result<Option<u32>, Failure> {
    record.get(member).map(Data::as_u32).transpose()
}

impl Cipher {
    pub(crate) fn read(record: &Data) -> Result<Cipher, Failure> {
        Ok(match name_of(record)? {
            Name::AesCbc => Cipher::Cbc { iv: bytes(record, "iv")? },
            Name::AesCtr => Cipher::Ctr {
                counter: bytes(record, "counter")?,
                length_bits: record.need("length")?.as_u8()?,
            },
            Name::AesGcm => Cipher::Gcm {
                iv: bytes(record, "iv")?,
                additional_data: bytes_or_none(record, "additionalData")?,
                tag_bits: record.get("tagLength").map_or(Ok(128), Data::as_u8)?,
            },
            Name::RsaOaep => Cipher::Oaep { label: bytes_or_none(record, "label")? },
            _ => return Err(Failure::not_offered()),
        })
    }

    pub(crate) fn name(&self) -> Name {
        match self {
            Cipher::Cbc { .. } => Name::AesCbc,
            Cipher::Ctr { .. } => Name::AesCtr,
            Cipher::Gcm { .. } => Name::AesGcm,
            Cipher::Oaep { .. } => Name::RsaOaep,
        }
    }
}

impl Wrapper {
    pub(crate) fn read(record: &Data) -> Result<Wrapper, Failure> {
        if name_of(record)? == Name::AesKw {
            return Ok(Wrapper::Kw);
        }
        Cipher::read(record).map(Wrapper::Cipher)
    }

    pub(crate) fn name(&self) -> Name {
        match self {
            Wrapper::Kw => Name::AesKw,
            Wrapper::Cipher(cipher) => cipher.name(),
        }
    }
}

impl Signer {
    pub(crate) fn read(record: &Data) -> Result<Signer, Failure> {
        Ok(match name_of(record)? {
            Name::Hmac => Signer::Hmac,
            Name::RsaPkcs1 => Signer::RsaPkcs1,
            Name::RsaPss => Signer::RsaPss { salt_bytes: record.need("saltLength")?.as_u32()? },
            Name::Ecdsa => Signer::Ecdsa { hash: Hash::read(record)? },
            Name::Ed25519 => Signer::Ed25519,
            _ => return Err(Failure::not_offered()),
        })
    }

    pub(crate) fn name(self) -> Name {
        match self {
            Signer::Hmac => Name::Hmac,
            Signer::RsaPkcs1 => Name::RsaPkcs1,
            Signer::RsaPss { .. } => Name::RsaPss,
            Signer::Ecdsa { .. } => Name::Ecdsa,
            Signer::Ed25519 => Name::Ed25519,
        }
    }
}

impl Derivation {
    pub(crate) fn read(record: &Data, keys: &KeyStore) -> Result<Derivation, Failure> {
        Ok(match name_of(record)? {
            Name::Hkdf => Derivation::Hkdf {
                hash: Hash::read(record)?,
                salt: bytes(record, "salt")?,
                info: bytes(record, "info")?,
            },
            Name::Pbkdf2 => Derivation::Pbkdf2 {
                hash: Hash::read(record)?,
                salt: bytes(record, "salt")?,
                iterations: record.need("iterations")?.as_u32()?,
            },
            Name::Ecdh => Derivation::Ecdh { public: keys.find(record.need("public")?)? },
            Name::X25519 => Derivation::X25519 { public: keys.find(record.need("public")?)? },
            _ => return Err(Failure::not_offered()),
        })
    }

    pub(crate) fn name(&self) -> Name {
        match self {
            Derivation::Hkdf { .. } => Name::Hkdf,
            Derivation::Pbkdf2 { .. } => Name::Pbkdf2,
            Derivation::Ecdh { .. } => Name::Ecdh,
            Derivation::X25519 { .. } => Name::X25519,
        }
    }
}

impl Generation {
    pub(crate) fn read(record: &Data) -> Result<Generation, Failure> {
        Ok(match name_of(record)? {
            name @ (Name::AesCbc | Name::AesCtr | Name::AesGcm | Name::AesKw) => {
                Generation::Aes { name, bits: record.need("length")?.as_u32()? }
            }
            Name::Hmac => {
                Generation::Hmac { hash: Hash::read(record)?, bits: number_or_none(record, "length")? }
            }
            name @ (Name::RsaOaep | Name::RsaPss | Name::RsaPkcs1) => Generation::Rsa {
                name,
                hash: Hash::read(record)?,
                bits: record.need("modulusLength")?.as_u32()?,
                exponent: bytes(record, "publicExponent")?,
            },
            name @ (Name::Ecdsa | Name::Ecdh) => {
                Generation::Ec { name, curve: record.need("namedCurve")?.as_text()?.to_owned() }
            }
            name @ (Name::Ed25519 | Name::X25519) => Generation::Okp { name },
            Name::Hkdf | Name::Pbkdf2 => return Err(Failure::not_offered()),
        })
    }

    /// How many keys it makes.
    pub(crate) fn key_count(&self) -> usize {
        match self {
            Generation::Aes { .. } | Generation::Hmac { .. } => 1,
            Generation::Rsa { .. } | Generation::Ec { .. } | Generation::Okp { .. } => 2,
        }
    }
}

impl Import {
    pub(crate) fn read(record: &Data) -> Result<Import, Failure> {
        Ok(match name_of(record)? {
            name @ (Name::AesCbc | Name::AesCtr | Name::AesGcm | Name::AesKw) => Import::Aes { name },
            Name::Hmac => Import::Hmac { hash: Hash::read(record)?, bits: number_or_none(record, "length")? },
            name @ (Name::Hkdf | Name::Pbkdf2) => Import::Secret { name },
            name @ (Name::RsaOaep | Name::RsaPss | Name::RsaPkcs1) => {
                Import::Rsa { name, hash: Hash::read(record)? }
            }
            name @ (Name::Ecdsa | Name::Ecdh) => {
                Import::Ec { name, curve: record.need("namedCurve")?.as_text()?.to_owned() }
            }
            name @ (Name::Ed25519 | Name::X25519) => Import::Okp { name },
        })
    }
}

impl DerivedLength {
    pub(crate) fn read(record: &Data) -> Result<DerivedLength, Failure> {
        Ok(match name_of(record)? {
            Name::AesCbc | Name::AesCtr | Name::AesGcm | Name::AesKw => {
                DerivedLength::Aes { bits: record.need("length")?.as_u32()? }
            }
            Name::Hmac => {
                DerivedLength::Hmac { hash: Hash::read(record)?, bits: number_or_none(record, "length")? }
            }
            Name::Hkdf | Name::Pbkdf2 => DerivedLength::Whole,
            _ => return Err(Failure::not_offered()),
        })
    }

    /// The length in bits; `None` is whatever the derivation gives.
    pub(crate) fn bits(self) -> Result<Option<u32>, Failure> {
        match self {
            DerivedLength::Aes { bits: bits @ (128 | 192 | 256) } => Ok(Some(bits)),
            DerivedLength::Aes { .. } => Err(Failure::operation("An AES key has 128, 192 or 256 bits.")),
            DerivedLength::Hmac { bits: Some(0), .. } => {
                Err(Failure::type_error("A key has at least one bit."))
            }
            DerivedLength::Hmac { hash, bits } => {
                Ok(Some(bits.unwrap_or_else(|| crate::crypto::hmac::default_bits(hash))))
            }
            DerivedLength::Whole => Ok(None),
        }
    }
}
