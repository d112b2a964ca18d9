//! Arithmetic of vectors. An operation gives the value that numbers of the language have, or no answer: integers whose
//! result is not one of 64 bits, floats whose result is not one exactly or has another precision.

use super::divisor::LaneDivisor;
use super::mask::{Mask, ROWS};
use super::vector::{Lane, LaneKind, Precision, Vector, exact_float};
use crate::code::Arithmetic;
use crate::number::{NumberRef, Width};
use crate::value::Value;

/// Numbers of a vector or of a constant.
#[derive(Clone, Copy)]
enum LaneOperand<'v> {
    Ints(&'v [i64], Precision),
    Int(i64, Precision),
    Floats(&'v [f64], Precision),
    Float(f64, Precision),
}

/// Computes `a op b` into `d` and returns the rows of `within` that have no answer. Other rows have any value.
pub(super) fn compute(
    d: &mut Vector<'_>,
    op: Arithmetic,
    [a, b]: [Lane<'_>; 2],
    within: &Mask,
    len: usize,
) -> Mask {
    let (Some(a), Some(b)) = (operand(a), operand(b)) else {
        d.make_odd();
        return *within;
    };
    (d.null, d.odd) = (Mask::NONE, Mask::NONE);
    // A remainder has the precision of the dividend.
    let kind = if op == Arithmetic::Modulo { a.precision() } else { a.precision().max(b.precision()) };
    let into = &mut d.ints;
    let unanswered = match (a, b) {
        (LaneOperand::Ints(a, _), LaneOperand::Ints(b, _)) => of_pairs(into, op, a, b),
        (LaneOperand::Ints(a, _), LaneOperand::Int(b, _)) => with_constant(into, op, a, b),
        (LaneOperand::Int(a, _), LaneOperand::Ints(b, _)) => of_constant(into, op, a, b),
        (LaneOperand::Int(a, _), LaneOperand::Int(b, _)) => {
            let same = [a; ROWS];
            with_constant(into, op, same.get(..len).unwrap_or(&same), b)
        }
        _ => return mixed(d, op, [a, b], within, len),
    };
    d.kind = LaneKind::Ints(kind);
    unanswered
}

fn operand(lane: Lane<'_>) -> Option<LaneOperand<'_>> {
    Some(match lane {
        Lane::Ints(ints, precision) => LaneOperand::Ints(ints, precision),
        Lane::Floats(floats, precision) => LaneOperand::Floats(floats, precision),
        Lane::Constant(value) => constant(value)?,
        _ => return None,
    })
}

fn constant(value: Value<'_>) -> Option<LaneOperand<'static>> {
    Some(match value.as_number()? {
        NumberRef::Int(int, Width::Short) => LaneOperand::Int(int, Precision::Short),
        NumberRef::Int(int, Width::Full) => LaneOperand::Int(int, Precision::Full),
        // A decimal that is a float, such as 2.5, has 512 bits.
        number @ NumberRef::Decimal(..) => LaneOperand::Float(exactly(number)?, Precision::Full),
        number @ NumberRef::Big(_) if number.precision() == 53 => {
            LaneOperand::Float(exactly(number)?, Precision::Host)
        }
        NumberRef::Ratio(_) | NumberRef::Big(_) => return None,
    })
}

/// Returns the finite float that a number is.
fn exactly(number: NumberRef<'_>) -> Option<f64> {
    let float = number.to_f64();
    let same = crate::number::Number::from_f64(float)?;
    let is_exact = crate::number::compare(same.borrow(), number).is_eq();
    (is_exact && float.is_finite()).then_some(float)
}

/// Computes `a op b` of all rows, and returns those without an answer.
fn of_pairs(into: &mut Vec<i64>, op: Arithmetic, a: &[i64], b: &[i64]) -> Mask {
    match op {
        Arithmetic::Add => each_pair(into, a, b, add),
        Arithmetic::Subtract => each_pair(into, a, b, subtract),
        Arithmetic::Multiply => each_pair(into, a, b, multiply),
        Arithmetic::Divide => each_pair(into, a, b, quotient),
        Arithmetic::Modulo => each_pair(into, a, b, remainder),
    }
}

/// As `of_pairs`, where `b` is a constant.
fn with_constant(into: &mut Vec<i64>, op: Arithmetic, a: &[i64], b: i64) -> Mask {
    match (op, LaneDivisor::of(b)) {
        (Arithmetic::Add, _) => each(into, a, |a| add(a, b)),
        (Arithmetic::Subtract, _) => each(into, a, |a| subtract(a, b)),
        (Arithmetic::Multiply, _) if b > 0 => {
            // The product is zero only if `a` is, and a product that may overflow is left to the row.
            let most = i64::MAX / b;
            each(into, a, |a| (a.wrapping_mul(b), most.wrapping_sub(a) | most.wrapping_add(a)))
        }
        (Arithmetic::Multiply, _) => each(into, a, |a| multiply(a, b)),
        (Arithmetic::Divide, Some(by)) => each(into, a, |a| {
            let (quotient, remainder) = by.divide(a);
            // Zero divided by a negative number is negative zero.
            (quotient, -i64::from(remainder != 0) | -i64::from(a == 0) & b)
        }),
        (Arithmetic::Divide, None) => each(into, a, |a| quotient(a, b)),
        (Arithmetic::Modulo, Some(by)) => each(into, a, |a| (by.divide(a).1, 0)),
        (Arithmetic::Modulo, None) => each(into, a, |a| remainder(a, b)),
    }
}

/// As `of_pairs`, where `a` is a constant.
fn of_constant(into: &mut Vec<i64>, op: Arithmetic, a: i64, b: &[i64]) -> Mask {
    match op {
        Arithmetic::Add | Arithmetic::Multiply => with_constant(into, op, b, a),
        Arithmetic::Subtract => each(into, b, |b| subtract(a, b)),
        Arithmetic::Divide => each(into, b, |b| quotient(a, b)),
        Arithmetic::Modulo => each(into, b, |b| remainder(a, b)),
    }
}

// The operations return the result of a row, and a negative number if it is none.

// Inlined into a loop over rows, which is vectorized.
#[inline(always)]
const fn add(a: i64, b: i64) -> (i64, i64) {
    let sum = a.wrapping_add(b);
    (sum, (a ^ sum) & (b ^ sum))
}

// Inlined, as `add`.
#[inline(always)]
const fn subtract(a: i64, b: i64) -> (i64, i64) {
    let difference = a.wrapping_sub(b);
    (difference, (a ^ b) & (a ^ difference))
}

// Inlined, as `add`.
#[inline(always)]
fn multiply(a: i64, b: i64) -> (i64, i64) {
    let (product, overflows) = a.overflowing_mul(b);
    // Zero times a negative number is negative zero.
    (product, -i64::from(overflows) | -i64::from(product == 0) & (a | b))
}

// Inlined into a loop over rows.
#[inline(always)]
fn quotient(a: i64, b: i64) -> (i64, i64) {
    match (a.checked_rem(b), a.checked_div(b)) {
        (Some(0), Some(quotient)) if a != 0 || b > 0 => (quotient, 0),
        _ => (0, -1),
    }
}

/// Returns the remainder, which is the dividend if the divisor is zero.
// Inlined into a loop over rows.
#[inline(always)]
fn remainder(a: i64, b: i64) -> (i64, i64) {
    if b == 0 {
        return (a, 0);
    }
    // Dividing 32 bits takes a third of the time of dividing 64.
    if let (Ok(a), Ok(b)) = (u32::try_from(a), u32::try_from(b)) {
        return (i64::from(a % b), 0);
    }
    (a.wrapping_rem(b), -i64::from(b == -1 && a == i64::MIN))
}

/// Computes the results of all rows, and returns those of which there is none.
// Inlined, so that the operation is part of the loop.
#[inline(always)]
fn each(into: &mut Vec<i64>, items: &[i64], op: impl Fn(i64) -> (i64, i64)) -> Mask {
    into.resize(items.len(), 0);
    let mut any = 0;
    for (into, item) in into.iter_mut().zip(items) {
        let (result, fails) = op(*item);
        *into = result;
        any |= fails;
    }
    if any < 0 { Mask::of_items(items, |item| op(item).1 < 0) } else { Mask::NONE }
}

/// As `each`, for two operands.
#[inline(always)] // As `each`.
fn each_pair(into: &mut Vec<i64>, a: &[i64], b: &[i64], op: impl Fn(i64, i64) -> (i64, i64)) -> Mask {
    into.resize(a.len(), 0);
    let mut any = 0;
    for ((into, a), b) in into.iter_mut().zip(a).zip(b) {
        let (result, fails) = op(*a, *b);
        *into = result;
        any |= fails;
    }
    if any < 0 { Mask::of_pairs(a, b, |a, b| op(a, b).1 < 0) } else { Mask::NONE }
}

impl LaneOperand<'_> {
    fn precision(self) -> Precision {
        match self {
            Self::Floats(_, precision)
            | Self::Float(_, precision)
            | Self::Ints(_, precision)
            | Self::Int(_, precision) => precision,
        }
    }

    #[inline]
    fn get(self, row: usize) -> Option<f64> {
        match self {
            Self::Ints(ints, _) => exact_float(*ints.get(row)?),
            Self::Int(int, _) => exact_float(int),
            Self::Floats(floats, _) => floats.get(row).copied(),
            Self::Float(float, _) => Some(float),
        }
    }
}

/// Computes floats of the rows of `within`.
fn mixed(
    d: &mut Vector<'_>,
    op: Arithmetic,
    [a, b]: [LaneOperand<'_>; 2],
    within: &Mask,
    len: usize,
) -> Mask {
    let precision = a.precision().max(b.precision());
    if precision == Precision::Mixed {
        d.make_odd();
        return *within;
    }
    d.kind = LaneKind::Floats(precision);
    d.floats.clear();
    d.floats.resize(len, 0.0);
    let into = &mut d.floats;
    let mut unanswered = Mask::NONE;
    for row in within.rows() {
        let result = match (a.get(row), b.get(row)) {
            (Some(a), Some(b)) if a.is_finite() && b.is_finite() => operate(op, a, b, precision),
            _ => None,
        };
        match (into.get_mut(row), result) {
            (Some(place), Some(result)) => *place = result,
            _ => unanswered.insert(row),
        }
    }
    unanswered
}

/// The magnitudes between which products and quotients of floats neither overflow nor lose digits, nor the errors of
/// products.
const SMALLEST: f64 = 1e-140;
const LARGEST: f64 = 1e140;

fn is_moderate(float: f64) -> bool {
    let magnitude = float.abs();
    (SMALLEST..=LARGEST).contains(&magnitude)
}

/// Computes one operation on finite floats. Those of a host are rounded as floats are, except products, which are kept
/// exactly; all others must be exact.
fn operate(op: Arithmetic, a: f64, b: f64, precision: Precision) -> Option<f64> {
    let is_host = precision == Precision::Host;
    let result = match op {
        Arithmetic::Add => (is_host || is_exact_sum(a, b)).then_some(a + b),
        Arithmetic::Subtract => (is_host || is_exact_sum(a, -b)).then_some(a - b),
        Arithmetic::Multiply => {
            (is_moderate(a) && is_moderate(b) && product_error(a, b) == 0.0).then_some(a * b)
        }
        Arithmetic::Divide => (is_host && is_moderate(a) && is_moderate(b)).then_some(a / b),
        Arithmetic::Modulo if is_host && is_moderate(a) && is_moderate(b) => {
            // Each step is rounded as numbers of 53 bits are.
            Some(a - b * (a / b).trunc())
        }
        Arithmetic::Modulo => None,
    };
    // A zero of results of 64 and 512 bits is an integer of the language, not a float.
    result.filter(|result| result.is_finite() && (is_host || *result != 0.0))
}

/// Returns true if the sum of two floats is a float.
fn is_exact_sum(a: f64, b: f64) -> bool {
    let sum = a + b;
    let b_rounded = sum - a;
    let a_rounded = sum - b_rounded;
    (a - a_rounded) + (b - b_rounded) == 0.0
}

/// Returns the error of the rounded product of two floats of moderate magnitudes, which is a float: the products of the
/// halves of both are exact.
fn product_error(a: f64, b: f64) -> f64 {
    let halves = |float: f64| {
        let scaled = 134_217_729.0 * float;
        let high = scaled - (scaled - float);
        (high, float - high)
    };
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    let product = a * b;
    a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
}

/// Negates the numbers of a vector into `d`. Returns the rows without an answer.
pub(super) fn negate(d: &mut Vector<'_>, a: Lane<'_>, within: &Mask) -> Mask {
    (d.null, d.odd) = (Mask::NONE, Mask::NONE);
    match operand(a) {
        Some(LaneOperand::Ints(ints, precision)) => {
            d.kind = LaneKind::Ints(precision);
            // The negation of zero is negative zero.
            each(&mut d.ints, ints, |int| (int.wrapping_neg(), -i64::from(int == 0 || int == i64::MIN)))
        }
        Some(LaneOperand::Floats(floats, precision)) => {
            d.kind = LaneKind::Floats(precision);
            d.floats.clear();
            d.floats.extend(floats.iter().map(|float| -float));
            Mask::NONE
        }
        _ => {
            d.make_odd();
            *within
        }
    }
}
