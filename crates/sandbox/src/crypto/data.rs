//! [`Data`]: what crosses between the library and the bridge, and how the bridge reads it.

use crate::crypto::Failure;

/// A value without behaviour. Every reader here treats it as hostile: a shape that does not fit is a failure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    /// `undefined` or `null`: an absent member.
    Absent,
    /// `true` or `false`
    Bool(bool),
    /// Any number, NaN and the infinities included.
    Number(f64),
    /// Text
    Text(String),
    /// The bytes of a view or buffer.
    Bytes(Vec<u8>),
    /// `[…]`
    List(Vec<Data>),
    /// `{…}`, members in order.
    Record(Vec<(String, Data)>),
}

impl Data {
    /// A record of these members.
    pub(crate) fn record<const N: usize>(members: [(&str, Data); N]) -> Data {
        Data::Record(members.map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// The member of a record. `None` where it is absent, or this is no record.
    pub(crate) fn get(&self, name: &str) -> Option<&Data> {
        let Data::Record(members) = self else { return None };
        let (_, value) = members.iter().find(|(key, _)| key == name)?;
        (*value != Data::Absent).then_some(value)
    }

    /// The member of a record that has to be there.
    pub(crate) fn need(&self, name: &str) -> Result<&Data, Failure> {
        self.get(name).ok_or_else(|| Failure::type_error(format!("Member '{name}' is missing.")))
    }

    pub(crate) fn as_text(&self) -> Result<&str, Failure> {
        match self {
            Data::Text(text) => Ok(text),
            _ => Err(Failure::type_error("The value is not a string.")),
        }
    }

    pub(crate) fn as_bool(&self) -> Result<bool, Failure> {
        match self {
            Data::Bool(value) => Ok(*value),
            _ => Err(Failure::type_error("The value is not a boolean.")),
        }
    }

    pub(crate) fn as_bytes(&self) -> Result<&[u8], Failure> {
        match self {
            Data::Bytes(bytes) => Ok(bytes),
            _ => Err(Failure::type_error("The value is not a buffer.")),
        }
    }

    pub(crate) fn into_bytes(self) -> Result<Vec<u8>, Failure> {
        match self {
            Data::Bytes(bytes) => Ok(bytes),
            _ => Err(Failure::type_error("The value is not a buffer.")),
        }
    }

    pub(crate) fn as_list(&self) -> Result<&[Data], Failure> {
        match self {
            Data::List(items) => Ok(items),
            _ => Err(Failure::type_error("The value is not a sequence.")),
        }
    }

    /// A whole number from 0 to 2^32 - 1.
    pub(crate) fn as_u32(&self) -> Result<u32, Failure> {
        match self {
            Data::Number(number)
                if *number >= 0.0 && *number <= f64::from(u32::MAX) && number.fract() == 0.0 =>
            {
                Ok(*number as u32)
            }
            _ => Err(Failure::type_error("The value is not a whole number of 32 bits.")),
        }
    }

    /// A whole number from 0 to 255.
    pub(crate) fn as_u8(&self) -> Result<u8, Failure> {
        u8::try_from(self.as_u32()?)
            .map_err(|_| Failure::type_error("The value is not a whole number of 8 bits."))
    }
}

impl From<&str> for Data {
    fn from(text: &str) -> Self {
        Data::Text(text.to_owned())
    }
}

impl From<u32> for Data {
    fn from(number: u32) -> Self {
        Data::Number(f64::from(number))
    }
}

impl From<Vec<u8>> for Data {
    fn from(bytes: Vec<u8>) -> Self {
        Data::Bytes(bytes)
    }
}
