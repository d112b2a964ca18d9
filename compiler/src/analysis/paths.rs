//! The parts of variables that an expression reads, so that a host ingests only these.
//!
//! The result is an upper bound: evaluation reads no part that is not listed, but may read less. For the
//! single uses with their ranges, see [`variables`].

use std::collections::BTreeMap;

use hclvm_vm::text::nfc_code_points;
use smol_str::SmolStr;

use super::{Key, Traversal, uses_of, variables};
use crate::tree::{NodeId, Tree};

/// The most steps of a path that are listed. A longer path needs all of the value at its end. Bounds the
/// depth of [`Need`], which is dropped and compared recursively.
const LONGEST_PATH: usize = 64;

/// The needed parts of each variable by name.
pub type Paths = BTreeMap<SmolStr, Need>;

/// The parts of a value that are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// All of it.
    Whole,
    /// These attributes of an object or map; all of any other value.
    Attributes(BTreeMap<SmolStr, Need>),
}

impl Need {
    /// Creates the need of nothing.
    fn none() -> Self {
        Self::Attributes(BTreeMap::new())
    }

    /// Returns true if all of the value is read.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Whole)
    }

    /// Returns the need of an attribute; `None` if nothing of it is read.
    pub fn attribute(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Whole => Some(self),
            Self::Attributes(attributes) => attributes.get(name),
        }
    }

    /// Returns the names of the attributes that are read, none if all of the value is.
    pub fn names(&self) -> impl Iterator<Item = &SmolStr> {
        match self {
            Self::Whole => None,
            Self::Attributes(attributes) => Some(attributes.keys()),
        }
        .into_iter()
        .flatten()
    }
}

/// Returns the paths of constant attribute names from the variables that the expressions `roots` use. A
/// path ends at a number, a computed index or a splat.
pub fn referenced_paths(tree: &Tree, roots: impl IntoIterator<Item = NodeId>) -> Paths {
    let mut paths = Paths::new();
    for root in roots {
        for traversal in variables(tree, root) {
            add(&mut paths, &traversal);
        }
    }
    paths
}

/// Like [`referenced_paths`], for one variable; `None` if no expression uses it. Each expression is given by its
/// first node and its root.
pub fn variable_need(
    tree: &Tree,
    expressions: impl IntoIterator<Item = (NodeId, NodeId)>,
    variable: &str,
) -> Option<Need> {
    let mut paths = Paths::new();
    for expression in expressions {
        uses_of(tree, expression, variable, |traversal| add(&mut paths, &traversal));
    }
    paths.into_values().next()
}

/// Returns the attribute that a traversal reads of its variable, in normal form; `None` if it reads all of it.
pub fn attribute_read(traversal: &Traversal<'_>) -> Option<SmolStr> {
    match traversal.steps().next()?.0 {
        Key::Attribute(name) | Key::Text(name) => Some(nfc_code_points(name).collect()),
        _ => None,
    }
}

/// Adds the path of a traversal.
fn add(paths: &mut Paths, traversal: &Traversal<'_>) {
    let mut need = paths.entry(SmolStr::new(traversal.root())).or_insert_with(Need::none);
    for (key, _) in traversal.steps().take(LONGEST_PATH) {
        let name = match key {
            Key::Attribute(name) | Key::Text(name) => nfc_code_points(name).collect::<SmolStr>(),
            _ => break,
        };
        match need {
            Need::Whole => return,
            Need::Attributes(attributes) => need = attributes.entry(name).or_insert_with(Need::none),
        }
    }
    *need = Need::Whole;
}
