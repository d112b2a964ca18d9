//! Properties of JSON as attributes and blocks. The tree has them as objects, as the parser found them;
//! how many properties are labels depends on the schema.
//!
//! ```text
//! "rule": {"a": {…}, "b": [{…}, {…}]}      a rule "a" and two rules "b", when rules have a label
//! ```

use hclvm_compiler::analysis;
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
    /// Returns the property that is its type.
    pub(crate) fn kind(self, tree: &Tree) -> &AttributeSyntax {
        let around = std::iter::successors(Some(self.property), |id| tree.property(*id).parent);
        attribute(tree, around.take(self.labels + 1).last().unwrap_or(self.property))
    }

    /// Returns the properties that are its labels, in order.
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
pub(crate) struct JsonMember {
    pub(crate) property: PropertyId,
    /// Its number among the attributes of the tree.
    pub(crate) attribute: u32,
    pub(crate) value: NodeId,
}

impl JsonMember {
    /// Returns its name.
    pub(crate) fn name(self, tree: &Tree) -> &str {
        tree.property_name(tree.attribute(self.attribute))
    }
}

/// Returns the properties of a value if it is an object.
pub(crate) fn members(tree: &Tree, value: NodeId) -> Option<impl Iterator<Item = JsonMember>> {
    let Node::JsonObject(items) = tree.node(value) else { return None };
    Some(tree.list(items).chunks_exact(2).filter_map(|item| match tree.node(item[0]) {
        Node::JsonKey { property, .. } => {
            let attribute = tree.property(property).attribute;
            Some(JsonMember { property, attribute, value: item[1] })
        }
        _ => None,
    }))
}

/// Returns the numbers of the attributes of an object: of all properties but comments.
pub(super) fn attributes(tree: &Tree, value: NodeId) -> impl Iterator<Item = u32> {
    let members = members(tree, value).into_iter().flatten();
    members.filter(|member| member.name(tree) != COMMENT).map(|member| member.attribute)
}

/// Returns the properties of an object, or of all objects of an array, in source order. Calls `other`
/// for every other value in their place, and whether that is an element of an array. Null has no
/// properties.
pub(crate) fn deep_members(
    tree: &Tree,
    value: NodeId,
    mut other: impl FnMut(NodeId, bool),
) -> Vec<JsonMember> {
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

/// Returns the blocks of a value below the last label; `None` if it is neither an object nor an array.
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

/// Returns the well-formed blocks of one type with this number of labels in a body.
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

/// A dynamic block in an object: its iterator, and the properties of its content.
#[derive(Debug)]
pub(crate) struct JsonDynamic<'t> {
    pub(crate) iterator: &'t str,
    pub(crate) members: Vec<JsonMember>,
}

/// Returns the dynamic blocks of the property `dynamic` with this value.
pub(crate) fn dynamics(tree: &Tree, value: NodeId) -> Vec<JsonDynamic<'_>> {
    let mut found = Vec::new();
    for label in deep_members(tree, value, |_, _| {}) {
        let blocks = unpacked(tree, label.value, label.property, 1).unwrap_or_default();
        for block in blocks {
            let members: Vec<JsonMember> = members(tree, block.value).into_iter().flatten().collect();
            let named = members.iter().find(|member| member.name(tree) == "iterator");
            let iterator = match named {
                Some(member) => analysis::keyword(tree, member.value),
                None => Some(label.name(tree)),
            };
            found.extend(iterator.map(|iterator| JsonDynamic { iterator, members }));
        }
    }
    found
}
