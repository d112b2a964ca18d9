//! Static types of nodes, as far as laziness needs them.

use hclvm_vm::arena::{Arena, ArenaVec};
use hclvm_vm::types::Type;
use hclvm_vm::value::{Value, View};

use crate::fold::Known;
use crate::lower::Environment;
use crate::tree::{BinaryOp, Node, NodeId, Tree, UnaryOp};

/// What is known of the type of a node's value when it has no fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Static {
    Bool,
    Number,
    String,
    Dynamic,
}

/// The static type of each node from `first` to `last`; children come before parents.
pub(super) fn of_nodes<'a>(
    tree: &Tree,
    first: NodeId,
    last: NodeId,
    environment: &Environment<'_>,
    known: Known<'_>,
    arena: &'a Arena,
) -> ArenaVec<'a, Static> {
    let mut types: ArenaVec<'a, Static> = arena.list_with((last.0 - first.0) as usize + 1);
    for (node, constant) in tree.nodes(first, last).iter().zip(known) {
        let at = |node: NodeId| {
            types.get(node.0.wrapping_sub(first.0) as usize).copied().unwrap_or(Static::Dynamic)
        };
        let ty = match *node {
            _ if constant.is_some() => constant.map_or(Static::Dynamic, of_value),
            Node::Template(_) | Node::TemplateJoin(_) | Node::Text(_) => Static::String,
            Node::TemplateWrap(inner) | Node::Parens(inner) => at(inner),
            Node::Unary { op: UnaryOp::Not, .. } => Static::Bool,
            Node::Unary { op: UnaryOp::Negate, .. } => Static::Number,
            Node::Binary { op, .. } => of_operator(op),
            Node::Conditional { yes, no, .. } if at(yes) == at(no) => at(yes),
            Node::Call(call) => {
                let function = environment.functions.and_then(|table| table.get(&tree.call(call).name));
                // The result of `can` may be unknown, but it is a bool.
                function
                    .filter(|function| function.lazy.is_none())
                    .and_then(|function| function.static_return())
                    .map_or(Static::Dynamic, of_type)
            }
            _ => Static::Dynamic,
        };
        types.push(ty);
    }
    types
}

fn of_operator(op: BinaryOp) -> Static {
    match op {
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => {
            Static::Number
        }
        _ => Static::Bool,
    }
}

fn of_value(value: Value<'_>) -> Static {
    match value.view() {
        View::Bool(_) => Static::Bool,
        View::Number(_) => Static::Number,
        View::String(_) => Static::String,
        _ => Static::Dynamic,
    }
}

fn of_type(ty: Type<'_>) -> Static {
    match ty {
        Type::Bool => Static::Bool,
        Type::Number => Static::Number,
        Type::String => Static::String,
        _ => Static::Dynamic,
    }
}
