//! Numbers: small integers and short decimals inline, all others as binary floats of known precision.
//!
//! Every number has exactly the value that the reference's arbitrary-precision float would have. The
//! precision (512 bits for text and literals, 64 for integers of a host or a length, 53 for floats of a
//! host) is part of the value: it affects the results of `+ - * /` and the printed digits.
//!
//! | form | means | never holds |
//! |---|---|---|
//! | `Int(v, width)` | `v` at 512 or 64 bits | negative zero |
//! | `Decimal(m, s)` | `m / 10^s` rounded once to 512 bits | whole numbers, `m` divisible by 10 |
//! | `Ratio` | a fraction of small integers rounded to 512 bits, or some units in the last place beside it | whole numbers |
//! | `Big` | any precision, infinities, negative zero | NaN; integers that fit `Int` at 512 or 64 bits |
//!
//! A `Big` or a `Ratio` may hold a value that a `Decimal` could express (`10.5 / 2`): results are converted
//! to decimals only where that costs nothing. Hence numbers have no derived equality: see [`equal`].

mod arithmetic;
mod big;
mod decimal;
mod integer;
mod interval;
mod layout;
mod order;
mod parse;
mod print;
mod ratio;

pub use arithmetic::{NumberFault, absolute, add, divide, modulo, multiply, negate, subtract};
pub(crate) use arithmetic::{floats, inline};
pub use big::Big;
pub use integer::{Rounding, ceil, floor, truncate};
pub use interval::Interval;
pub use order::{compare, equal, identical};
pub(crate) use print::{eight_digits, short_integer};
pub use ratio::Ratio;
pub(crate) use ratio::{Decimal, RatioText};

use std::borrow::Cow;

/// Precision of numbers that come from text.
const FULL_BITS: u32 = 512;
/// Precision of integers that come from a host or a length.
const SHORT_BITS: u32 = 64;

/// Precision of infinities that come from a host: the least possible.
const HOST_INFINITY_BITS: u32 = 1;

/// The precision of an inline integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 512 bits: literals and numbers from text.
    Full,
    /// 64 bits: indexes, lengths and integers of a host.
    Short,
}

impl Width {
    /// Returns the number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Full => FULL_BITS,
            Self::Short => SHORT_BITS,
        }
    }

    /// Returns the width of the sum, difference or quotient of two integers.
    pub const fn wider(self, other: Self) -> Self {
        match (self, other) {
            (Self::Short, Self::Short) => Self::Short,
            _ => Self::Full,
        }
    }
}

/// A number that owns its digits.
#[derive(Clone, Debug)]
pub enum Number {
    /// An integer that fits 64 bits.
    Int(i64, Width),
    /// `mantissa / 10^scale`, rounded once to 512 bits. The scale is in `1..=18`, and the mantissa is not
    /// divisible by 10.
    Decimal(i64, u8),
    /// A result of arithmetic on decimals and integers that has neither of these forms.
    Ratio(Ratio),
    /// Any other number.
    Big(Big),
}

/// A number borrowed from a value.
#[derive(Clone, Copy, Debug)]
pub enum NumberRef<'a> {
    /// See [`Number::Int`].
    Int(i64, Width),
    /// See [`Number::Decimal`].
    Decimal(i64, u8),
    /// See [`Number::Ratio`].
    Ratio(Ratio),
    /// See [`Number::Big`].
    Big(&'a Big),
}

impl NumberRef<'_> {
    /// Returns the decimal `mantissa / 10^scale`; `None` unless that is its canonical form.
    pub const fn decimal(mantissa: i64, scale: u8) -> Option<Self> {
        let fits = mantissa.unsigned_abs() < decimal::power_of_ten(decimal::MAX_DIGITS).unsigned_abs();
        let canonical = scale >= 1 && scale <= decimal::MAX_DIGITS && fits && mantissa % 10 != 0;
        if canonical { Some(Self::Decimal(mantissa, scale)) } else { None }
    }
}

impl Number {
    /// Zero at full precision.
    pub const ZERO: Self = Self::full(0);
    /// One at full precision.
    pub const ONE: Self = Self::full(1);

    /// Returns an integer at 512 bits, like that of a literal.
    pub const fn full(value: i64) -> Self {
        Self::Int(value, Width::Full)
    }

    /// Returns an integer at 64 bits, like that of a host.
    pub const fn short(value: i64) -> Self {
        Self::Int(value, Width::Short)
    }

