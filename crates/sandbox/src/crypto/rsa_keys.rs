//! Keys of RSA: their formats (RFC 8017, RFC 7518).

use ::rsa::pkcs1::{EncodeRsaPrivateKey as _, EncodeRsaPublicKey as _, RsaPrivateKeyRef, RsaPublicKeyRef};
use ::rsa::traits::{PrivateKeyParts as _, PublicKeyParts as _};
use ::rsa::{BoxedUint, PrivateKey, PublicKey};
use pkcs8::ObjectIdentifier;
use pkcs8::der::{AnyRef, Decode as _};

use crate::crypto::der::{self, Envelope, malformed, unwritable};
use crate::crypto::hash::Hash;
use crate::crypto::import::{Format, KeyData, bytes_of, jwk_of, wrong_half};
use crate::crypto::jwk::Jwk;
use crate::crypto::key::{Key, Material};
use crate::crypto::operation::Create;
use crate::crypto::rsa::exponent_of;
use crate::crypto::symmetric::key;
use crate::crypto::{Failure, Name, Outcome};

/// `rsaEncryption`
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// Imports a key.
pub(crate) fn import(
    name: Name,
    hash: Hash,
    format: Format,
    data: &KeyData,
    create: Create,
) -> Result<Key, Failure> {
    let is_private = match format {
        Format::Spki => false,
        Format::Pkcs8 => true,
        Format::Jwk => jwk_of(data)?.text("d").is_some(),
        _ => return Err(Failure::format()),
    };
    create.usages.only(if is_private { name.private_usages() } else { name.usages() })?;
    let material = match format {
        Format::Spki => from_spki(hash, bytes_of(data)?)?,
        Format::Pkcs8 => from_pkcs8(hash, bytes_of(data)?)?,
        _ => from_jwk(name, hash, jwk_of(data)?, create)?,
    };
    Ok(key(name, create, material))
}

/// Exports a key.
pub(crate) fn export(format: Format, key: &Key) -> Result<Outcome, Failure> {
    let (algorithm, parameters) = (RSA_ENCRYPTION, Some(AnyRef::NULL));
    match (format, &key.material) {
        (Format::Spki, Material::RsaPublic { key, .. }) => {
            let inner = key.to_pkcs1_der().map_err(|_| unwritable())?;
            der::close_public(Envelope { algorithm, parameters, key: inner.as_bytes() }).map(Outcome::Bytes)
        }
        (Format::Pkcs8, Material::RsaPrivate { key, .. }) => {
            let inner = key.to_pkcs1_der().map_err(|_| unwritable())?;
            der::close_private(Envelope { algorithm, parameters, key: inner.as_bytes() }).map(Outcome::Bytes)
        }
        (Format::Jwk, Material::RsaPublic { hash, key: public }) => {
            Ok(Outcome::Jwk(to_jwk(key, *hash, public)))
        }
        (Format::Jwk, Material::RsaPrivate { hash, key: private }) => {
            with_private_parts(to_jwk(key, *hash, private.as_public_key()), private).map(Outcome::Jwk)
        }
        (Format::Spki | Format::Pkcs8, _) => Err(wrong_half()),
        _ => Err(Failure::format()),
    }
}

fn from_spki(hash: Hash, bytes: &[u8]) -> Result<Material, Failure> {
    let envelope = der::open_public(bytes)?;
    check_envelope(&envelope)?;
    let inner = RsaPublicKeyRef::from_der(envelope.key).map_err(|_| malformed())?;
    public(hash, inner.modulus.as_bytes(), inner.public_exponent.as_bytes())
}

fn from_pkcs8(hash: Hash, bytes: &[u8]) -> Result<Material, Failure> {
    let envelope = der::open_private(bytes)?;
    check_envelope(&envelope)?;
    let inner = RsaPrivateKeyRef::from_der(envelope.key).map_err(|_| malformed())?;
    if inner.other_prime_infos.is_some() {
        return Err(Failure::unsupported("Keys of more than two primes are not offered."));
    }
    let parts = Parts {
        n: inner.modulus.as_bytes(),
        e: inner.public_exponent.as_bytes(),
        d: inner.private_exponent.as_bytes(),
        primes: vec![inner.prime1.as_bytes(), inner.prime2.as_bytes()],
    };
    let crt = [&inner.exponent1, &inner.exponent2, &inner.coefficient].map(|part| part.as_bytes());
    private(hash, &parts, Some(crt))
}

