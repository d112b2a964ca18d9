//! Members of aggregates, one by one.

use std::slice;

use hclvm_vm::{Entry, Value};
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use super::name::Name;
use super::value::Decoder;
use crate::data::path_error::Misfit;
use crate::data::show::Allowance;

/// The elements of a tuple, list or set.
#[derive(Debug)]
pub(super) struct Elements<'v, 'c> {
    items: slice::Iter<'v, Value<'v>>,
    count: usize,
    allowance: &'c Allowance,
}

impl<'v, 'c> Elements<'v, 'c> {
    pub(super) fn new(items: &'v [Value<'v>], allowance: &'c Allowance) -> Self {
        Self { items: items.iter(), count: items.len(), allowance }
    }

    /// Lets the visitor take all elements; that it leaves some is an error.
    pub(super) fn visit<V: Visitor<'v>>(mut self, visitor: V) -> Result<V::Value, Misfit> {
        let result = visitor.visit_seq(&mut self)?;
        match self.items.len() {
            0 => Ok(result),
            left => {
                let wanted = self.count - left;
                Err(Misfit::invalid_length(self.count, &&*format!("{wanted} elements")))
            }
        }
    }
}

impl<'v> SeqAccess<'v> for Elements<'v, '_> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<Option<T::Value>, Misfit> {
        let index = self.count - self.items.len();
        let Some(item) = self.items.next() else { return Ok(None) };
        let element = seed.deserialize(Decoder::new(*item, self.allowance));
        element.map(Some).map_err(|misfit| misfit.at_index(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The entries of an object or a map.
#[derive(Debug)]
pub(super) struct Members<'v, 'c> {
    entries: slice::Iter<'v, Entry<'v>>,
    allowance: &'c Allowance,
}

impl<'v, 'c> Members<'v, 'c> {
    pub(super) fn new(entries: &'v [Entry<'v>], allowance: &'c Allowance) -> Self {
        Self { entries: entries.iter(), allowance }
    }
}

impl<'v> MapAccess<'v> for Members<'v, '_> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'v>>(&mut self, seed: K) -> Result<Option<K::Value>, Misfit> {
        match self.entries.as_slice().first() {
            Some(entry) => seed.deserialize(Name(entry.name)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<T::Value, Misfit> {
        let entry = self.entries.next().ok_or_else(|| Misfit::new("there is no further member"))?;
        let member = seed.deserialize(Decoder::new(entry.value, self.allowance));
        member.map_err(|misfit| misfit.at_name(entry.name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}
