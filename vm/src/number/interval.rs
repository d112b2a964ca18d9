//! Interval arithmetic: a float with a bound of its error, as a filter in front of exact comparisons. Two
//! results whose intervals do not overlap are ordered without computing either exactly.
//!
//! Invariant: the exact number is within the interval. The error covers the rounding of the interval's
//! own arithmetic and that of the language's numbers, whose precision is at least 53 bits. Values near
//! the limits of a float have no interval.

use std::cmp::Ordering;

use super::{Number, NumberRef, Rounding};

/// More than the relative error of one operation here plus that of the same operation on numbers, each
/// half a unit in the last of 53 places.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Compensates for the rounding of a few operations on error bounds.
const SLACK: f64 = 1.0 + 8.0 * f64::EPSILON;
/// The magnitudes that have an interval: products of error bounds stay normal floats.
const RANGE: std::ops::Range<f64> = 1e-140..1e140;

/// The magnitudes below which floats represent all integers.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// All numbers that differ from `value` by at most `error`. Without an error, `value` is an integer and exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    value: f64,
    error: f64,
}

impl Interval {
    /// The interval of exactly zero.
    pub const ZERO: Self = Self { value: 0.0, error: 0.0 };

    /// Returns an interval around a number.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "rounding is part of the error of the interval")]
    pub fn of(number: NumberRef<'_>) -> Option<Self> {
        let value = match number {
            // Integers below 2^53 are exact.
            NumberRef::Int(value, _) if value.unsigned_abs() < 1 << 53 => {
                return Some(Self { value: value as f64, error: 0.0 });
            }
            NumberRef::Int(value, _) => return Some(Self::rounded_once(value as f64)),
            NumberRef::Decimal(mantissa, scale) if mantissa != 0 => {
                return Some(Self::rounded_once(mantissa as f64 / POWERS.get(usize::from(scale))?));
            }
            NumberRef::Decimal(..) => return Some(Self::ZERO),
            NumberRef::Ratio(ratio) => ratio.near(),
            NumberRef::Big(big) => big.to_f64(),
        };
        // The number underflowed; it is not zero.
        if value == 0.0 && !number.is_zero() {
            return None;
        }
        Self::checked(value, 0.0)
    }

    /// Returns the interval of a number near `value`, which is within [`RANGE`].
    // Inlined: a few float instructions.
    #[inline(always)]
    const fn rounded_once(value: f64) -> Self {
        Self { value, error: value.abs() * ROUNDING * SLACK }
    }

    /// Returns the value and the error, of which `Interval::of_parts` makes the interval again.
    pub const fn parts(self) -> (f64, f64) {
        (self.value, self.error)
    }

    /// Returns the interval around a value; `None` for parts that no interval has.
    pub(crate) fn of_parts(value: f64, error: f64) -> Option<Self> {
        let size = value.abs();
        let exact = error == 0.0 && (size == 0.0 || value.fract() == 0.0 && size < WHOLE);
        let valid = exact || RANGE.contains(&size) && error.is_finite() && error >= size * ROUNDING;
        valid.then_some(Self { value, error })
    }

    /// Returns an interval around an owned number.
    pub fn of_owned(number: &Number) -> Option<Self> {
        Self::of(number.borrow())
    }

    /// Returns the interval of `value`, which was computed with one rounding from operands whose errors
    /// amount to `inherited`.
    ///
    /// This and the operators are inlined into the comparison instructions of the hot loop, where an
    /// interval then lives in two registers.
    #[inline(always)]
    fn checked(value: f64, inherited: f64) -> Option<Self> {
        let size = value.abs();
        if RANGE.contains(&size) {
            return Some(Self { value, error: (inherited + size * ROUNDING) * SLACK });
        }
        // Zero has an interval only if it is exact.
        (size == 0.0 && inherited == 0.0).then_some(Self { value, error: 0.0 })
    }

    /// Returns the interval of a sum, difference or product of intervals. That of small integers is exact.
    // A comparison in front of `checked`, into whose callers it is inlined.
    #[inline(always)]
    fn combined(value: f64, inherited: f64) -> Option<Self> {
        if inherited == 0.0 && value.abs() < WHOLE {
            return Some(Self { value, error: 0.0 });
        }
        Self::checked(value, inherited)
    }

