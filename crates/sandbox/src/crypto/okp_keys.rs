//! Keys of Ed25519 and X25519: their formats (RFC 8410, RFC 8037).

use pkcs8::ObjectIdentifier;
use pkcs8::der::asn1::OctetStringRef;
use pkcs8::der::{Decode as _, Encode as _};

use crate::crypto::der::{self, Envelope, malformed};
use crate::crypto::import::{Format, KeyData, bytes_of, jwk_of, wrong_half};
use crate::crypto::jwk::Jwk;
use crate::crypto::key::{Key, Material};
use crate::crypto::okp::public_of;
use crate::crypto::operation::Create;
use crate::crypto::symmetric::key;
use crate::crypto::{Failure, Name, Outcome};

/// Imports a key.
pub(crate) fn import(name: Name, format: Format, data: &KeyData, create: Create) -> Result<Key, Failure> {
    let is_private = match format {
        Format::Raw | Format::RawPublic | Format::Spki => false,
        Format::Pkcs8 => true,
        Format::Jwk => jwk_of(data)?.text("d").is_some(),
        Format::RawSecret => return Err(Failure::format()),
    };
    create.usages.only(if is_private { name.private_usages() } else { name.usages() })?;
    let material = match format {
        Format::Spki => {
            let envelope = der::open_public(bytes_of(data)?)?;
            Material::OkpPublic(sized(check_envelope(name, &envelope)?)?)
        }
        Format::Pkcs8 => {
            let envelope = der::open_private(bytes_of(data)?)?;
            let inner =
                <&OctetStringRef>::from_der(check_envelope(name, &envelope)?).map_err(|_| malformed())?;
            private(name, sized(inner.as_bytes())?)
        }
        Format::Jwk => from_jwk(name, jwk_of(data)?, create)?,
        _ => Material::OkpPublic(sized(bytes_of(data)?)?),
    };
    Ok(key(name, create, material))
}

/// Exports a key.
pub(crate) fn export(format: Format, key: &Key) -> Result<Outcome, Failure> {
    let algorithm = oid(key.name);
    match (format, &key.material) {
        (Format::Raw | Format::RawPublic, Material::OkpPublic(public)) => Ok(Outcome::Bytes(public.to_vec())),
        (Format::Spki, Material::OkpPublic(public)) => {
            der::close_public(Envelope { algorithm, parameters: None, key: public }).map(Outcome::Bytes)
        }
        (Format::Pkcs8, Material::OkpPrivate { secret, .. }) => {
            let inner = OctetStringRef::new(secret).and_then(|inner| inner.to_der());
            let inner = inner.map_err(|_| der::unwritable())?;
            der::close_private(Envelope { algorithm, parameters: None, key: &inner }).map(Outcome::Bytes)
        }
        (Format::Jwk, Material::OkpPublic(public)) => Ok(Outcome::Jwk(to_jwk(key, public))),
        (Format::Jwk, Material::OkpPrivate { secret, public }) => {
            Ok(Outcome::Jwk(to_jwk(key, public).with_bytes("d", secret)))
        }
        (Format::Raw | Format::RawPublic | Format::Spki | Format::Pkcs8, _) => Err(wrong_half()),
        _ => Err(Failure::format()),
    }
}

fn from_jwk(name: Name, jwk: &Jwk, create: Create) -> Result<Material, Failure> {
    jwk.check("OKP", name, create)?;
    if jwk.text("crv") != Some(name.text()) {
        return Err(Failure::data("The member 'crv' names another curve."));
    }
    if name == Name::Ed25519 {
        jwk.check_algorithm(&["Ed25519", "EdDSA"])?;
    }
    let public = sized(&jwk.bytes("x")?)?;
    if jwk.text("d").is_none() {
        return Ok(Material::OkpPublic(public));
    }
    let material = private(name, sized(&jwk.bytes("d")?)?);
    match material {
        Material::OkpPrivate { public: own, .. } if own == public => Ok(material),
        _ => Err(Failure::data("The public key is not the one of the private key.")),
    }
}

fn to_jwk(key: &Key, public: &[u8]) -> Jwk {
    let jwk = Jwk::export("OKP", key.usages).with("crv", key.name.text()).with_bytes("x", public);
    match key.name {
        Name::Ed25519 => jwk.with("alg", "Ed25519"),
        _ => jwk,
    }
}

fn private(name: Name, secret: [u8; 32]) -> Material {
    Material::OkpPrivate { secret, public: public_of(name, secret) }
}

fn sized(bytes: &[u8]) -> Result<[u8; 32], Failure> {
    bytes.try_into().map_err(|_| Failure::data("A key of this algorithm is 32 bytes long."))
}

fn check_envelope<'a>(name: Name, envelope: &Envelope<'a>) -> Result<&'a [u8], Failure> {
    if envelope.algorithm != oid(name) || envelope.parameters.is_some() {
        return Err(malformed());
    }
    Ok(envelope.key)
}

fn oid(name: Name) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(if name == Name::Ed25519 { "1.3.101.112" } else { "1.3.101.110" })
}
