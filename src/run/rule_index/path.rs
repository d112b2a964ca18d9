//! The parts of variables that tests read, and their values in a scope.

use std::fmt;

use hclvm_compiler::analysis::{Key, Traversal};
use hclvm_vm::hash::HashMap;
use hclvm_vm::text::nfc_code_points;
use hclvm_vm::{Layout, Value, cast, find};
use smol_str::SmolStr;

/// A part of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct IndexPath {
    slot: usize,
    /// The names after the variable of the slot, in normal form C.
    names: Box<[SmolStr]>,
}

/// The paths of an index, each with its number.
pub(super) struct PathTable {
    paths: Vec<IndexPath>,
    numbers: HashMap<IndexPath, u32>,
    /// For each slot, whether it can be read.
    readable: Box<[bool]>,
}

impl fmt::Debug for PathTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.paths).finish()
    }
}

/// The value of a path, as tests see it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reading<'a> {
    /// Missing, unknown, marked, null, or no primitive. A null equals no constant, but a function may return an unknown
    /// value for it.
    Other,
    Bool(bool),
    Text(&'a str),
    /// An integer that a float represents exactly.
    Int(i64),
    /// The float nearest to another number.
    Number(f64),
}

impl PathTable {
    pub(super) fn new(layout: &Layout, readable: impl Fn(usize) -> bool) -> Self {
        let readable = (0..layout.len()).map(readable).collect();
        Self { paths: Vec::new(), numbers: HashMap::default(), readable }
    }

    pub(super) fn count(&self) -> u32 {
        cast::length(self.paths.len())
    }

    /// Returns the number of the path that an expression of `layout` writes like this; `None` if it cannot be read.
    pub(super) fn number(&mut self, layout: &Layout, traversal: &Traversal<'_>) -> Option<u32> {
        let path = self.path(layout, traversal)?;
        if let Some(number) = self.numbers.get(&path) {
            return Some(*number);
        }
        let number = self.count();
        self.numbers.insert(path.clone(), number);
        self.paths.push(path);
        Some(number)
    }

    /// Like [`PathTable::number`]; `None` also for a path that no test reads.
    pub(super) fn known(&self, layout: &Layout, traversal: &Traversal<'_>) -> Option<u32> {
        self.numbers.get(&self.path(layout, traversal)?).copied()
    }

    fn path(&self, layout: &Layout, traversal: &Traversal<'_>) -> Option<IndexPath> {
        let name = |key: Key<'_>| match key {
            Key::Attribute(name) | Key::Text(name) => Some(nfc_code_points(name).collect::<SmolStr>()),
            _ => None,
        };
        let names: Vec<SmolStr> = traversal.steps().map(|(key, _)| name(key)).collect::<Option<_>>()?;
        let root: SmolStr = nfc_code_points(traversal.root()).collect();
        let derived = names.first().and_then(|first| layout.derived(&root, first));
        let slot = usize::from(derived.or_else(|| layout.slot(&root))?.0);
        if !self.readable.get(slot).copied().unwrap_or_default() {
            return None;
        }
        Some(IndexPath { slot, names: names.into_iter().skip(usize::from(derived.is_some())).collect() })
    }

    /// Returns the value of a path among the values of slots.
    pub(super) fn read<'a>(&self, path: u32, values: &[Value<'a>]) -> Reading<'a> {
        let path = self.paths.get(cast::index(path));
        path.and_then(|path| path.value(values)).map_or(Reading::Other, Reading::of)
    }
}

impl IndexPath {
    fn value<'a>(&self, values: &[Value<'a>]) -> Option<Value<'a>> {
        let first = *values.get(self.slot)?;
        self.names.iter().try_fold(first, |value, name| Some(find(value.as_entries()?, name)?.value))
    }
}

impl<'a> Reading<'a> {
    fn of(value: Value<'a>) -> Self {
        if let Some(text) = value.as_str() {
            return Self::Text(text);
        }
        if let Some(number) = value.as_number() {
            return match number.to_i64().filter(|_| number.is_integer()) {
                Some(int) if super::key::is_exact(int) => Self::Int(int),
                _ => Self::Number(number.to_f64()),
            };
        }
        value.as_bool().map_or(Self::Other, Self::Bool)
    }
}
