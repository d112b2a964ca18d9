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

use hclvm_vm::code::fast::{FastLabel, FastOp};
use hclvm_vm::code::{Arithmetic, Comparison};
use hclvm_vm::{Interval, NumberRef, Value};

use super::FastLowering;
use crate::tree::{Node, NodeId};

/// The most operations that lead to a bound: each widens the interval.
const MOST_STEPS: usize = 8;

/// The comparison of a number with a bound.
pub(super) struct BoundComparison {
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
    pub(super) fn bounded(
        &self,
        op: Comparison,
        subject: NodeId,
        constant: Value<'a>,
    ) -> Option<BoundComparison> {
        let operand = self.context.bare(subject);
        let mut next = Some(self.arithmetic_of(operand)?);
        let number = constant.as_number()?;
        let (bound, is_fraction) = (Interval::of(number)?.widened(), !number.is_integer());
        let mut found = BoundComparison { operand, op, bound, is_fraction };
        for _ in 0..MOST_STEPS {
            let Some((operator, lhs, rhs)) = next else { break };
            let (operand, number, side) = match (self.number(lhs), self.number(rhs)) {
                (None, Some(number)) => (lhs, number, Side::Left),
                (Some(number), None) => (rhs, number, Side::Right),
                _ => return None,
            };
            found.is_fraction |= !number.is_integer();
            let (bound, is_decreasing) = before(operator, found.bound, Interval::of(number)?, side)?;
            found.bound = bound;
            if is_decreasing {
                found.op = found.op.mirrored();
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
    pub(super) fn compare_bound(
        &mut self,
        bounded: &BoundComparison,
        to: FastLabel,
        other: FastLabel,
    ) -> Option<()> {
        let BoundComparison { operand, op, bound, .. } = *bounded;
        let bound = self.list_bound(bound)?;
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
    let is_negative = || {
        let order = constant.compare(Interval::ZERO)?;
        order.is_ne().then_some(order.is_lt())
    };
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

#[cfg(test)]
mod tests {
    use hclvm_vm::Number;
    use hclvm_vm::number;

    use super::*;

    type Exact = fn(NumberRef<'_>, NumberRef<'_>) -> Result<Number, number::NumberFault>;

    /// Returns the result of an operation on `x` and a constant, if there is one.
    fn apply(exact: Exact, x: &Number, constant: &Number, side: Side) -> Option<Number> {
        let (x, constant) = (x.borrow(), constant.borrow());
        match side {
            Side::Left => exact(x, constant),
            Side::Right => exact(constant, x),
        }
        .ok()
    }

    /// Numbers near `value`, which is near the bound, on both sides of it and far from it.
    fn around(value: f64) -> Vec<Number> {
        let mut numbers = Vec::new();
        let ulps = |by: i64| f64::from_bits(value.to_bits().wrapping_add_signed(by));
        for by in [-100_000, -40, -20, -10, -6, -4, -2, -1, 0, 1, 2, 4, 6, 10, 20, 40, 100_000] {
            numbers.extend(Number::from_f64(ulps(by)));
            // The shortest digits of a float are another number, of full precision.
            numbers.extend(Number::parse_text(&format!("{}", ulps(by))));
        }
        numbers.extend(["0", "-0.5", "1", "3", "1e30"].into_iter().filter_map(Number::parse_text));
        numbers
    }

    #[test]
    fn bounds_tell_the_order_that_exact_arithmetic_tells() {
        let texts = [
            "0",
            "1",
            "-1",
            "2",
            "7",
            "0.1",
            "-0.3",
            "1.15",
            "0.805",
            "1e-9",
            "123456789.125",
            "9007199254740993",
        ];
        let constants: Vec<Number> = texts.into_iter().filter_map(Number::parse_text).collect();
        let third = number::divide(Number::ONE.borrow(), Number::short(3).borrow()).expect("a number");
        let constants: Vec<_> = constants.into_iter().chain([third, Number::short(12)]).collect();
        let operations: [(Arithmetic, Exact); 4] = [
            (Arithmetic::Add, number::add),
            (Arithmetic::Subtract, number::subtract),
            (Arithmetic::Multiply, number::multiply),
            (Arithmetic::Divide, number::divide),
        ];
        let (mut told, mut untold, mut bounds) = (0, 0, 0);
        for (outer, outer_exact) in operations {
            for (inner, inner_exact) in operations {
                for (at, c) in constants.iter().enumerate() {
                    let k = &constants[(at * 5 + 3) % constants.len()];
                    for l in &constants {
                        for side in [Side::Left, Side::Right] {
                            let interval =
                                |number: &Number| Interval::of_owned(number).expect("of a usual size");
                            let result = interval(c).widened();
                            let Some((bound, first)) = before(outer, result, interval(k), side) else {
                                continue;
                            };
                            let Some((bound, second)) = before(inner, bound, interval(l), side) else {
                                continue;
                            };
                            bounds += 1;
                            for x in around(bound.parts().0) {
                                let Some(y) = apply(inner_exact, &x, l, side) else { continue };
                                let Some(z) = apply(outer_exact, &y, k, side) else { continue };
                                let Some(order) = Interval::of_owned(&x).and_then(|x| x.compare(bound))
                                else {
                                    untold += 1;
                                    continue;
                                };
                                told += 1;
                                let order = if first == second { order } else { order.reverse() };
                                let exact = number::compare(z.borrow(), c.borrow());
                                assert_eq!(
                                    order, exact,
                                    "{outer:?} {k:?} ({inner:?} {l:?} {x:?}) {side:?} {c:?}"
                                );
                                let equal = number::equal(z.borrow(), c.borrow());
                                assert_eq!(
                                    equal,
                                    exact.is_eq(),
                                    "{outer:?} {k:?} ({inner:?} {l:?} {x:?}) {side:?} {c:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
        assert!(bounds > 1_000 && told > 30_000 && untold > 10_000, "{bounds} {told} {untold}");
        let zero = Interval::ZERO;
        for op in [Arithmetic::Multiply, Arithmetic::Divide] {
            assert_eq!(before(op, zero, zero, Side::Left), None, "{op:?}");
        }
        assert_eq!(before(Arithmetic::Divide, zero, zero, Side::Right), None);
        assert_eq!(before(Arithmetic::Modulo, zero, zero, Side::Left), None);
    }
}
