//! Bounds of comparisons: a number that is changed by operations with constants and then compared with a constant is
//! compared with the constant to which these operations lead back. The bound is an interval; numbers within it are
//! compared by the operations themselves. Comparisons of several numbers have a filter of
//! [intervals](super::interval).
//!
//! ```text
//! s.load * 2 + 1 < 1.805     BranchAttributeBound  r1.load < 0.4025   yes: to, no: after
//!                            Attribute             r2 = r1.load
//!                            MultiplyInt           r2 = r2 * 2        exactly, 512 bits
//!                            …
//!                     after:
//! ```
//!
//! The language rounds results, but rounding is monotonic: where the exact result is on one side of a number, the
//! rounded one is not on the other.

use hclvm_vm::code::fast::{FastLabel, FastOp, InlineCache};
use hclvm_vm::code::{Arithmetic, Comparison};
use hclvm_vm::{Interval, NumberRef, Value};

use super::FastLowering;
use super::condition::mirrored;
use crate::lower::operator::arithmetic;
use crate::tree::{Node, NodeId};

/// The most operations that lead to a bound: each widens the interval.
const MOST_STEPS: usize = 8;

/// The comparison of a number with a bound.
pub(super) struct Bounded {
    /// The number: a variable or a part of one.
    pub(super) operand: NodeId,
    pub(super) op: Comparison,
    pub(super) bound: Interval,
    /// True if a constant of the comparison has a fraction.
    pub(super) is_fraction: bool,
}

/// The side of an operator on which the operand is; the constant is on the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl<'a> FastLowering<'_, 'a> {
    /// Returns the comparison with a bound that decides `subject op constant`, if the subject consists of operations
    /// with constants on a variable or a part of one.
    pub(super) fn bounded(&self, op: Comparison, subject: NodeId, constant: Value<'a>) -> Option<Bounded> {
        let operand = self.context.bare(subject);
        let mut next = Some(self.arithmetic_of(operand)?);
        let number = constant.as_number()?;
        let (bound, is_fraction) = (Interval::of(number)?.widened(), !number.is_integer());
        let mut found = Bounded { operand, op, bound, is_fraction };
        for _ in 0..MOST_STEPS {
            let Some((operator, lhs, rhs)) = next else { break };
            let (operand, number, side) = match (self.number(lhs), self.number(rhs)) {
                (None, Some(number)) => (lhs, number, Side::Left),
                (Some(number), None) => (rhs, number, Side::Right),
                _ => return None,
            };
            found.is_fraction |= !number.is_integer();
            let (bound, is_decreasing) = before(arithmetic(operator)?, found.bound, Interval::of(number)?, side)?;
            found.bound = bound;
            if is_decreasing {
                found.op = mirrored(found.op);
            }
            found.operand = operand;
            next = self.arithmetic_of(operand);
        }
        // A chain of more steps, which is no path either, has no bound.
        matches!(self.context.tree.node(found.operand), Node::Traversal { .. }).then_some(found)
    }

    fn number(&self, id: NodeId) -> Option<NumberRef<'a>> {
        self.info.constant(id)?.as_number()
    }

    /// Lowers a comparison with a bound: jumps to `to` if it holds, to `other` if not, and falls through if the bound
    /// does not decide.
    pub(super) fn compare_bound(&mut self, bounded: &Bounded, to: FastLabel, other: FastLabel) -> Option<()> {
        let Bounded { operand, op, bound, .. } = *bounded;
        let bound = self.list_bound(bound)?;
        if let Some((a, symbol)) = self.attribute_of(operand) {
            let cache = InlineCache::default();
            self.push(FastOp::BranchAttributeBound { op, a, cache, bound, to, other, symbol });
            return Some(());
        }
        self.with_operand(operand, |lowering, a| {
            lowering.push(FastOp::BranchBound { op, a, bound, to, other });
            Some(())
        })
    }
}

/// Returns the bounds of `x`, where those of the result of `x op constant` are given, or of `constant op x` if `x` is
/// on the right side: if `x` is less than the whole interval, the result is less than all of `result`, likewise for
/// greater; the other way round for a decreasing operation, of which the second part of the pair is true.
fn before(op: Arithmetic, result: Interval, constant: Interval, side: Side) -> Option<(Interval, bool)> {
    // The result is rounded: an exact one beyond the wider interval is not rounded to one of `result`.
    let result = result.widened();
    // Products and quotients decrease if the constant is negative; zero leads to no bound.
    let is_negative = || constant.compare(Interval::ZERO).map(|order| order.is_lt());
    Some(match (op, side) {
        (Arithmetic::Add, _) => (result.minus(constant)?, false),
        (Arithmetic::Subtract, Side::Left) => (result.plus(constant)?, false),
        (Arithmetic::Subtract, Side::Right) => (constant.minus(result)?, true),
        (Arithmetic::Multiply, _) => (result.over(constant)?, is_negative()?),
        (Arithmetic::Divide, Side::Left) => (result.times(constant)?, is_negative()?),
        // Quotients by `x` are not monotonic around zero, remainders nowhere.
        (Arithmetic::Divide, Side::Right) | (Arithmetic::Modulo, _) => return None,
    })
}
