//! Constants as they are written: texts, numbers and bools.

use hclvm_vm::{Number, number};

use super::shape::bare;
use crate::tree::{Node, NodeId, Tree, UnaryOp};

/// A constant of a test.
#[derive(Clone, Debug)]
pub enum Constant<'t> {
    /// A text, escapes decoded, not in normal form.
    Text(&'t str),
    /// A number.
    Number(Number),
    /// A bool.
    Bool(bool),
}

/// Returns the constant that a node is, which is not in parentheses.
pub(super) fn constant(tree: &Tree, id: NodeId) -> Option<Constant<'_>> {
    match tree.node(id) {
        Node::Bool(value) => Some(Constant::Bool(value)),
        Node::Number(number) => Some(Constant::Number(tree.number(number).clone())),
        Node::Text(text) => Some(Constant::Text(tree.text(text))),
        Node::Template(_) => tree.literal_text(id).map(Constant::Text),
        Node::Unary { op: UnaryOp::Negate, operand } => match tree.node(bare(tree, operand)) {
            Node::Number(number) => Some(Constant::Number(number::negate(tree.number(number).borrow()))),
            _ => None,
        },
        _ => None,
    }
}
