//! What is known of nodes before they are lowered: static types, as far as laziness needs them, and
//! the registers of the variables they read.

use hclvm_vm::code::Slot;
use hclvm_vm::code::fast::FastReg;
use hclvm_vm::{Type, Value};
use smallvec::SmallVec;

use super::Given;
use crate::fold::Known;
use crate::tree::{BinaryOp, NameId, Node, NodeId, UnaryOp};

/// The most slots an expression may read to get a fast body.
const MOST_SLOTS: usize = 64;

/// What is known of a node besides its constant value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact {
    pub(super) ty: Static,
    /// The register of the slot that a traversal starts from, or [`NO_REGISTER`].
    root: FastReg,
}

/// Stands for the register of what has none: there are fewer slots.
const NO_REGISTER: FastReg = FastReg(u8::MAX);

impl Fact {
    /// Of something of which nothing is known.
    pub(crate) const NONE: Self = Self::of_type(Static::Dynamic);
    pub(crate) const NUMBER: Self = Self::of_type(Static::Number);
    pub(crate) const TEXT: Self = Self::of_type(Static::String);

    const fn of_type(ty: Static) -> Self {
        Self { ty, root: NO_REGISTER }
    }

    /// Of an operation with two operands.
    pub(crate) fn of_operation(op: BinaryOp) -> Self {
        Self::of_type(of_operator(op))
    }

    /// Of a constant value.
    pub(crate) fn of_constant(value: Value<'_>) -> Self {
        Self::of_type(of_value(value))
    }

    /// The register of the slot that a traversal starts from.
    pub(super) fn root(self) -> Option<FastReg> {
        Some(self.root).filter(|root| *root != NO_REGISTER)
    }
}

/// What is known of the type of a node's value when it has no fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Static {
    Bool,
    Number,
    String,
    Dynamic,
}

/// Facts of the nodes of an expression, gathered while their constants are found. Children come
/// before parents.
pub(crate) struct Facts<'g, 't, 'a> {
    given: &'g Given<'g, 't, 'a>,
    /// The slots that are read, in the order of their first use.
    slots: &'g mut SmallVec<[Slot; 8]>,
}

impl<'g, 't, 'a> Facts<'g, 't, 'a> {
    /// The slots that are read come into `slots`, which is empty.
    pub(in crate::lower) fn new(given: &'g Given<'g, 't, 'a>, slots: &'g mut SmallVec<[Slot; 8]>) -> Self {
        Self { given, slots }
    }

    /// The facts of the next node, a traversal.
    #[inline(always)]
    pub(crate) fn of_variable(&mut self, root: NameId) -> Fact {
        Fact { root: self.register_of(root).unwrap_or(NO_REGISTER), ..Fact::NONE }
    }

    /// The facts of the next node, which is neither that nor constant, from those of the nodes before it.
    pub(crate) fn of(&self, node: &Node, before: &[Known<'a>]) -> Fact {
        Fact::of_type(static_type(self.given, node, before))
    }

    /// Whether the slots that are read are few enough for a fast body.
    pub(in crate::lower) fn are_few(&self) -> bool {
        self.slots.len() <= MOST_SLOTS
    }

    /// The register of a variable that has a slot, unless there are too many already.
    fn register_of(&mut self, name: NameId) -> Option<FastReg> {
        if self.slots.len() > MOST_SLOTS {
            return None;
        }
        let slot = match self.given.resolution {
            Some(resolution) => resolution.slot(name),
            None => self.given.environment.layout?.slot(self.given.tree.name(name)),
        }?;
        let known = self.slots.iter().position(|known| *known == slot);
        let at = known.unwrap_or_else(|| {
            self.slots.push(slot);
            self.slots.len() - 1
        });
        Some(FastReg(at as u8))
    }
}

/// The type of a node that is no constant, from the facts of the nodes before it.
fn static_type(given: &Given<'_, '_, '_>, node: &Node, before: &[Known<'_>]) -> Static {
    let at = |node: NodeId| {
        let known = before.get(node.0.wrapping_sub(given.first.0) as usize);
        known.map_or(Static::Dynamic, |known| known.fact.ty)
    };
    match *node {
        Node::Template(_) | Node::TemplateJoin(_) => Static::String,
        Node::TemplateWrap(inner) | Node::Parens(inner) => at(inner),
        Node::Unary { op: UnaryOp::Not, .. } => Static::Bool,
        Node::Unary { op: UnaryOp::Negate, .. } => Static::Number,
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
