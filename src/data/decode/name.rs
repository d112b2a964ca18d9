//! Deserializer of attribute names and map keys.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{Expected, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};

use super::same_as::same_as;
use crate::data::path_error::{PathError, QuotedExcerpt};
use crate::data::wanted::ExpectedType;

/// Deserializes a name or a key: as a string, or as a number or bool if the type is one and the text
/// spells one.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameDeserializer<'v>(pub(super) &'v str);

impl<'v> NameDeserializer<'v> {
    /// Deserializes an integer key from its text.
    fn number<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, PathError> {
        match (self.0.parse::<i64>(), self.0.parse::<u64>()) {
            (Ok(number), _) => visitor.visit_i64(number),
            (_, Ok(number)) => visitor.visit_u64(number),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn mismatch(self, wanted: &dyn Expected) -> PathError {
        PathError::new(format!("found the key {}, wanted {}", QuotedExcerpt(self.0), ExpectedType(wanted)))
    }
}

impl<'de> Deserializer<'de> for NameDeserializer<'de> {
    type Error = PathError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PathError> {
        visitor.visit_borrowed_str(self.0)
    }

    same_as! {
        'de;
        deserialize_i8 => number, deserialize_i16 => number, deserialize_i32 => number,
        deserialize_i64 => number, deserialize_u8 => number, deserialize_u16 => number,
        deserialize_u32 => number, deserialize_u64 => number,
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PathError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, PathError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PathError> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.0))
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct
        map struct identifier ignored_any
    }
}
