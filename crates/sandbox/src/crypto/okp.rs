//! Curve25519: signatures with Ed25519 and agreement with X25519.

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use x25519_dalek::{PublicKey, StaticSecret};

use crate::crypto::key::{Key, Material};
use crate::crypto::{Failure, Name};

/// The public key of a private one.
pub(crate) fn public_of(name: Name, secret: [u8; 32]) -> [u8; 32] {
    match name {
        Name::Ed25519 => SigningKey::from_bytes(&secret).verifying_key().to_bytes(),
        _ => PublicKey::from(&StaticSecret::from(secret)).to_bytes(),
    }
}

/// Signs with Ed25519.
pub(crate) fn sign(key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    match &key.material {
        Material::OkpPrivate { secret, .. } => {
            Ok(SigningKey::from_bytes(secret).sign(data).to_bytes().to_vec())
        }
        _ => Err(Failure::access("The key is not a private key.")),
    }
}

/// Whether `signature` holds. Keys and commitments of small order never do, as the standard asks.
pub(crate) fn verify(key: &Key, signature: &[u8], data: &[u8]) -> Result<bool, Failure> {
    let Material::OkpPublic(public) = &key.material else {
        return Err(Failure::access("The key is not a public key."));
    };
    let (Ok(key), Ok(signature)) = (VerifyingKey::from_bytes(public), Signature::from_slice(signature))
    else {
        return Ok(false);
    };
    Ok(key.verify_strict(data, &signature).is_ok())
}

/// The secret that both sides of X25519 arrive at.
pub(crate) fn agree(key: &Key, public: &Key) -> Result<Vec<u8>, Failure> {
    let Material::OkpPrivate { secret, .. } = &key.material else {
        return Err(Failure::access("The key is not a private key."));
    };
    let Material::OkpPublic(public_bytes) = &public.material else {
        return Err(Failure::access("The other key is not a public key."));
    };
    if public.name != key.name {
        return Err(Failure::access("The keys are of different algorithms."));
    }
    let shared = StaticSecret::from(*secret).diffie_hellman(&PublicKey::from(*public_bytes));
    if !shared.was_contributory() {
        return Err(Failure::operation("The other key is of small order."));
    }
    Ok(shared.to_bytes().to_vec())
}
