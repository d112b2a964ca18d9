//! Parsing numbers: literals, strings that are converted, integers in any radix.
//!
//! ```text
//! number   = sign? ( mantissa exponent? | "inf" | "Inf" )
//! mantissa = digit+ ( "." digit* )? | "." digit+
//! exponent = ( "e" | "E" | "p" | "P" ) sign? digit+        e: power of ten, p: power of two
//! ```
//!
//! The value is rounded once, to 512 bits. The cost is proportional to the length of the text, whatever
//! the exponent is: nothing is expanded. Formatting is in `print` and `layout`.

use super::decimal::{MAX_DIGITS, power_of_ten};
use super::{Big, FULL_BITS, Number, Width};
use crate::memory::cast;

/// The most digits of an integer in any radix: with 6 bits each, the exponent stays in the range that
/// floats hold themselves.
const MAX_INTEGER_DIGITS: usize = 40_000_000;

impl Number {
    /// Parses a literal token (no sign, no infinity). Returns `None` if the text is not a number: a
    /// second point or exponent, an exponent without digits or beyond 32 bits. Values that are too large
    /// become infinity, those that are too small become zero.
    pub fn parse_literal(text: &str) -> Option<Self> {
        if let Some(value) = Self::short_integer(text.as_bytes()) {
            return Some(Self::full(value));
        }
        text.starts_with(|c: char| c.is_ascii_digit()).then(|| Self::parse_text(text))?
    }

    /// Parses an integer of up to 18 digits and nothing else, which is what most literals are.
    #[inline]
    pub fn short_integer(digits: &[u8]) -> Option<i64> {
        if digits.is_empty() || digits.len() > 18 {
            return None;
        }
        let append = |sum, digit: &u8| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0'));
        digits.iter().try_fold(0, append)
    }

    /// Parses a string that is converted to a number: a literal, optionally with a sign, with no digits
    /// before or after the point, with a binary exponent; or an infinity.
    pub fn parse_text(text: &str) -> Option<Self> {
        let (negative, rest) = sign(text.as_bytes());
        if matches!(rest, b"inf" | b"Inf") {
            return Some(Self::Big(Big::infinity(FULL_BITS, negative)));
        }
        let (mantissa, rest) = Mantissa::scan(rest)?;
        let exponent = Exponent::scan(rest)?;
        mantissa.value(negative, exponent)
    }

    /// Parses an integer in a radix of 2 to 62: an optional sign, then the digits `0-9` and letters. Up
    /// to radix 36 letters may have either case; beyond, `a-z` are 10 to 35 and `A-Z` 36 to 61. The
    /// precision is the number of bits the integer needs, at least 64. Returns `None` for more than 40
    /// million digits.
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

/// Splits off an optional sign; true if it is a minus.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// Returns the value of a digit in a radix.
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

/// The digits before an exponent: `digits`, without leading and trailing zeros, times `10^scale`.
struct Mantissa {
    digits: String,
    scale: i64,
    /// The number of digits after the point in the text, which the range check counts.
    fraction: i64,
}

impl Mantissa {
    /// Scans a mantissa at the start of the text, and returns the rest as well.
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

    /// Returns the number with its exponent applied.
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

    /// Returns the number of bits of all digits in the text, read as one integer. Exact except for
    /// mantissas within a rounding error of a power of two.
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

    /// Returns the inline form, if the number has at most 18 digits and is small enough.
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

/// Splits off the longest run of digits at the start of the text.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// The exponent of a scaling factor.
#[derive(Clone, Copy)]
enum Exponent {
    Ten(i64),
    Two(i64),
}

impl Exponent {
    /// Parses an exponent that is all of the text. An empty text is an exponent of zero.
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

    /// Returns true if the exponent plus the bits of the mantissa fits 32 bits. This is the reference's
    /// bound on its input, before the power of five is applied.
    fn in_range(self, bits: i64) -> bool {
        let (Self::Ten(power) | Self::Two(power)) = self;
        i32::try_from(bits.saturating_add(power)).is_ok()
    }
}
