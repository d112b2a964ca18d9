//! Rounding numbers to whole numbers, and converting numbers to machine integers and floats.
//!
//! Text of integers is in `parse` and `layout`.

use super::decimal::power_of_ten;
use super::{Number, NumberRef, Width};

/// A direction of rounding to whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the greatest integer that is not above the number.
    Down,
    /// To the least integer that is not below the number.
    Up,
}

impl Rounding {
    /// Returns the number, rounded at its precision: see [`floor`] and [`ceil`].
    pub fn of(self, number: NumberRef<'_>) -> Number {
        match self {
            Self::Down => floor(number),
            Self::Up => ceil(number),
        }
    }
}

/// Returns the greatest integer that is not above the number, at the number's precision. Infinities are
/// returned unchanged; negative zero becomes zero.
pub fn floor(number: NumberRef<'_>) -> Number {
    match number {
        NumberRef::Int(..) => number.to_owned(),
        NumberRef::Decimal(mantissa, scale) => Number::full(mantissa.div_euclid(power_of_ten(scale))),
        NumberRef::Ratio(_) => Number::settled(number.to_big().floored()),
        NumberRef::Big(big) => Number::settled(big.floored()),
    }
}

/// Returns the least integer that is not below the number, at the number's precision. Infinities are
/// returned unchanged; negative zero becomes zero.
pub fn ceil(number: NumberRef<'_>) -> Number {
    match number {
        NumberRef::Int(..) => number.to_owned(),
        // A decimal is never whole, so the ceiling is one above the floor.
        NumberRef::Decimal(mantissa, scale) => Number::full(mantissa.div_euclid(power_of_ten(scale)) + 1),
        NumberRef::Ratio(_) => Number::settled(number.to_big().ceiled()),
        NumberRef::Big(big) => Number::settled(big.ceiled()),
    }
}

/// Returns the number without its fraction. Integers and infinities are returned unchanged; otherwise the
/// precision is that which the integer needs, at least 64 bits.
pub fn truncate(number: NumberRef<'_>) -> Number {
    match number {
        NumberRef::Int(..) => number.to_owned(),
        NumberRef::Decimal(mantissa, scale) => Number::Int(mantissa / power_of_ten(scale), Width::Short),
        NumberRef::Ratio(_) => Number::settled(number.to_big().integer_part()),
        NumberRef::Big(big) if big.is_integer() || big.is_infinite() => number.to_owned(),
        NumberRef::Big(big) => Number::settled(big.integer_part()),
    }
}

impl NumberRef<'_> {
    /// Returns the number as an `i64`, if it is an integer in range.
    pub fn to_i64(self) -> Option<i64> {
        match self {
            Self::Int(value, _) => Some(value),
            Self::Decimal(..) | Self::Ratio(_) => None,
            Self::Big(big) => big.to_i64(),
        }
    }

    /// Returns the number as a `u64`, if it is an integer in range.
    pub fn to_u64(self) -> Option<u64> {
        match self {
            Self::Int(value, _) => u64::try_from(value).ok(),
            Self::Decimal(..) | Self::Ratio(_) => None,
            Self::Big(big) => big.to_u64(),
        }
    }

    /// Returns the nearest float, ties to even; an infinity beyond the range of floats.
    #[expect(clippy::cast_precision_loss, reason = "rounding to the nearest float is the result")]
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Int(value, _) => value as f64,
            Self::Decimal(..) | Self::Ratio(_) | Self::Big(_) => self.to_big().to_f64(),
        }
    }
}
