//! The fields of a body for a struct or a map: labels, attributes, and blocks by type.

use std::collections::HashMap;
use std::vec;

use hclvm_vm::Span;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};
use smol_str::SmolStr;

use super::attribute::LocatedValue;
use super::context::DecodeContext;
use super::failure::BodyError;
use super::group::BlocksDeserializer;
use super::location::{BodyLocation, block_span};
use super::stand_in::StandIn;
use crate::data::decode::name::NameDeserializer;
use crate::structure::content::problem;
use crate::structure::expansion::{AttributeView, BlockView, BodyView, ContentView};
use crate::structure::module::locals::LOCALS;

/// The field that takes the first label.
const LABEL: &str = "$label";
/// The field that takes all labels.
const LABELS: &str = "$labels";

/// Labels of a block that are not the key of a map, with their ranges.
pub(super) type Labels<'a> = Vec<(&'a str, Span)>;

/// The meaning of `locals` blocks in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Locals {
    /// They are evaluated, and no field is read from them.
    Evaluated,
    /// They are blocks like others.
    Content,
}

/// The content of a field: what it is deserialized from.
#[derive(Debug)]
enum FieldContent<'a> {
    Label(&'a str, Span),
    Labels(Labels<'a>),
    Attribute(AttributeView<'a>),
    Blocks(Vec<BlockView<'a>>),
    /// Nothing: the field is missing, which was reported.
    Missing,
}

impl FieldContent<'_> {
    /// Returns the ranges of what it is deserialized from, and true for blocks.
    fn spans(&self) -> (Vec<Span>, bool) {
        let spans = match self {
            Self::Label(_, span) => vec![*span],
            Self::Labels(labels) => labels.iter().map(|(_, span)| *span).collect(),
            Self::Attribute(attribute) => vec![attribute.attribute.span()],
            Self::Blocks(blocks) => blocks.iter().map(block_span).collect(),
            Self::Missing => Vec::new(),
        };
        (spans, matches!(self, Self::Blocks(_)))
    }
}

/// Iterates over the fields of a body.
#[derive(Debug)]
pub(super) struct BodyFields<'a, 'r> {
    context: &'r DecodeContext<'a>,
    left: vec::IntoIter<(SmolStr, FieldContent<'a>)>,
    current: Option<FieldContent<'a>>,
    start: Span,
    location: BodyLocation<'a>,
    /// True for a block without labels whose attributes are read as the entries of a map.
    is_unlabelled: bool,
    /// True for the fields of a struct.
    is_struct: bool,
}

impl<'a, 'r> BodyFields<'a, 'r> {
    /// Collects the fields of a body and its labels. If `wanted` names the fields of a struct, reports
    /// all others.
    pub(super) fn new(
        context: &'r DecodeContext<'a>,
        view: BodyView<'a>,
        labels: Labels<'a>,
        location: BodyLocation<'a>,
        wanted: Option<&'static [&'static str]>,
        locals: Locals,
    ) -> Result<Self, BodyError> {
        let mut content = context.expansion.borrow_mut().everything(view).map_err(BodyError::Ended)?;
        context.check()?;
        if locals == Locals::Evaluated {
            remove_locals(&mut content);
        }
        let start = content.missing_item;
        if let Some(wanted) = wanted {
            refuse_unknown(context, &content, wanted);
            check_labels(&labels, location, wanted)?;
        }
        let is_unlabelled = wanted.is_none() && labels.is_empty() && !location.kind.is_empty();
        let mut fields = Vec::new();
        push_labels(&mut fields, labels);
        for attribute in content.attributes {
            fields.push((SmolStr::new(attribute.name()), FieldContent::Attribute(attribute)));
        }
        push_blocks(&mut fields, content.blocks);
        if let Some(wanted) = wanted {
            fields.retain(|(name, _)| wanted.contains(&name.as_str()));
        }
        context.failed_last(&mut fields, |(_, field)| field.spans());
        if wanted.is_some() {
            let missing = context.missing_in(location.open).into_iter();
            fields.extend(missing.map(|name| (SmolStr::new_static(name), FieldContent::Missing)));
        }
        let (left, is_struct) = (fields.into_iter(), wanted.is_some());
        Ok(Self { context, left, current: None, start, location, is_unlabelled, is_struct })
    }

    /// Passes the fields to a visitor.
    pub(super) fn visit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        let (context, start, location) = (self.context, self.start, self.location);
        visitor.visit_map(self).map_err(|error| match error {
            BodyError::Missing(name) if name.starts_with(LABEL) && !location.kind.is_empty() => {
                location.missing_label()
            }
            BodyError::Missing(name) => {
                context.miss(location.open, name);
                error.at(start, start)
            }
            error => {
                if matches!(&error, BodyError::Diagnosed(told) if told.is_empty()) {
                    context.exhaust(location.open);
                }
                error.at(start, start)
            }
        })
    }
}

/// Removes the blocks whose attributes are locals. In JSON they are an attribute.
fn remove_locals(content: &mut ContentView<'_>) {
    content.blocks.retain(|block| block.kind != LOCALS || block.made);
    content
        .attributes
        .retain(|view| view.name() != LOCALS || view.attribute.document().file().json().is_none());
}

/// Returns the field of the label at an index.
fn label_field(at: usize) -> SmolStr {
    if at == 0 { SmolStr::new_static(LABEL) } else { SmolStr::from(format!("{LABEL}{}", at + 1)) }
}

fn push_labels<'a>(fields: &mut Vec<(SmolStr, FieldContent<'a>)>, labels: Labels<'a>) {
    for (at, (label, span)) in labels.iter().enumerate() {
        fields.push((label_field(at), FieldContent::Label(label, *span)));
    }
    if !labels.is_empty() {
        fields.push((SmolStr::new_static(LABELS), FieldContent::Labels(labels)));
    }
}

