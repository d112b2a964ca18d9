//! What an expression refers to, found without evaluating it.

use std::collections::HashSet;

use smol_str::SmolStr;

use crate::tree::{Node, NodeId, Tree};

/// Names that the nodes `first..=last` use as variables, each once, in the order of their first
/// use. Names bound by for expressions are among them.
pub fn names(tree: &Tree, first: NodeId, last: NodeId) -> Vec<SmolStr> {
    let mut literal_keys = HashSet::new();
    for id in first.0..=last.0 {
        if let Node::ObjectKey { expr, forced: false } = tree.node(NodeId(id))
            && matches!(tree.node(expr), Node::Traversal { .. })
        {
            literal_keys.insert(expr);
        }
    }
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    for id in (first.0..=last.0).map(NodeId) {
        if let Node::Traversal { root, .. } = tree.node(id)
            && !literal_keys.contains(&id)
            && seen.insert(tree.name(root))
        {
            names.push(tree.name(root).clone());
        }
    }
    names
}
