//! Binary floats over the reference's whole range of exponents and precisions, in three forms.
//!
//! | | precision | exponent | memory |
//! |---|---|---|---|
//! | [`Wide`] | up to 512 bits | up to 2^28 | in place |
//! | zero | any | none | in place |
//! | [`Long`] | any | any; infinity, too | of the [number engine](float) |
//!
//! All give equal results. A number has the first of these forms that can express it, so that most numbers are
//! computed and compared without a conversion.

#[cfg(test)]
pub(super) mod agreement;
mod digits;
mod float;
mod integers;
mod long;
mod reciprocals;
mod shortest;
mod wide;

use std::borrow::Cow;
use std::cmp::Ordering;

pub(super) use digits::DecimalText;
use long::Long;
use wide::Wide;

use super::decimal::power_of_ten;
use super::{FULL_BITS, Ratio, SHORT_BITS};

/// The largest exponent that is kept in the float itself, so that a single operation cannot leave the
/// engine's range.
const NEAR: i64 = 1 << 28;

/// A binary float with its own precision, never NaN.
#[derive(Clone, Debug)]
pub struct Big(FloatForm);

#[derive(Clone, Debug)]
enum FloatForm {
    Wide(Wide),
    Zero { bits: u32, negative: bool },
    Long(Long),
}

/// Constructors.
impl Big {
    fn of(long: Long) -> Self {
        if long.is_zero() {
            return Self::zero(long.precision(), long.is_negative());
        }
        Self(long.to_wide().map_or(FloatForm::Long(long), FloatForm::Wide))
    }

    /// Returns a number in place, or else what `long` returns.
    fn or_long(wide: Option<Wide>, long: impl FnOnce() -> Long) -> Self {
        wide.map_or_else(|| Self::of(long()), |wide| Self(FloatForm::Wide(wide)))
    }

    pub(super) fn from_i64(value: i64, bits: u32) -> Self {
        if value == 0 {
            return Self::zero(bits, false);
        }
        let wide = Wide::from_integer(value.unsigned_abs(), value < 0, bits);
        Self::or_long(wide, || Long::from_i64(value, bits))
    }

    /// Returns an integer at 512 bits that does not fit 64; `None` for zero.
    pub(super) fn from_i128(value: i128) -> Option<Self> {
        Wide::from_i128(value).map(|wide| Self(FloatForm::Wide(wide)))
    }

    /// Returns `dividend / divisor`, rounded once. The divisor is not zero, and the precision is at least
    /// 64.
    pub(super) fn quotient(dividend: i64, divisor: i64, bits: u32) -> Self {
        let negative = (dividend < 0) != (divisor < 0);
        let wide = Wide::of_integers(dividend.unsigned_abs(), divisor.unsigned_abs(), negative, bits);
        Self::or_long(wide, || Long::quotient(dividend, divisor, bits))
    }

    /// Returns `mantissa / 10^scale`, rounded once to 512 bits. The scale is in `1..=18`.
    pub(super) fn of_decimal(mantissa: i64, scale: u8) -> Self {
        match Wide::of_decimal(mantissa.unsigned_abs(), scale, mantissa < 0) {
            Some(wide) => Self(FloatForm::Wide(wide)),
            None => Self::quotient(mantissa, power_of_ten(scale), FULL_BITS),
        }
    }

    /// Returns the float that a ratio denotes, at 512 bits.
    pub(super) fn of_ratio(ratio: Ratio) -> Self {
        let fraction = match ratio.scale() {
            0 => Self::quotient(ratio.numerator(), i64::from(ratio.denominator()), FULL_BITS),
            scale => Self::of_decimal(ratio.numerator(), scale),
        };
        match (fraction.wide(), ratio.ulps()) {
            (Some(wide), ulps) if ulps != 0 => Self::or_long(wide.moved(ulps), || Long::from_wide(wide)),
            _ => fraction,
        }
    }

    pub(super) fn from_u64(value: u64) -> Self {
        Self::or_long(Wide::from_integer(value, false, SHORT_BITS), || Long::from_u64(value))
    }

    pub(super) fn from_f64(value: f64) -> Option<Self> {
        match Wide::from_f64(value) {
            Some(wide) => Some(Self(FloatForm::Wide(wide))),
            None => Long::from_f64(value).map(Self::of),
        }
    }

    pub(super) fn zero(bits: u32, negative: bool) -> Self {
        Self(FloatForm::Zero { bits, negative })
    }

    pub(super) fn infinity(bits: u32, negative: bool) -> Self {
        Self(FloatForm::Long(Long::infinity(bits, negative)))
    }

    /// Returns `0.digits * 10^point`, rounded once to 512 bits. The digits are ASCII digits, not all of
    /// them zero.
    pub(super) fn from_decimal(digits: &str, point: i64, negative: bool) -> Self {
        Self::of(Long::from_decimal(digits, point, negative))
    }

