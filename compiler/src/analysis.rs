//! What an expression refers to, found without evaluating it.

use std::collections::HashSet;

use smol_str::SmolStr;

use crate::tree::{Node, NodeId, StepKind, Tree};

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

/// The attributes of the variable `root` that the nodes `first..=last` use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Names given by a constant first step, each once, in the order of their first use.
    pub names: Vec<SmolStr>,
    /// Whether the variable is also used as a whole, or with a computed first step.
    pub whole: bool,
}

/// Which attributes of the variable `root` the nodes `first..=last` use.
pub fn attributes_of(tree: &Tree, first: NodeId, last: NodeId, root: &str) -> Attributes {
    let mut found = Attributes::default();
    let mut seen = HashSet::new();
    for id in (first.0..=last.0).map(NodeId) {
        let Node::Traversal { root: name, steps } = tree.node(id) else { continue };
        if tree.name(name) != root {
            continue;
        }
        let attribute = match tree.steps(steps).first().map(|step| step.kind) {
            Some(StepKind::Attribute(name)) => Some(tree.name(name).clone()),
            Some(StepKind::Index(key)) => match tree.node(key) {
                Node::Text(text) => Some(SmolStr::new(tree.text(text))),
                _ => None,
            },
            None => None,
        };
        match attribute {
            Some(name) if seen.insert(name.clone()) => found.names.push(name),
            Some(_) => {}
            None => found.whole = true,
        }
    }
    found
}
