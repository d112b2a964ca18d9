//! Numbers out of text: literals, strings that are converted, integers in any base.
//!
//! ```text
//! number   = sign? ( mantissa exponent? | "inf" | "Inf" )
//! mantissa = digit+ ( "." digit* )? | "." digit+
//! exponent = ( "e" | "E" | "p" | "P" ) sign? digit+        e: power of ten, p: power of two
//! ```
//!
//! The value is rounded once, to 512 bits. The cost is proportional to the text, whatever the
//! exponent says: nothing is ever expanded.

use super::decimal::{MAX_DIGITS, power_of_ten};
use super::{Big, FULL_BITS, Number, Width};
use crate::memory::cast;

/// The most digits of an integer in any base: with 6 bits each, the exponent stays in the range
/// that floats hold themselves.
const MAX_INTEGER_DIGITS: usize = 40_000_000;

impl Number {
    /// The number a literal token denotes (no sign, no infinity), or `None` when its text is no
    /// number: a second point or exponent, an exponent without digits or beyond the range of
    /// 32 bits. A value too large is infinity, one too small is zero.
    pub fn parse_literal(text: &str) -> Option<Self> {
        if let Some(value) = Self::short_integer(text.as_bytes()) {
            return Some(Self::full(value));
        }
        text.starts_with(|c: char| c.is_ascii_digit()).then(|| Self::parse_text(text))?
    }

    /// The integer that a few digits and nothing else denote, which most literals are.
    #[inline]
    pub fn short_integer(digits: &[u8]) -> Option<i64> {
        if digits.is_empty() || digits.len() > 18 {
            return None;
        }
        let append = |sum, digit: &u8| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0'));
        digits.iter().try_fold(0, append)
    }

    /// The number a string denotes when it is converted: as a literal, but also with a sign,
    /// with nothing before or after the point, with a binary exponent, and the infinities.
    pub fn parse_text(text: &str) -> Option<Self> {
        let (negative, rest) = sign(text.as_bytes());
        if matches!(rest, b"inf" | b"Inf") {
            return Some(Self::Big(Big::infinity(FULL_BITS, negative)));
        }
        let (mantissa, rest) = Mantissa::scan(rest)?;
        let exponent = Exponent::scan(rest)?;
        mantissa.value(negative, exponent)
    }

    /// The integer that text denotes in a base of 2 to 62: an optional sign, then digits `0-9`,
    /// then letters. Up to base 36 the case of a letter does not matter; beyond, `a-z` are 10 to
    /// 35 and `A-Z` 36 to 61. The precision is the bits the integer needs, at least 64. More
    /// digits than 40 million are refused.
    pub fn parse_integer(text: &str, radix: u32) -> Option<Self> {
        let (negative, digits) = sign(text.as_bytes());
        if digits.is_empty() || digits.len() > MAX_INTEGER_DIGITS || !(2..=62).contains(&radix) {
            return None;
        }
        let values = digits.iter().map(|c| digit_value(*c, radix)).collect::<Option<Vec<_>>>()?;
        let small = values
            .iter()
            .try_fold(0_i64, |sum, digit| sum.checked_mul(i64::from(radix))?.checked_add(i64::from(*digit)));
        Some(match small {
            Some(value) => Self::short(if negative { -value } else { value }),
            None => Self::settled(Big::from_digits(&values, radix, negative)),
        })
    }
}

/// An optional sign, and what follows it.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// What a digit is worth in a base.
fn digit_value(c: u8, radix: u32) -> Option<u8> {
    let value = match c {
        b'0'..=b'9' => c - b'0',
        b'a'..=b'z' => c - b'a' + 10,
        b'A'..=b'Z' if radix <= 36 => c - b'A' + 10,
        b'A'..=b'Z' => c - b'A' + 36,
        _ => return None,
    };
    (u32::from(value) < radix).then_some(value)
}

/// The digits before an exponent: `digits` without zeros at either end, times `10^scale`.
struct Mantissa {
    digits: String,
    scale: i64,
    /// Digits after the point as they were written, which a check of the range counts.
    fraction: i64,
}