/// Adds a field for each block type, in the order of their first blocks.
fn push_blocks<'a>(fields: &mut Vec<(SmolStr, FieldContent<'a>)>, blocks: Vec<BlockView<'a>>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for block in blocks {
        let at = *seen.entry(block.kind).or_insert(fields.len());
        match fields.get_mut(at) {
            Some((_, FieldContent::Blocks(group))) => group.push(block),
            _ => fields.push((SmolStr::new(block.kind), FieldContent::Blocks(vec![block]))),
        }
    }
}

/// Reports attributes and blocks without a field.
fn refuse_unknown(context: &DecodeContext<'_>, content: &ContentView<'_>, wanted: &[&str]) {
    let names: Vec<&str> = wanted.iter().copied().filter(|name| !name.starts_with('$')).collect();
    for attribute in content.attributes.iter().filter(|found| !names.contains(&found.name())) {
        let place = attribute.attribute.name_span();
        let mut problem = problem::unknown_argument(attribute.name(), &names, &[], place);
        if attribute.attribute.document().file().json().is_some() {
            // The place has the quotes of the name.
            problem.additions = None;
        }
        context.report(problem);
    }
    for block in content.blocks.iter().filter(|found| !names.contains(&found.kind)) {
        context.report(problem::unknown_block(block.kind, &[], &names, block.kind_span));
    }
}

/// Checks that a block has as many labels as its struct has fields for.
fn check_labels(labels: &Labels<'_>, location: BodyLocation<'_>, wanted: &[&str]) -> Result<(), BodyError> {
    if wanted.contains(&LABELS) {
        return Ok(());
    }
    let count = (0..wanted.len()).take_while(|at| wanted.contains(&label_field(*at).as_str())).count();
    let names: Vec<SmolStr> = match count {
        1 => vec!["label".into()],
        _ => (1..=count).map(|at| SmolStr::from(format!("label {at}"))).collect(),
    };
    let header = location.header.to(location.open);
    let problem = if let Some((_, span)) = labels.get(count) {
        problem::extraneous_label(location.kind, &names, *span).within(header)
    } else if let Some(missing) = names.get(labels.len()) {
        problem::missing_label(location.kind, missing, &names, location.open).within(header)
    } else {
        return Ok(());
    };
    Err(BodyError::Diagnosed(vec![problem]))
}

impl<'a> MapAccess<'a> for BodyFields<'a, '_> {
    type Error = BodyError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, BodyError> {
        let Some((name, field)) = self.left.next() else { return Ok(None) };
        let key = match &field {
            FieldContent::Attribute(attribute) => seed.deserialize(NameDeserializer(attribute.name()))?,
            FieldContent::Blocks(blocks) if !blocks.is_empty() => {
                seed.deserialize(NameDeserializer(blocks[0].kind))?
            }
            _ => seed.deserialize(FieldName(&name))?,
        };
        self.current = Some(field);
        Ok(Some(key))
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, BodyError> {
        let context = self.context;
        match self.current.take() {
            Some(FieldContent::Missing) => seed.deserialize(StandIn::new()).map_err(untold),
            Some(FieldContent::Attribute(view))
                if self.is_struct && context.has_failed(view.attribute.span()) =>
            {
                seed.deserialize(StandIn::new()).map_err(untold)
            }
            Some(FieldContent::Attribute(view)) => {
                let unlabelled = self.is_unlabelled.then_some(self.location);
                seed.deserialize(LocatedValue::attribute(context, view, unlabelled)?)
            }
            Some(FieldContent::Label(label, span)) => {
                seed.deserialize(LocatedValue::label(context, label, span))
            }
            Some(FieldContent::Labels(labels)) => {
                seed.deserialize(AllLabels { context, labels: labels.into_iter() })
            }
            Some(FieldContent::Blocks(blocks)) => {
                let blocks = BlocksDeserializer::new(context, blocks)?;
                context.inside(|| seed.deserialize(blocks))
            }
            None => Err(BodyError::custom("there is no further field")),
        }
    }
}

/// Returns the error of a placeholder for a value whose problem was reported.
fn untold(_: BodyError) -> BodyError {
    BodyError::Diagnosed(Vec::new())
}

/// Deserializes the name of a label's field, which is not borrowed from the text.
struct FieldName<'n>(&'n str);

impl<'de> Deserializer<'de> for FieldName<'_> {
    type Error = BodyError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_str(self.0)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Deserializes all labels as a sequence.
struct AllLabels<'a, 'r> {
    context: &'r DecodeContext<'a>,
    labels: vec::IntoIter<(&'a str, Span)>,
}

impl<'a> SeqAccess<'a> for AllLabels<'a, '_> {
    type Error = BodyError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, BodyError> {
        let Some((label, span)) = self.labels.next() else { return Ok(None) };
        seed.deserialize(LocatedValue::label(self.context, label, span)).map(Some)
    }
}

impl<'a> Deserializer<'a> for AllLabels<'a, '_> {
    type Error = BodyError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, BodyError> {
        visitor.visit_seq(self)
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
