//! The bridge without an engine: known answers, the steps of the standard, and arguments that nobody expects.

mod cost;
mod fuzz;
mod steps;
mod vectors;

use codemode_protocol::defaults;

use crate::crypto::{Data, Failure, KeyStore, Operation, perform};

/// What the library has on its side: names, data and key numbers.
struct Bridge {
    keys: KeyStore,
}

impl Default for Bridge {
    fn default() -> Self {
        Self { keys: KeyStore::new(defaults::CRYPTO_KEY_LIMIT) }
    }
}

impl Bridge {
    /// One call, from its arguments to the data of its answer.
    fn call<const N: usize>(&mut self, name: &str, arguments: [Data; N]) -> Result<Data, Failure> {
        self.call_with(name, arguments.into())
    }

    fn call_with(&mut self, name: &str, arguments: Vec<Data>) -> Result<Data, Failure> {
        let operation = Operation::read(name, arguments, &self.keys)?;
        // Whatever the answer, asking has to be possible.
        let _ = operation.is_short();
        self.keys.admit(operation.key_count())?;
        self.keys.publish(perform(operation)?)
    }

    /// The bytes that a call answers.
    fn bytes<const N: usize>(&mut self, name: &str, arguments: [Data; N]) -> Result<Vec<u8>, Failure> {
        self.call(name, arguments)?.into_bytes()
    }

    /// A key of raw bytes.
    fn raw(&mut self, algorithm: Data, bytes: &[u8], usages: &[&str]) -> Result<Data, Failure> {
        self.import("raw", Data::Bytes(bytes.to_vec()), algorithm, usages)
    }

    /// An extractable key, as an argument.
    fn import(
        &mut self,
        format: &str,
        data: Data,
        algorithm: Data,
        usages: &[&str],
    ) -> Result<Data, Failure> {
        let arguments = [format.into(), data, algorithm, Data::Bool(true), names(usages)];
        self.call("importKey", arguments).map(|key| reference(&key))
    }
}

/// The argument that stands for a key that was described.
fn reference(description: &Data) -> Data {
    Data::record([("cryptoKey", description.get("key").expect("a described key has a number").clone())])
}

fn names(usages: &[&str]) -> Data {
    Data::List(usages.iter().map(|usage| Data::from(*usage)).collect())
}

/// An algorithm without parameters.
fn plain(name: &str) -> Data {
    Data::record([("name", name.into())])
}

/// An algorithm that names a hash function.
fn hashed(name: &str, hash: &str) -> Data {
    Data::record([("name", name.into()), ("hash", hash.into())])
}