    /// Returns the integer with the given digits, most significant first, at the precision it needs, at
    /// least 64 bits. The cost is that of a few multiplications of the length of the result.
    pub(super) fn from_digits(digits: &[u8], radix: u32, negative: bool) -> Self {
        Self::of(Long::from_digits(digits, radix, negative))
    }

    fn wide(&self) -> Option<&Wide> {
        match &self.0 {
            FloatForm::Wide(wide) => Some(wide),
            _ => None,
        }
    }

    fn long(&self) -> Cow<'_, Long> {
        match &self.0 {
            FloatForm::Wide(wide) => Cow::Owned(Long::from_wide(wide)),
            FloatForm::Zero { bits, negative } => Cow::Owned(Long::zero(*bits, *negative)),
            FloatForm::Long(long) => Cow::Borrowed(long),
        }
    }
}

/// Properties.
impl Big {
    pub(super) fn precision(&self) -> u32 {
        match &self.0 {
            FloatForm::Wide(wide) => wide.precision(),
            FloatForm::Zero { bits, .. } => *bits,
            FloatForm::Long(long) => long.precision(),
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        matches!(self.0, FloatForm::Zero { .. })
    }

    pub(super) fn is_negative(&self) -> bool {
        match &self.0 {
            FloatForm::Wide(wide) => wide.is_negative(),
            FloatForm::Zero { negative, .. } => *negative,
            FloatForm::Long(long) => long.is_negative(),
        }
    }

    pub(super) fn is_infinite(&self) -> bool {
        matches!(&self.0, FloatForm::Long(long) if long.is_infinite())
    }

    /// Returns true for whole numbers.
    pub(super) fn is_integer(&self) -> bool {
        match &self.0 {
            FloatForm::Wide(wide) => wide.is_integer(),
            FloatForm::Zero { .. } => true,
            FloatForm::Long(long) => long.is_integer(),
        }
    }

    /// Returns `e` for a magnitude in `[2^(e-1), 2^e)`, `None` for zero and infinity.
    fn exponent(&self) -> Option<i64> {
        match &self.0 {
            FloatForm::Wide(wide) => Some(i64::from(wide.exponent())),
            FloatForm::Zero { .. } => None,
            FloatForm::Long(long) => long.exponent(),
        }
    }

    /// Returns the number of bits that the mantissa needs; 0 for zero and infinity.
    pub(super) fn needed_bits(&self) -> u32 {
        match &self.0 {
            FloatForm::Wide(wide) => wide.needed_bits(),
            FloatForm::Zero { .. } => 0,
            FloatForm::Long(long) => long.needed_bits(),
        }
    }

    /// Returns the exact order. The two zeros are equal.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (FloatForm::Wide(a), FloatForm::Wide(b)) => a.compare(b),
            _ => self.long().compare(&other.long()),
        }
    }

    /// Returns true if two numbers print alike, without printing them: see [`equal`](super::equal).
    pub(super) fn same_text(&self, other: &Self) -> bool {
        if self.is_zero() || other.is_zero() {
            return self.is_zero() && other.is_zero();
        }
        if self.is_infinite() || other.is_infinite() || (self.is_integer() && other.is_integer()) {
            return self.compare(other) == Ordering::Equal;
        }
        if self.is_negative() != other.is_negative() || self.is_far_from(other) {
            return false;
        }
        let identical = self.precision() == other.precision() && self.compare(other) == Ordering::Equal;
        identical || self.shortest() == other.shortest()
    }

    /// Returns true if two finite numbers of one sign are so far apart that no decimal can denote both: a
    /// shortest text is at most half a unit in the last place away from its number.
    fn is_far_from(&self, other: &Self) -> bool {
        // Few bits suffice, because only the exponent of the distance matters.
        const BITS: u32 = 32;
        let larger = self.exponent().max(other.exponent()).unwrap_or(0);
        let bits = i64::from(self.precision().min(other.precision()));
        self.minus(other, BITS).exponent().is_some_and(|distance| distance - 1 > larger - bits)
    }
}

/// Operations, each rounded once to the precision it is given.
impl Big {
    /// Computes in place if both operands and the result have that form.
    fn operation(
        &self,
        other: &Self,
        bits: u32,
        wide: fn(&Wide, &Wide, u32) -> Option<Wide>,
        long: fn(&Long, &Long, u32) -> Long,
    ) -> Self {
        let in_place = self.wide().zip(other.wide()).and_then(|(a, b)| wide(a, b, bits));
        Self::or_long(in_place, || long(&self.long(), &other.long(), bits))
    }

    pub(super) fn plus(&self, other: &Self, bits: u32) -> Self {
        match (&self.0, &other.0) {
            (FloatForm::Zero { .. }, FloatForm::Wide(sum))
            | (FloatForm::Wide(sum), FloatForm::Zero { .. }) => sum.into_big(bits),
            _ => self.operation(other, bits, Wide::plus, Long::plus),
        }
    }

