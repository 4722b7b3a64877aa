//! [`Value`]: the data that crosses between a program and its host.

/// JSON plus the two binary kinds that survive the crossing. Objects keep the order of their keys.
///
/// `undefined` is the absence of a value (`Option<Value>`), as it is in JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A finite number. JSON has no NaN and no infinity; they cross as `null`.
    Number(f64),
    /// Text. A lone surrogate, which UTF-8 cannot hold, is U+FFFD here.
    String(String),
    /// `[…]`
    Array(Vec<Value>),
    /// `{…}`, keys in order, each once.
    Object(Vec<(String, Value)>),
    /// `Uint8Array`
    Uint8Array(Vec<u8>),
    /// `ArrayBuffer`
    ArrayBuffer(Vec<u8>),
}

impl Value {
    /// An object with these members, in order. Keys must differ.
    pub fn object<K: Into<String>, V: Into<Value>>(members: impl IntoIterator<Item = (K, V)>) -> Value {
        Value::Object(members.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }

    /// The member `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The element `index` of an array.
    pub fn at(&self, index: usize) -> Option<&Value> {
        match self {
            Value::Array(items) => items.get(index),
            _ => None,
        }
    }

    /// The number, when this is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, when this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, when this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The bytes of either binary kind.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Uint8Array(bytes) | Value::ArrayBuffer(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Number(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Value::Number(f64::from(value))
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Value::Number(f64::from(value))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::String(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::String(value)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Value::Array(items.into_iter().map(Into::into).collect())
    }
}
