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
    fn operation(&mut self, id: NodeId, op: BinaryOp, rhs: NodeId, d: Reg, left: Reg) {
        // The faults of both operands of `&&` and `||` are kept apart.
        let right = op.is_logical().then(|| self.take_log(id));
        let b = self.take_value(rhs);
        let right_log = right.as_ref().map_or(left, |right| right.reg);
        let short_circuit = self.context.environment.short_circuit;
        self.emit(instruction(op, short_circuit, d, b.reg, [left, right_log]), id, Place::Node);
        self.give_back(b);
        if let Some(right) = right {
            self.give_back(right);
        }
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

/// Returns the instruction `d = d op b`. `left` and `right` are where the faults of its operands begin.
const fn instruction(op: BinaryOp, short_circuit: bool, d: Reg, b: Reg, [left, right]: [Reg; 2]) -> Op {
    match op.kind() {
        BinaryKind::Logical { deciding } => {
            let op = match (deciding, short_circuit) {
                (false, true) => Connective::And,
                (true, true) => Connective::Or,
                (false, false) => Connective::StrictAnd,
                (true, false) => Connective::StrictOr,
            };
            Op::Logic { op, d, a: d, b, left, right }
        }
        BinaryKind::Equality { when } => Op::Equal { negated: !when, d, a: d, b, log: left },
        BinaryKind::Comparison(op) => Op::Compare { op, d, a: d, b, log: left },
        BinaryKind::Arithmetic(op) => Op::Arithmetic { op, d, a: d, b, log: left },
    }
}
