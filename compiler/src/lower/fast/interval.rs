//! The interval filter of comparisons and roundings: sums and products with fractions are compared by interval
//! arithmetic first, and exactly only if the intervals overlap; they are rounded by it if all numbers of the
//! interval give one integer.
//!
//! ```text
//! price * 1.15 + 0.1 > limit     BranchInterval  r0 * 1.15 + 0.1 > r1   yes: to, no: after
//!                                Constant        r2 = 1.15
//!                                Multiply        r2 = r0 * r2           exactly, 512 bits
//!                                …
//!                         after:
//! floor(price * 1.15)            Round  r2 = floor r0 * 1.15
//! ```

use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, IntervalId, MOST_TERMS, Term};
use hclvm_vm::code::{Arithmetic, Comparison, Rounding};
use hclvm_vm::{Function, Interval, Intrinsic, NumberRef, Value, Width};

use super::FastLowering;
use super::access::immediate;
use super::operators::{with_immediate, with_register};
use crate::tree::{BinaryKind, Node, NodeId};

/// A part of a computation in postfix order, before registers are assigned.
#[derive(Clone, Copy)]
pub(super) enum IntervalPart<'a> {
    Operand(NodeId),
    Constant(Value<'a>),
    Apply(Arithmetic),
}

/// An operand of the exact computation.
#[derive(Clone, Copy)]
enum ExactOperand<'a> {
    Register(FastReg),
    Constant(Value<'a>),
}

