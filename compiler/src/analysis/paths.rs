//! Which parts of its variables an expression reads: what an ingest of only those parts needs.

use std::collections::BTreeMap;

use hclvm_vm::text::nfc_code_points;
use smol_str::SmolStr;

use super::{Key, Traversal, variables};
use crate::tree::{NodeId, Tree};

/// Longer paths are cut off, so that what describes them never nests deeper.
const LONGEST_PATH: usize = 64;

/// The needed parts of each variable by name.
pub type Paths = BTreeMap<SmolStr, Need>;

/// What is read of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// All of it.
    Whole,
    /// Of an object or map only these attributes, of other values all.
    Attributes(BTreeMap<SmolStr, Need>),
}

impl Need {
    /// Nothing so far.
    fn none() -> Self {
        Self::Attributes(BTreeMap::new())
    }

    /// Whether all of the value is read.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Whole)
    }

    /// What is read of an attribute; `None` when nothing is.
    pub fn attribute(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Whole => Some(self),
            Self::Attributes(attributes) => attributes.get(name),
        }
    }

    /// Names of the attributes when not all is read.
    pub fn names(&self) -> impl Iterator<Item = &SmolStr> {
        match self {
            Self::Whole => None,
            Self::Attributes(attributes) => Some(attributes.keys()),
        }
        .into_iter()
        .flatten()
    }
}

/// The longest paths of constant attribute names from the variables that the expressions `roots`
/// use. A path ends where elements are counted, computed or all taken.
pub fn referenced_paths(tree: &Tree, roots: impl IntoIterator<Item = NodeId>) -> Paths {
    let mut paths = Paths::new();
    for root in roots {
        for traversal in variables(tree, root) {
            add(&mut paths, &traversal);
        }
    }
    paths
}

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
