//! The NIST curves.

use crate::crypto::Failure;

/// A curve of ECDSA and ECDH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Curve {
    P256,
    P384,
    P521,
}

/// Evaluates an expression with a name that stands for the crate of the curve.
macro_rules! with_curve {
    ($curve:expr, $lib:ident => $body:expr) => {
        match $curve {
            $crate::crypto::curve::Curve::P256 => {
                use ::p256 as $lib;
                $body
            }
            $crate::crypto::curve::Curve::P384 => {
                use ::p384 as $lib;
                $body
            }
            $crate::crypto::curve::Curve::P521 => {
                use ::p521 as $lib;
                $body
            }
        }
    };
}
pub(crate) use with_curve;

impl Curve {
    /// The curve of this name.
    pub(crate) fn named(name: &str) -> Result<Curve, Failure> {
        match name {
            "P-256" => Ok(Curve::P256),
            "P-384" => Ok(Curve::P384),
            "P-521" => Ok(Curve::P521),
            _ => Err(Failure::unsupported("The curve is not offered.")),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Curve::P256 => "P-256",
            Curve::P384 => "P-384",
            Curve::P521 => "P-521",
        }
    }

    /// The JSON Web Algorithm of ECDSA on the curve.
    pub(crate) fn jwa_name(self) -> &'static str {
        match self {
            Curve::P256 => "ES256",
            Curve::P384 => "ES384",
            Curve::P521 => "ES512",
        }
    }

    /// The size of a coordinate or scalar, in bytes.
    pub(crate) fn field_bytes(self) -> usize {
        match self {
            Curve::P256 => 32,
            Curve::P384 => 48,
            Curve::P521 => 66,
        }
    }

    /// The object identifier of the curve.
    pub(crate) fn oid(self) -> pkcs8::ObjectIdentifier {
        let text = match self {
            Curve::P256 => "1.2.840.10045.3.1.7",
            Curve::P384 => "1.3.132.0.34",
            Curve::P521 => "1.3.132.0.35",
        };
        pkcs8::ObjectIdentifier::new_unwrap(text)
    }
}
