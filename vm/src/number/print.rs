//! Numbers as text: the shortest decimal that parses to the same number at its precision, never with an
//! exponent.
//!
//! `1e600000000` is a short literal and a long text. Numbers of unknown origin are printed within a
//! limit, or their length is computed first; both cost no more than computing the digits that identify
//! the number. Other shapes are in `layout`.

use std::fmt;

use super::big::DecimalText;
use super::decimal::power_of_ten;
use super::{Number, NumberRef, RatioText};
use crate::memory::cast;

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.borrow().write_text(out)
    }
}

impl fmt::Display for NumberRef<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(out)
    }
}

impl NumberRef<'_> {
    /// Writes the number's text, however long it is: `-0.5`, `100`, `-0`, `+Inf`.
    pub fn write_text(self, out: &mut impl fmt::Write) -> fmt::Result {
        match self {
            Self::Int(value, _) => write!(out, "{value}"),
            Self::Decimal(mantissa, scale) => {
                let (magnitude, unit) = (mantissa.unsigned_abs(), power_of_ten(scale).unsigned_abs());
                let (sign, width) = (if mantissa < 0 { "-" } else { "" }, usize::from(scale));
                write!(out, "{sign}{}.{:0width$}", magnitude / unit, magnitude % unit)
            }
            Self::Big(big) if big.is_infinite() => out.write_str(infinity(big.is_negative())),
            Self::Ratio(ratio) => {
                let mut text = RatioText::new();
                match ratio.text(&mut text) {
                    Some(()) => out.write_str(text.as_str()),
                    None => write_plain(&self.to_big().shortest(), out),
                }
            }
            Self::Big(big) => write_plain(&big.shortest(), out),
        }
    }

    /// Returns the text, or `None` if it is longer than `limit` bytes.
    pub fn text_within(self, limit: u64) -> Option<String> {
        let mut text = String::new();
        match self {
            Self::Big(big) if !big.is_infinite() => {
                if big.least_digits() > limit {
                    return None;
                }
                let digits = big.shortest();
                let length = plain_length(&digits);
                if length > limit {
                    return None;
                }
                text.reserve(cast::amount(length));
                write_plain(&digits, &mut text).ok()?;
            }
            _ => self.write_text(&mut text).ok()?,
        }
        (text.len() as u64 <= limit).then_some(text)
    }

    /// Returns the length of the number's text in bytes without building it.
    pub fn text_length(self) -> u64 {
        match self {
            Self::Big(big) if big.is_infinite() => infinity(false).len() as u64,
            Self::Ratio(_) | Self::Big(_) => plain_length(&self.to_big().shortest()),
            Self::Int(value, _) => plain_length(&DecimalText::of_decimal(value, 0)),
            Self::Decimal(mantissa, scale) => plain_length(&DecimalText::of_decimal(mantissa, scale)),
        }
    }
}

pub(super) fn infinity(negative: bool) -> &'static str {
    if negative { "-Inf" } else { "+Inf" }
}

/// Writes digits without an exponent.
pub(super) fn write_plain(number: &DecimalText, out: &mut impl fmt::Write) -> fmt::Result {
    if number.negative {
        out.write_char('-')?;
    }
    let digits = number.digits.as_str();
    let Some(whole) = usize::try_from(number.point).ok().filter(|whole| *whole > 0) else {
        if digits.is_empty() {
            return out.write_char('0');
        }
        out.write_str("0.")?;
        write_zeros(number.point.unsigned_abs(), out)?;
        return out.write_str(digits);
    };
    match digits.split_at_checked(whole) {
        Some((whole, "")) => out.write_str(whole),
        Some((whole, fraction)) => {
            out.write_str(whole)?;
            out.write_char('.')?;
            out.write_str(fraction)
        }
        None => {
            out.write_str(digits)?;
            write_zeros((whole - digits.len()) as u64, out)
        }
    }
}

/// Returns the length of the output of [`write_plain`] in bytes.
fn plain_length(number: &DecimalText) -> u64 {
    let count = number.digits.len() as u64;
    let whole = u64::try_from(number.point).unwrap_or(0);
    let body = match number.point {
        _ if count == 0 => 1,
        ..=0 => 2 + number.point.unsigned_abs() + count,
        _ if whole >= count => whole,
        _ => count + 1,
    };
    body + u64::from(number.negative)
}

pub(super) fn write_zeros(mut count: u64, out: &mut impl fmt::Write) -> fmt::Result {
    const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
    while count > 0 {
        let chunk = count.min(ZEROS.len() as u64);
        out.write_str(&ZEROS[..cast::amount(chunk)])?;
        count -= chunk;
    }
    Ok(())
}

/// Returns the text of a number below 100,000,000, followed by zeros, and its length.
// Inlined, as `eight_digits`.
#[inline(always)]
pub(crate) const fn short_integer(number: u64) -> ([u8; 8], usize) {
    let digits = eight_digits(number);
    // Leading zeros are dropped, except for the last digit.
    let zeros = (digits | 1 << 56).trailing_zeros() / 8;
    (((digits | 0x3030_3030_3030_3030) >> (8 * zeros)).to_le_bytes(), 8 - zeros as usize)
}

/// Returns the digits of a number below 100,000,000 as bytes, the first one lowest.
///
/// Computes all digits at once (SWAR): a general formatter takes three times as long.
// Inlined into loops: a few instructions.
#[inline(always)]
pub(crate) const fn eight_digits(number: u64) -> u64 {
    debug_assert!(number < 100_000_000);
    // Two numbers below 10,000, then four below 100, then eight below 10, the first one lowest. Each step moves the
    // remainders of a division behind the quotients: `q + ((n - unit * q) << bits)`.
    let upper = number / 10_000;
    let fours = (number << 32) - upper * ((10_000 << 32) - 1);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let twos = (fours << 16) - hundreds * ((100 << 16) - 1);
    let tens = ((twos * 103) >> 10) & 0x000F_000F_000F_000F;
    (twos << 8) - tens * ((10 << 8) - 1)
}
