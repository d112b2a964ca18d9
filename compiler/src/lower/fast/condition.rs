//! Conditions as jumps.

use hclvm_vm::code::Comparison;
use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, Immediate, InlineCache};
use hclvm_vm::{NumberRef, Value, View, Width};

use super::{FastLowering, MOST_CONDITIONS};
use crate::analysis::info::StaticType;
use crate::tree::{BinaryOp, Node, NodeId, UnaryOp};

impl FastLowering<'_, '_> {
    /// Whether a node is best lowered as jumps.
    pub(super) fn is_condition(&self, id: NodeId) -> bool {
        match self.context.tree.node(self.context.bare(id)) {
            Node::Binary { .. } => self.info.ty(id) == StaticType::Bool,
            Node::Unary { op, .. } => op == UnaryOp::Not,
            _ => false,
        }
    }

    /// Jumps to `to` when the node's truth is `when`, else goes on. Nothing when too many
    /// conditions stand around each other.
    pub(super) fn branch(&mut self, id: NodeId, when: bool, to: FastLabel) -> Option<()> {
        if self.conditions >= MOST_CONDITIONS {
            return None;
        }
        self.conditions += 1;
        let done = self.jumps(id, when, to);
        self.conditions -= 1;
        done
    }

    fn jumps(&mut self, id: NodeId, when: bool, to: FastLabel) -> Option<()> {
        let id = self.context.bare(id);
        if let Some(value) = self.info.constant(id) {
            if value.as_bool()? == when {
                self.push(FastOp::Jump { to });
            }
            return Some(());
        }
        match self.context.tree.node(id) {
            Node::Unary { op: UnaryOp::Not, operand } => self.branch(operand, !when, to),
            Node::Binary { op: BinaryOp::And, lhs, rhs } => self.connective(lhs, rhs, false, when, to),
            Node::Binary { op: BinaryOp::Or, lhs, rhs } => self.connective(lhs, rhs, true, when, to),
            Node::Binary { op: BinaryOp::Equal, lhs, rhs } => self.equal(lhs, rhs, when, to),
            Node::Binary { op: BinaryOp::NotEqual, lhs, rhs } => self.equal(lhs, rhs, !when, to),
            Node::Binary { op, lhs, rhs } if comparison(op).is_some() => {
                self.compare(comparison(op)?, lhs, rhs, when, to)
            }
            Node::Conditional { condition, yes, no }
                if self.info.ty(yes) == StaticType::Bool && self.info.ty(no) == StaticType::Bool =>
            {
                self.guarded(|lowering| {
                    let (other, end) = (lowering.label(), lowering.label());
                    lowering.branch(condition, false, other)?;
                    lowering.branch(yes, when, to)?;
                    lowering.push(FastOp::Jump { to: end });
                    lowering.place(other)?;
                    lowering.branch(no, when, to)?;
                    lowering.place(end)
                })
            }
            Node::Call(call) if self.info.ty(id) == StaticType::Bool => {
                self.with_window(id, call, |lowering, f, base, count| {
                    lowering.push(FastOp::BranchCall { f, base, count, when, to });
                    Some(())
                })
            }
            _ => {
                if let Some((a, symbol)) = self.attribute_of(id) {
                    self.push(FastOp::BranchAttribute { a, when, cache: InlineCache::default(), to, symbol });
                    return Some(());
                }
                self.with_operand(id, |lowering, a| {
                    lowering.push(FastOp::Branch { a, when, to });
                    Some(())
                })
            }
        }
    }

    /// `lhs || rhs` (deciding: true) or `lhs && rhs` (deciding: false). The right side is skipped
    /// only when it is a bool by its form; else it is evaluated and has to be one, because the
    /// reference looks at its type even where its value does not matter.
    fn connective(
        &mut self,
        lhs: NodeId,
        rhs: NodeId,
        deciding: bool,
        when: bool,
        to: FastLabel,
    ) -> Option<()> {
        self.guarded(|lowering| {
            if lowering.info.ty(rhs) == StaticType::Bool && lowering.context.environment.short_circuit {
                return lowering.jump_chain(lhs, when, deciding, to, |lowering, when, to| {
                    lowering.branch(rhs, when, to)
                });
            }
            lowering.with_operand(rhs, |lowering, a| {
                lowering.push(FastOp::RequireBool { a });
                lowering.jump_chain(lhs, when, deciding, to, |lowering, when, to| {
                    lowering.push(FastOp::Branch { a, when, to });
                    Some(())
                })
            })
        })
    }

    fn jump_chain(
        &mut self,
        lhs: NodeId,
        when: bool,
        deciding: bool,
        to: FastLabel,
        rhs: impl FnOnce(&mut Self, bool, FastLabel) -> Option<()>,
    ) -> Option<()> {
        if when == deciding {
            self.branch(lhs, deciding, to)?;
            return rhs(self, when, to);
        }
        let decided = self.label();
        self.branch(lhs, deciding, decided)?;
        rhs(self, when, to)?;
        self.place(decided)
    }

