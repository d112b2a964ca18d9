//! Unary and binary operators.

use hclvm_vm::Place;
use hclvm_vm::code::{Connective, Op, Reg};

use super::BaselineLowering;
use crate::lower::operator::{arithmetic, comparison};
use crate::tree::{BinaryOp, Node, NodeId, UnaryOp};

impl BaselineLowering<'_> {
    /// Lowers a chain of binary operations along its left spine: `a + b + c` is `(a + b) + c`. The faults
    /// of all their left operands begin at one point, so they share one log.
    pub(super) fn binary(&mut self, id: NodeId, d: Reg) {
        let mut spine = Vec::new();
        let mut leftmost = id;
        while let Node::Binary { op, lhs, rhs } = self.context.tree.node(leftmost) {
            if self.info.constant(leftmost).is_some() {
                break;
            }
            spine.push((leftmost, op, rhs));
            leftmost = lhs;
        }
        let log = self.take_log(id);
        self.expr(leftmost, d);
        for (id, op, rhs) in spine.iter().rev() {
            self.operation(*id, *op, *rhs, d, log.reg);
        }
        self.give_back(log);
    }

    /// Lowers one operation on the left operand in `d`.
    fn operation(&mut self, id: NodeId, op: BinaryOp, rhs: NodeId, d: Reg, log: Reg) {
        let connective = match (op, self.context.environment.short_circuit) {
            (BinaryOp::And, true) => Connective::And,
            (BinaryOp::Or, true) => Connective::Or,
            (BinaryOp::And, false) => Connective::StrictAnd,
            (BinaryOp::Or, false) => Connective::StrictOr,
            _ => {
                let b = self.take_value(rhs);
                self.emit(plain_operation(op, d, b.reg, log), id, Place::Node);
                return self.give_back(b);
            }
        };
        let right = self.take_log(id);
        let b = self.take_value(rhs);
        let op = Op::Logic { op: connective, d, a: d, b: b.reg, left: log, right: right.reg };
        self.emit(op, id, Place::Node);
        self.give_back(b);
        self.give_back(right);
    }

    /// Lowers `-a` and `!a`.
    pub(super) fn unary(&mut self, id: NodeId, op: UnaryOp, operand: NodeId, d: Reg) {
        self.with_log(id, |lowering, log| {
            lowering.expr(operand, d);
            let op = match op {
                UnaryOp::Negate => Op::Negate { d, a: d, log },
                UnaryOp::Not => Op::Not { d, a: d, log },
            };
            lowering.emit(op, id, Place::Node);
        });
    }
}

/// Returns the instruction of an operator other than `&&` and `||`.
fn plain_operation(op: BinaryOp, d: Reg, b: Reg, log: Reg) -> Op {
    if let Some(op) = arithmetic(op) {
        Op::Arithmetic { op, d, a: d, b, log }
    } else if let Some(op) = comparison(op) {
        Op::Compare { op, d, a: d, b, log }
    } else {
        Op::Equal { negated: op == BinaryOp::NotEqual, d, a: d, b, log }
    }
}
