//! Unary and binary operators.

use hclvm_vm::Place;
use hclvm_vm::code::{Connective, Op, Reg};

use super::BaselineLowering;
use crate::tree::{BinaryKind, BinaryOp, Node, NodeId, UnaryOp};

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
        let short_circuit = self.context.environment.short_circuit;
        let connective = match op.kind() {
            BinaryKind::Logical { deciding: false } if short_circuit => Connective::And,
            BinaryKind::Logical { deciding: true } if short_circuit => Connective::Or,
            BinaryKind::Logical { deciding: false } => Connective::StrictAnd,
            BinaryKind::Logical { deciding: true } => Connective::StrictOr,
            BinaryKind::Equality { when } => {
                return self.plain_operation(id, rhs, |b| Op::Equal { negated: !when, d, a: d, b, log });
            }
            BinaryKind::Comparison(op) => {
                return self.plain_operation(id, rhs, |b| Op::Compare { op, d, a: d, b, log });
            }
            BinaryKind::Arithmetic(op) => {
                return self.plain_operation(id, rhs, |b| Op::Arithmetic { op, d, a: d, b, log });
            }
        };
        let right = self.take_log(id);
        let b = self.take_value(rhs);
        let op = Op::Logic { op: connective, d, a: d, b: b.reg, left: log, right: right.reg };
        self.emit(op, id, Place::Node);
        self.give_back(b);
        self.give_back(right);
    }

    /// Lowers the right operand of an operator other than `&&` and `||`, and the operation.
    fn plain_operation(&mut self, id: NodeId, rhs: NodeId, op: impl FnOnce(Reg) -> Op) {
        let b = self.take_value(rhs);
        self.emit(op(b.reg), id, Place::Node);
        self.give_back(b);
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