fn from_jwk(name: Name, hash: Hash, jwk: &Jwk, create: Create) -> Result<Material, Failure> {
    jwk.check("RSA", name, create)?;
    jwk.check_algorithm(&[&jwa_name(name, hash)])?;
    let (n, e) = (jwk.bytes("n")?, jwk.bytes("e")?);
    if jwk.text("d").is_none() {
        return public(hash, &n, &e);
    }
    if jwk.has_other_primes() {
        return Err(Failure::unsupported("Keys of more than two primes are not offered."));
    }
    let d = jwk.bytes("d")?;
    let names = ["p", "q", "dp", "dq", "qi"];
    if names.iter().all(|name| jwk.text(name).is_none()) {
        return private(hash, &Parts { n: &n, e: &e, d: &d, primes: Vec::new() }, None);
    }
    let [p, q, dp, dq, qi] = names.map(|name| jwk.bytes(name));
    let (p, q, dp, dq, qi) = (p?, q?, dp?, dq?, qi?);
    private(hash, &Parts { n: &n, e: &e, d: &d, primes: vec![&p, &q] }, Some([&dp, &dq, &qi]))
}

struct Parts<'a> {
    n: &'a [u8],
    e: &'a [u8],
    d: &'a [u8],
    primes: Vec<&'a [u8]>,
}

fn public(hash: Hash, n: &[u8], e: &[u8]) -> Result<Material, Failure> {
    let key = PublicKey::new(number(n)?, exponent(e)?).map_err(|_| malformed())?;
    Ok(Material::RsaPublic { hash, key })
}

fn private(hash: Hash, parts: &Parts<'_>, crt: Option<[&[u8]; 3]>) -> Result<Material, Failure> {
    let (n, e) = (number(parts.n)?, exponent(parts.e)?);
    // The size of the public half decides whether the key is taken at all, before any work is done on it.
    PublicKey::new(n.clone(), e.clone()).map_err(|_| malformed())?;
    let d = number(parts.d)?;
    let primes = parts.primes.iter().map(|prime| number(prime)).collect::<Result<Vec<_>, _>>()?;
    let key = PrivateKey::from_components(n, e, d, primes).map_err(|_| malformed())?;
    if let Some(given) = crt {
        let own = crt_parts(&key).ok_or_else(malformed)?;
        if !own.iter().zip(given).all(|(own, given)| digits(own) == digits(given)) {
            return Err(Failure::data("The parts of the key do not fit each other."));
        }
    }
    Ok(Material::RsaPrivate { hash, key: Box::new(key) })
}

fn to_jwk(key: &Key, hash: Hash, public: &PublicKey) -> Jwk {
    Jwk::export("RSA", key.usages)
        .with("alg", jwa_name(key.name, hash))
        .with_bytes("n", &public.n_bytes())
        .with_bytes("e", &public.e_bytes())
}

fn with_private_parts(jwk: Jwk, key: &PrivateKey) -> Result<Jwk, Failure> {
    let ([p, q], Some([dp, dq, qi])) = (key.primes(), crt_parts(key)) else { return Err(unwritable()) };
    Ok(jwk
        .with_bytes("d", &key.d().to_be_bytes_trimmed_vartime())
        .with_bytes("p", &p.to_be_bytes_trimmed_vartime())
        .with_bytes("q", &q.to_be_bytes_trimmed_vartime())
        .with_bytes("dp", digits(&dp))
        .with_bytes("dq", digits(&dq))
        .with_bytes("qi", digits(&qi)))
}

/// The two exponents and the coefficient of the Chinese remainder theorem, big-endian.
fn crt_parts(key: &PrivateKey) -> Option<[Box<[u8]>; 3]> {
    Some([key.dp()?.to_be_bytes(), key.dq()?.to_be_bytes(), key.crt_coefficient()?.to_be_bytes()])
}

/// A number without its leading zeroes.
fn digits(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..]
}

fn number(bytes: &[u8]) -> Result<BoxedUint, Failure> {
    let digits = digits(bytes);
    if digits.len() > PublicKey::MAX_SIZE / 8 {
        return Err(Failure::data("An RSA key has 1024 to 8192 bits."));
    }
    let bits = u32::try_from(digits.len().max(1) * 8).expect("the length is bounded");
    BoxedUint::from_be_slice(digits, bits).map_err(|_| malformed())
}

fn exponent(bytes: &[u8]) -> Result<BoxedUint, Failure> {
    exponent_of(bytes).map(BoxedUint::from).ok_or_else(malformed)
}

fn check_envelope(envelope: &Envelope<'_>) -> Result<(), Failure> {
    if envelope.algorithm != RSA_ENCRYPTION {
        return Err(malformed());
    }
    Ok(())
}

fn jwa_name(name: Name, hash: Hash) -> String {
    match (name, hash) {
        (Name::RsaOaep, Hash::Sha1) => "RSA-OAEP".to_owned(),
        (Name::RsaOaep, _) => format!("RSA-OAEP-{}", hash.jwa_number()),
        (Name::RsaPss, _) => format!("PS{}", hash.jwa_number()),
        _ => format!("RS{}", hash.jwa_number()),
    }
}
