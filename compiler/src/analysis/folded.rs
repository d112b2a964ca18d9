//! The constants that take the place of parts of an expression. [`known`](super::known) finds the parts.

use hclvm_vm::{Value, cast};

use crate::tree::{NodeId, Tree};

/// What takes the place of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fold<'a> {
    Keep,
    Constant(Value<'a>),
    /// A node below a constant, which no code reads.
    Covered,
}

/// The constants that take the place of parts of an expression.
#[derive(Clone, Debug)]
pub struct Folded<'a> {
    first: NodeId,
    folds: Vec<Fold<'a>>,
    is_empty: bool,
}

impl<'a> Folded<'a> {
    /// Returns true if no part became a constant.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Replaces nothing of an expression of `count` nodes.
    pub(super) fn none(first: NodeId, count: usize) -> Self {
        Self { first, folds: vec![Fold::Keep; count], is_empty: true }
    }

    /// Returns what takes the place of the node at an index among those of the expression.
    pub(crate) fn get(&self, at: usize) -> Fold<'a> {
        self.folds.get(at).copied().unwrap_or(Fold::Keep)
    }

    fn index(&self, id: NodeId) -> usize {
        cast::index(id.0.wrapping_sub(self.first.0))
    }

    /// Replaces a part by a constant.
    pub(super) fn set(&mut self, tree: &Tree, id: NodeId, value: Value<'a>) {
        let mut open = Vec::new();
        tree.children(id, &mut open);
        while let Some(below) = open.pop() {
            let at = self.index(below);
            if let Some(fold) = self.folds.get_mut(at) {
                *fold = Fold::Covered;
            }
            tree.children(below, &mut open);
        }
        let at = self.index(id);
        if let Some(fold) = self.folds.get_mut(at) {
            *fold = Fold::Constant(value);
            self.is_empty = false;
        }
    }
}
