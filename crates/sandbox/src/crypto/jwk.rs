//! [`Jwk`]: JSON Web Keys (RFC 7517).

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use codemode_protocol::Value;

use crate::crypto::operation::Create;
use crate::crypto::usage::Usages;
use crate::crypto::{Data, Failure, Name};

/// The members of the dictionary `JsonWebKey` that are text.
const TEXTS: [&str; 15] =
    ["alg", "crv", "d", "dp", "dq", "e", "k", "kty", "n", "p", "q", "qi", "use", "x", "y"];

/// A JSON Web Key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Jwk {
    texts: BTreeMap<&'static str, String>,
    ext: Option<bool>,
    key_ops: Option<Vec<String>>,
    /// Whether there is a member `oth`: more than two primes.
    other_primes: bool,
}

impl Jwk {
    /// Reads what the library made of a program's dictionary.
    pub(crate) fn from_data(record: &Data) -> Result<Jwk, Failure> {
        let Data::Record(_) = record else {
            return Err(Failure::data("The key data is not a JSON Web Key."));
        };
        let mut jwk = Jwk { other_primes: record.get("oth").is_some(), ..Jwk::default() };
        for name in TEXTS {
            if let Some(value) = record.get(name) {
                jwk.texts.insert(name, value.as_text()?.to_owned());
            }
        }
        if let Some(operations) = record.get("key_ops") {
            let texts = operations.as_list()?.iter().map(|item| item.as_text().map(str::to_owned));
            jwk.key_ops = Some(texts.collect::<Result<_, _>>()?);
        }
        jwk.ext = record.get("ext").map(Data::as_bool).transpose()?;
        Ok(jwk)
    }

    /// Reads JSON, as it comes out of an unwrapped key.
    pub(crate) fn from_json(json: &[u8]) -> Result<Jwk, Failure> {
        let malformed = || Failure::data("The unwrapped key is not a JSON Web Key.");
        let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
        let text = std::str::from_utf8(json).map_err(|_| malformed())?;
        let Ok(Value::Object(members)) = Value::from_json(text) else { return Err(malformed()) };
        let members =
            members.into_iter().map(|(name, value)| Ok((name, plain(value).ok_or_else(malformed)?)));
        let record = Data::Record(members.collect::<Result<_, Failure>>()?);
        let jwk = Jwk::from_data(&record).map_err(|_| malformed())?;
        if jwk.text("kty").is_none() {
            return Err(malformed());
        }
        Ok(jwk)
    }

    /// Starts an exported key.
    pub(crate) fn export(kty: &str, usages: Usages) -> Jwk {
        let mut jwk = Jwk { ext: Some(true), ..Jwk::default() };
        jwk.key_ops = Some(usages.names().map(str::to_owned).collect());
        jwk.texts.insert("kty", kty.to_owned());
        jwk
    }

    /// Adds a member.
    pub(crate) fn with(mut self, member: &'static str, text: impl Into<String>) -> Jwk {
        self.texts.insert(member, text.into());
        self
    }

    /// Adds a member that holds bytes.
    pub(crate) fn with_bytes(self, member: &'static str, bytes: &[u8]) -> Jwk {
        self.with(member, URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The member, where it is present.
    pub(crate) fn text(&self, member: &str) -> Option<&str> {
        self.texts.get(member).map(String::as_str)
    }

    /// The length of all texts together.
    pub(crate) fn text_bytes(&self) -> usize {
        self.texts.values().map(String::len).sum()
    }

    /// The bytes of a member that has to be present.
    pub(crate) fn bytes(&self, member: &str) -> Result<Vec<u8>, Failure> {
        let text =
            self.text(member).ok_or_else(|| Failure::data(format!("The member '{member}' is missing.")))?;
        URL_SAFE_NO_PAD
            .decode(text)
            .map_err(|_| Failure::data(format!("The member '{member}' is not base64url text.")))
    }

    /// Whether there are more than two primes.
    pub(crate) fn has_other_primes(&self) -> bool {
        self.other_primes
    }

    /// Fails unless the key is of the type and may be used as asked.
    pub(crate) fn check(&self, kty: &str, name: Name, create: Create) -> Result<(), Failure> {
        if self.text("kty") != Some(kty) {
            return Err(Failure::data(format!("The member 'kty' is not \"{kty}\".")));
        }
        if !create.usages.is_empty() && self.text("use").is_some_and(|used| used != name.jwk_use()) {
            return Err(Failure::data(format!("The member 'use' is not \"{}\".", name.jwk_use())));
        }
        self.check_operations(create.usages)?;
        if self.ext == Some(false) && create.extractable {
            return Err(Failure::data("The member 'ext' forbids an extractable key."));
        }
        Ok(())
    }

    /// Fails where there is a member `alg` with none of these values.
    pub(crate) fn check_algorithm(&self, expected: &[&str]) -> Result<(), Failure> {
        match self.text("alg") {
            Some(algorithm) if !expected.contains(&algorithm) => {
                Err(Failure::data("The member 'alg' names another algorithm."))
            }
            _ => Ok(()),
        }
    }

    fn check_operations(&self, usages: Usages) -> Result<(), Failure> {
        let Some(operations) = &self.key_ops else { return Ok(()) };
        let mut seen = std::collections::BTreeSet::new();
        if !operations.iter().all(|operation| seen.insert(operation)) {
            return Err(Failure::data("The member 'key_ops' names an operation twice."));
        }
        let named = operations.iter().filter_map(|operation| Usages::named(operation));
        if !named.fold(Usages::NONE, Usages::and).contains(usages) {
            return Err(Failure::data("The member 'key_ops' lacks one of the usages."));
        }
        Ok(())
    }

    /// The members in the order in which a dictionary has them.
    fn members(self) -> impl Iterator<Item = (String, Data)> {
        let mut members: BTreeMap<String, Data> =
            self.texts.into_iter().map(|(name, text)| (name.to_owned(), Data::Text(text))).collect();
        if let Some(ext) = self.ext {
            members.insert("ext".to_owned(), Data::Bool(ext));
        }
        if let Some(operations) = self.key_ops {
            let operations = operations.into_iter().map(Data::Text).collect();
            members.insert("key_ops".to_owned(), Data::List(operations));
        }
        members.into_iter()
    }

    /// The key as data.
    pub(crate) fn into_data(self) -> Data {
        Data::Record(self.members().collect())
    }

    /// The key as JSON.
    pub(crate) fn to_json(&self) -> String {
        let members = self.clone().members().map(|(name, value)| (name, json(value)));
        Value::Object(members.collect()).to_json()
    }
}

/// A JSON value as data. `None` for what no member of a JSON Web Key is.
fn plain(value: Value) -> Option<Data> {
    Some(match value {
        Value::Null => Data::Absent,
        Value::Bool(value) => Data::Bool(value),
        Value::Number(number) => Data::Number(number),
        Value::String(text) => Data::Text(text),
        Value::Array(items) => Data::List(items.into_iter().map(plain).collect::<Option<_>>()?),
        Value::Object(_) => Data::Record(Vec::new()),
        Value::Uint8Array(_) | Value::ArrayBuffer(_) => return None,
    })
}

fn json(data: Data) -> Value {
    match data {
        Data::Absent => Value::Null,
        Data::Bool(value) => Value::Bool(value),
        Data::Number(number) => Value::Number(number),
        Data::Text(text) => Value::String(text),
        Data::Bytes(bytes) => Value::Uint8Array(bytes),
        Data::List(items) => Value::Array(items.into_iter().map(json).collect()),
        Data::Record(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, json(value))).collect())
        }
    }
}
