//! Numbers: small integers and short decimals inline, everything else as a binary float of known precision.
//!
//! Every number means exactly what the reference's arbitrary-precision float would hold.
//! The precision (512 bits for text and literals, 64 for integers that a host or a length
//! makes, 53 for host floats) is part of the value: it changes the results of `+ - * /`
//! and the digits that are printed.
//!
//! | form | means | never holds |
//! |---|---|---|
//! | `Int(v, width)` | `v` at 512 or 64 bits | negative zero |
//! | `Decimal(m, s)` | `m / 10^s` rounded once to 512 bits | whole numbers, `m` divisible by 10 |
//! | `Big` | any precision, infinities, negative zero | NaN; integers that fit `Int` at 512 or 64 bits |
//!
//! A `Big` may hold a value that a `Decimal` could express (`0.25 + 0.5`): a decimal is only
//! made where that costs nothing. Hence numbers have no derived equality: see [`equal`].

mod arithmetic;
mod big;
mod decimal;
mod integer;
mod interval;
mod layout;
mod order;
mod parse;
mod print;

pub use arithmetic::{NumberFault, absolute, add, divide, modulo, multiply, negate, subtract};
pub use big::Big;
pub use integer::{ceil, floor, truncate};
pub use interval::Interval;
pub use order::{compare, equal};

use std::borrow::Cow;

/// Bits of a number that comes from text.
const FULL_BITS: u32 = 512;
/// Bits of an integer that a host or a length makes.
const SHORT_BITS: u32 = 64;

/// Bits of an infinity that a host makes; the fewest there can be.
const HOST_INFINITY_BITS: u32 = 1;

/// The precision of an inline integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 512 bits: literals, numbers from text.
    Full,
    /// 64 bits: indexes, lengths, host integers.
    Short,
}

impl Width {
    /// The number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Full => FULL_BITS,
            Self::Short => SHORT_BITS,
        }
    }

    /// The width of a sum, difference or quotient of two integers.
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
    /// `mantissa / 10^scale` rounded once to 512 bits; `scale` is 1..=18 and the mantissa is
    /// not divisible by 10.
    Decimal(i64, u8),
    /// Anything else.
    Big(Big),
}

/// A number borrowed from a value.
#[derive(Clone, Copy, Debug)]
pub enum NumberRef<'a> {
    /// See [`Number::Int`].
    Int(i64, Width),
    /// See [`Number::Decimal`].
    Decimal(i64, u8),
    /// See [`Number::Big`].
    Big(&'a Big),
}

impl Number {
    /// Zero, as a literal means it.
    pub const ZERO: Self = Self::full(0);
    /// One, as a literal means it.
    pub const ONE: Self = Self::full(1);

    /// An integer at 512 bits, as a literal means it.
    pub const fn full(value: i64) -> Self {
        Self::Int(value, Width::Full)
    }

    /// An integer at 64 bits, as a host means it.
    pub const fn short(value: i64) -> Self {
        Self::Int(value, Width::Short)
    }

    /// The infinity that a host hands in. It brings no precision to a result (its own is 1),
    /// and [`modulo`] treats it otherwise than the infinities that text and divisions make.
    pub fn infinity(negative: bool) -> Self {
        Self::Big(Big::infinity(HOST_INFINITY_BITS, negative))
    }

    /// A host's float at 53 bits, or a host's infinity; `None` for NaN, which is no number here.
    pub fn from_f64(value: f64) -> Option<Self> {
        if value.is_infinite() {
            return Some(Self::infinity(value < 0.0));
        }
        Big::from_f64(value).map(Self::Big)
    }

    /// The inline form of a result where there is one, else the float itself.
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

    /// The same number, borrowed.
    pub fn borrow(&self) -> NumberRef<'_> {
        match self {
            Self::Int(value, width) => NumberRef::Int(*value, *width),
            Self::Decimal(mantissa, scale) => NumberRef::Decimal(*mantissa, *scale),
            Self::Big(big) => NumberRef::Big(big),
        }
    }
}

impl From<i64> for Number {
    /// A host's integer, at 64 bits.
    fn from(value: i64) -> Self {
        Self::short(value)
    }
}

impl From<u64> for Number {
    /// A host's integer, at 64 bits.
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or_else(|_| Self::Big(Big::from_u64(value)), Self::short)
    }
}

impl From<usize> for Number {
    /// A length or an index, at 64 bits.
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl<'a> NumberRef<'a> {
    /// The same number, owned.
    pub fn to_owned(self) -> Number {
        match self {
            Self::Int(value, width) => Number::Int(value, width),
            Self::Decimal(mantissa, scale) => Number::Decimal(mantissa, scale),
            Self::Big(big) => Number::Big(big.clone()),
        }
    }

    /// The same number as a float at its own precision. A decimal costs one division, so a
    /// constant that is used often is worth keeping in this form.
    pub fn to_big(self) -> Cow<'a, Big> {
        match self {
            Self::Int(value, width) => Cow::Owned(Big::from_i64(value, width.bits())),
            Self::Decimal(mantissa, scale) => Cow::Owned(decimal::promote(mantissa, scale)),
            Self::Big(big) => Cow::Borrowed(big),
        }
    }

    /// Bits of precision: 512 for literals and text, 64 for host integers, 53 for host floats;
    /// results take what the operands had.
    pub fn precision(self) -> u32 {
        match self {
            Self::Int(_, width) => width.bits(),
            Self::Decimal(..) => FULL_BITS,
            Self::Big(big) => big.precision(),
        }
    }

    /// -1, 0 or 1. Both zeros are 0.
    pub fn sign(self) -> i32 {
        match self {
            Self::Int(value, _) | Self::Decimal(value, _) => i32::from(value > 0) - i32::from(value < 0),
            Self::Big(big) if big.is_zero() => 0,
            Self::Big(big) if big.is_negative() => -1,
            Self::Big(_) => 1,
        }
    }

    /// Whether this is zero of either sign.
    pub fn is_zero(self) -> bool {
        self.sign() == 0
    }

    /// Whether the sign is minus; true of negative zero too.
    pub fn is_negative(self) -> bool {
        match self {
            Self::Int(value, _) | Self::Decimal(value, _) => value < 0,
            Self::Big(big) => big.is_negative(),
        }
    }

    /// Whether this is one of the infinities.
    pub fn is_infinite(self) -> bool {
        matches!(self, Self::Big(big) if big.is_infinite())
    }

    /// Whether this is a whole number; infinities are not.
    pub fn is_integer(self) -> bool {
        match self {
            Self::Int(..) => true,
            Self::Decimal(..) => false,
            Self::Big(big) => big.is_integer(),
        }
    }
}