    /// `self + other`
    // A few float instructions, whose operands stay in registers.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Option<Self> {
        Self::combined(self.value + other.value, self.error + other.error)
    }

    /// `self - other`
    // A few float instructions, whose operands stay in registers.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Option<Self> {
        Self::combined(self.value - other.value, self.error + other.error)
    }

    /// `self * other`
    // A few float instructions, whose operands stay in registers.
    #[inline(always)]
    pub fn times(self, other: Self) -> Option<Self> {
        let inherited =
            self.value.abs() * other.error + other.value.abs() * self.error + self.error * other.error;
        Self::combined(self.value * other.value, inherited)
    }

    /// `self / other`, unless `other` may be zero or close to it.
    // A few float instructions, whose operands stay in registers.
    #[inline(always)]
    pub fn over(self, other: Self) -> Option<Self> {
        let least = other.value.abs() - 2.0 * other.error;
        // Also true if `least` is NaN.
        if !RANGE.contains(&least) {
            return None;
        }
        let value = self.value / other.value;
        let inherited = self.error + value.abs() * other.error;
        // The product of small integers is exact, so this one is the quotient.
        if inherited == 0.0 && floor(value) == Some(value) && value * other.value == self.value {
            return Some(Self { value, error: 0.0 });
        }
        Self::checked(value, inherited / least)
    }

    /// Returns an interval that leaves more than one rounding of the language's numbers around this one: a number
    /// beyond it is not rounded to one of this interval, nor has its digits. Exactly zero remains that, because
    /// only zero is rounded to zero.
    pub fn widened(self) -> Self {
        let size = self.value.abs() + self.error;
        Self { value: self.value, error: (self.error + size * ROUNDING) * SLACK }
    }

    /// Returns the integer to which all numbers of the interval are rounded.
    // A few float instructions, whose operands stay in registers.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "integers that floats represent fit")]
    pub fn rounded(self, rounding: Rounding) -> Option<i64> {
        // More than the rounding of the two bounds.
        let error = if self.error == 0.0 { 0.0 } else { (self.error + self.value.abs() * ROUNDING) * SLACK };
        // Rounding up is rounding the negated number down.
        let (value, sign) = match rounding {
            Rounding::Down => (self.value, 1),
            Rounding::Up => (-self.value, -1),
        };
        let low = floor(value - error)?;
        (floor(value + error)? == low).then_some(sign * low as i64)
    }

    /// Returns the order of two numbers if their intervals do not overlap, or are equal and exact.
    // A few float instructions, whose operands stay in registers.
    #[inline(always)]
    pub fn compare(self, other: Self) -> Option<Ordering> {
        let difference = self.value - other.value;
        let error = (self.error + other.error + difference.abs() * ROUNDING) * SLACK;
        if difference > error {
            Some(Ordering::Greater)
        } else if difference < -error {
            Some(Ordering::Less)
        } else if error == 0.0 {
            Some(Ordering::Equal)
        } else {
            None
        }
    }
}

/// Rounds down, if floats represent all integers of the magnitude.
// Not `f64::floor`, which is a call where the processor is not known to have an instruction for it.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the magnitude is small")]
fn floor(value: f64) -> Option<f64> {
    let toward_zero = value as i64 as f64;
    let floor = if toward_zero > value { toward_zero - 1.0 } else { toward_zero };
    (value.abs() < WHOLE).then_some(floor)
}

/// The powers of ten of the scales of decimals, which floats represent exactly.
const POWERS: [f64; 19] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number;

    /// Numbers of all forms, some close to each other and some far apart.
    fn numbers() -> Vec<Number> {
        let texts = [
            "0",
            "1",
            "-1",
            "3",
            "7",
            "10",
            "0.1",
            "0.2",
            "0.3",
            "1.1",
            "1.15",
            "-0.30000000000000001",
            "9007199254740993",
            "9223372036854775807",
            "-9223372036854775808",
            "123456789.987654321",
            "1e-18",
            "1e17",
            "1e100",
            "1e-100",
            "1e139",
            "1e-139",
            "1e300",
            "1e-300",
            "1e400",
            "1e-400",
            "0.333333333333333333333333333333333333333",
            "99999999999999999999999.5",
        ];
        let mut numbers: Vec<Number> = texts.iter().filter_map(|text| Number::parse_text(text)).collect();
        numbers.extend([0.1, 0.5, 1e-310, 1.5e20, -2.75].into_iter().filter_map(Number::from_f64));
        numbers.push(Number::infinity(false));
        numbers
    }

    #[test]
    fn an_estimate_that_tells_an_order_tells_the_right_one() {
        type Exact = fn(NumberRef<'_>, NumberRef<'_>) -> Result<Number, number::NumberFault>;
        type Close = fn(Interval, Interval) -> Option<Interval>;
        let operations: [(Exact, Close); 4] = [
            (number::add, Interval::plus),
            (number::subtract, Interval::minus),
            (number::multiply, Interval::times),
            (number::divide, Interval::over),
        ];
        let numbers = numbers();
        let (mut told, mut untold) = (0, 0);
        let mut results = Vec::new();
        for a in &numbers {
            for b in &numbers {
                for (exact, close) in operations {
                    let Ok(result) = exact(a.borrow(), b.borrow()) else { continue };
                    let (Some(a), Some(b)) = (Interval::of_owned(a), Interval::of_owned(b)) else { continue };
                    if let Some(interval) = close(a, b) {
                        results.push((result, interval));
                    }
                }
            }
        }
        for (exact, close) in results.iter().step_by(3) {
            for (other_exact, other_close) in &results {
                match close.compare(*other_close) {
                    Some(order) => {
                        told += 1;
                        assert_eq!(order, number::compare(exact.borrow(), other_exact.borrow()));
                    }
                    None => untold += 1,
                }
            }
        }
        assert!(told > 100_000 && untold > 100, "{told} {untold}");
        let (mut told, mut untold) = (0, 0);
        for (exact, close) in &results {
            for rounding in [Rounding::Down, Rounding::Up] {
                match close.rounded(rounding) {
                    Some(rounded) => {
                        told += 1;
                        let exactly = rounding.of(exact.borrow());
                        assert_eq!(exactly.borrow().to_i64(), Some(rounded), "{exact:?} {rounding:?}");
                    }
                    None => untold += 1,
                }
            }
        }
        assert!(told > 1_000 && untold > 100, "{told} {untold}");
    }
}