impl<'a> FastLowering<'_, 'a> {
    /// Returns true if the exact result of arithmetic is probably not an integer: only then is exact
    /// arithmetic expensive enough for a filter.
    fn has_fractions(&self, id: NodeId, depth: usize) -> bool {
        let id = self.context.bare(id);
        let Some((op, lhs, rhs)) = self.arithmetic_of(id) else { return false };
        if depth > MOST_TERMS {
            return false;
        }
        let fraction =
            |id| self.info.constant(id).is_some_and(|value| value.as_number().is_some_and(is_fraction));
        let divides = op == Arithmetic::Divide && self.info.constant(rhs).is_none();
        divides
            || fraction(lhs)
            || fraction(rhs)
            || self.has_fractions(lhs, depth + 1)
            || self.has_fractions(rhs, depth + 1)
    }

    /// Returns the operator and operands of arithmetic that intervals can bound.
    pub(super) fn arithmetic_of(&self, id: NodeId) -> Option<(Arithmetic, NodeId, NodeId)> {
        if self.info.constant(id).is_some() {
            return None;
        }
        match self.context.tree.node(id) {
            Node::Binary { op, lhs, rhs } => match op.kind() {
                BinaryKind::Arithmetic(op) if has_interval(op) => {
                    Some((op, self.context.bare(lhs), self.context.bare(rhs)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the parts of both sides of a comparison of arithmetic that is worth a filter and not too long for one,
    /// and true if fractions are expected. In a loop, any arithmetic is worth a filter, because elements may have
    /// fractions.
    pub(super) fn interval_parts(&self, lhs: NodeId, rhs: NodeId) -> Option<(Vec<IntervalPart<'a>>, bool)> {
        let expects = self.has_fractions(lhs, 0) || self.has_fractions(rhs, 0);
        if !expects && !self.is_in_loop() {
            return None;
        }
        let mut parts = Vec::with_capacity(MOST_TERMS + 1);
        self.parts_of(lhs, &mut parts, 0)?;
        self.parts_of(rhs, &mut parts, 0)?;
        Some((parts, expects))
    }

    /// Returns the parts of the argument of a function that rounds, if that is arithmetic and not too long.
    pub(super) fn rounded_parts(
        &self,
        function: &Function,
        arg: NodeId,
    ) -> Option<(Rounding, Vec<IntervalPart<'a>>)> {
        let Some(Intrinsic::Rounds(rounding)) = function.intrinsic else { return None };
        self.arithmetic_of(self.context.bare(arg))?;
        let mut parts = Vec::with_capacity(MOST_TERMS + 1);
        self.parts_of(arg, &mut parts, 0)?;
        // The result has the precision of literals if a constant has it.
        let is_full = |number: NumberRef<'_>| number.precision() == Width::Full.bits();
        let is_usable = |part: &IntervalPart<'a>| match part {
            IntervalPart::Constant(value) => value.as_number().is_some_and(is_full),
            _ => true,
        };
        parts.iter().all(is_usable).then_some((rounding, parts))
    }

    /// Lowers the rounding of a computation.
    pub(super) fn round(&mut self, rounding: Rounding, parts: &[IntervalPart<'a>], d: FastReg) -> Option<()> {
        let operands = parts.iter().filter(|part| matches!(part, IntervalPart::Operand(_))).count();
        self.with_registers(operands, |lowering, base| {
            let mut terms = Vec::with_capacity(parts.len());
            let mut next = base.0;
            for part in parts {
                terms.push(match *part {
                    IntervalPart::Operand(node) => Term::Register(lowering.operand_in(node, &mut next)?),
                    IntervalPart::Constant(value) => {
                        let number = value.as_number()?;
                        Term::Constant(Interval::of(number)?, Some(lowering.pool.constant(value)))
                    }
                    IntervalPart::Apply(op) => Term::Apply(op),
                });
            }
            let intervals = lowering.list_terms(terms)?;
            lowering.push(FastOp::Round { rounding, d, intervals });
            Some(())
        })
    }

    /// Jumps to exact arithmetic if the first two numbers of a computation are integers, which need no filter.
    fn skip_integers(&mut self, terms: &[Term], exact: FastLabel) {
        let register = |term: &Term| if let Term::Register(reg) = term { Some(*reg) } else { None };
        let mut registers = terms.iter().filter_map(register);
        if let Some(a) = registers.next() {
            let b = registers.next().unwrap_or(a);
            self.push(FastOp::BranchIntegers { a, b, to: exact });
        }
    }

    /// Returns the register of an operand, which is `next` for one that is computed.
    fn operand_in(&mut self, node: NodeId, next: &mut u8) -> Option<FastReg> {
        if let Some(reg) = self.register_of(node) {
            return Some(reg);
        }
        let reg = FastReg(*next);
        *next += 1;
        self.value(node, reg)?;
        Some(reg)
    }

    /// Lists the bound of a comparison.
    pub(super) fn list_bound(&mut self, bound: Interval) -> Option<IntervalId> {
        self.list_terms(vec![Term::Constant(bound, None)])
    }

    /// Lists the terms of a computation.
    fn list_terms(&mut self, terms: Vec<Term>) -> Option<IntervalId> {
        let list = &mut self.extras().intervals;
        let id = IntervalId(u16::try_from(list.len()).ok()?);
        list.push(terms.into());
        Some(id)
    }

    /// Lowers the comparison of two computations: jumps to `to` if the first `op` the second. If no fractions are
    /// expected, integers are not filtered.
    pub(super) fn compare_intervals(
        &mut self,
        op: Comparison,
        (parts, expects): (&[IntervalPart<'a>], bool),
        to: FastLabel,
    ) -> Option<()> {
        let operands = parts.iter().filter(|part| matches!(part, IntervalPart::Operand(_))).count();
        // One register for each operand, and at most one for each part of the exact computation.
        self.with_registers(operands + parts.len(), |lowering, base| {
            let mut terms = Vec::with_capacity(parts.len());
            let mut places = Vec::with_capacity(parts.len());
            let mut next = base.0;
            for part in parts {
                let (term, place) = match *part {
                    IntervalPart::Operand(node) => {
                        let reg = lowering.operand_in(node, &mut next)?;
                        (Term::Register(reg), Some(ExactOperand::Register(reg)))
                    }
                    IntervalPart::Constant(value) => {
                        let interval = Interval::of(value.as_number()?)?;
                        (Term::Constant(interval, None), Some(ExactOperand::Constant(value)))
                    }
                    IntervalPart::Apply(op) => (Term::Apply(op), None),
                };
                terms.push(term);
                places.push(place);
            }
            let (exact, after) = (lowering.label(), lowering.label());
            if !expects {
                lowering.skip_integers(&terms, exact);
            }
            let intervals = lowering.list_terms(terms)?;
            lowering.push(FastOp::BranchInterval { op, intervals, to, other: after });
            lowering.place(exact)?;
            let mut stack: Vec<ExactOperand<'a>> = Vec::with_capacity(parts.len());
            for (part, place) in parts.iter().zip(places) {
                let result = match (*part, place) {
                    (IntervalPart::Apply(op), _) => {
                        let (b, a) = (stack.pop()?, stack.pop()?);
                        let d = FastReg(next);
                        next += 1;
                        lowering.exactly(op, a, b, d)?;
                        ExactOperand::Register(d)
                    }
                    (_, place) => place?,
                };
                stack.push(result);
            }
            let (b, a) = (stack.pop()?, stack.pop()?);
            let spare = FastReg(next);
            let a = lowering.in_register(a, spare)?;
            match b {
                ExactOperand::Register(b) => lowering.push(FastOp::BranchCompare { op, a, b, to }),
                ExactOperand::Constant(value) => {
                    let k = lowering.pool.constant(value);
                    lowering.push(FastOp::BranchNumber { op, a, to, k });
                }
            }
            lowering.place(after)
        })
    }

    /// Appends the parts of a computation in postfix order. `None` if there are too many, which a chain may
    /// have any number of.
    fn parts_of(&self, id: NodeId, parts: &mut Vec<IntervalPart<'a>>, depth: usize) -> Option<()> {
        if depth > MOST_TERMS {
            return None;
        }
        let id = self.context.bare(id);
        if let Some(value) = self.info.constant(id) {
            Interval::of(value.as_number()?)?;
            parts.push(IntervalPart::Constant(value));
        } else if let Some((op, lhs, rhs)) = self.arithmetic_of(id) {
            // Two constants would need two registers for one result; see `exactly`.
            if self.info.constant(lhs).is_some() && self.info.constant(rhs).is_some() {
                return None;
            }
            self.parts_of(lhs, parts, depth + 1)?;
            self.parts_of(rhs, parts, depth + 1)?;
            parts.push(IntervalPart::Apply(op));
        } else {
            parts.push(IntervalPart::Operand(id));
        }
        (parts.len() <= MOST_TERMS).then_some(())
    }

    /// Lowers `d = a op b` in exact arithmetic.
    fn exactly(
        &mut self,
        op: Arithmetic,
        a: ExactOperand<'a>,
        b: ExactOperand<'a>,
        d: FastReg,
    ) -> Option<()> {
        let a = self.in_register(a, d)?;
        if let ExactOperand::Constant(value) = b
            && let Some(op) = immediate(value).and_then(|i| with_immediate(op, d, a, i))
        {
            self.push(op);
            return Some(());
        }
        // `parts_of` admits one constant only: `d` is free for the other operand.
        let b = self.in_register(b, d)?;
        self.push(with_register(op, d, a, b));
        Some(())
    }

    /// Returns the register of an operand. A constant is loaded into `free`.
    fn in_register(&mut self, place: ExactOperand<'a>, free: FastReg) -> Option<FastReg> {
        match place {
            ExactOperand::Register(reg) => Some(reg),
            ExactOperand::Constant(value) => {
                let k = self.pool.constant(value);
                self.push(FastOp::Constant { d: free, k });
                Some(free)
            }
        }
    }
}

/// Returns true if the result has an interval. Remainders have none: they are not monotonic.
const fn has_interval(op: Arithmetic) -> bool {
    match op {
        Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply | Arithmetic::Divide => true,
        Arithmetic::Modulo => false,
    }
}

fn is_fraction(number: NumberRef<'_>) -> bool {
    !number.is_integer()
}