impl Mantissa {
    /// The mantissa at the head of the text, and what follows it.
    fn scan(text: &[u8]) -> Option<(Self, &[u8])> {
        let (whole, rest) = digits(text);
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => digits(rest),
            _ => (&rest[..0], rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut all = String::with_capacity(whole.len() + fraction.len());
        all.extend(whole.iter().chain(fraction).map(|c| char::from(*c)).skip_while(|c| *c == '0'));
        let written = all.len();
        all.truncate(all.trim_end_matches('0').len());
        let fraction = cast::signed(fraction.len());
        let scale = cast::signed(written) - cast::signed(all.len()) - fraction;
        Some((Self { digits: all, scale, fraction }, rest))
    }

    /// The number with its exponent.
    fn value(self, negative: bool, exponent: Exponent) -> Option<Number> {
        if self.digits.is_empty() {
            return Some(zero(negative));
        }
        if !exponent.in_range(self.bits() - self.fraction) {
            return None;
        }
        match exponent {
            Exponent::Ten(power) => Some(self.decimal(negative, power)),
            Exponent::Two(power) => Some(Number::settled(self.float(negative, self.scale).shifted(power))),
        }
    }

    /// The number of bits of all the digits as they were written, read as one integer; exact
    /// but for mantissas within a rounding error of a power of two.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "see above")]
    fn bits(&self) -> i64 {
        let head: f64 = self.digits.get(..17).unwrap_or(&self.digits).parse().unwrap_or(1.0);
        let tail = cast::signed(self.digits.len().saturating_sub(17)) + self.scale + self.fraction;
        (head.log2() + tail as f64 * std::f64::consts::LOG2_10).floor() as i64 + 1
    }

    fn decimal(&self, negative: bool, power: i64) -> Number {
        let scale = self.scale.saturating_add(power);
        self.short(negative, scale).unwrap_or_else(|| Number::settled(self.float(negative, scale)))
    }

    /// The inline form, for as much as 18 digits hold.
    fn short(&self, negative: bool, scale: i64) -> Option<Number> {
        if self.digits.len() > usize::from(MAX_DIGITS) {
            return None;
        }
        let magnitude: i64 = self.digits.parse().ok()?;
        let mantissa = if negative { -magnitude } else { magnitude };
        let places = u8::try_from(scale.unsigned_abs()).ok().filter(|p| *p <= MAX_DIGITS)?;
        if scale < 0 {
            return Some(Number::Decimal(mantissa, places));
        }
        mantissa.checked_mul(power_of_ten(places)).map(|value| Number::Int(value, Width::Full))
    }

    fn float(&self, negative: bool, scale: i64) -> Big {
        Big::from_decimal(&self.digits, scale.saturating_add(cast::signed(self.digits.len())), negative)
    }
}

fn zero(negative: bool) -> Number {
    if negative { Number::Big(Big::zero(FULL_BITS, true)) } else { Number::ZERO }
}

/// The longest run of digits at the head of the text, and what follows it.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// A power that scales a mantissa.
#[derive(Clone, Copy)]
enum Exponent {
    Ten(i64),
    Two(i64),
}

impl Exponent {
    /// The exponent that is the whole of the text; none at all is a power of zero.
    fn scan(text: &[u8]) -> Option<Self> {
        let (make, rest): (fn(i64) -> Self, _) = match text {
            [] => return Some(Self::Ten(0)),
            [b'e' | b'E', rest @ ..] => (Self::Ten, rest),
            [b'p' | b'P', rest @ ..] => (Self::Two, rest),
            _ => return None,
        };
        let (_, unsigned) = sign(rest);
        let all_digits = !unsigned.is_empty() && unsigned.iter().all(u8::is_ascii_digit);
        let power = std::str::from_utf8(rest).ok().filter(|_| all_digits)?.parse().ok()?;
        Some(make(power))
    }

    /// Whether the power, on top of the bits that the mantissa brings, fits 32 bits. This is
    /// the reference's own bound on what it reads, before the power of five is applied.
    fn in_range(self, bits: i64) -> bool {
        let (Self::Ten(power) | Self::Two(power)) = self;
        i32::try_from(bits.saturating_add(power)).is_ok()
    }
}