    /// Returns an infinity of a host. Its precision is 1, so it adds none to a result, and [`modulo`]
    /// treats it differently from infinities that come from text or a division.
    pub fn infinity(negative: bool) -> Self {
        Self::Big(Big::infinity(HOST_INFINITY_BITS, negative))
    }

    /// Returns a float of a host at 53 bits, or an infinity of a host. Returns `None` for NaN, which is
    /// not a number of the language.
    pub fn from_f64(value: f64) -> Option<Self> {
        if value.is_infinite() {
            return Some(Self::infinity(value < 0.0));
        }
        Big::from_f64(value).map(Self::Big)
    }

    /// Returns the inline form of a result if there is one, otherwise the float.
    fn settled(big: Big) -> Self {
        let width = match big.precision() {
            FULL_BITS => Width::Full,
            SHORT_BITS => Width::Short,
            _ => return Self::Big(big),
        };
        match big.to_i64() {
            Some(0) if big.is_negative() => Self::Big(big),
            Some(value) => Self::Int(value, width),
            None => Self::Big(big),
        }
    }

    /// Borrows the number.
    pub fn borrow(&self) -> NumberRef<'_> {
        match self {
            Self::Int(value, width) => NumberRef::Int(*value, *width),
            Self::Decimal(mantissa, scale) => NumberRef::Decimal(*mantissa, *scale),
            Self::Ratio(ratio) => NumberRef::Ratio(*ratio),
            Self::Big(big) => NumberRef::Big(big),
        }
    }
}

impl From<i64> for Number {
    /// Returns an integer of a host, at 64 bits.
    fn from(value: i64) -> Self {
        Self::short(value)
    }
}

impl From<u64> for Number {
    /// Returns an integer of a host, at 64 bits.
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or_else(|_| Self::Big(Big::from_u64(value)), Self::short)
    }
}

impl From<usize> for Number {
    /// Returns a length or an index, at 64 bits.
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl<'a> NumberRef<'a> {
    /// Returns an owned copy of the number.
    pub fn to_owned(self) -> Number {
        match self {
            Self::Int(value, width) => Number::Int(value, width),
            Self::Decimal(mantissa, scale) => Number::Decimal(mantissa, scale),
            Self::Ratio(ratio) => Number::Ratio(ratio),
            Self::Big(big) => Number::Big(big.clone()),
        }
    }

    /// Returns the number as a float at its own precision. A decimal or a ratio costs a long multiplication
    /// or division.
    pub fn to_big(self) -> Cow<'a, Big> {
        match self {
            Self::Int(value, width) => Cow::Owned(Big::from_i64(value, width.bits())),
            Self::Decimal(mantissa, scale) => Cow::Owned(Big::of_decimal(mantissa, scale)),
            Self::Ratio(ratio) => Cow::Owned(Big::of_ratio(ratio)),
            Self::Big(big) => Cow::Borrowed(big),
        }
    }

    /// Returns the precision in bits: 512 for literals and text, 64 for integers of a host, 53 for floats
    /// of a host. Results take the precision of their operands.
    pub fn precision(self) -> u32 {
        match self {
            Self::Int(_, width) => width.bits(),
            Self::Decimal(..) | Self::Ratio(_) => FULL_BITS,
            Self::Big(big) => big.precision(),
        }
    }

    /// Returns -1, 0 or 1; 0 for both zeros.
    pub fn sign(self) -> i32 {
        match self {
            Self::Int(value, _) | Self::Decimal(value, _) => i32::from(value > 0) - i32::from(value < 0),
            Self::Ratio(ratio) => {
                if ratio.numerator() < 0 {
                    -1
                } else {
                    1
                }
            }
            Self::Big(big) if big.is_zero() => 0,
            Self::Big(big) if big.is_negative() => -1,
            Self::Big(_) => 1,
        }
    }

    /// Returns true for zero of either sign.
    pub fn is_zero(self) -> bool {
        self.sign() == 0
    }

    /// Returns true if the sign is minus, as that of negative zero is.
    pub fn is_negative(self) -> bool {
        match self {
            Self::Int(value, _) | Self::Decimal(value, _) => value < 0,
            Self::Ratio(ratio) => ratio.numerator() < 0,
            Self::Big(big) => big.is_negative(),
        }
    }

    /// Returns true for the two infinities.
    pub fn is_infinite(self) -> bool {
        matches!(self, Self::Big(big) if big.is_infinite())
    }

    /// Returns true for whole numbers. Infinities are not whole.
    pub fn is_integer(self) -> bool {
        match self {
            Self::Int(..) => true,
            Self::Decimal(..) | Self::Ratio(_) => false,
            Self::Big(big) => big.is_integer(),
        }
    }
}
