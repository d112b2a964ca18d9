//! The machine's operators for the operators of the tree, and the kind of collection for a for
//! expression: the mappings that both tiers share.

use hclvm_vm::code::{Arithmetic, Build, Comparison};

use crate::tree::{BinaryOp, For};

/// Returns the arithmetic operator that `op` denotes.
pub(super) const fn arithmetic(op: BinaryOp) -> Option<Arithmetic> {
    Some(match op {
        BinaryOp::Add => Arithmetic::Add,
        BinaryOp::Subtract => Arithmetic::Subtract,
        BinaryOp::Multiply => Arithmetic::Multiply,
        BinaryOp::Divide => Arithmetic::Divide,
        BinaryOp::Modulo => Arithmetic::Modulo,
        _ => return None,
    })
}

/// Returns the order comparison that `op` denotes. `==` and `!=` are none.
pub(super) const fn comparison(op: BinaryOp) -> Option<Comparison> {
    Some(match op {
        BinaryOp::Less => Comparison::Less,
        BinaryOp::LessOrEqual => Comparison::LessOrEqual,
        BinaryOp::Greater => Comparison::Greater,
        BinaryOp::GreaterOrEqual => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

/// Returns the kind of collection that a for expression builds.
pub(super) const fn build(details: &For) -> Build {
    match (details.key, details.group) {
        (None, _) => Build::Tuple,
        (Some(_), false) => Build::Object,
        (Some(_), true) => Build::Groups,
    }
}
