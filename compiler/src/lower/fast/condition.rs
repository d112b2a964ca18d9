//! Conditions as jumping code: no bool is computed, each part jumps to the label of its outcome.
//!
//! A condition is lowered with a label and the truth for which it jumps there; otherwise control
//! falls through. `!` swaps the truth, `&&` and `||` pass the label on to both sides:
//!
//! ```text
//! a && b, jump to L if false      a: jump to L if false
//!                                 b: jump to L if false
//! a || b, jump to L if false      a: jump to D if true
//!                                 b: jump to L if false
//!                              D:
//! ```

use hclvm_vm::Value;
use hclvm_vm::code::Comparison;
use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, Immediate};

use smol_str::SmolStr;

use super::FastLowering;
use super::access::immediate;
use super::destination::Destination;
use crate::analysis::info::StaticType;
use crate::lower::operator::{MOST_LEVELS, is_short_text};
use crate::tree::{BinaryKind, CallId, Node, NodeId, UnaryOp};

impl<'a> FastLowering<'_, 'a> {
    /// Returns true if `node`, the node `id`, is lowered as jumps.
    #[inline] // Its callers compare the kind of the node as well.
    pub(super) fn is_condition_node(&self, id: NodeId, node: Node) -> bool {
        match node {
            Node::Binary { .. } => self.info.ty(id) == StaticType::Bool,
            Node::Unary { op, .. } => op == UnaryOp::Not,
            Node::Call(call) => self.search_in_texts(id, call).is_some(),
            _ => false,
        }
    }

    /// Lowers a condition: jumps to `to` if its truth is `when`, else falls through. Returns `None` if
    /// conditions are nested too deeply.
    pub(super) fn branch(&mut self, id: NodeId, when: bool, to: FastLabel) -> Option<()> {
        if self.conditions >= MOST_LEVELS {
            return None;
        }
        self.conditions += 1;
        let done = self.jumps(id, when, to);
        self.conditions -= 1;
        done
    }

    /// Lowers a condition of each kind.
    fn jumps(&mut self, id: NodeId, when: bool, to: FastLabel) -> Option<()> {
        let id = self.context.bare(id);
        if let Some(value) = self.info.constant(id) {
            // What the condition rules out may leave no instruction.
            self.fast.omits = true;
            if value.as_bool()? == when {
                self.push(FastOp::Jump { to });
            }
            return Some(());
        }
        match self.context.tree.node(id) {
            Node::Unary { op: UnaryOp::Not, operand } => self.branch(operand, !when, to),
            Node::Binary { op, lhs, rhs } => match op.kind() {
                BinaryKind::Logical { deciding: false } => self.connective(lhs, rhs, false, when, to),
                BinaryKind::Logical { deciding: true } => self.alternative(id, [lhs, rhs], when, to),
                BinaryKind::Equality { when: equal } => self.equal(lhs, rhs, when == equal, to),
                BinaryKind::Comparison(op) => self.compare(op, lhs, rhs, when, to),
                BinaryKind::Arithmetic(_) => self.branch_on(id, when, to),
            },
            Node::Conditional { condition, yes, no }
                if self.info.ty(yes) == StaticType::Bool && self.info.ty(no) == StaticType::Bool =>
            {
                self.chosen_condition([condition, yes, no], when, to)
            }
            Node::Call(call) if self.info.ty(id) == StaticType::Bool => {
                self.call_condition(id, call, when, to)
            }
            _ => self.branch_on(id, when, to),
        }
    }

    /// Lowers `lhs || rhs`, which may be a comparison with many texts.
    fn alternative(&mut self, id: NodeId, [lhs, rhs]: [NodeId; 2], when: bool, to: FastLabel) -> Option<()> {
        match self.switch_members(id) {
            Some((subject, texts)) => self.guarded(|lowering| lowering.is_member(subject, texts, when, to)),
            None => self.connective(lhs, rhs, true, when, to),
        }
    }

    /// Lowers a conditional between conditions.
    fn chosen_condition(
        &mut self,
        [condition, yes, no]: [NodeId; 3],
        when: bool,
        to: FastLabel,
    ) -> Option<()> {
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

    /// Lowers a call whose result is a bool.
    fn call_condition(&mut self, id: NodeId, call: CallId, when: bool, to: FastLabel) -> Option<()> {
        if let Some((subject, texts)) = self.search_in_texts(id, call) {
            let texts = texts.iter().filter_map(|text| text.as_str());
            return self.is_member(subject, texts.map(SmolStr::new).collect(), when, to);
        }
        self.branch_on(id, when, to)
    }

    /// Lowers a bool that is no condition itself.
    fn branch_on(&mut self, id: NodeId, when: bool, to: FastLabel) -> Option<()> {
        self.with_operand(id, |lowering, a| {
            lowering.push(FastOp::Branch { a, when, to });
            Some(())
        })
    }

    /// Lowers the truth of a condition.
    pub(super) fn truth(&mut self, id: NodeId, to: Destination) -> Option<()> {
        let no = self.label();
        self.branch(id, false, no)?;
        self.alternatives(
            to,
            |lowering| lowering.deliver_constant(Value::TRUE, to),
            |lowering| {
                lowering.place(no)?;
                lowering.deliver_constant(Value::FALSE, to)
            },
        )
    }

    /// Lowers `lhs || rhs` (`deciding` is true) or `lhs && rhs` (`deciding` is false). The right
    /// operand is skipped only if its static type is bool. Otherwise it is evaluated first and must be
    /// a bool, because the reference checks its type even if its value does not matter.
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
            if lowering.is_attribute(rhs) {
                return lowering.check_attribute([lhs, rhs], [deciding, when], to);
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

    /// Lowers a connective whose right operand is an attribute, which has to be a bool in any case. Each way reads
    /// it once.
    ///
    /// ```text
    /// a && b.c, jump to L if false    a: jump to D if false
    ///                                 b.c: jump to L if false
    ///                                 jump to E
    ///                              D: b.c: jump to L if true
    ///                                 jump to L
    ///                              E:
    /// ```
    fn check_attribute(
        &mut self,
        [lhs, rhs]: [NodeId; 2],
        [deciding, when]: [bool; 2],
        to: FastLabel,
    ) -> Option<()> {
        let [decided, end] = [self.label(), self.label()];
        self.branch(lhs, deciding, decided)?;
        self.branch_on(rhs, when, to)?;
        self.push(FastOp::Jump { to: end });
        self.place(decided)?;
        let outcome = if when == deciding { to } else { end };
        self.branch_on(rhs, true, outcome)?;
        if when == deciding {
            self.push(FastOp::Jump { to });
        }
        self.place(end)
    }

    /// Lowers the left operand of a connective, and the right one by `rhs` if the left one does not
    /// decide.
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

    /// Lowers `lhs == rhs`.
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
        let k = self.pool.constant(constant);
        if !is_short_text(constant) {
            return self.with_operand(subject, |lowering, a| {
                lowering.push(FastOp::BranchEqualConstant { a, when, to, k });
                Some(())
            });
        }
        self.with_operand(subject, |lowering, a| {
            lowering.with_register(|lowering, d| {
                lowering.push(FastOp::EqualText { d, a, k });
                lowering.push(FastOp::Branch { a: d, when, to });
                Some(())
            })
        })
    }

    /// Lowers an order comparison. Numbers are totally ordered, so the negated operator holds where
    /// this one does not.
    fn compare(&mut self, op: Comparison, lhs: NodeId, rhs: NodeId, when: bool, to: FastLabel) -> Option<()> {
        let op = if when { op } else { op.negated() };
        let is_arithmetic = |id| self.arithmetic_of(self.context.bare(id)).is_some();
        if is_arithmetic(lhs) || is_arithmetic(rhs) {
            return self.compare_arithmetic(op, lhs, rhs, to);
        }
        self.compare_exactly(op, lhs, rhs, to)
    }

    /// Lowers an order comparison with an operand that is arithmetic, with a filter in front of it if it is worth one.
    // Out of line: most comparisons are of other operands, and their lowering is inlined into that of conditions.
    #[inline(never)]
    fn compare_arithmetic(&mut self, op: Comparison, lhs: NodeId, rhs: NodeId, to: FastLabel) -> Option<()> {
        let bounded = match (self.info.constant(lhs), self.info.constant(rhs)) {
            (None, Some(constant)) => self.bounded(op, lhs, constant),
            (Some(constant), None) => self.bounded(op.mirrored(), rhs, constant),
            _ => None,
        };
        // Outside of loops, integers are computed about as fast as they are compared with a bound.
        if let Some(bounded) = bounded.filter(|bounded| bounded.is_fraction || self.is_in_loop()) {
            let after = self.label();
            self.compare_bound(&bounded, to, after)?;
            self.compare_exactly(op, lhs, rhs, to)?;
            return self.place(after);
        }
        match self.interval_parts(lhs, rhs) {
            Some((parts, expects)) => self.compare_intervals(op, (&parts, expects), to),
            None => self.compare_exactly(op, lhs, rhs, to),
        }
    }

    /// Lowers an order comparison without a filter in front of it.
    // Inlined: see `compare_arithmetic`.
    #[inline(always)]
    fn compare_exactly(&mut self, op: Comparison, lhs: NodeId, rhs: NodeId, to: FastLabel) -> Option<()> {
        match (self.info.constant(lhs), self.info.constant(rhs)) {
            (_, Some(constant)) => self.compare_constant(op, lhs, constant, to),
            (Some(constant), None) => self.compare_constant(op.mirrored(), rhs, constant, to),
            (None, None) => self.with_operand(lhs, |lowering, a| {
                lowering.with_operand(rhs, |lowering, b| {
                    lowering.push(FastOp::BranchCompare { op, a, b, to });
                    Some(())
                })
            }),
        }
    }

    /// Lowers a comparison with a constant.
    fn compare_constant(
        &mut self,
        op: Comparison,
        subject: NodeId,
        constant: Value<'a>,
        to: FastLabel,
    ) -> Option<()> {
        if let Some(i) = immediate(constant) {
            return self.compare_immediate(op, subject, i, to);
        }
        // Any other constant converts to a number or fails, which the baseline tier decides.
        constant.as_number()?;
        let k = self.pool.constant(constant);
        self.with_operand(subject, |lowering, a| {
            lowering.push(FastOp::BranchNumber { op, a, to, k });
            Some(())
        })
    }

    /// Lowers a comparison with an immediate operand.
    fn compare_immediate(
        &mut self,
        op: Comparison,
        subject: NodeId,
        i: Immediate,
        to: FastLabel,
    ) -> Option<()> {
        self.with_operand(subject, |lowering, a: FastReg| {
            lowering.push(FastOp::BranchInt { op, a, to, i });
            Some(())
        })
    }
}
