//! RSA: encryption with OAEP, signatures with PSS and PKCS #1 v1.5.

use ::rsa::traits::PublicKeyParts as _;
use ::rsa::{BoxedUint, Oaep, Pkcs1v15Sign, PrivateKey, Pss, PublicKey};
use getrandom::SysRng;

use crate::crypto::hash::{Hash, with_hash};
use crate::crypto::key::{Key, Material};
use crate::crypto::{Data, Failure};

/// Encrypts with OAEP.
pub(crate) fn encrypt(key: &Key, label: &[u8], data: &[u8]) -> Result<Vec<u8>, Failure> {
    let (hash, key) = public(key)?;
    with_hash!(hash, D => key.encrypt(&mut SysRng, Oaep::<D>::new_with_label(label), data))
        .map_err(|_| Failure::operation("The data is too long for this key."))
}

/// Decrypts with OAEP.
pub(crate) fn decrypt(key: &Key, label: &[u8], data: &[u8]) -> Result<Vec<u8>, Failure> {
    let (hash, key) = private(key)?;
    with_hash!(hash, D => key.decrypt_blinded(&mut SysRng, Oaep::<D>::new_with_label(label), data))
        .map_err(|_| crate::crypto::aes::undecipherable())
}

/// Signs with PKCS #1 v1.5.
pub(crate) fn sign(key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    let (hash, key) = private(key)?;
    let hashed = hash.digest(data);
    with_hash!(hash, D => key.sign_with_rng(&mut SysRng, Pkcs1v15Sign::new::<D>(), &hashed))
        .map_err(|_| unsigned())
}

/// Whether `signature` holds for PKCS #1 v1.5.
pub(crate) fn verify(key: &Key, signature: &[u8], data: &[u8]) -> Result<bool, Failure> {
    let (hash, key) = public(key)?;
    let hashed = hash.digest(data);
    Ok(with_hash!(hash, D => key.verify(Pkcs1v15Sign::new::<D>(), &hashed, signature)).is_ok())
}

/// Signs with PSS and a salt of this length.
pub(crate) fn sign_pss(key: &Key, salt_bytes: usize, data: &[u8]) -> Result<Vec<u8>, Failure> {
    let (hash, key) = private(key)?;
    check_salt(key.as_public_key(), hash, salt_bytes)?;
    let hashed = hash.digest(data);
    with_hash!(hash, D => key.sign_with_rng(&mut SysRng, Pss::<D>::new_with_salt(salt_bytes), &hashed))
        .map_err(|_| unsigned())
}

/// Whether `signature` holds for PSS with a salt of this length.
pub(crate) fn verify_pss(
    key: &Key,
    salt_bytes: usize,
    signature: &[u8],
    data: &[u8],
) -> Result<bool, Failure> {
    let (hash, key) = public(key)?;
    if check_salt(key, hash, salt_bytes).is_err() {
        return Ok(false);
    }
    let hashed = hash.digest(data);
    Ok(with_hash!(hash, D => key.verify(Pss::<D>::new_with_salt(salt_bytes), &hashed, signature)).is_ok())
}

/// Checks the size and exponent of a key that is to be made. Answers the exponent.
pub(crate) fn check_generation(bits: u32, exponent: &[u8]) -> Result<u64, Failure> {
    if !(PublicKey::MIN_SIZE..=PublicKey::MAX_SIZE).contains(&(bits as usize)) {
        return Err(Failure::operation("An RSA key has 1024 to 8192 bits."));
    }
    match exponent_of(exponent) {
        Some(exponent) if exponent >= 3 && exponent % 2 == 1 && exponent <= PublicKey::MAX_PUB_EXPONENT => {
            Ok(exponent)
        }
        _ => Err(Failure::operation("The public exponent is not an odd number from 3 to 2^33 - 1.")),
    }
}

/// Makes a key.
pub(crate) fn generate(bits: u32, exponent: u64) -> Result<PrivateKey, Failure> {
    PrivateKey::new_with_exp(&mut SysRng, bits as usize, BoxedUint::from(exponent))
        .map_err(|_| Failure::operation("The key could not be made."))
}

/// Adds the members of `algorithm` that tell a key's size and exponent.
pub(crate) fn describe(key: &PublicKey, add: &mut impl FnMut(&str, Data)) {
    add("modulusLength", modulus_bits(key).into());
    add("publicExponent", Data::Bytes(key.e_bytes().into()));
}

/// The size of the modulus, in bits.
pub(crate) fn modulus_bits(key: &PublicKey) -> u32 {
    key.n().bit_width_vartime()
}

/// A big-endian number. `None` where it has more than 64 bits.
pub(crate) fn exponent_of(bytes: &[u8]) -> Option<u64> {
    let digits = &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..];
    (digits.len() <= 8).then(|| digits.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn check_salt(key: &PublicKey, hash: Hash, salt_bytes: usize) -> Result<(), Failure> {
    let encoded_bytes = (modulus_bits(key) as usize - 1).div_ceil(8);
    if salt_bytes > encoded_bytes.saturating_sub(hash.output_bytes() + 2) {
        return Err(Failure::operation("The salt is too long for this key."));
    }
    Ok(())
}

fn public(key: &Key) -> Result<(Hash, &PublicKey), Failure> {
    match &key.material {
        Material::RsaPublic { hash, key } => Ok((*hash, key)),
        _ => Err(Failure::access("The key is not a public key.")),
    }
}

fn private(key: &Key) -> Result<(Hash, &PrivateKey), Failure> {
    match &key.material {
        Material::RsaPrivate { hash, key } => Ok((*hash, key)),
        _ => Err(Failure::access("The key is not a private key.")),
    }
}

fn unsigned() -> Failure {
    Failure::operation("The data could not be signed with this key.")
}
