//! A [`Value`] as the source of a type that `serde` knows.

use serde::de::value::{MapDeserializer, SeqDeserializer, StringDeserializer};
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::DecodeError;
use super::number::exact_integer;
use crate::Value;

/// A `Deserializer` over a [`Value`]. Made by its `into_deserializer`.
pub struct ValueDeserializer(Value);

impl IntoDeserializer<'_, DecodeError> for Value {
    type Deserializer = ValueDeserializer;

    fn into_deserializer(self) -> ValueDeserializer {
        ValueDeserializer(self)
    }
}

impl<'de> Deserializer<'de> for ValueDeserializer {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => match exact_integer(number) {
                Some(integer) => visitor.visit_i64(integer),
                None => visitor.visit_f64(number),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visit_all(items, visitor),
            Value::Object(members) => {
                let mut map = MapDeserializer::new(members.into_iter());
                let value = visitor.visit_map(&mut map)?;
                map.end()?;
                Ok(value)
            }
            Value::Uint8Array(bytes) | Value::ArrayBuffer(bytes) => visitor.visit_byte_buf(bytes),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    /// Bytes are a sequence of numbers for whoever asks for one, so that `Vec<u8>` takes them.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            Value::Uint8Array(bytes) | Value::ArrayBuffer(bytes) => visit_all(bytes, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    /// A text names a variant; an object with one member names it and holds what is in it.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match self.0 {
            Value::String(variant) => visitor.visit_enum(Variant { variant, content: None }),
            Value::Object(mut members) if members.len() == 1 => {
                let (variant, content) = members.remove(0);
                visitor.visit_enum(Variant { variant, content: Some(content) })
            }
            _ => Err(DecodeError::shape("expected a text, or an object with one member")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        tuple_struct map struct identifier ignored_any
    }
}

/// Hands a whole sequence to a visitor, which must take all of it.
fn visit_all<'de, T, V>(items: Vec<T>, visitor: V) -> Result<V::Value, DecodeError>
where
    T: IntoDeserializer<'de, DecodeError>,
    V: Visitor<'de>,
{
    let mut seq = SeqDeserializer::new(items.into_iter());
    let value = visitor.visit_seq(&mut seq)?;
    seq.end()?;
    Ok(value)
}

struct Variant {
    variant: String,
    content: Option<Value>,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = DecodeError;
    type Variant = Content;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Content), DecodeError> {
        let name: StringDeserializer<DecodeError> = self.variant.into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.content)))
    }
}

struct Content(Option<Value>);

impl Content {
    fn required(self) -> Result<ValueDeserializer, DecodeError> {
        self.0
            .map(ValueDeserializer)
            .ok_or_else(|| DecodeError::shape("the variant has content, and a text has none"))
    }
}

impl<'de> VariantAccess<'de> for Content {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        match self.0 {
            None | Some(Value::Null) => Ok(()),
            Some(_) => Err(DecodeError::shape("the variant has no content")),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, DecodeError> {
        seed.deserialize(self.required()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.required()?.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.required()?.deserialize_any(visitor)
    }
}
