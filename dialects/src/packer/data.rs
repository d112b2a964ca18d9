//! Data sources: their blocks, and the values that a host gives them.

use std::collections::BTreeMap;

use hclvm::analysis::Paths;
use hclvm::value::{Arena, Entry};
use hclvm::{OwnedValue, Type, Value};
use smol_str::SmolStr;

use crate::evaluated::Body;
use crate::given::Given;
use crate::problems::TextRange;

/// Reads data sources for templates.
pub trait DataSources {
    /// Returns the output of a data source of a type and name, given its evaluated block. An unknown value
    /// is for a source that is not read now.
    ///
    /// # Errors
    /// Why it cannot be read, as a sentence.
    fn read(&self, kind: &str, name: &str, body: &Body) -> Result<OwnedValue, String>;
}

/// Data sources that are not read: every output is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnknownData;

impl DataSources for UnknownData {
    fn read(&self, _: &str, _: &str, _: &Body) -> Result<OwnedValue, String> {
        Ok(OwnedValue::new(Value::DYNAMIC))
    }
}

/// Outputs that are known before, by type and name. Others are unknown.
#[derive(Clone, Debug, Default)]
pub struct GivenData(BTreeMap<(SmolStr, SmolStr), OwnedValue>);

impl GivenData {
    /// Creates data without any output.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the outputs among the values of names.
    pub(super) fn of(given: &Given) -> Self {
        let mut data = Self::new();
        for (kind, outputs) in given.members("data") {
            for output in outputs.get().as_entries().unwrap_or_default() {
                data.set(kind, output.name, output.value);
            }
        }
        data
    }

    /// Sets the output of a data source.
    pub fn set(&mut self, kind: &str, name: &str, output: Value<'_>) {
        self.0.insert((kind.into(), name.into()), OwnedValue::new(output));
    }
}

impl DataSources for GivenData {
    fn read(&self, kind: &str, name: &str, _: &Body) -> Result<OwnedValue, String> {
        let known = self.0.get(&(kind.into(), name.into())).cloned();
        Ok(known.unwrap_or_else(|| OwnedValue::new(Value::DYNAMIC)))
    }
}

/// A `data` block as written.
#[derive(Debug)]
pub(super) struct DataDefinition {
    pub(super) kind: SmolStr,
    pub(super) name: SmolStr,
    pub(super) place: TextRange,
    /// The number of its document.
    pub(super) document: usize,
    /// Its number among the data blocks of the document.
    pub(super) number: usize,
    /// The names that the expressions of its body read.
    pub(super) reads: Vec<Paths>,
}

impl DataDefinition {
    /// Returns what the expressions of a body read, those of nested blocks included.
    pub(super) fn reads_of(body: hclvm::Body<'_>) -> Vec<Paths> {
        let (mut found, mut open) = (Vec::new(), vec![body]);
        while let Some(body) = open.pop() {
            found.extend(body.attributes().map(|attribute| attribute.referenced_paths()));
            open.extend(body.blocks().map(|block| block.body()));
        }
        found
    }
}

/// Returns the outputs of one type as a map, as an object if their types differ.
pub(super) fn by_name(outputs: &BTreeMap<SmolStr, OwnedValue>) -> OwnedValue {
    let arena = Arena::new();
    let types: Vec<Type<'_>> = outputs.values().map(|output| output.get().type_of(&arena)).collect();
    let entries: Vec<Entry<'_>> = outputs.iter().map(|(name, value)| Entry::new(name, value.get())).collect();
    let entries = arena.slice(&entries);
    OwnedValue::new(match types.first() {
        Some(first) if *first != Type::Dynamic && types.iter().all(|one| one == first) => {
            Value::map(&arena, entries, *first)
        }
        _ => Value::object(&arena, entries),
    })
}

/// The outputs of one type by name.
pub(super) type Outputs = BTreeMap<SmolStr, BTreeMap<SmolStr, OwnedValue>>;
