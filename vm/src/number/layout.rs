//! Numbers formatted to a chosen shape: with a number of places or digits, with an exponent, in a radix.
//!
//! The digits are those of the exact binary value, rounded to nearest, ties to even. The shapes are those
//! of C's `%f %e %g` with lower-case letters. The shortest text, which the language itself prints, is in
//! `print`.

use std::fmt::{self, Write};

use super::NumberRef;
use super::big::DecimalText;
use super::print::{infinity, write_plain, write_zeros};
use crate::memory::cast;

impl NumberRef<'_> {
    /// Formats the number with exactly `places` digits after the point: `2.50`, `+Inf`.
    pub fn text_fixed(self, places: usize) -> String {
        self.laid_out(|out| {
            let decimal = match self {
                Self::Int(value, _) => DecimalText::of_decimal(value, 0),
                _ => self.to_big().to_places(places),
            };
            write_fixed(&decimal, places, out)
        })
    }

    /// Formats the number with one digit before the point, exactly `places` after it, and an exponent of
    /// at least two digits: `2.50e+00`.
    pub fn text_scientific(self, places: usize) -> String {
        self.laid_out(|out| write_scientific(&self.rounded(places.saturating_add(1)), places, out))
    }

    /// Formats the number with at most `count` digits, or with the fewest that identify it, without
    /// trailing zeros. The exponent is omitted if it is at least -4 and below `count` (below 6 for the
    /// fewest digits).
    pub fn text_general(self, count: Option<usize>) -> String {
        let find = || match (count, self) {
            (Some(count), _) => self.rounded(count.max(1)),
            (None, Self::Int(value, _)) => DecimalText::of_decimal(value, 0),
            (None, Self::Decimal(mantissa, scale)) => DecimalText::of_decimal(mantissa, scale),
            (None, Self::Ratio(_) | Self::Big(_)) => self.to_big().shortest(),
        };
        self.laid_out(|out| {
            let decimal = find();
            let plain = -4..count.map_or(6, |count| cast::signed(count.max(1)));
            if decimal.digits.is_empty() || plain.contains(&(decimal.point - 1)) {
                write_plain(&decimal, out)
            } else {
                write_scientific(&decimal, decimal.digits.len() - 1, out)
            }
        })
    }

    /// Formats the number with at most ten digits, which is the order of sets of compound elements.
    pub fn text_of_ten_digits(self) -> String {
        self.text_general(Some(10))
    }

    /// Formats an integer in a radix of 2 to 36. Returns `None` for other numbers, and if there are more
    /// than `limit` digits.
    pub fn text_in_radix(self, radix: u32, limit: u64) -> Option<String> {
        let bits = u64::from(radix.checked_ilog2().filter(|_| (2..=36).contains(&radix))?);
        match self {
            Self::Decimal(..) | Self::Ratio(_) => None,
            Self::Int(..) => self.to_big().integer_text(radix, limit.saturating_mul(bits + 1)),
            Self::Big(big) => big.integer_text(radix, limit.saturating_mul(bits + 1)),
        }
        .filter(|text| text.trim_start_matches('-').len() as u64 <= limit)
    }

    /// Returns the first `count` digits, at least one. Decimals are converted first: what is a tie in the
    /// decimal is none in the float that it denotes.
    fn rounded(self, count: usize) -> DecimalText {
        match self {
            Self::Int(value, _) => DecimalText::of_decimal(value, 0).rounded(count),
            _ => self.to_big().leading(count),
        }
    }

    fn laid_out(self, write: impl FnOnce(&mut String) -> fmt::Result) -> String {
        let mut text = String::new();
        if self.is_infinite() {
            text.push_str(infinity(self.is_negative()));
        } else {
            // Writing to a string cannot fail.
            let _ = write(&mut text);
        }
        text
    }
}

/// Writes digits of which at most `places` follow the point, padded with zeros to `places`.
fn write_fixed(decimal: &DecimalText, places: usize, out: &mut String) -> fmt::Result {
    write_plain(decimal, out)?;
    let written = match cast::signed(decimal.digits.len()) - decimal.point {
        _ if decimal.digits.is_empty() => 0,
        fraction => usize::try_from(fraction).unwrap_or(0),
    };
    if written == 0 && places > 0 {
        out.push('.');
    }
    write_zeros(places.saturating_sub(written) as u64, out)
}

/// Writes at most `places + 1` digits with an exponent, padded with zeros.
fn write_scientific(decimal: &DecimalText, places: usize, out: &mut String) -> fmt::Result {
    let sign = if decimal.negative { "-" } else { "" };
    let (first, rest) = decimal.digits.split_at_checked(1).unwrap_or(("0", ""));
    let point = if places == 0 { "" } else { "." };
    write!(out, "{sign}{first}{point}{rest}")?;
    write_zeros(places.saturating_sub(rest.len()) as u64, out)?;
    let exponent = if decimal.digits.is_empty() { 0 } else { decimal.point - 1 };
    let direction = if exponent < 0 { '-' } else { '+' };
    write!(out, "e{direction}{:02}", exponent.unsigned_abs())
}
