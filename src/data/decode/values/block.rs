//! Deserializer of one block, or of the body of the file.

use serde::Deserializer;
use serde::de::{DeserializeSeed, EnumAccess, VariantAccess, Visitor};

use super::fields::ValueFields;
use crate::data::decode::name::NameDeserializer;
use crate::data::path_error::PathError;
use crate::data::show::Allowance;
use crate::data::wanted::ExpectedType;
use crate::structure::module::{BlockValues, BodyValues};

/// Nested options and newtypes around a block. A type with more is taken for one that contains itself.
pub(super) const WRAPPERS: u8 = 128;

/// Deserializes a body and the labels of its block.
#[derive(Clone, Debug)]
pub(super) struct BlockValuesDeserializer<'s, 'c> {
    /// The type of the block; empty for the file.
    pub(super) kind: &'s str,
    /// The labels that no map or enum took.
    pub(super) labels: Vec<&'s str>,
    pub(super) body: BodyValues<'s>,
    pub(super) allowance: &'c Allowance,
    wrappers: u8,
}

impl<'s, 'c> BlockValuesDeserializer<'s, 'c> {
    pub(super) fn of_body(body: BodyValues<'s>, allowance: &'c Allowance) -> Self {
        Self { kind: "", labels: Vec::new(), body, allowance, wrappers: WRAPPERS }
    }

    pub(super) fn of_block(block: BlockValues<'s>, allowance: &'c Allowance) -> Self {
        let labels = block.labels().collect();
        Self { kind: block.kind(), labels, body: block.body(), allowance, wrappers: WRAPPERS }
    }

    /// Removes the first `count` labels, which are keys of maps.
    pub(super) fn without_labels(mut self, count: usize) -> Self {
        self.labels.drain(..count.min(self.labels.len()));
        self
    }

    fn unwrapped(self) -> Result<Self, PathError> {
        let wrappers = self.wrappers.checked_sub(1);
        let wrappers =
            wrappers.ok_or_else(|| PathError::new("the wanted type contains itself without end"))?;
        Ok(Self { wrappers, ..self })
    }

    fn mismatch<'v, V: Visitor<'v>>(&self, visitor: &V) -> PathError {
        let kind = self.kind;
        PathError::new(match kind {
            "" => format!("found a file, wanted {}", ExpectedType(visitor)),
            _ => {
                format!("found a block, wanted {}; an argument is written {kind} = …", ExpectedType(visitor))
            }
        })
    }
}

/// Deserializer methods for types that a block cannot be.
macro_rules! refuse {
    ($($method:ident($($argument:ident: $ty:ty),*))*) => {$(
        fn $method<V: Visitor<'s>>(self, $($argument: $ty,)* visitor: V) -> Result<V::Value, PathError> {
            $(let _ = $argument;)*
            Err(self.mismatch(&visitor))
        }
    )*};
}

impl<'s> Deserializer<'s> for BlockValuesDeserializer<'s, '_> {
    type Error = PathError;

    fn deserialize_any<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, PathError> {
        visitor.visit_map(ValueFields::new(self, None)?)
    }

    fn deserialize_map<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, PathError> {
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'s>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PathError> {
        visitor.visit_map(ValueFields::new(self, Some(fields))?)
    }

    fn deserialize_option<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, PathError> {
        visitor.visit_some(self.unwrapped()?)
    }

    fn deserialize_newtype_struct<V: Visitor<'s>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, PathError> {
        visitor.visit_newtype_struct(self.unwrapped()?)
    }

    fn deserialize_unit<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, PathError> {
        ValueFields::new(self, Some(&[]))?;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'s>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, PathError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_enum<V: Visitor<'s>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PathError> {
        visitor.visit_enum(BlockVariant(self))
    }

    fn deserialize_ignored_any<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, PathError> {
        visitor.visit_unit()
    }

    refuse! {
        deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64()
        deserialize_u128() deserialize_f32() deserialize_f64() deserialize_char() deserialize_str()
        deserialize_string() deserialize_bytes() deserialize_byte_buf() deserialize_identifier()
        deserialize_seq() deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
    }
}

/// A block as an enum, whose variant is named by its first label.
#[derive(Debug)]
struct BlockVariant<'s, 'c>(BlockValuesDeserializer<'s, 'c>);

impl<'s> EnumAccess<'s> for BlockVariant<'s, '_> {
    type Error = PathError;
    type Variant = Self;

    fn variant_seed<N: DeserializeSeed<'s>>(self, seed: N) -> Result<(N::Value, Self), PathError> {
        let Some(label) = self.0.labels.first() else {
            return Err(PathError::new("the block needs a label that names the variant"));
        };
        let name = seed.deserialize(NameDeserializer(label))?;
        Ok((name, Self(self.0.without_labels(1))))
    }
}

impl<'s> VariantAccess<'s> for BlockVariant<'s, '_> {
    type Error = PathError;

    fn unit_variant(self) -> Result<(), PathError> {
        ValueFields::new(self.0, Some(&[])).map(drop)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'s>>(self, seed: T) -> Result<T::Value, PathError> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'s>>(self, _len: usize, visitor: V) -> Result<V::Value, PathError> {
        Err(self.0.mismatch(&visitor))
    }

    fn struct_variant<V: Visitor<'s>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PathError> {
        self.0.deserialize_struct("", fields, visitor)
    }
}
