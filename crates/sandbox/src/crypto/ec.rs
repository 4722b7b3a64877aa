//! ECDSA and ECDH on the NIST curves.

use crate::crypto::Failure;
use crate::crypto::curve::{Curve, with_curve};
use crate::crypto::failure::random;
use crate::crypto::hash::Hash;
use crate::crypto::key::{Key, Material};

/// Signs the hash of `data`; the answer is `r` and `s`, each as wide as the field.
pub(crate) fn sign(key: &Key, hash: Hash, data: &[u8]) -> Result<Vec<u8>, Failure> {
    let Material::EcPrivate { curve, scalar, .. } = &key.material else {
        return Err(Failure::access("The key is not a private key."));
    };
    let prehash = prehash(*curve, hash, data);
    with_curve!(*curve, lib => {
        use lib::ecdsa::signature::hazmat::PrehashSigner as _;
        let failed = |_| Failure::operation("The data could not be signed.");
        let signer = lib::ecdsa::SigningKey::from_slice(scalar).map_err(failed)?;
        let signature: lib::ecdsa::Signature = signer.sign_prehash(&prehash).map_err(failed)?;
        Ok(signature.to_bytes().to_vec())
    })
}

/// Whether `signature` is one of the hash of `data`.
pub(crate) fn verify(key: &Key, hash: Hash, signature: &[u8], data: &[u8]) -> Result<bool, Failure> {
    let Material::EcPublic { curve, point } = &key.material else {
        return Err(Failure::access("The key is not a public key."));
    };
    let prehash = prehash(*curve, hash, data);
    with_curve!(*curve, lib => {
        use lib::ecdsa::signature::hazmat::PrehashVerifier as _;
        let Ok(signature) = lib::ecdsa::Signature::from_slice(signature) else { return Ok(false) };
        let failed = |_| Failure::operation("The key is not a point of its curve.");
        let verifier = lib::ecdsa::VerifyingKey::from_sec1_bytes(point).map_err(failed)?;
        Ok(verifier.verify_prehash(&prehash, &signature).is_ok())
    })
}

/// The secret that both sides of ECDH arrive at.
pub(crate) fn agree(key: &Key, public: &Key) -> Result<Vec<u8>, Failure> {
    let Material::EcPrivate { curve, scalar, .. } = &key.material else {
        return Err(Failure::access("The key is not a private key."));
    };
    let Material::EcPublic { curve: public_curve, point } = &public.material else {
        return Err(Failure::access("The other key is not a public key."));
    };
    if public.name != key.name || public_curve != curve {
        return Err(Failure::access("The keys are of different algorithms or curves."));
    }
    let failed = |_| Failure::operation("The keys do not agree on a secret.");
    with_curve!(*curve, lib => {
        let secret = lib::SecretKey::from_slice(scalar).map_err(failed)?;
        let public = lib::PublicKey::from_sec1_bytes(point).map_err(failed)?;
        Ok(secret.diffie_hellman(&public).raw_secret_bytes().to_vec())
    })
}

/// A fresh private key: its scalar and its point.
pub(crate) fn generate(curve: Curve) -> Result<(Vec<u8>, Vec<u8>), Failure> {
    // A random number is a scalar unless it is zero or past the order, which for P-521 takes a shorter first byte.
    loop {
        let mut scalar = random(curve.field_bytes())?;
        if curve == Curve::P521 {
            scalar[0] &= 1;
        }
        if let Some(point) = point_of(curve, &scalar) {
            return Ok((scalar, point));
        }
    }
}

/// The uncompressed point of a scalar. `None` where it is no scalar of the curve.
pub(crate) fn point_of(curve: Curve, scalar: &[u8]) -> Option<Vec<u8>> {
    if scalar.len() != curve.field_bytes() {
        return None;
    }
    with_curve!(curve, lib => Some(uncompressed!(lib, lib::SecretKey::from_slice(scalar).ok()?.public_key())))
}

/// A point in either form as an uncompressed one. `None` where it is not on the curve.
pub(crate) fn normalize_point(curve: Curve, point: &[u8]) -> Option<Vec<u8>> {
    with_curve!(curve, lib => Some(uncompressed!(lib, lib::PublicKey::from_sec1_bytes(point).ok()?)))
}

macro_rules! uncompressed {
    ($lib:ident, $key:expr) => {{
        use $lib::elliptic_curve::sec1::ToSec1Point as _;
        $key.to_sec1_point(false).as_bytes().to_vec()
    }};
}
use uncompressed;

/// The hash as the number that is signed. A hash shorter than the field stands for a smaller number.
fn prehash(curve: Curve, hash: Hash, data: &[u8]) -> Vec<u8> {
    let digest = hash.digest(data);
    let missing = curve.field_bytes().saturating_sub(digest.len());
    let mut prehash = vec![0; missing];
    prehash.extend(digest);
    prehash
}
