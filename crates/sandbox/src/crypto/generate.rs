//! `generateKey`.

use crate::crypto::curve::Curve;
use crate::crypto::failure::{chosen_length, random};
use crate::crypto::hash::Hash;
use crate::crypto::hmac::{clear_unused_bits, default_bits};
use crate::crypto::key::{Key, Material};
use crate::crypto::operation::Create;
use crate::crypto::parameters::Generation;
use crate::crypto::symmetric::key;
use crate::crypto::{Failure, Name, Outcome, ec, okp, rsa};

/// Makes a key or a pair. Everything about the request is checked before the work begins.
pub(crate) fn generate(algorithm: &Generation, create: Create) -> Result<Outcome, Failure> {
    match algorithm {
        Generation::Aes { name, bits } => aes(*name, *bits, create),
        Generation::Hmac { hash, bits } => hmac(*hash, *bits, create),
        Generation::Rsa { name, hash, bits, exponent } => {
            check_pair(*name, create)?;
            let exponent = rsa::check_generation(*bits, exponent)?;
            need_private_usage(*name, create)?;
            let private = rsa::generate(*bits, exponent)?;
            let public = Material::RsaPublic { hash: *hash, key: private.to_public_key() };
            Ok(pair(*name, create, public, Material::RsaPrivate { hash: *hash, key: Box::new(private) }))
        }
        Generation::Ec { name, curve } => {
            check_pair(*name, create)?;
            let curve = Curve::named(curve)?;
            need_private_usage(*name, create)?;
            let (scalar, point) = ec::generate(curve)?;
            let public = Material::EcPublic { curve, point: point.clone() };
            Ok(pair(*name, create, public, Material::EcPrivate { curve, scalar, point }))
        }
        Generation::Okp { name } => {
            check_pair(*name, create)?;
            need_private_usage(*name, create)?;
            let secret: [u8; 32] = random(32)?.try_into().expect("32 bytes were asked for");
            let public = okp::public_of(*name, secret);
            Ok(pair(*name, create, Material::OkpPublic(public), Material::OkpPrivate { secret, public }))
        }
    }
}

fn aes(name: Name, bits: u32, create: Create) -> Result<Outcome, Failure> {
    create.usages.only(name.usages())?;
    if !matches!(bits, 128 | 192 | 256) {
        return Err(Failure::operation("An AES key has 128, 192 or 256 bits."));
    }
    create.usages.some()?;
    Ok(Outcome::Key(key(name, create, Material::Aes(random(bits as usize / 8)?))))
}

fn hmac(hash: Hash, bits: Option<u32>, create: Create) -> Result<Outcome, Failure> {
    create.usages.only(Name::Hmac.usages())?;
    let bits = bits.unwrap_or_else(|| default_bits(hash));
    if bits == 0 {
        return Err(Failure::operation("An HMAC key has at least one bit."));
    }
    let length = chosen_length(bits)?;
    create.usages.some()?;
    let mut bytes = random(length)?;
    clear_unused_bits(&mut bytes, bits);
    Ok(Outcome::Key(key(Name::Hmac, create, Material::Hmac { hash, bits, bytes })))
}

fn check_pair(name: Name, create: Create) -> Result<(), Failure> {
    create.usages.only(name.usages().and(name.private_usages()))
}

fn need_private_usage(name: Name, create: Create) -> Result<(), Failure> {
    create.usages.within(name.private_usages()).some()
}

fn pair(name: Name, create: Create, public: Material, private: Material) -> Outcome {
    let half = |extractable, usages, material| Key { name, extractable, usages, material };
    Outcome::Pair {
        public: half(true, create.usages.within(name.usages()), public),
        private: half(create.extractable, create.usages.within(name.private_usages()), private),
    }
}
