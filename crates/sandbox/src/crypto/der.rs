//! `SubjectPublicKeyInfo` and `PrivateKeyInfo`: the envelopes of public and private keys.

use pkcs8::der::asn1::{BitStringRef, OctetStringRef};
use pkcs8::der::{AnyRef, Decode as _, Encode as _};
use pkcs8::spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use pkcs8::{ObjectIdentifier, PrivateKeyInfoRef};

use crate::crypto::Failure;

/// What an envelope holds: the algorithm, its parameters and the key.
pub(crate) struct Envelope<'a> {
    pub(crate) algorithm: ObjectIdentifier,
    pub(crate) parameters: Option<AnyRef<'a>>,
    pub(crate) key: &'a [u8],
}

/// Opens a `SubjectPublicKeyInfo`.
pub(crate) fn open_public(bytes: &[u8]) -> Result<Envelope<'_>, Failure> {
    let info = SubjectPublicKeyInfoRef::from_der(bytes).map_err(|_| malformed())?;
    let key = info.subject_public_key.as_bytes().ok_or_else(malformed)?;
    Ok(Envelope { algorithm: info.algorithm.oid, parameters: info.algorithm.parameters, key })
}

/// Opens a `PrivateKeyInfo`.
pub(crate) fn open_private(bytes: &[u8]) -> Result<Envelope<'_>, Failure> {
    let info = PrivateKeyInfoRef::from_der(bytes).map_err(|_| malformed())?;
    let key = info.private_key.as_bytes();
    Ok(Envelope { algorithm: info.algorithm.oid, parameters: info.algorithm.parameters, key })
}

/// Closes a `SubjectPublicKeyInfo`.
pub(crate) fn close_public(envelope: Envelope<'_>) -> Result<Vec<u8>, Failure> {
    let Envelope { algorithm: oid, parameters, key } = envelope;
    let subject_public_key = BitStringRef::from_bytes(key).map_err(|_| unwritable())?;
    let info =
        SubjectPublicKeyInfoRef { algorithm: AlgorithmIdentifierRef { oid, parameters }, subject_public_key };
    info.to_der().map_err(|_| unwritable())
}

/// Closes a `PrivateKeyInfo`.
pub(crate) fn close_private(envelope: Envelope<'_>) -> Result<Vec<u8>, Failure> {
    let Envelope { algorithm: oid, parameters, key } = envelope;
    let key = OctetStringRef::new(key).map_err(|_| unwritable())?;
    let info = PrivateKeyInfoRef::new(AlgorithmIdentifierRef { oid, parameters }, key);
    info.to_der().map_err(|_| unwritable())
}

/// The failure of key data that is not what it claims to be.
pub(crate) fn malformed() -> Failure {
    Failure::data("The key data is malformed, or of another algorithm.")
}

/// The failure of a key that cannot be written.
pub(crate) fn unwritable() -> Failure {
    Failure::operation("The key cannot be written in this format.")
}
