//! Whole numbers out of numbers: rounding to one, and reading one out as a machine integer.

use super::decimal::power_of_ten;
use super::{Number, NumberRef, Width};

/// The greatest integer that is not above the number, at the number's precision. Infinities
/// stay; negative zero becomes zero.
pub fn floor(number: NumberRef<'_>) -> Number {
    match number {
        NumberRef::Int(..) => number.to_owned(),
        NumberRef::Decimal(mantissa, scale) => Number::full(mantissa.div_euclid(power_of_ten(scale))),
        NumberRef::Big(big) => Number::settled(big.floored()),
    }
}

/// The smallest integer that is not below the number, at the number's precision. Infinities
/// stay; what would be negative zero is zero.
pub fn ceil(number: NumberRef<'_>) -> Number {
    match number {
        NumberRef::Int(..) => number.to_owned(),
        // A decimal is never whole, so the next integer is one above the floor.
        NumberRef::Decimal(mantissa, scale) => Number::full(mantissa.div_euclid(power_of_ten(scale)) + 1),
        NumberRef::Big(big) => Number::settled(big.ceiled()),
    }
}

/// The number without its fraction. Integers and infinities stay as they are; otherwise the
/// precision becomes what the integer needs, and at least 64 bits.
pub fn truncate(number: NumberRef<'_>) -> Number {
    match number {
        NumberRef::Int(..) => number.to_owned(),
        NumberRef::Decimal(mantissa, scale) => Number::Int(mantissa / power_of_ten(scale), Width::Short),
        NumberRef::Big(big) if big.is_integer() || big.is_infinite() => number.to_owned(),
        NumberRef::Big(big) => Number::settled(big.integer_part()),
    }
}

impl NumberRef<'_> {
    /// The integer this is, if it is one and fits.
    pub fn to_i64(self) -> Option<i64> {
        match self {
            Self::Int(value, _) => Some(value),
            Self::Decimal(..) => None,
            Self::Big(big) => big.to_i64(),
        }
    }

    /// The integer this is, if it is one, not negative, and fits.
    pub fn to_u64(self) -> Option<u64> {
        match self {
            Self::Int(value, _) => u64::try_from(value).ok(),
            Self::Decimal(..) => None,
            Self::Big(big) => big.to_u64(),
        }
    }

    /// The nearest float, ties to even; infinite beyond the range of floats.
    #[expect(clippy::cast_precision_loss, reason = "rounding to the nearest float is the result")]
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Int(value, _) => value as f64,
            Self::Decimal(..) | Self::Big(_) => self.to_big().to_f64(),
        }
    }
}
