//! What is known of nodes before they are lowered: static types, as far as laziness needs them, and
//! the registers of the variables they read.

use hclvm_vm::code::Slot;
use hclvm_vm::code::fast::FastReg;
use hclvm_vm::types::Type;
use hclvm_vm::value::Value;
use smallvec::SmallVec;

use super::Given;
use crate::tree::{BinaryOp, NameId, Node, NodeId, UnaryOp};

/// The most slots an expression may read to get a fast body.
const MOST_SLOTS: usize = 64;

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    pub(super) ty: Static,
    /// The register of the slot that a traversal starts from.
    pub(super) root: Option<FastReg>,
}

/// What is known of the type of a node's value when it has no fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Static {
    Bool,
    Number,
    String,
    Dynamic,
}

/// The facts of each node of an expression, counted from the first; children come before parents.
/// The slots that are read come into `slots` in the order of their first use; nothing when there are
/// too many.
pub(super) fn of_nodes<'a>(given: Given<'_, '_, 'a>, slots: &mut SmallVec<[Slot; 8]>) -> Option<&'a [Fact]> {
    let nodes = given.tree.nodes(given.first, given.root);
    let mut facts = given.arena.list_with(nodes.len());
    for (node, constant) in nodes.iter().zip(given.known) {
        let ty = match constant {
            Some(constant) => of_value(*constant),
            None => static_type(given, *node, &facts),
        };
        let slot = match *node {
            Node::Traversal { root, .. } => slot(given, root),
            _ => None,
        };
        let root = match slot {
            Some(slot) => Some(register_of(slot, slots)?),
            None => None,
        };
        facts.push(Fact { ty, root });
    }
    Some(facts.into_bump_slice())
}

fn slot(given: Given<'_, '_, '_>, name: NameId) -> Option<Slot> {
    match given.meanings {
        Some(meanings) => meanings.slot(name),
        None => given.environment.layout?.slot(given.tree.name(name)),
    }
}

/// The register of a slot, perhaps a new one; none when there are too many.
fn register_of(slot: Slot, slots: &mut SmallVec<[Slot; 8]>) -> Option<FastReg> {
    let known = slots.iter().position(|known| *known == slot);
    let at = known.unwrap_or_else(|| {
        slots.push(slot);
        slots.len() - 1
    });
    (at < MOST_SLOTS).then_some(FastReg(at as u8))
}

/// The type of a node that is no constant, from the facts of the nodes before it.
fn static_type(given: Given<'_, '_, '_>, node: Node, before: &[Fact]) -> Static {
    let at = |node: NodeId| {
        before.get(node.0.wrapping_sub(given.first.0) as usize).map_or(Static::Dynamic, |fact| fact.ty)
    };
    match node {
        Node::Template(_) | Node::TemplateJoin(_) | Node::Text(_) => Static::String,
        Node::TemplateWrap(inner) | Node::Parens(inner) => at(inner),
        Node::Unary { op: UnaryOp::Not, .. } => Static::Bool,
        Node::Unary { op: UnaryOp::Negate, .. } => Static::Number,
        Node::Binary { op, .. } => of_operator(op),
        Node::Conditional { yes, no, .. } if at(yes) == at(no) => at(yes),
        Node::Call(call) => {
            let functions = given.environment.functions;
            let function = functions.and_then(|table| table.get(&given.tree.call(call).name));
            // The result of `can` may be unknown, but it is a bool.
            function
                .filter(|function| function.lazy.is_none())
                .and_then(|function| function.static_return())
                .map_or(Static::Dynamic, of_type)
        }
        _ => Static::Dynamic,
    }
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
    if value.as_bool().is_some() {
        Static::Bool
    } else if value.as_str().is_some() {
        Static::String
    } else if value.as_number().is_some() {
        Static::Number
    } else {
        Static::Dynamic
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
