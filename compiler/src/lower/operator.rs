//! Operators and conditionals.

use hclvm_vm::code::{Arithmetic, Comparison, Connective, Op, Reg};
use hclvm_vm::fault::Place;

use super::Lowering;
use crate::tree::{BinaryOp, Node, NodeId, UnaryOp};

impl Lowering<'_, '_> {
    /// A chain of binary operations along its left spine: `a + b + c` is `(a + b) + c`. All
    /// of them share the point where their left operands' faults begin.
    pub(super) fn binary(&mut self, id: NodeId, d: Reg) {
        let mut spine = Vec::new();
        let mut leftmost = id;
        while let Node::Binary { op, lhs, rhs } = self.tree.node(leftmost) {
            if self.constant_of(leftmost).is_some() {
                break;
            }
            spine.push((leftmost, op, rhs));
            leftmost = lhs;
        }
        self.with_log(id, |lowering, log| {
            lowering.expr(leftmost, d);
            for (id, op, rhs) in spine.into_iter().rev() {
                lowering.operation(id, op, rhs, d, log);
            }
        });
    }

    /// One operation on the left operand in `d`.
    fn operation(&mut self, id: NodeId, op: BinaryOp, rhs: NodeId, d: Reg, log: Reg) {
        let connective = match (op, self.environment.short_circuit) {
            (BinaryOp::And, true) => Connective::And,
            (BinaryOp::Or, true) => Connective::Or,
            (BinaryOp::And, false) => Connective::StrictAnd,
            (BinaryOp::Or, false) => Connective::StrictOr,
            _ => {
                return self.with_value(rhs, |lowering, b| {
                    lowering.emit(plain_operation(op, d, b, log), id, Place::Node);
                });
            }
        };
        self.with_log(id, |lowering, right| {
            lowering.with_value(rhs, |lowering, b| {
                lowering.emit(Op::Logic { op: connective, d, a: d, b, left: log, right }, id, Place::Node);
            });
        });
    }

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

    /// Both arms, then the condition, then the choice: the reference's order.
    pub(super) fn conditional(&mut self, id: NodeId, [condition, yes, no]: [NodeId; 3], d: Reg) {
        self.with_log(id, |lowering, yes_log| {
            lowering.expr(yes, d);
            lowering.with_log(id, |lowering, no_log| {
                lowering.with_value(no, |lowering, b| {
                    lowering.with_log(id, |lowering, test| {
                        lowering.with_value(condition, |lowering, c| {
                            let op = Op::Conditional { d, c, a: d, b, yes: yes_log, no: no_log, test };
                            lowering.emit(op, id, Place::Node);
                        });
                    });
                });
            });
        });
    }
}

fn plain_operation(op: BinaryOp, d: Reg, b: Reg, log: Reg) -> Op {
    let arithmetic = |op| Op::Arithmetic { op, d, a: d, b, log };
    let compare = |op| Op::Compare { op, d, a: d, b, log };
    match op {
        BinaryOp::Add => arithmetic(Arithmetic::Add),
        BinaryOp::Subtract => arithmetic(Arithmetic::Subtract),
        BinaryOp::Multiply => arithmetic(Arithmetic::Multiply),
        BinaryOp::Divide => arithmetic(Arithmetic::Divide),
        BinaryOp::Modulo => arithmetic(Arithmetic::Modulo),
        BinaryOp::Less => compare(Comparison::Less),
        BinaryOp::LessOrEqual => compare(Comparison::LessOrEqual),
        BinaryOp::Greater => compare(Comparison::Greater),
        BinaryOp::GreaterOrEqual => compare(Comparison::GreaterOrEqual),
        // `&&` and `||` have instructions of their own; see `operation`.
        BinaryOp::Equal | BinaryOp::And | BinaryOp::Or => Op::Equal { negated: false, d, a: d, b, log },
        BinaryOp::NotEqual => Op::Equal { negated: true, d, a: d, b, log },
    }
}
