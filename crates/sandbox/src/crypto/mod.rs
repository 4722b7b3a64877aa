//! The native half of `crypto.subtle`: keys, algorithms and formats of the Web Cryptography API.
//!
//! The library inside the isolate names an operation and hands its arguments over as [`Data`]. An [`Operation`] is
//! what they mean once every key number has been exchanged for the key; [`perform`] is a function of it alone, so it
//! can run on any thread; [`KeyStore::publish`] turns the [`Outcome`] back into data, keeping the keys here. Key
//! material leaves only through an export that the key allows.
//!
//! Normalizing algorithms is the library's work, since it runs code of the program. Everything it says is checked
//! here again: names, numbers, lengths, usages, extractability. Which error a program reads, and which of two errors
//! comes first, follows the steps of the standard.
//!
//! Nothing here knows the engine.

mod aes;
mod cost;
mod curve;
mod data;
mod der;
mod ec;
mod ec_keys;
mod failure;
mod gcm;
mod generate;
mod hash;
mod hmac;
mod import;
mod jwk;
mod kdf;
mod key;
mod name;
mod okp;
mod okp_keys;
mod operation;
mod parameters;
mod perform;
mod rsa;
mod rsa_keys;
mod store;
mod symmetric;
mod usage;

#[cfg(test)]
mod tests;

pub(crate) use data::Data;
pub(crate) use failure::Failure;
pub(crate) use name::Name;
pub(crate) use operation::Operation;
pub(crate) use perform::perform;
pub(crate) use store::KeyStore;

/// What an operation gives.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Bytes for an `ArrayBuffer`.
    Bytes(Vec<u8>),
    /// Whether a signature holds.
    Verdict(bool),
    /// An exported key.
    Jwk(jwk::Jwk),
    /// A secret or imported key.
    Key(key::Key),
    /// A generated pair.
    Pair {
        /// The public key.
        public: key::Key,
        /// The private key.
        private: key::Key,
    },
}
