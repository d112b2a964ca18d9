//! Numbers: small integers and short decimals inline, everything else as a binary float of known precision.
//!
//! Every number means exactly what the reference's arbitrary-precision float would hold.
//! The precision (512 bits for text and literals, 64 for integers that a host or a length
//! makes, 53 for host floats) is part of the value: it changes the results of `+ - * /`
//! and the digits that are printed.

mod big;

pub use big::Big;

/// The precision of an inline integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 512 bits: literals, numbers from text.
    Full,
    /// 64 bits: indexes, lengths, host integers.
    Short,
}

/// A number that owns its digits.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberRef<'a> {
    /// See [`Number::Int`].
    Int(i64, Width),
    /// See [`Number::Decimal`].
    Decimal(i64, u8),
    /// See [`Number::Big`].
    Big(&'a Big),
}

impl Number {
    /// The number a literal token denotes, or `None` when its text is no number.
    pub fn parse_literal(text: &str) -> Option<Self> {
        text.parse().ok().map(|value| Self::Int(value, Width::Full))
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
