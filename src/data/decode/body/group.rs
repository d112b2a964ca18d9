//! Deserializer of all blocks of a type: as the only one, as a sequence, or as a map by label. The
//! deserializer of a single block is in `block`.

use std::collections::HashMap;
use std::vec;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use super::attribute::{WRAPPERS, unwrapped};
use super::block::{BlockDeserializer, open_brace, refuse_scalars};
use super::context::DecodeContext;
use super::failure::{BodyError, duplicate_block, pending_block};
use super::location::block_span;
use super::spanned::{self, SpannedAccess};
use crate::data::decode::name::NameDeserializer;
use crate::structure::content::problem;
use crate::structure::expansion::BlockView;

/// Deserializes all blocks of one type, or those with the same first labels.
#[derive(Debug)]
pub(super) struct BlocksDeserializer<'a, 'r> {
    context: &'r DecodeContext<'a>,
    /// Never empty.
    blocks: Vec<BlockView<'a>>,
    /// The number of labels that maps took.
    depth: usize,
    wrappers: u8,
}

impl<'a, 'r> BlocksDeserializer<'a, 'r> {
    pub(super) fn new(context: &'r DecodeContext<'a>, blocks: Vec<BlockView<'a>>) -> Result<Self, BodyError> {
        if let Some(pending) = blocks.iter().find(|block| block.pending.is_some()) {
            context.check_locals(pending.header_span)?;
            return Err(BodyError::Diagnosed(vec![pending_block(pending.kind, pending.header_span)]));
        }
        Ok(Self { context, blocks, depth: 0, wrappers: WRAPPERS })
    }

    /// Returns the deserializer of the only block.
    fn only(mut self) -> Result<BlockDeserializer<'a, 'r>, BodyError> {
        let (context, depth, wrappers) = (self.context, self.depth, self.wrappers);
        match (self.blocks.pop(), self.blocks.as_slice()) {
            (Some(block), []) => Ok(BlockDeserializer { context, block, depth, wrappers }),
            (Some(last), [first, rest @ ..]) => {
                let second = rest.first().unwrap_or(&last);
                let document = first.body.body().document();
                let line = document.source().position(first.header_span.start).line;
                let labels = first.shown_labels().get(..depth).unwrap_or_default();
                let problem = duplicate_block(first.kind, labels, line, second.header_span);
                Err(BodyError::Diagnosed(vec![problem]))
            }
            (None, _) => Err(BodyError::custom("there is no block")),
        }
    }

    /// Returns the blocks as a sequence. It ends at one that fails if its length `may_vary`.
    fn each(mut self, may_vary: bool) -> EachBlock<'a, 'r> {
        self.context.failed_last(&mut self.blocks, |block| (vec![block_span(block)], true));
        let Self { context, blocks, depth, wrappers } = self;
        EachBlock { context, blocks: blocks.into_iter(), depth, wrappers, may_vary }
    }

    /// Returns true if a map is keyed by label.
    fn has_label(&self) -> bool {
        self.blocks.iter().any(|block| block.labels.len() > self.depth)
    }

    fn by_label(self) -> Result<ByLabel<'a, 'r>, BodyError> {
        let (context, depth, wrappers) = (self.context, self.depth, self.wrappers);
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let mut groups: Vec<(&str, Vec<BlockView<'a>>)> = Vec::new();
        for block in self.blocks {
            let Some(label) = block.labels.get(depth).copied() else {
                let names = vec!["label".into(); depth + 1];
                let place = open_brace(&block);
                let problem = problem::missing_label(block.kind, "label", &names, place);
                return Err(BodyError::Diagnosed(vec![problem.within(block.header_span)]));
            };
            let at = *seen.entry(label).or_insert(groups.len());
            match groups.get_mut(at) {
                Some((_, group)) => group.push(block),
                None => groups.push((label, vec![block])),
            }
        }
        context.failed_last(&mut groups, |(_, blocks)| (blocks.iter().map(block_span).collect(), true));
        Ok(ByLabel { context, groups: groups.into_iter(), current: None, depth: depth + 1, wrappers })
    }
}

impl<'a> Deserializer<'a> for BlocksDeserializer<'a, '_> {
    type Error = BodyError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        if self.has_label() || self.blocks.len() == 1 {
            self.deserialize_map(visitor)
        } else {
            self.deserialize_seq(visitor)
        }
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_seq(self.each(true))
    }

    fn deserialize_tuple<V: Visitor<'a>>(self, _len: usize, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_seq(self.each(false))
    }

    fn deserialize_tuple_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        visitor.visit_seq(self.each(false))
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        if self.has_label() {
            let start = self.blocks.first().map(|block| block.header_span);
            let result = visitor.visit_map(self.by_label()?);
            return result
                .map_err(|error| start.map_or(BodyError::custom(""), |start| error.at(start, start)));
        }
        self.only()?.deserialize_map(visitor)
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        if name == spanned::NAME
            && let Some(block) = self.blocks.first()
        {
            return visitor.visit_map(SpannedAccess::new(block.header_span, self));
        }
        self.only()?.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_some(Self { wrappers: unwrapped(self.wrappers)?, ..self })
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        visitor.visit_newtype_struct(Self { wrappers: unwrapped(self.wrappers)?, ..self })
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        self.only()?.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_unit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        self.only()?.deserialize_unit(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BodyError> {
        self.only()?.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_unit()
    }

    refuse_scalars! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_identifier
    }
}

/// Iterates over blocks as a sequence.
struct EachBlock<'a, 'r> {
    context: &'r DecodeContext<'a>,
    blocks: vec::IntoIter<BlockView<'a>>,
    depth: usize,
    wrappers: u8,
    may_vary: bool,
}

impl<'a> SeqAccess<'a> for EachBlock<'a, '_> {
    type Error = BodyError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, BodyError> {
        let Some(block) = self.blocks.next() else { return Ok(None) };
        let place = block.header_span;
        let one =
            BlockDeserializer { context: self.context, block, depth: self.depth, wrappers: self.wrappers };
        match seed.deserialize(one) {
            Err(error) if self.may_vary && !matches!(error, BodyError::Ended(_)) => {
                // What is around the sequence is still read.
                self.context.note(error, place);
                Ok(None)
            }
            element => element.map(Some).map_err(|error| error.at(place, place)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.blocks.len())
    }
}

/// Iterates over groups of blocks by their next label.
struct ByLabel<'a, 'r> {
    context: &'r DecodeContext<'a>,
    groups: vec::IntoIter<(&'a str, Vec<BlockView<'a>>)>,
    current: Option<Vec<BlockView<'a>>>,
    depth: usize,
    wrappers: u8,
}

impl<'a> MapAccess<'a> for ByLabel<'a, '_> {
    type Error = BodyError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, BodyError> {
        let Some((label, blocks)) = self.groups.next() else { return Ok(None) };
        let place = blocks.first().and_then(|block| block.label_spans.get(self.depth - 1).copied());
        self.current = Some(blocks);
        let key = seed.deserialize(NameDeserializer(label)).map_err(BodyError::from);
        key.map(Some).map_err(|error| place.map_or(BodyError::custom(""), |place| error.at(place, place)))
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, BodyError> {
        let blocks = self.current.take().unwrap_or_default();
        let Self { context, depth, wrappers, .. } = *self;
        context.inside(|| seed.deserialize(BlocksDeserializer { context, blocks, depth, wrappers }))
    }
}
