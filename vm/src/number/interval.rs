//! Numbers known closely: a float with a bound of its error, enough to tell the order of two
//! results without computing either exactly.
//!
//! The bound covers the rounding of the interval and that of the numbers themselves, whose
//! precision is at least 53 bits. What comes near the limits of a float has no interval.

use std::cmp::Ordering;

use super::{Number, NumberRef};

/// More than the relative error of an operation here and of the same operation on numbers: half a
/// unit in the last of 53 places each.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Makes up for the rounding of a few operations on bounds.
const SLACK: f64 = 1.0 + 8.0 * f64::EPSILON;
/// Magnitudes beyond which nothing is bounded: products of bounds stay normal floats.
const RANGE: std::ops::Range<f64> = 1e-140..1e140;

/// A number that differs from `value` by no more than `error`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    value: f64,
    error: f64,
}

impl Interval {
    /// Zero.
    pub const ZERO: Self = Self { value: 0.0, error: 0.0 };

    /// An interval of a number.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "rounding is part of the error of the interval")]
    pub fn of(number: NumberRef<'_>) -> Option<Self> {
        let value = match number {
            // Below 2^53 exactly.
            NumberRef::Int(value, _) if value.unsigned_abs() < 1 << 53 => {
                return Some(Self { value: value as f64, error: 0.0 });
            }
            NumberRef::Int(value, _) => value as f64,
            NumberRef::Decimal(mantissa, scale) => mantissa as f64 / POWERS.get(usize::from(scale))?,
            NumberRef::Big(big) => big.to_f64(),
        };
        // Too small for a float, which is not zero.
        if value == 0.0 && !number.is_zero() {
            return None;
        }
        Self::checked(value, 0.0)
    }

    /// The interval of a number that owns its digits.
    pub fn of_owned(number: &Number) -> Option<Self> {
        Self::of(number.borrow())
    }

    /// `value`, computed with one rounding from operands whose errors make up `inherited`.
    #[inline(always)]
    fn checked(value: f64, inherited: f64) -> Option<Self> {
        let size = value.abs();
        if RANGE.contains(&size) {
            return Some(Self { value, error: (inherited + size * ROUNDING) * SLACK });
        }
        // Zero is only known where it is exact.
        (size == 0.0 && inherited == 0.0).then_some(Self { value, error: 0.0 })
    }

    /// `self + other`
    #[inline(always)]
    pub fn plus(self, other: Self) -> Option<Self> {
        Self::checked(self.value + other.value, self.error + other.error)
    }

    /// `self - other`
    #[inline(always)]
    pub fn minus(self, other: Self) -> Option<Self> {
        Self::checked(self.value - other.value, self.error + other.error)
    }

    /// `self * other`
    #[inline(always)]
    pub fn times(self, other: Self) -> Option<Self> {
        let inherited =
            self.value.abs() * other.error + other.value.abs() * self.error + self.error * other.error;
        Self::checked(self.value * other.value, inherited)
    }

    /// `self / other`, unless `other` may be zero or nearly so.
    #[inline(always)]
    pub fn over(self, other: Self) -> Option<Self> {
        let least = other.value.abs() - 2.0 * other.error;
        // Also when it is no number at all.
        if !RANGE.contains(&least) {
            return None;
        }
        let value = self.value / other.value;
        Self::checked(value, (self.error + value.abs() * other.error) / least)
    }

    /// The order of two numbers, where their intervals are far enough apart.
    #[inline(always)]
    pub fn compare(self, other: Self) -> Option<Ordering> {
        let difference = self.value - other.value;
        let error = (self.error + other.error + difference.abs() * ROUNDING) * SLACK;
        if difference > error {
            Some(Ordering::Greater)
        } else if difference < -error {
            Some(Ordering::Less)
        } else {
            None
        }
    }
}

/// The powers of ten that scales of decimals stand for.
const POWERS: [f64; 19] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number;

    /// Numbers of all forms, near each other and far apart.
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
    }
}
