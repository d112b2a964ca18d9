//! Elements of sequences and members of objects, for serde's visitors.

use std::slice;

use hclvm_vm::{Entry, Value};
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use super::name::NameDeserializer;
use super::value::ValueDeserializer;
use crate::data::path_error::PathError;
use crate::data::show::Allowance;

/// Iterates over the elements of a tuple, list or set.
#[derive(Debug)]
pub(super) struct ElementAccess<'v, 'c> {
    items: slice::Iter<'v, Value<'v>>,
    count: usize,
    allowance: &'c Allowance,
}

impl<'v, 'c> ElementAccess<'v, 'c> {
    pub(super) fn new(items: &'v [Value<'v>], allowance: &'c Allowance) -> Self {
        Self { items: items.iter(), count: items.len(), allowance }
    }

    /// Passes all elements to the visitor. Fails if it leaves some, as for a tuple that is too short.
    pub(super) fn visit<V: Visitor<'v>>(mut self, visitor: V) -> Result<V::Value, PathError> {
        let result = visitor.visit_seq(&mut self)?;
        match self.items.len() {
            0 => Ok(result),
            left => {
                let wanted = self.count - left;
                Err(PathError::invalid_length(self.count, &&*format!("{wanted} elements")))
            }
        }
    }
}

impl<'v> SeqAccess<'v> for ElementAccess<'v, '_> {
    type Error = PathError;

    fn next_element_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<Option<T::Value>, PathError> {
        let index = self.count - self.items.len();
        let Some(item) = self.items.next() else { return Ok(None) };
        let element = seed.deserialize(ValueDeserializer::new(*item, self.allowance));
        element.map(Some).map_err(|error| error.at_index(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// Iterates over the entries of an object or a map.
#[derive(Debug)]
pub(super) struct MemberAccess<'v, 'c> {
    entries: slice::Iter<'v, Entry<'v>>,
    allowance: &'c Allowance,
}

impl<'v, 'c> MemberAccess<'v, 'c> {
    pub(super) fn new(entries: &'v [Entry<'v>], allowance: &'c Allowance) -> Self {
        Self { entries: entries.iter(), allowance }
    }
}

impl<'v> MapAccess<'v> for MemberAccess<'v, '_> {
    type Error = PathError;

    fn next_key_seed<K: DeserializeSeed<'v>>(&mut self, seed: K) -> Result<Option<K::Value>, PathError> {
        match self.entries.as_slice().first() {
            Some(entry) => seed.deserialize(NameDeserializer(entry.name)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<T::Value, PathError> {
        let entry = self.entries.next().ok_or_else(|| PathError::new("there is no further member"))?;
        let member = seed.deserialize(ValueDeserializer::new(entry.value, self.allowance));
        member.map_err(|error| error.at_name(entry.name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}