    fn equal(&mut self, lhs: NodeId, rhs: NodeId, when: bool, to: FastLabel) -> Option<()> {
        let (subject, constant) = match (self.info.constant(lhs), self.info.constant(rhs)) {
            (_, Some(constant)) => (lhs, constant),
            (Some(constant), None) => (rhs, constant),
            (None, None) => {
                return self.with_operand(lhs, |lowering, a| {
                    lowering.with_operand(rhs, |lowering, b| {
                        lowering.push(FastOp::BranchEqual { a, b, when, to });
                        Some(())
                    })
                });
            }
        };
        let k = self.emitter.constant(constant);
        if !is_short_text(constant) {
            return self.with_operand(subject, |lowering, a| {
                lowering.push(FastOp::BranchEqualConstant { a, when, to, k });
                Some(())
            });
        }
        if let Some((a, symbol)) = self.attribute_of(subject) {
            self.push(FastOp::BranchAttributeText { a, when, cache: InlineCache::default(), to, symbol, k });
            return Some(());
        }
        self.with_operand(subject, |lowering, a| {
            lowering.push(FastOp::BranchText { a, when, to, k });
            Some(())
        })
    }

    /// Known numbers are in order, so that the opposite operator holds where this one does not.
    fn compare(&mut self, op: Comparison, lhs: NodeId, rhs: NodeId, when: bool, to: FastLabel) -> Option<()> {
        let op = if when { op } else { opposite(op) };
        if let Some(parts) = self.estimable(lhs, rhs) {
            return self.compare_estimated(op, &parts, to);
        }
        match (self.info.constant(lhs), self.info.constant(rhs)) {
            (_, Some(constant)) => self.compare_constant(op, lhs, constant, to),
            (Some(constant), None) => self.compare_constant(mirrored(op), rhs, constant, to),
            (None, None) => self.with_operand(lhs, |lowering, a| {
                lowering.with_operand(rhs, |lowering, b| {
                    lowering.push(FastOp::BranchCompare { op, a, b, to });
                    Some(())
                })
            }),
        }
    }

    fn compare_constant(
        &mut self,
        op: Comparison,
        subject: NodeId,
        constant: Value<'_>,
        to: FastLabel,
    ) -> Option<()> {
        if let Some(i) = immediate(constant) {
            return self.compare_immediate(op, subject, i, to);
        }
        // A constant that is no number converts or fails: the full body tells.
        constant.as_number()?;
        let constant = self.constant_copy(constant);
        let k = self.emitter.constant(constant);
        if let Some((a, symbol)) = self.attribute_of(subject) {
            self.push(FastOp::BranchAttributeNumber { op, a, cache: InlineCache::default(), to, symbol, k });
            return Some(());
        }
        self.with_operand(subject, |lowering, a| {
            lowering.push(FastOp::BranchNumber { op, a, to, k });
            Some(())
        })
    }

    fn compare_immediate(
        &mut self,
        op: Comparison,
        subject: NodeId,
        i: Immediate,
        to: FastLabel,
    ) -> Option<()> {
        if let Some((a, symbol)) = self.attribute_of(subject) {
            self.push(FastOp::BranchAttributeInt { op, a, cache: InlineCache::default(), to, symbol, i });
            return Some(());
        }
        self.with_operand(subject, |lowering, a: FastReg| {
            lowering.push(FastOp::BranchInt { op, a, to, i });
            Some(())
        })
    }
}

/// The operator of order that a node's operator is.
pub(super) fn comparison(op: BinaryOp) -> Option<Comparison> {
    Some(match op {
        BinaryOp::Less => Comparison::Less,
        BinaryOp::LessOrEqual => Comparison::LessOrEqual,
        BinaryOp::Greater => Comparison::Greater,
        BinaryOp::GreaterOrEqual => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

const fn opposite(op: Comparison) -> Comparison {
    match op {
        Comparison::Less => Comparison::GreaterOrEqual,
        Comparison::LessOrEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessOrEqual,
        Comparison::GreaterOrEqual => Comparison::Less,
    }
}

const fn mirrored(op: Comparison) -> Comparison {
    match op {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
    }
}

/// A text that is compared in no time. What compares longer ones charges for it.
fn is_short_text(value: Value<'_>) -> bool {
    value.as_str().is_some_and(|text| text.len() <= 256)
}

/// A constant that fits an instruction: a small integer at full precision.
pub(super) fn immediate(value: Value<'_>) -> Option<Immediate> {
    match value.view() {
        View::Number(NumberRef::Int(number, Width::Full)) => i32::try_from(number).ok().map(Immediate),
        _ => None,
    }
}
