//! Deserializer of all blocks of a type: as the only one, as a sequence, or as a map by label.

use std::collections::HashMap;
use std::vec;

use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::block::{BlockValuesDeserializer, WRAPPERS};
use crate::data::decode::name::NameDeserializer;
use crate::data::path_error::PathError;
use crate::data::show::TOO_DEEP;

/// Deserializes the blocks of one type, or those with the same first labels.
#[derive(Debug)]
pub(super) struct BlockListDeserializer<'s, 'c> {
    /// Never empty.
    blocks: Vec<BlockValuesDeserializer<'s, 'c>>,
    wrappers: u8,
}

impl<'s, 'c> BlockListDeserializer<'s, 'c> {
    pub(super) fn new(blocks: Vec<BlockValuesDeserializer<'s, 'c>>) -> Self {
        Self { blocks, wrappers: WRAPPERS }
    }

    /// Deserializes the blocks, which are inside of a body or label.
    pub(super) fn inside<T: DeserializeSeed<'s>>(self, seed: T) -> Result<T::Value, PathError> {
        let Some(allowance) = self.blocks.first().map(|block| block.allowance) else {
            return seed.deserialize(self);
        };
        let read = allowance.inside(|| seed.deserialize(self));
        read.unwrap_or_else(|| Err(PathError::new(TOO_DEEP)))
    }

    /// Returns the deserializer of the only block.
    fn only(mut self) -> Result<BlockValuesDeserializer<'s, 'c>, PathError> {
        let last = self.blocks.pop().ok_or_else(|| PathError::new("there is no block"))?;
        if self.blocks.is_empty() {
            return Ok(last);
        }
        let (kind, count) = (last.kind, self.blocks.len() + 1);
        Err(PathError::new(format!("found {count} blocks of type {kind:?}, but only one is allowed here")))
    }

    fn has_label(&self) -> bool {
        self.blocks.iter().any(|block| !block.labels.is_empty())
    }

    fn by_label(self) -> Result<ValuesByLabel<'s, 'c>, PathError> {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let mut groups: Vec<(&'s str, Vec<BlockValuesDeserializer<'s, 'c>>)> = Vec::new();
        for block in self.blocks {
            let Some(label) = block.labels.first().copied() else {
                return Err(PathError::new(format!("blocks of type {:?} need a label here", block.kind)));
            };
            let at = *seen.entry(label).or_insert(groups.len());
            let block = block.without_labels(1);
            match groups.get_mut(at) {
                Some((_, group)) => group.push(block),
                None => groups.push((label, vec![block])),
            }
        }
        Ok(ValuesByLabel { groups: groups.into_iter(), current: None })
    }

    fn unwrapped(self) -> Result<Self, PathError> {
        let wrappers = self.wrappers.checked_sub(1);
        let wrappers =
            wrappers.ok_or_else(|| PathError::new("the wanted type contains itself without end"))?;
        Ok(Self { wrappers, ..self })
    }
}

/// Deserializer methods that delegate to the deserializer of the only block.
macro_rules! as_only {
    ($($method:ident($($argument:ident: $ty:ty),*))*) => {$(
        fn $method<V: Visitor<'s>>(self, $($argument: $ty,)* visitor: V) -> Result<V::Value, PathError> {
            self.only()?.$method($($argument,)* visitor)
        }
    )*};
}

impl<'s> Deserializer<'s> for BlockListDeserializer<'s, '_> {
    type Error = PathError;

    fn deserialize_any<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, PathError> {
        if self.has_label() || self.blocks.len() == 1 {
            self.deserialize_map(visitor)
        } else {
            self.deserialize_seq(visitor)
        }
    }

    fn deserialize_seq<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, PathError> {
        visitor.visit_seq(EachBlockValues { blocks: self.blocks.into_iter(), next: 0 })
    }

    fn deserialize_tuple<V: Visitor<'s>>(self, _len: usize, visitor: V) -> Result<V::Value, PathError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'s>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, PathError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, PathError> {
        if self.has_label() {
            visitor.visit_map(self.by_label()?)
        } else {
            self.only()?.deserialize_map(visitor)
        }
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

    fn deserialize_ignored_any<V: Visitor<'s>>(self, visitor: V) -> Result<V::Value, PathError> {
        visitor.visit_unit()
    }

    as_only! {
        deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64()
        deserialize_u128() deserialize_f32() deserialize_f64() deserialize_char() deserialize_str()
        deserialize_string() deserialize_bytes() deserialize_byte_buf() deserialize_identifier()
        deserialize_unit() deserialize_unit_struct(name: &'static str)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }
}

/// Iterates over blocks as a sequence.
#[derive(Debug)]
struct EachBlockValues<'s, 'c> {
    blocks: vec::IntoIter<BlockValuesDeserializer<'s, 'c>>,
    next: usize,
}

impl<'s> SeqAccess<'s> for EachBlockValues<'s, '_> {
    type Error = PathError;

    fn next_element_seed<T: DeserializeSeed<'s>>(&mut self, seed: T) -> Result<Option<T::Value>, PathError> {
        let Some(block) = self.blocks.next() else { return Ok(None) };
        let at = self.next;
        self.next += 1;
        seed.deserialize(block).map(Some).map_err(|error| error.at_index(at))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.blocks.len())
    }
}

/// Iterates over groups of blocks by their next label.
#[derive(Debug)]
struct ValuesByLabel<'s, 'c> {
    groups: vec::IntoIter<(&'s str, Vec<BlockValuesDeserializer<'s, 'c>>)>,
    current: Option<(&'s str, Vec<BlockValuesDeserializer<'s, 'c>>)>,
}

impl<'s> MapAccess<'s> for ValuesByLabel<'s, '_> {
    type Error = PathError;

    fn next_key_seed<K: DeserializeSeed<'s>>(&mut self, seed: K) -> Result<Option<K::Value>, PathError> {
        let Some(group) = self.groups.next() else { return Ok(None) };
        let (label, _) = self.current.insert(group);
        seed.deserialize(NameDeserializer(label)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'s>>(&mut self, seed: T) -> Result<T::Value, PathError> {
        let (label, blocks) =
            self.current.take().ok_or_else(|| PathError::new("there is no further block"))?;
        BlockListDeserializer::new(blocks).inside(seed).map_err(|error| error.at_name(label))
    }
}
