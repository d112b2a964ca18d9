//! Enum variants with content: objects with one attribute.

use hclvm_vm::Entry;
use serde::Deserializer;
use serde::de::{DeserializeSeed, EnumAccess, VariantAccess, Visitor};

use super::name::NameDeserializer;
use super::value::ValueDeserializer;
use crate::data::path_error::PathError;
use crate::data::show::Allowance;

/// Deserializes a variant from the entry that names it and holds its content.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryVariant<'v, 'c> {
    entry: &'v Entry<'v>,
    allowance: &'c Allowance,
}

impl<'v, 'c> EntryVariant<'v, 'c> {
    pub(super) fn new(entry: &'v Entry<'v>, allowance: &'c Allowance) -> Self {
        Self { entry, allowance }
    }

    /// Deserializes the content with `read`.
    fn content<T>(
        self,
        read: impl FnOnce(ValueDeserializer<'v, 'c>) -> Result<T, PathError>,
    ) -> Result<T, PathError> {
        read(ValueDeserializer::new(self.entry.value, self.allowance))
            .map_err(|error| error.at_name(self.entry.name))
    }
}

impl<'v> EnumAccess<'v> for EntryVariant<'v, '_> {
    type Error = PathError;
    type Variant = Self;

    fn variant_seed<N: DeserializeSeed<'v>>(self, seed: N) -> Result<(N::Value, Self), PathError> {
        Ok((seed.deserialize(NameDeserializer(self.entry.name))?, self))
    }
}

impl<'v> VariantAccess<'v> for EntryVariant<'v, '_> {
    type Error = PathError;

    fn unit_variant(self) -> Result<(), PathError> {
        self.content(ValueDeserializer::nothing)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'v>>(self, seed: T) -> Result<T::Value, PathError> {
        self.content(|content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'v>>(self, _len: usize, visitor: V) -> Result<V::Value, PathError> {
        self.content(|content| content.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'v>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PathError> {
        self.content(|content| content.deserialize_map(visitor))
    }
}
