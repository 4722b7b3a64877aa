//! Keys of ECDSA and ECDH: their formats.

use pkcs8::ObjectIdentifier;
use pkcs8::der::{AnyRef, Decode as _, Encode as _};
use sec1::{EcParameters, EcPrivateKey};

use crate::crypto::curve::Curve;
use crate::crypto::der::{self, Envelope, malformed};
use crate::crypto::ec::{normalize_point, point_of};
use crate::crypto::import::{Format, KeyData, bytes_of, jwk_of, wrong_half};
use crate::crypto::jwk::Jwk;
use crate::crypto::key::{Key, Material};
use crate::crypto::operation::Create;
use crate::crypto::symmetric::key;
use crate::crypto::{Failure, Name, Outcome};

/// `id-ecPublicKey`
const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// Imports a key on the curve of this name.
pub(crate) fn import(
    name: Name,
    curve: &str,
    format: Format,
    data: &KeyData,
    create: Create,
) -> Result<Key, Failure> {
    let is_private = match format {
        Format::Raw | Format::RawPublic | Format::Spki => false,
        Format::Pkcs8 => true,
        Format::Jwk => jwk_of(data)?.text("d").is_some(),
        Format::RawSecret => return Err(Failure::format()),
    };
    create.usages.only(if is_private { name.private_usages() } else { name.usages() })?;
    let curve = Curve::named(curve)?;
    let material = match format {
        Format::Spki => from_spki(curve, bytes_of(data)?)?,
        Format::Pkcs8 => from_pkcs8(curve, bytes_of(data)?)?,
        Format::Jwk => from_jwk(name, curve, jwk_of(data)?, create)?,
        _ => public(curve, bytes_of(data)?)?,
    };
    Ok(key(name, create, material))
}

/// Exports a key.
pub(crate) fn export(format: Format, key: &Key) -> Result<Outcome, Failure> {
    match (format, &key.material) {
        (Format::Raw | Format::RawPublic, Material::EcPublic { point, .. }) => {
            Ok(Outcome::Bytes(point.clone()))
        }
        (Format::Spki, Material::EcPublic { curve, point }) => with_curve_oid(*curve, |parameters| {
            der::close_public(Envelope { algorithm: EC_PUBLIC_KEY, parameters, key: point })
        }),
        (Format::Pkcs8, Material::EcPrivate { curve, scalar, point }) => {
            let inner = EcPrivateKey { private_key: scalar, parameters: None, public_key: Some(point) };
            let inner = inner.to_der().map_err(|_| der::unwritable())?;
            with_curve_oid(*curve, |parameters| {
                der::close_private(Envelope { algorithm: EC_PUBLIC_KEY, parameters, key: &inner })
            })
        }
        (Format::Jwk, Material::EcPublic { curve, point }) => Ok(Outcome::Jwk(to_jwk(key, *curve, point))),
        (Format::Jwk, Material::EcPrivate { curve, scalar, point }) => {
            Ok(Outcome::Jwk(to_jwk(key, *curve, point).with_bytes("d", scalar)))
        }
        (Format::Raw | Format::RawPublic | Format::Spki | Format::Pkcs8, _) => Err(wrong_half()),
        _ => Err(Failure::format()),
    }
}

fn public(curve: Curve, point: &[u8]) -> Result<Material, Failure> {
    let point = normalize_point(curve, point).ok_or_else(malformed)?;
    Ok(Material::EcPublic { curve, point })
}

fn private(curve: Curve, scalar: &[u8], expected: Option<&[u8]>) -> Result<Material, Failure> {
    let point = point_of(curve, scalar).ok_or_else(malformed)?;
    if let Some(expected) = expected
        && normalize_point(curve, expected).as_ref() != Some(&point)
    {
        return Err(Failure::data("The public key is not the one of the private key."));
    }
    Ok(Material::EcPrivate { curve, scalar: scalar.to_vec(), point })
}

fn from_spki(curve: Curve, bytes: &[u8]) -> Result<Material, Failure> {
    let envelope = der::open_public(bytes)?;
    check_envelope(curve, &envelope)?;
    public(curve, envelope.key)
}

fn from_pkcs8(curve: Curve, bytes: &[u8]) -> Result<Material, Failure> {
    let envelope = der::open_private(bytes)?;
    check_envelope(curve, &envelope)?;
    let inner = EcPrivateKey::from_der(envelope.key).map_err(|_| malformed())?;
    if let Some(EcParameters::NamedCurve(named)) = inner.parameters
        && named != curve.oid()
    {
        return Err(malformed());
    }
    private(curve, inner.private_key, inner.public_key)
}

fn from_jwk(name: Name, curve: Curve, jwk: &Jwk, create: Create) -> Result<Material, Failure> {
    jwk.check("EC", name, create)?;
    if jwk.text("crv") != Some(curve.name()) {
        return Err(Failure::data("The member 'crv' names another curve."));
    }
    if name == Name::Ecdsa {
        jwk.check_algorithm(&[curve.jwa_name()])?;
    }
    let mut point = vec![4];
    for member in ["x", "y"] {
        let coordinate = jwk.bytes(member)?;
        if coordinate.len() != curve.field_bytes() {
            return Err(Failure::data(format!("The member '{member}' is not as wide as the curve.")));
        }
        point.extend(coordinate);
    }
    match jwk.text("d") {
        Some(_) => private(curve, &jwk.bytes("d")?, Some(&point)),
        None => public(curve, &point),
    }
}

fn to_jwk(key: &Key, curve: Curve, point: &[u8]) -> Jwk {
    let (x, y) = point[1..].split_at(curve.field_bytes());
    Jwk::export("EC", key.usages).with("crv", curve.name()).with_bytes("x", x).with_bytes("y", y)
}

fn check_envelope(curve: Curve, envelope: &Envelope<'_>) -> Result<(), Failure> {
    let named = envelope.parameters.and_then(|parameters| parameters.decode_as::<ObjectIdentifier>().ok());
    if envelope.algorithm != EC_PUBLIC_KEY || named != Some(curve.oid()) {
        return Err(malformed());
    }
    Ok(())
}

fn with_curve_oid(
    curve: Curve,
    close: impl FnOnce(Option<AnyRef<'_>>) -> Result<Vec<u8>, Failure>,
) -> Result<Outcome, Failure> {
    let oid = curve.oid();
    close(Some(AnyRef::from(&oid))).map(Outcome::Bytes)
}
