//! Numbers as text of a chosen shape: so many places, so many digits, with an exponent, in a base.
//!
//! The digits are those of the very binary value, rounded to nearest, an exact half to even.
//! The shapes are those of C's `%f %e %g`; letters are lower case.

use std::fmt::{self, Write};

use super::NumberRef;
use super::big::DecimalText;
use super::print::{infinity, write_plain, write_zeros};
use crate::memory::cast;

impl NumberRef<'_> {
    /// The number with exactly `places` digits after the point: `2.50`, `+Inf`.
    pub fn text_fixed(self, places: usize) -> String {
        self.laid_out(|out| {
            let decimal = match self {
                Self::Int(value, _) => DecimalText::of_decimal(value, 0),
                _ => self.to_big().to_places(places),
            };
            write_fixed(&decimal, places, out)
        })
    }

    /// The number with one digit before the point, exactly `places` after it, and an exponent of
    /// at least two digits: `2.50e+00`.
    pub fn text_scientific(self, places: usize) -> String {
        self.laid_out(|out| write_scientific(&self.rounded(places.saturating_add(1)), places, out))
    }

    /// The number in at most `count` digits, or in as few as tell it from its neighbours, without
    /// zeros at the end: plain where the exponent is at least -4 and below `count` (below 6 for
    /// the fewest digits), else with an exponent.
    pub fn text_general(self, count: Option<usize>) -> String {
        let find = || match (count, self) {
            (Some(count), _) => self.rounded(count.max(1)),
            (None, Self::Int(value, _)) => DecimalText::of_decimal(value, 0),
            (None, Self::Decimal(mantissa, scale)) => DecimalText::of_decimal(mantissa, scale),
            (None, Self::Big(big)) => big.shortest(),
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

    /// The number in at most ten digits, by which sets of compound elements are ordered.
    pub fn text_of_ten_digits(self) -> String {
        self.text_general(Some(10))
    }

    /// An integer's text in a base of 2 to 36; `None` for other numbers, and where there would
    /// be more than `limit` digits.
    pub fn text_in_radix(self, radix: u32, limit: u64) -> Option<String> {
        let bits = u64::from(radix.checked_ilog2().filter(|_| (2..=36).contains(&radix))?);
        match self {
            Self::Decimal(..) => None,
            Self::Int(..) => self.to_big().integer_text(radix, limit.saturating_mul(bits + 1)),
            Self::Big(big) => big.integer_text(radix, limit.saturating_mul(bits + 1)),
        }
        .filter(|text| text.trim_start_matches('-').len() as u64 <= limit)
    }

    /// The first `count` digits, at least one. What looks like a half in a decimal is none in the
    /// float that it stands for, hence the detour.
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
            // Nothing fails that writes to a string.
            let _ = write(&mut text);
        }
        text
    }
}

/// Writes digits that have no more than `places` digits after the point, and zeros up to that.
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

/// Writes digits of at most `places + 1` digits with an exponent.
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
