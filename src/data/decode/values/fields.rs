//! The fields of a body: its labels, its attributes, and its blocks by type.

use std::borrow::Cow;
use std::collections::HashMap;
use std::vec;

use hclvm_vm::{Span, Value};
use serde::de::value::{CowStrDeserializer, SeqDeserializer};
use serde::de::{DeserializeSeed, MapAccess};

use super::block::BlockValuesDeserializer;
use super::blocks::BlockListDeserializer;
use crate::data::decode::name::NameDeserializer;
use crate::data::decode::value::ValueDeserializer;
use crate::data::path_error::PathError;
use crate::data::show::Allowance;
use crate::structure::content::problem;
use crate::structure::module::BodyValues;

/// The content of a field.
#[derive(Clone, Debug)]
enum FieldValue<'s, 'c> {
    Label(&'s str),
    Labels(Vec<&'s str>),
    Attribute(Value<'s>),
    Blocks(Vec<BlockValuesDeserializer<'s, 'c>>),
}

/// Iterates over the fields of a body.
#[derive(Debug)]
pub(super) struct ValueFields<'s, 'c> {
    left: vec::IntoIter<(Cow<'s, str>, FieldValue<'s, 'c>)>,
    current: Option<(Cow<'s, str>, FieldValue<'s, 'c>)>,
    allowance: &'c Allowance,
}

impl<'s, 'c> ValueFields<'s, 'c> {
    /// Collects the fields of a body. If `wanted` names the fields of a struct, any other is an error.
    pub(super) fn new(
        of: BlockValuesDeserializer<'s, 'c>,
        wanted: Option<&[&str]>,
    ) -> Result<Self, PathError> {
        let BlockValuesDeserializer { kind, labels, body, allowance, .. } = of;
        if let Some(wanted) = wanted {
            check_labels(kind, &labels, wanted)?;
        }
        let mut fields: Vec<(Cow<'s, str>, FieldValue<'s, 'c>)> = Vec::new();
        for (at, label) in labels.iter().enumerate() {
            fields.push((label_field(at), FieldValue::Label(label)));
        }
        if !labels.is_empty() {
            fields.push(("$labels".into(), FieldValue::Labels(labels)));
        }
        let named = |(name, value): (&'s str, _)| (Cow::Borrowed(name), FieldValue::Attribute(value));
        fields.extend(body.attributes().map(named));
        push_blocks(of_kinds(body, allowance)?, &mut fields);
        if let Some(wanted) = wanted {
            refuse_unknown(&fields, wanted)?;
            fields.retain(|(name, _)| wanted.contains(&&**name));
        }
        Ok(Self { left: fields.into_iter(), current: None, allowance })
    }
}

/// Returns the blocks of a body in their order. Fails if some are made from an unknown collection.
fn of_kinds<'s, 'c>(
    body: BodyValues<'s>,
    allowance: &'c Allowance,
) -> Result<Vec<BlockValuesDeserializer<'s, 'c>>, PathError> {
    body.blocks()
        .map(|block| match block.pending() {
            Some(_) => Err(PathError::new("`for_each` is not known yet, so the blocks cannot be made")
                .at_name(block.kind())),
            None => Ok(BlockValuesDeserializer::of_block(block, allowance)),
        })
        .collect()
}

/// Adds a field for each block type, in the order of their first blocks.
fn push_blocks<'s, 'c>(
    blocks: Vec<BlockValuesDeserializer<'s, 'c>>,
    fields: &mut Vec<(Cow<'s, str>, FieldValue<'s, 'c>)>,
) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for block in blocks {
        let at = *seen.entry(block.kind).or_insert(fields.len());
        match fields.get_mut(at) {
            Some((_, FieldValue::Blocks(group))) => group.push(block),
            _ => fields.push((block.kind.into(), FieldValue::Blocks(vec![block]))),
        }
    }
}

/// Returns the field of the label at an index.
fn label_field(at: usize) -> Cow<'static, str> {
    if at == 0 { "$label".into() } else { format!("$label{}", at + 1).into() }
}

/// Refuses attributes and blocks that are not fields of the struct.
fn refuse_unknown(fields: &[(Cow<'_, str>, FieldValue<'_, '_>)], wanted: &[&str]) -> Result<(), PathError> {
    let names: Vec<&str> = wanted.iter().copied().filter(|name| !name.starts_with('$')).collect();
    for (name, content) in fields.iter().filter(|(name, _)| !names.contains(&&**name)) {
        let problem = match content {
            FieldValue::Attribute(_) => problem::unknown_argument(name, &names, &[], Span::default()),
            FieldValue::Blocks(_) => problem::unknown_block(name, &[], &names, Span::default()),
            FieldValue::Label(_) | FieldValue::Labels(_) => continue,
        };
        return Err(PathError::new(problem.detail.trim_end_matches('.')));
    }
    Ok(())
}

/// Checks that a block has as many labels as its struct has fields for.
fn check_labels(kind: &str, labels: &[&str], wanted: &[&str]) -> Result<(), PathError> {
    if wanted.contains(&"$labels") {
        return Ok(());
    }
    let count = (0..wanted.len()).take_while(|at| wanted.contains(&&*label_field(*at))).count();
    if labels.len() == count {
        return Ok(());
    }
    let found = labels.len();
    Err(PathError::new(format!("blocks of type {kind:?} have {count} labels here, not {found}")))
}

impl<'s> MapAccess<'s> for ValueFields<'s, '_> {
    type Error = PathError;

    fn next_key_seed<K: DeserializeSeed<'s>>(&mut self, seed: K) -> Result<Option<K::Value>, PathError> {
        let Some(field) = self.left.next() else { return Ok(None) };
        let (name, _) = self.current.insert(field);
        let key = match name {
            Cow::Borrowed(name) => seed.deserialize(NameDeserializer(name)),
            Cow::Owned(name) => seed.deserialize(CowStrDeserializer::new(name.as_str().into())),
        };
        key.map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'s>>(&mut self, seed: T) -> Result<T::Value, PathError> {
        let (name, content) =
            self.current.take().ok_or_else(|| PathError::new("there is no further field"))?;
        let value = match content {
            FieldValue::Label(label) => seed.deserialize(NameDeserializer(label)),
            FieldValue::Labels(labels) => seed.deserialize(SeqDeserializer::new(labels.into_iter())),
            FieldValue::Attribute(value) => seed.deserialize(ValueDeserializer::new(value, self.allowance)),
            FieldValue::Blocks(blocks) => BlockListDeserializer::new(blocks).inside(seed),
        };
        value.map_err(|error| error.at_name(&name))
    }
}
