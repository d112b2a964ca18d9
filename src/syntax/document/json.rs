//! Properties of JSON as attributes and blocks.
//!
//! ```text
//! "rule": {"a": {…}, "b": [{…}, {…}]}      a rule "a" and two rules "b", when rules have a label
//! ```

use hclvm_compiler::json::COMMENT;
use hclvm_compiler::tree::{AttributeSyntax, Node, NodeId, PropertyId, Tree};

/// A block written in JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonBlock {
    /// Its content, which should be an object.
    pub(crate) value: NodeId,
    /// The property around it: its last label, or its type when it has no labels.
    pub(crate) property: PropertyId,
    /// Number of labels.
    pub(crate) labels: usize,
}

impl JsonBlock {
    /// The property that is its type.
    pub(crate) fn kind(self, tree: &Tree) -> &AttributeSyntax {
        let around = std::iter::successors(Some(self.property), |id| tree.property(*id).parent);
        attribute(tree, around.take(self.labels + 1).last().unwrap_or(self.property))
    }

    /// The properties that are its labels, in order.
    pub(crate) fn labels(self, tree: &Tree) -> Vec<&AttributeSyntax> {
        let around = std::iter::successors(Some(self.property), |id| tree.property(*id).parent);
        let mut labels: Vec<_> = around.take(self.labels).map(|id| attribute(tree, id)).collect();
        labels.reverse();
        labels
    }
}

fn attribute(tree: &Tree, property: PropertyId) -> &AttributeSyntax {
    tree.attribute(tree.property(property).attribute)
}

/// A property of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) property: PropertyId,
    /// Its number among the attributes of the tree.
    pub(crate) attribute: u32,
    pub(crate) value: NodeId,
}

impl Member {
    /// Its name.
    pub(crate) fn name(self, tree: &Tree) -> &str {
        tree.property_name(tree.attribute(self.attribute))
    }
}

/// The properties of an object, if the value is one.
pub(crate) fn members(tree: &Tree, value: NodeId) -> Option<impl Iterator<Item = Member>> {
    let Node::JsonObject(items) = tree.node(value) else { return None };
    Some(tree.list(items).chunks_exact(2).filter_map(|item| match tree.node(item[0]) {
        Node::JsonKey { property, .. } => {
            let attribute = tree.property(property).attribute;
            Some(Member { property, attribute, value: item[1] })
        }
        _ => None,
    }))
}

/// The numbers of the attributes that the properties of an object are.
pub(super) fn attributes(tree: &Tree, value: NodeId) -> impl Iterator<Item = u32> {
    let members = members(tree, value).into_iter().flatten();
    members.filter(|member| member.name(tree) != COMMENT).map(|member| member.attribute)
}

/// The properties of an object, or of all objects of an array, in source order; `other` is called
/// with everything else that stands in their place. Null is no property at all.
pub(crate) fn deep_members(tree: &Tree, value: NodeId, mut other: impl FnMut(NodeId, bool)) -> Vec<Member> {
    match tree.node(value) {
        Node::Null => Vec::new(),
        Node::JsonObject(_) => members(tree, value).into_iter().flatten().collect(),
        Node::Tuple(items) => {
            let mut found = Vec::new();
            for item in tree.list(items) {
                match members(tree, *item) {
                    Some(members) => found.extend(members),
                    None => other(*item, true),
                }
            }
            found
        }
        _ => {
            other(value, false);
            Vec::new()
        }
    }
}

/// The blocks that a value holds, once all labels are known.
pub(crate) fn unpacked(
    tree: &Tree,
    value: NodeId,
    property: PropertyId,
    labels: usize,
) -> Option<Vec<JsonBlock>> {
    let block = |value| JsonBlock { value, property, labels };
    match tree.node(value) {
        Node::Null => Some(Vec::new()),
        Node::JsonObject(_) => Some(vec![block(value)]),
        Node::Tuple(items) => Some(tree.list(items).iter().map(|item| block(*item)).collect()),
        _ => None,
    }
}

/// The blocks of one type with so many labels in a body; what is malformed is left out.
pub(super) fn blocks(tree: &Tree, body: NodeId, kind: &str, labels: usize) -> Vec<JsonBlock> {
    let mut level = deep_members(tree, body, |_, _| {});
    level.retain(|member| member.name(tree) == kind);
    for _ in 0..labels {
        level = level.into_iter().flat_map(|member| deep_members(tree, member.value, |_, _| {})).collect();
    }
    level
        .into_iter()
        .flat_map(|member| unpacked(tree, member.value, member.property, labels).unwrap_or_default())
        .collect()
}
