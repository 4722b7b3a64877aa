//! [`Key`]: a key as the bridge holds it.

use crate::crypto::curve::Curve;
use crate::crypto::hash::Hash;
use crate::crypto::usage::Usages;
use crate::crypto::{Data, Failure, Name};

/// A key with its material.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// The algorithm that the key belongs to.
    pub(crate) name: Name,
    /// Whether the material may leave the bridge.
    pub(crate) extractable: bool,
    /// What it may be used for.
    pub(crate) usages: Usages,
    /// What it is made of.
    pub(crate) material: Material,
}

/// What a key is made of, with what its algorithm needs to know about it.
#[derive(Clone, Debug)]
pub(crate) enum Material {
    /// An AES key of 16, 24 or 32 bytes.
    Aes(Vec<u8>),
    /// An HMAC key, which need not be whole bytes.
    Hmac { hash: Hash, bits: u32, bytes: Vec<u8> },
    /// The input of a key derivation.
    Secret(Vec<u8>),
    /// The public part of an RSA key.
    RsaPublic { hash: Hash, key: rsa::PublicKey },
    /// A whole RSA key.
    RsaPrivate { hash: Hash, key: Box<rsa::PrivateKey> },
    /// A point on a curve, uncompressed.
    EcPublic { curve: Curve, point: Vec<u8> },
    /// A scalar, as wide as the field, with its point.
    EcPrivate { curve: Curve, scalar: Vec<u8>, point: Vec<u8> },
    /// A public key of Curve25519, in either form.
    OkpPublic([u8; 32]),
    /// A private key of Curve25519 with its public key.
    OkpPrivate { secret: [u8; 32], public: [u8; 32] },
}

/// What kind of key a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Secret,
    Public,
    Private,
}

impl Key {
    /// Fails unless the key is of the algorithm and allows the usage.
    pub(crate) fn admit(&self, name: Name, usage: Usages) -> Result<(), Failure> {
        if self.name != name {
            return Err(Failure::access("The key is of another algorithm."));
        }
        if !self.usages.contains(usage) {
            return Err(Failure::access("The key does not have the usage that the operation needs."));
        }
        Ok(())
    }

    /// The size of a secret, which a program may choose as it likes; zero for the keys of a pair.
    pub(crate) fn secret_bytes(&self) -> usize {
        match &self.material {
            Material::Aes(bytes) | Material::Secret(bytes) | Material::Hmac { bytes, .. } => bytes.len(),
            _ => 0,
        }
    }

    /// Secret, public or private.
    pub(crate) fn kind(&self) -> Kind {
        match self.material {
            Material::Aes(_) | Material::Hmac { .. } | Material::Secret(_) => Kind::Secret,
            Material::RsaPublic { .. } | Material::EcPublic { .. } | Material::OkpPublic(_) => Kind::Public,
            Material::RsaPrivate { .. } | Material::EcPrivate { .. } | Material::OkpPrivate { .. } => {
                Kind::Private
            }
        }
    }

    /// What the library learns of a key that it may call by `number`: never the material.
    pub(crate) fn describe(&self, number: u32) -> Data {
        let kind = match self.kind() {
            Kind::Secret => "secret",
            Kind::Public => "public",
            Kind::Private => "private",
        };
        Data::record([
            ("key", number.into()),
            ("type", kind.into()),
            ("extractable", Data::Bool(self.extractable)),
            ("algorithm", self.algorithm()),
            ("usages", Data::List(self.usages.names().map(Data::from).collect())),
        ])
    }

    /// The value of the attribute `algorithm`.
    fn algorithm(&self) -> Data {
        let mut members = vec![("name".to_owned(), Data::from(self.name.text()))];
        let mut add = |name: &str, value: Data| members.push((name.to_owned(), value));
        let hash_record = |hash: Hash| Data::record([("name", hash.name().into())]);
        match &self.material {
            Material::Aes(bytes) => add("length", Data::Number(bytes.len() as f64 * 8.0)),
            Material::Hmac { hash, bits, .. } => {
                add("length", (*bits).into());
                add("hash", hash_record(*hash));
            }
            Material::Secret(_) | Material::OkpPublic(_) | Material::OkpPrivate { .. } => {}
            Material::RsaPublic { hash, key } => {
                crate::crypto::rsa::describe(key, &mut add);
                add("hash", hash_record(*hash));
            }
            Material::RsaPrivate { hash, key } => {
                crate::crypto::rsa::describe(key.as_public_key(), &mut add);
                add("hash", hash_record(*hash));
            }
            Material::EcPublic { curve, .. } | Material::EcPrivate { curve, .. } => {
                add("namedCurve", curve.name().into());
            }
        }
        Data::Record(members)
    }
}
