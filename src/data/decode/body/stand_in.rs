//! [`StandIn`]: a deserializer of any value that fits, in place of a field that is missing or wrong.
//!
//! Serde shows the first missing field of a struct. With a value in place of that field it shows the next one.
//! What is made of such values is dropped: the document has errors. A type that takes none of these values, such
//! as an address, ends the search in its struct.

use serde::Deserializer;
use serde::de::{
    DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor, value::StrDeserializer,
};

use super::failure::BodyError;

/// Nested structs and variants that are filled: a type may contain itself without end.
const DEEPEST: u8 = 16;

/// Deserializes a value of the wanted type: 1, `a`, false, an empty collection, the first variant.
#[derive(Clone, Copy, Debug)]
pub(super) struct StandIn {
    depth: u8,
}

impl StandIn {
    pub(super) const fn new() -> Self {
        Self { depth: 0 }
    }

    /// Returns the deserializer of a part.
    fn part(self) -> Result<Self, BodyError> {
        if self.depth < DEEPEST { Ok(Self { depth: self.depth + 1 }) } else { Err(none()) }
    }
}

/// Returns the error that no value fits, which reveals nothing.
fn none() -> BodyError {
    BodyError::Diagnosed(Vec::new())
}

/// Deserializer methods that pass a value to the visitor.
macro_rules! values {
    ($($method:ident => $visit:ident($($value:expr)?);)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BodyError> {
            visitor.$visit($($value)?)
        }
    )*};
}

impl<'de> Deserializer<'de> for StandIn {
    type Error = BodyError;

    values! {
        deserialize_bool => visit_bool(false);
        deserialize_i8 => visit_u8(1);
        deserialize_i16 => visit_u8(1);
        deserialize_i32 => visit_u8(1);
        deserialize_i64 => visit_u8(1);
        deserialize_i128 => visit_u8(1);
        deserialize_u8 => visit_u8(1);
        deserialize_u16 => visit_u8(1);
        deserialize_u32 => visit_u8(1);
        deserialize_u64 => visit_u8(1);
        deserialize_u128 => visit_u8(1);
        deserialize_f32 => visit_f64(1.0);
        deserialize_f64 => visit_f64(1.0);
        deserialize_char => visit_char('a');
        deserialize_str => visit_borrowed_str("a");
        deserialize_string => visit_borrowed_str("a");
        deserialize_bytes => visit_bytes(b"a");
        deserialize_byte_buf => visit_bytes(b"a");
        deserialize_option => visit_none();
        deserialize_unit => visit_unit();
        deserialize_ignored_any => visit_unit();
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, BodyError> {
        Err(none())
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, BodyError> {
        Err(none())
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        visitor.visit_newtype_struct(self.part()?)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_seq(TupleElements { of: self, left: 0 })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_seq(TupleElements { of: self.part()?, left: len })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_map(StructFields { of: self, left: [].iter() })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        visitor.visit_map(StructFields { of: self.part()?, left: fields.iter() })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        visitor.visit_enum(EnumVariant { of: self.part()?, name: variants.first().ok_or_else(none)? })
    }
}

/// Elements of a tuple.
struct TupleElements {
    of: StandIn,
    left: usize,
}

impl<'de> SeqAccess<'de> for TupleElements {
    type Error = BodyError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, BodyError> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(self.of).map(Some)
    }
}

/// Fields of a struct.
struct StructFields {
    of: StandIn,
    left: std::slice::Iter<'static, &'static str>,
}

impl<'de> MapAccess<'de> for StructFields {
    type Error = BodyError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, BodyError> {
        self.left.next().map(|name| seed.deserialize(StrDeserializer::new(name))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, BodyError> {
        seed.deserialize(self.of)
    }
}

/// A variant of an enum.
struct EnumVariant {
    of: StandIn,
    name: &'static str,
}

impl<'de> EnumAccess<'de> for EnumVariant {
    type Error = BodyError;
    type Variant = StandIn;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, StandIn), BodyError> {
        let name = StrDeserializer::<BodyError>::new(self.name);
        Ok((seed.deserialize(name)?, self.of))
    }
}

impl<'de> VariantAccess<'de> for StandIn {
    type Error = BodyError;

    fn unit_variant(self) -> Result<(), BodyError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, BodyError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, BodyError> {
        self.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        self.deserialize_struct("", fields, visitor)
    }
}
