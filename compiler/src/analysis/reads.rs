//! The uses of variables in parts of an expression, for messages that show values.
//!
//! [`variables`](super::variables) lists traversals of a whole expression by name; this file lists nodes, with
//! the loops around them, so that their values can be looked up after an evaluation.

use super::walk::walk;
use crate::tree::{Node, NodeId, Tree};

/// What parts of an expression read.
#[derive(Clone, Debug, Default)]
pub struct Reads<'t> {
    /// The traversals, indexes and relative traversals in source order, a node before those inside it.
    /// Traversals of names that the parts bind themselves are left out.
    pub uses: Vec<NodeId>,
    /// The key and value names of the for expressions around the first part, from the outermost.
    pub loops: Vec<(Option<&'t str>, &'t str)>,
}

/// Returns what `parts` of the expression `root` read.
pub fn reads<'t>(tree: &'t Tree, root: NodeId, parts: &[NodeId]) -> Reads<'t> {
    let mut reads = Reads::default();
    let mut reached = false;
    walk(tree, root, |id, bound| {
        if !reached && Some(&id) == parts.first() {
            reached = true;
            reads.loops.extend(bound.loops().map(|id| {
                let details = tree.for_expr(id);
                let key = details.key_name.map(|name| tree.name(name).as_str());
                (key, tree.name(details.value_name).as_str())
            }));
        }
    });
    // The loops around a part that was not reached are not known, nor what its names mean.
    for part in parts.iter().filter(|_| reached) {
        walk(tree, *part, |id, bound| {
            let is_use = match tree.node(id) {
                Node::Traversal { root, .. } => !bound.contains(tree.name(root)),
                Node::Index { .. } | Node::RelativeTraversal { .. } => true,
                _ => false,
            };
            if is_use {
                reads.uses.push(id);
            }
        });
    }
    reads
}