    pub(super) fn minus(&self, other: &Self, bits: u32) -> Self {
        match (&self.0, &other.0) {
            (FloatForm::Zero { .. }, FloatForm::Wide(subtrahend)) => subtrahend.negated().into_big(bits),
            (FloatForm::Wide(difference), FloatForm::Zero { .. }) => difference.into_big(bits),
            _ => self.operation(other, bits, |a, b, bits| a.plus(&b.negated(), bits), Long::minus),
        }
    }

    pub(super) fn times(&self, other: &Self, bits: u32) -> Self {
        if (self.is_zero() && !other.is_infinite()) || (other.is_zero() && !self.is_infinite()) {
            return Self::zero(bits, self.is_negative() != other.is_negative());
        }
        self.operation(other, bits, Wide::times, Long::times)
    }

    pub(super) fn over(&self, other: &Self, bits: u32) -> Self {
        if self.is_zero() && !other.is_zero() {
            return Self::zero(bits, self.is_negative() != other.is_negative());
        }
        self.operation(other, bits, Wide::over, Long::over)
    }

    pub(super) fn negated(&self) -> Self {
        Self(match &self.0 {
            FloatForm::Wide(wide) => FloatForm::Wide(wide.negated()),
            FloatForm::Zero { bits, negative } => FloatForm::Zero { bits: *bits, negative: !negative },
            FloatForm::Long(long) => FloatForm::Long(long.negated()),
        })
    }

    /// Multiplies by `2^power`.
    pub(super) fn shifted(self, power: i64) -> Self {
        Self::of(self.long().into_owned().shifted(power))
    }

    /// Rounds to another precision.
    pub(super) fn at(self, bits: u32) -> Self {
        match self.0 {
            FloatForm::Wide(wide) => wide.into_big(bits),
            FloatForm::Zero { negative, .. } => Self::zero(bits, negative),
            FloatForm::Long(long) => Self::of(long.at(bits)),
        }
    }

    /// Rounds toward zero at the same precision. Zero has no sign.
    pub(super) fn truncated(&self) -> Self {
        Self::or_long(self.wide().and_then(Wide::truncated), || self.long().truncated())
    }

    /// Rounds down at the same precision. Zero has no sign.
    pub(super) fn floored(&self) -> Self {
        Self::or_long(self.wide().and_then(Wide::floored), || self.long().floored())
    }

    /// Rounds up at the same precision. Zero has no sign.
    pub(super) fn ceiled(&self) -> Self {
        let ceiled = |wide: &Wide| wide.negated().floored().map(Wide::negated);
        Self::or_long(self.wide().and_then(ceiled), || self.long().ceiled())
    }

    /// Rounds toward zero, at the precision the integer needs, at least 64 bits.
    pub(super) fn integer_part(&self) -> Self {
        Self::of(self.long().integer_part())
    }
}

impl Wide {
    /// Returns the number, rounded to a precision.
    fn into_big(self, bits: u32) -> Big {
        Big::or_long(self.at(bits), || Long::from_wide(&self).at(bits))
    }
}

/// Conversions.
impl Big {
    /// Returns the number as an `i64`, if it is an integer in range.
    pub(super) fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            FloatForm::Wide(wide) => {
                let magnitude = i128::from(wide.small_integer()?);
                i64::try_from(if wide.is_negative() { -magnitude } else { magnitude }).ok()
            }
            FloatForm::Zero { .. } => Some(0),
            FloatForm::Long(long) => long.to_i64(),
        }
    }

    /// Returns the number as a `u64`, if it is an integer in range.
    pub(super) fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            FloatForm::Wide(wide) => wide.small_integer().filter(|_| !wide.is_negative()),
            FloatForm::Zero { .. } => Some(0),
            FloatForm::Long(long) => long.to_u64(),
        }
    }

    /// Returns the nearest `f64`, ties to even.
    pub(super) fn to_f64(&self) -> f64 {
        self.wide().and_then(|wide| wide.to_f64()).unwrap_or_else(|| self.long().to_f64())
    }

    /// Formats an integer in a radix of 2 to 36. Returns `None` for other numbers and for integers of
    /// more than `limit` bits.
    pub(super) fn integer_text(&self, radix: u32, limit: u64) -> Option<String> {
        self.long().integer_text(radix, limit)
    }

    /// Returns the shortest digits that parse to this number at its own precision. The cost depends on
    /// the precision, not on the exponent. Infinity has no digits.
    pub(super) fn shortest(&self) -> DecimalText {
        self.wide().and_then(Wide::shortest).unwrap_or_else(|| self.long().shortest())
    }

    /// Returns the first `count` digits, rounded to nearest, ties to even.
    pub(super) fn leading(&self, count: usize) -> DecimalText {
        self.long().leading(count)
    }

    /// Returns the digits up to `places` after the point, rounded to nearest, ties to even.
    pub(super) fn to_places(&self, places: usize) -> DecimalText {
        self.long().to_places(places)
    }

    /// Returns a lower bound of the length of the text, to reject long texts cheaply.
    pub(super) fn least_digits(&self) -> u64 {
        digits::least_digits(self.exponent().unwrap_or(0))
    }
}
