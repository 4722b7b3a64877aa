//! [`Operation`]: what a call means once its arguments are read and its keys are found.

use std::sync::Arc;

use codemode_protocol::Sentence;

use crate::crypto::hash::Hash;
use crate::crypto::import::{Format, KeyData};
use crate::crypto::jwk::Jwk;
use crate::crypto::key::Key;
use crate::crypto::parameters::{Cipher, Derivation, DerivedLength, Generation, Import, Signer, Wrapper};
use crate::crypto::usage::Usages;
use crate::crypto::{Data, Failure, KeyStore};

/// One call of a method of `SubtleCrypto`.
#[derive(Debug)]
pub(crate) enum Operation {
    Digest {
        hash: Hash,
        data: Vec<u8>,
    },
    Encrypt {
        algorithm: Cipher,
        key: Arc<Key>,
        data: Vec<u8>,
    },
    Decrypt {
        algorithm: Cipher,
        key: Arc<Key>,
        data: Vec<u8>,
    },
    Sign {
        algorithm: Signer,
        key: Arc<Key>,
        data: Vec<u8>,
    },
    Verify {
        algorithm: Signer,
        key: Arc<Key>,
        signature: Vec<u8>,
        data: Vec<u8>,
    },
    GenerateKey {
        algorithm: Generation,
        create: Create,
    },
    ImportKey {
        format: Format,
        data: KeyData,
        algorithm: Import,
        create: Create,
    },
    ExportKey {
        format: Format,
        key: Arc<Key>,
    },
    DeriveBits {
        algorithm: Derivation,
        key: Arc<Key>,
        bits: Option<u32>,
    },
    DeriveKey {
        algorithm: Derivation,
        key: Arc<Key>,
        import: Import,
        length: DerivedLength,
        create: Create,
    },
    WrapKey {
        format: Format,
        key: Arc<Key>,
        wrapping_key: Arc<Key>,
        algorithm: Wrapper,
    },
    UnwrapKey {
        format: Format,
        wrapped: Vec<u8>,
        unwrapping_key: Arc<Key>,
        algorithm: Wrapper,
        import: Import,
        create: Create,
    },
}

/// What a key is created with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Create {
    pub(crate) extractable: bool,
    pub(crate) usages: Usages,
}

/// The arguments of a call, taken from the front.
struct Arguments(std::vec::IntoIter<Data>);

impl Arguments {
    fn next(&mut self) -> Result<Data, Failure> {
        self.0.next().ok_or_else(|| Failure::type_error("An argument is missing."))
    }

    fn format(&mut self) -> Result<Format, Failure> {
        Format::named(self.next()?.as_text()?)
    }

    fn key(&mut self, keys: &KeyStore) -> Result<Arc<Key>, Failure> {
        keys.find(&self.next()?)
    }

    fn create(&mut self) -> Result<Create, Failure> {
        Ok(Create { extractable: self.next()?.as_bool()?, usages: Usages::read(&self.next()?)? })
    }
}

impl Operation {
    /// Reads the call of the method `name`.
    ///
    /// # Errors
    /// A `TypeError` for a method that `SubtleCrypto` does not declare, for arguments of another shape than the
    /// library hands over, and for a number that names no key of `keys`.
    pub(crate) fn read(name: &str, arguments: Vec<Data>, keys: &KeyStore) -> Result<Operation, Failure> {
        let mut args = Arguments(arguments.into_iter());
        Ok(match name {
            "digest" => Operation::Digest {
                hash: Hash::named(args.next()?.need("name")?.as_text()?)?,
                data: args.next()?.into_bytes()?,
            },
            "encrypt" => Operation::Encrypt {
                algorithm: Cipher::read(&args.next()?)?,
                key: args.key(keys)?,
                data: args.next()?.into_bytes()?,
            },
            "decrypt" => Operation::Decrypt {
                algorithm: Cipher::read(&args.next()?)?,
                key: args.key(keys)?,
                data: args.next()?.into_bytes()?,
            },
            "sign" => Operation::Sign {
                algorithm: Signer::read(&args.next()?)?,
                key: args.key(keys)?,
                data: args.next()?.into_bytes()?,
            },
            "verify" => Operation::Verify {
                algorithm: Signer::read(&args.next()?)?,
                key: args.key(keys)?,
                signature: args.next()?.into_bytes()?,
                data: args.next()?.into_bytes()?,
            },
            "generateKey" => {
                Operation::GenerateKey { algorithm: Generation::read(&args.next()?)?, create: args.create()? }
            }
            "importKey" => {
                let format = args.format()?;
                Operation::ImportKey {
                    format,
                    data: match (format, args.next()?) {
                        (Format::Jwk, record) => KeyData::Jwk(Jwk::from_data(&record)?),
                        (_, bytes) => KeyData::Bytes(bytes.into_bytes()?),
                    },
                    algorithm: Import::read(&args.next()?)?,
                    create: args.create()?,
                }
            }
            "exportKey" => Operation::ExportKey { format: args.format()?, key: args.key(keys)? },
            "deriveBits" => Operation::DeriveBits {
                algorithm: Derivation::read(&args.next()?, keys)?,
                key: args.key(keys)?,
                bits: match args.next()? {
                    Data::Absent => None,
                    number => Some(number.as_u32()?),
                },
            },
            "deriveKey" => Operation::DeriveKey {
                algorithm: Derivation::read(&args.next()?, keys)?,
                key: args.key(keys)?,
                import: Import::read(&args.next()?)?,
                length: DerivedLength::read(&args.next()?)?,
                create: args.create()?,
            },
            "wrapKey" => Operation::WrapKey {
                format: args.format()?,
                key: args.key(keys)?,
                wrapping_key: args.key(keys)?,
                algorithm: Wrapper::read(&args.next()?)?,
            },
            "unwrapKey" => Operation::UnwrapKey {
                format: args.format()?,
                wrapped: args.next()?.into_bytes()?,
                unwrapping_key: args.key(keys)?,
                algorithm: Wrapper::read(&args.next()?)?,
                import: Import::read(&args.next()?)?,
                create: args.create()?,
            },
            _ => {
                let sentence = Sentence::CryptoOperationUnknown { operation: name.to_owned() };
                return Err(Failure::type_error(sentence.to_string()));
            }
        })
    }

    /// How many keys a success adds to the store.
    pub(crate) fn key_count(&self) -> usize {
        match self {
            Operation::GenerateKey { algorithm, .. } => algorithm.key_count(),
            Operation::ImportKey { .. } | Operation::DeriveKey { .. } | Operation::UnwrapKey { .. } => 1,
            _ => 0,
        }
    }
}
