//! Static forms: expressions that a host reads as syntax instead of evaluating them.
//!
//! Parentheses, templates and for expressions have no static form, whatever they contain. For the
//! variables that an expression uses, see [`variables`](super::variables).

use hclvm_vm::Diagnostic;

use super::Traversal;
use crate::tree::{Call, Node, NodeId, Tree};
use crate::{diagnostic, is_identifier};

/// Returns the items of `[a, b]`.
pub fn list(tree: &Tree, id: NodeId) -> Result<&[NodeId], Diagnostic> {
    match tree.node(unwrapped(tree, id)) {
        Node::Tuple(items) => Ok(tree.list(items)),
        _ => Err(diagnostic::static_list_required(tree.start_span(id))),
    }
}

/// Returns the keys and values of `{k = v}`; the keys are expressions as well.
pub fn map(tree: &Tree, id: NodeId) -> Result<impl ExactSizeIterator<Item = (NodeId, NodeId)>, Diagnostic> {
    match tree.node(unwrapped(tree, id)) {
        Node::Object(items) | Node::JsonObject(items) => {
            Ok(tree.list(items).chunks_exact(2).map(|item| (item[0], item[1])))
        }
        _ => Err(diagnostic::static_map_required(tree.start_span(id))),
    }
}

/// Returns the name and arguments of `f(a, b)`.
pub fn call(tree: &Tree, id: NodeId) -> Result<&Call, Diagnostic> {
    match tree.node(unwrapped(tree, id)) {
        Node::Call(call) => Ok(tree.call(call)),
        _ => Err(diagnostic::static_call_required(tree.start_span(id))),
    }
}

/// Returns the root name and constant steps of `a.b[0]`. The words `true`, `false` and `null` are names
/// here. For a path relative to a value, a host takes the root as the first step.
pub fn absolute_traversal(tree: &Tree, id: NodeId) -> Result<Traversal<'_>, Diagnostic> {
    let at = unwrapped(tree, id);
    let (word, steps) = match tree.node(at) {
        Node::RelativeTraversal { source, steps } => (source, tree.steps(steps)),
        _ => (at, &[][..]),
    };
    let word = literal_word(tree, word).map(|name| (name, tree.span(word)));
    Traversal::of_variable(tree, at)
        .or_else(|| Some(Traversal::of_word(tree, word?, steps, tree.span(at))))
        .ok_or_else(|| diagnostic::static_traversal_required(tree.span(id)))
}

/// Returns the single word that an expression, or a string of JSON, consists of.
pub fn keyword(tree: &Tree, id: NodeId) -> Option<&str> {
    let id = unwrapped(tree, id);
    match tree.node(id) {
        Node::Traversal { root, steps } if steps.is_empty() => Some(tree.name(root)),
        Node::JsonString { text, .. } => Some(tree.text(text)).filter(|text| is_identifier(text)),
        _ => literal_word(tree, id),
    }
}

/// Returns the text that a key of an object constructor denotes without being evaluated.
pub(crate) fn literal_key(tree: &Tree, expr: NodeId, forced: bool) -> Option<&str> {
    match tree.node(expr) {
        _ if forced => None,
        Node::Traversal { root, steps } if steps.is_empty() => Some(tree.name(root)),
        _ => literal_word(tree, expr),
    }
}

fn literal_word(tree: &Tree, id: NodeId) -> Option<&'static str> {
    match tree.node(id) {
        Node::Null => Some("null"),
        Node::Bool(true) => Some("true"),
        Node::Bool(false) => Some("false"),
        _ => None,
    }
}

/// Returns the expression inside a key of an object.
fn unwrapped(tree: &Tree, id: NodeId) -> NodeId {
    match tree.node(id) {
        Node::ObjectKey { expr, .. } => expr,
        Node::JsonKey { name, .. } => name,
        _ => id,
    }
}
