//! [`perform`]: the steps of each method of `SubtleCrypto` that run away from the program.

use crate::crypto::import::{Format, KeyData, export_key, import_key, may_export};
use crate::crypto::jwk::Jwk;
use crate::crypto::key::{Key, Kind};
use crate::crypto::operation::Create;
use crate::crypto::parameters::{Cipher, Derivation, Import, Signer, Wrapper};
use crate::crypto::usage::Usages;
use crate::crypto::{Failure, Operation, Outcome, aes, ec, generate, hmac, kdf, okp, rsa};

/// Performs one operation. Depends on nothing but the operation and the randomness of the kernel.
pub(crate) fn perform(operation: Operation) -> Result<Outcome, Failure> {
    match operation {
        Operation::Digest { hash, data } => Ok(Outcome::Bytes(hash.digest(&data))),
        Operation::Encrypt { algorithm, key, data } => {
            key.admit(algorithm.name(), Usages::ENCRYPT)?;
            encrypt(&algorithm, &key, &data).map(Outcome::Bytes)
        }
        Operation::Decrypt { algorithm, key, data } => {
            key.admit(algorithm.name(), Usages::DECRYPT)?;
            decrypt(&algorithm, &key, &data).map(Outcome::Bytes)
        }
        Operation::Sign { algorithm, key, data } => {
            key.admit(algorithm.name(), Usages::SIGN)?;
            sign(algorithm, &key, &data).map(Outcome::Bytes)
        }
        Operation::Verify { algorithm, key, signature, data } => {
            key.admit(algorithm.name(), Usages::VERIFY)?;
            verify(algorithm, &key, &signature, &data).map(Outcome::Verdict)
        }
        Operation::GenerateKey { algorithm, create } => generate::generate(&algorithm, create),
        Operation::ImportKey { format, data, algorithm, create } => import(format, data, &algorithm, create),
        Operation::ExportKey { format, key } => export(format, &key),
        Operation::DeriveBits { algorithm, key, bits } => {
            key.admit(algorithm.name(), Usages::DERIVE_BITS)?;
            derive(&algorithm, &key, bits).map(Outcome::Bytes)
        }
        Operation::DeriveKey { algorithm, key, import: parameters, length, create } => {
            key.admit(algorithm.name(), Usages::DERIVE_KEY)?;
            let secret = derive(&algorithm, &key, length.bits()?)?;
            import(Format::Raw, KeyData::Bytes(secret), &parameters, create)
        }
        Operation::WrapKey { format, key, wrapping_key, algorithm } => {
            wrapping_key.admit(algorithm.name(), Usages::WRAP_KEY)?;
            let exported = match export(format, &key)? {
                Outcome::Jwk(jwk) => jwk.to_json().into_bytes(),
                Outcome::Bytes(bytes) => bytes,
                _ => return Err(Failure::format()),
            };
            wrap(&algorithm, &wrapping_key, &exported).map(Outcome::Bytes)
        }
        Operation::UnwrapKey { format, wrapped, unwrapping_key, algorithm, import: parameters, create } => {
            unwrapping_key.admit(algorithm.name(), Usages::UNWRAP_KEY)?;
            let bytes = unwrap(&algorithm, &unwrapping_key, &wrapped)?;
            let data = match format {
                Format::Jwk => KeyData::Jwk(Jwk::from_json(&bytes)?),
                _ => KeyData::Bytes(bytes),
            };
            import(format, data, &parameters, create)
        }
    }
}

fn import(format: Format, data: KeyData, algorithm: &Import, create: Create) -> Result<Outcome, Failure> {
    let key = import_key(format, data, algorithm, create)?;
    if key.kind() != Kind::Public {
        key.usages.some()?;
    }
    Ok(Outcome::Key(key))
}

fn export(format: Format, key: &Key) -> Result<Outcome, Failure> {
    if !may_export(key.name) {
        return Err(Failure::not_offered());
    }
    if !key.extractable {
        return Err(Failure::access("The key is not extractable."));
    }
    export_key(format, key)
}

fn encrypt(algorithm: &Cipher, key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    match algorithm {
        Cipher::Oaep { label } => rsa::encrypt(key, label, data),
        _ => aes::encrypt(algorithm, key, data),
    }
}

fn decrypt(algorithm: &Cipher, key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    match algorithm {
        Cipher::Oaep { label } => rsa::decrypt(key, label, data),
        _ => aes::decrypt(algorithm, key, data),
    }
}

fn wrap(algorithm: &Wrapper, key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    match algorithm {
        Wrapper::Kw => aes::wrap(key, data),
        Wrapper::Cipher(cipher) => encrypt(cipher, key, data),
    }
}

fn unwrap(algorithm: &Wrapper, key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    match algorithm {
        Wrapper::Kw => aes::unwrap(key, data),
        Wrapper::Cipher(cipher) => decrypt(cipher, key, data),
    }
}

fn sign(algorithm: Signer, key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    match algorithm {
        Signer::Hmac => hmac::sign(key, data),
        Signer::RsaPkcs1 => rsa::sign(key, data),
        Signer::RsaPss { salt_bytes } => rsa::sign_pss(key, salt_bytes as usize, data),
        Signer::Ecdsa { hash } => ec::sign(key, hash, data),
        Signer::Ed25519 => okp::sign(key, data),
    }
}

fn verify(algorithm: Signer, key: &Key, signature: &[u8], data: &[u8]) -> Result<bool, Failure> {
    match algorithm {
        Signer::Hmac => hmac::verify(key, signature, data),
        Signer::RsaPkcs1 => rsa::verify(key, signature, data),
        Signer::RsaPss { salt_bytes } => rsa::verify_pss(key, salt_bytes as usize, signature, data),
        Signer::Ecdsa { hash } => ec::verify(key, hash, signature, data),
        Signer::Ed25519 => okp::verify(key, signature, data),
    }
}

fn derive(algorithm: &Derivation, key: &Key, bits: Option<u32>) -> Result<Vec<u8>, Failure> {
    match algorithm {
        Derivation::Hkdf { hash, salt, info } => kdf::hkdf(key, *hash, salt, info, bits),
        Derivation::Pbkdf2 { hash, salt, iterations } => kdf::pbkdf2(key, *hash, salt, *iterations, bits),
        Derivation::Ecdh { public } => kdf::truncate(ec::agree(key, public)?, bits),
        Derivation::X25519 { public } => kdf::truncate(okp::agree(key, public)?, bits),
    }
}
