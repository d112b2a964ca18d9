//! Numbers as text: the shortest decimal that reads back as the same number at its precision,
//! never with an exponent.
//!
//! `1e600000000` is a short literal and a long text. Whoever prints numbers of unknown origin
//! asks for the length first, or prints within a limit; both cost no more than the digits that
//! tell the number from its neighbours.

use std::fmt;

use super::{Number, NumberRef, big::Figures, decimal::power_of_ten};

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
    /// Writes the number's text, as long as it may be: `-0.5`, `100`, `-0`, `+Inf`.
    pub fn write_text(self, out: &mut impl fmt::Write) -> fmt::Result {
        match self {
            Self::Int(value, _) => write!(out, "{value}"),
            Self::Decimal(mantissa, scale) => {
                let (magnitude, unit) = (mantissa.unsigned_abs(), power_of_ten(scale).unsigned_abs());
                let (sign, width) = (if mantissa < 0 { "-" } else { "" }, usize::from(scale));
                write!(out, "{sign}{}.{:0width$}", magnitude / unit, magnitude % unit)
            }
            Self::Big(big) if big.is_infinite() => out.write_str(infinity(big.is_negative())),
            Self::Big(big) => write_plain(&big.shortest(), out),
        }
    }

    /// The text, or `None` where it would be longer than `limit` bytes.
    pub fn text_within(self, limit: u64) -> Option<String> {
        let mut text = String::new();
        match self {
            Self::Big(big) if !big.is_infinite() => {
                if big.least_digits() > limit {
                    return None;
                }
                let digits = big.shortest();
                if plain_length(&digits) > limit {
                    return None;
                }
                write_plain(&digits, &mut text).ok()?;
            }
            _ => self.write_text(&mut text).ok()?,
        }
        (text.len() as u64 <= limit).then_some(text)
    }

    /// The length in bytes of the number's text, without making it.
    pub fn text_length(self) -> u64 {
        match self {
            Self::Big(big) if big.is_infinite() => infinity(false).len() as u64,
            Self::Big(big) => plain_length(&big.shortest()),
            Self::Int(value, _) => plain_length(&Figures::of_decimal(value, 0)),
            Self::Decimal(mantissa, scale) => plain_length(&Figures::of_decimal(mantissa, scale)),
        }
    }

    /// The number in at most ten digits, with an exponent where the plain text would need more:
    /// `%.10g` of C without trailing zeros. Sets of compound elements are ordered by such texts.
    pub fn text_of_ten_digits(self) -> String {
        const COUNT: usize = 10;
        let digits = match self {
            Self::Int(value, _) => Figures::of_decimal(value, 0).rounded(COUNT),
            // What looks like a half is not one in the float that the decimal stands for.
            Self::Decimal(..) => self.to_big().leading(COUNT),
            Self::Big(big) if big.is_infinite() => return infinity(big.is_negative()).to_owned(),
            Self::Big(big) => big.leading(COUNT),
        };
        let mut text = String::new();
        // Nothing fails that writes to a string.
        let _ = match digits.point - 1 {
            _ if digits.digits.is_empty() => write_plain(&digits, &mut text),
            -4..10 => write_plain(&digits, &mut text),
            exponent => write_scientific(&digits, exponent, &mut text),
        };
        text
    }
}

fn infinity(negative: bool) -> &'static str {
    if negative { "-Inf" } else { "+Inf" }
}

/// Writes digits without an exponent.
fn write_plain(number: &Figures, out: &mut impl fmt::Write) -> fmt::Result {
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
        Some((whole, fraction)) => write!(out, "{whole}.{fraction}"),
        None => {
            out.write_str(digits)?;
            write_zeros((whole - digits.len()) as u64, out)
        }
    }
}

/// What [`write_plain`] would write, in bytes.
fn plain_length(number: &Figures) -> u64 {
    let count = number.digits.len() as u64;
    let whole = number.point.max(0) as u64;
    let body = match number.point {
        _ if count == 0 => 1,
        ..=0 => 2 + number.point.unsigned_abs() + count,
        _ if whole >= count => whole,
        _ => count + 1,
    };
    body + u64::from(number.negative)
}

fn write_zeros(mut count: u64, out: &mut impl fmt::Write) -> fmt::Result {
    const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
    while count > 0 {
        let chunk = count.min(ZEROS.len() as u64);
        out.write_str(&ZEROS[..chunk as usize])?;
        count -= chunk;
    }
    Ok(())
}

/// Writes digits with one before the point and an exponent of at least two digits.
fn write_scientific(number: &Figures, exponent: i64, out: &mut impl fmt::Write) -> fmt::Result {
    let sign = if number.negative { "-" } else { "" };
    let (first, rest) = number.digits.split_at_checked(1).unwrap_or(("0", ""));
    let point = if rest.is_empty() { "" } else { "." };
    let direction = if exponent < 0 { '-' } else { '+' };
    write!(out, "{sign}{first}{point}{rest}e{direction}{:02}", exponent.unsigned_abs())
}
