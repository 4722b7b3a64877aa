//! [`KeyStore`]: the keys of one run.

use std::sync::Arc;

use codemode_protocol::Sentence;

use crate::crypto::key::Key;
use crate::crypto::{Data, Failure, Outcome};

/// The keys of one run, by number. They leave with the run.
#[derive(Debug)]
pub(crate) struct KeyStore {
    keys: Vec<Arc<Key>>,
    limit: u32,
}

impl KeyStore {
    /// Room for `limit` keys.
    pub(crate) fn new(limit: u32) -> Self {
        Self { keys: Vec::new(), limit }
    }

    /// The key that `{ cryptoKey: number }` names.
    pub(crate) fn find(&self, reference: &Data) -> Result<Arc<Key>, Failure> {
        let number = reference.get("cryptoKey").and_then(|number| number.as_u32().ok());
        let index = number.and_then(|number| number.checked_sub(1));
        let key = index.and_then(|index| self.keys.get(index as usize));
        key.cloned().ok_or_else(Failure::not_a_key)
    }

    /// Fails where `count` keys more would be past the bound.
    pub(crate) fn admit(&self, count: usize) -> Result<(), Failure> {
        let limit = self.limit;
        if self.keys.len() + count > limit as usize {
            return Err(Failure::operation(Sentence::CryptoKeyLimit { limit }.to_string()));
        }
        Ok(())
    }

    /// Turns an outcome into data, keeping the keys and handing out their numbers.
    pub(crate) fn publish(&mut self, outcome: Outcome) -> Result<Data, Failure> {
        Ok(match outcome {
            Outcome::Bytes(bytes) => Data::Bytes(bytes),
            Outcome::Verdict(verdict) => Data::Bool(verdict),
            Outcome::Jwk(jwk) => jwk.into_data(),
            Outcome::Key(key) => {
                self.admit(1)?;
                self.keep(key)
            }
            Outcome::Pair { public, private } => {
                self.admit(2)?;
                Data::record([("privateKey", self.keep(private)), ("publicKey", self.keep(public))])
            }
        })
    }

    fn keep(&mut self, key: Key) -> Data {
        self.keys.push(Arc::new(key));
        let number = u32::try_from(self.keys.len()).expect("the bound on keys is a small number");
        self.keys[self.keys.len() - 1].describe(number)
    }
}
