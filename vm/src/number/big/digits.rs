//! Decimal digits of floats: the shortest that parse to the same float, or a given number of them.
//!
//! The engine finds a given number of digits, but not the shortest. The algorithm is that of the reference, so
//! that texts are equal:
//!
//! ```text
//!        lower          x          upper         lower, upper = x -+ half a unit in the last
//!   ───────┼────────────┼────────────┼───────    place of x's precision; they belong to the
//!        0.29999…     0.3000…01    0.3000…03      range only if x's mantissa is even
//! ```
//! Digits are produced from the left. They suffice as soon as truncating there stays above `lower`, or
//! incrementing the last one stays below `upper`, also if the digits of `upper` ended before. Below a power of two floats are closer than the picture
//! shows; the reference ignores that, and so does this file.

use super::float::{Direction, Engine, Float};
use super::long::{Long, SPARE};
use crate::memory::cast;

/// The number `±0.digits * 10^point`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct DecimalText {
    pub(in super::super) negative: bool,
    /// ASCII digits without leading and trailing zeros; empty for zero.
    pub(in super::super) digits: String,
    pub(in super::super) point: i64,
}

impl DecimalText {
    /// Returns the digits of an inline number, `magnitude / 10^scale`.
    pub(in super::super) fn of_decimal(value: i64, scale: u8) -> Self {
        let mut digits = value.unsigned_abs().to_string();
        let point = cast::signed(digits.len()) - i64::from(scale);
        digits.truncate(digits.trim_end_matches('0').len());
        Self { negative: value < 0, point: if digits.is_empty() { 0 } else { point }, digits }
    }

    /// Rounds to at most `count` digits, ties to even.
    pub(in super::super) fn rounded(mut self, count: usize) -> Self {
        let up = match self.digits.as_bytes().get(count..) {
            None | Some([]) => return self,
            Some(b"5") => count > 0 && self.digits.as_bytes()[count - 1] & 1 == 1,
            Some([next, ..]) => *next >= b'5',
        };
        self.cut(count, up);
        self
    }

    /// Truncates to `count` digits, and increments the last of them if `up`.
    pub(super) fn cut(&mut self, count: usize, up: bool) {
        self.digits.truncate(count);
        let keep = self.digits.trim_end_matches(if up { '9' } else { '0' }).len();
        self.digits.truncate(keep);
        if !up {
            return;
        }
        if let Some(last) = self.digits.pop() {
            self.digits.push(char::from(last as u8 + 1));
        } else {
            self.digits.push('1');
            self.point += 1;
        }
    }
}

impl Long {
    /// Returns the shortest digits that parse to this number at its own precision. The cost depends on
    /// the precision, not on the exponent. Infinity has no digits.
    pub(super) fn shortest(&self) -> DecimalText {
        let whole = self.shift == 0 && self.exponent() <= Some(i64::from(self.precision()));
        if whole && self.is_integer() {
            // Neighbours are at most 1 away, so every digit of an integer is needed.
            return DecimalText::of_integer(&self.float.integer_text(10), self.is_negative());
        }
        RoundingRange::around(self)
            .map_or_else(|| self.zero_digits(), |range| range.shortest(self.is_negative()))
    }

    /// Returns the first `count` digits, rounded to nearest, ties to even.
    pub(super) fn leading(&self, count: usize) -> DecimalText {
        let Some((scaling, power)) = Scaling::of(self) else { return self.zero_digits() };
        let head = LeadingDigits::of(&scaling.seen(&self.float), count, Direction::Nearest);
        let mut digits =
            DecimalText { negative: self.is_negative(), digits: head.digits, point: head.point + power };
        digits.cut(count, false);
        digits
    }

    /// Returns the digits up to `places` after the point, rounded to nearest, ties to even.
    pub(super) fn to_places(&self, places: usize) -> DecimalText {
        let Some((scaling, power)) = Scaling::of(self) else { return self.zero_digits() };
        let float = scaling.seen(&self.float);
        let point = LeadingDigits::of(&float, 1, Direction::Down).point + power;
        match usize::try_from(point.saturating_add_unsigned(places as u64)) {
            Err(_) => self.zero_digits(),
            Ok(0) if LeadingDigits::of(&float, 2, Direction::Up).digits.as_str() > "50" => {
                DecimalText { negative: self.is_negative(), digits: "1".to_owned(), point: point + 1 }
            }
            Ok(0) => self.zero_digits(),
            Ok(count) => self.leading(count),
        }
    }

    fn zero_digits(&self) -> DecimalText {
        DecimalText { negative: self.is_negative(), digits: String::new(), point: 0 }
    }
}

impl DecimalText {
    /// Returns the digits of an integer's text.
    fn of_integer(text: &str, negative: bool) -> Self {
        let digits = text.trim_start_matches('-').trim_end_matches('0');
        let point = text.trim_start_matches('-').len();
        Self {
            negative,
            digits: digits.to_owned(),
            point: if digits.is_empty() { 0 } else { cast::signed(point) },
        }
    }
}

/// Returns a lower bound of the length of the text of a number with this exponent.
pub(super) fn least_digits(exponent: i64) -> u64 {
    decimal_exponent(exponent.abs()).unsigned_abs().saturating_sub(1)
}

/// The scaling under which the digits of a number are computed: none, or, if the exponent is kept apart,
/// a power of ten that brings the number near 1.
struct Scaling {
    scale: Option<Float>,
}

impl Scaling {
    /// Returns the scaling for a number, and the power of ten by which it divides. Returns `None` for
    /// zero and infinity.
    fn of(number: &Long) -> Option<(Self, i64)> {
        let exponent = number.exponent()?;
        if number.shift == 0 {
            return Some((Self { scale: None }, 0));
        }
        let bits = number.precision() + SPARE;
        let power = decimal_exponent(exponent);
        let unit = Long::from_i64(1, bits).shifted(number.shift);
        Some((Self { scale: Some(unit.scaled_by_ten(-power, bits).float) }, power))
    }

    fn seen(&self, float: &Float) -> Float {
        let magnitude = float.magnitude();
        match &self.scale {
            None => magnitude,
            Some(scale) => magnitude.times(scale, scale.precision()),
        }
    }

    /// Returns true if the scaled number is the number itself, so that its digits may terminate.
    fn is_exact(&self) -> bool {
        self.scale.is_none()
    }
}

/// Returns the decimal exponent of `2^exponent`, rounded down. Exponents have at most 33 bits, so the
/// conversions are exact but for the rounding of the product, which callers allow for.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "at most 33 bits, as above")]
fn decimal_exponent(exponent: i64) -> i64 {
    (exponent as f64 * std::f64::consts::LOG10_2).floor() as i64
}

/// The first digits of a positive float, truncated or rounded: `0.digits * 10^point`.
struct LeadingDigits {
    digits: String,
    point: i64,
}

impl LeadingDigits {
    fn of(float: &Float, count: usize, direction: Direction) -> Self {
        let (digits, point) = float.digits(count, direction);
        Self { digits, point }
    }
}

/// A positive float and as many of its digits as distinguish it from its neighbours.
struct ShortestDigits {
    float: Float,
    head: LeadingDigits,
    may_end: bool,
}

impl ShortestDigits {
    fn of(float: Float, count: usize, may_end: bool) -> Self {
        Self { head: LeadingDigits::of(&float, count, Direction::Down), float, may_end }
    }

    /// Returns the digit at an index.
    fn at(&self, index: usize) -> u8 {
        self.head.digits.as_bytes().get(index).copied().unwrap_or(b'0')
    }

    /// Returns true if all digits from an index on are zeros.
    fn ends_at(&self, index: usize) -> bool {
        let zeros = self.head.digits.bytes().skip(index).all(|c| c == b'0');
        zeros && self.may_end && {
            let above = LeadingDigits::of(&self.float, self.head.digits.len(), Direction::Up);
            above.digits == self.head.digits
        }
    }
}

/// A number and the bounds between which decimals parse to that number.
struct RoundingRange {
    lower: ShortestDigits,
    exact: ShortestDigits,
    upper: ShortestDigits,
    inclusive: bool,
    power: i64,
    count: usize,
}

impl RoundingRange {
    /// Returns the range around a number, `None` for zero and infinity.
    fn around(number: &Long) -> Option<Self> {
        let (scaling, power) = Scaling::of(number)?;
        let bits = number.precision();
        let half = Float::from_words(&[1], number.float.exponent()? - bits.cast_signed() - 1, 1, false);
        let magnitude = number.float.magnitude();
        // With this many digits the bounds differ from the number before the last digit.
        let count = cast::amount(decimal_exponent(i64::from(bits)).unsigned_abs()) + 5;
        let tail = |float: &Float| ShortestDigits::of(scaling.seen(float), count, scaling.is_exact());
        Some(Self {
            lower: tail(&magnitude.minus(&half, bits + 1)),
            exact: tail(&magnitude),
            upper: tail(&magnitude.plus(&half, bits + 1)),
            inclusive: number.needed_bits() < bits,
            power,
            count,
        })
    }

    fn shortest(self, negative: bool) -> DecimalText {
        let (count, up) = (0..self.count)
            .find_map(|index| Some((index + 1, self.stop(index)?)))
            .unwrap_or((self.count, false));
        let point = self.exact.head.point + self.power;
        let mut digits = DecimalText { negative, digits: self.exact.head.digits, point };
        digits.cut(count, up);
        digits
    }

    /// Returns `Some` if the digits up to this index suffice; the value shows whether the last one is
    /// incremented.
    fn stop(&self, index: usize) -> Option<bool> {
        let (low, digit, high) = (self.lower.at(index), self.exact.at(index), self.upper.at(index));
        let down = low != digit || (self.inclusive && self.lower.ends_at(index + 1));
        let fits = || {
            let inside = digit + 1 < high || !self.upper.ends_at(index + 1);
            inside || digit < b'9' && self.upper.ends_at(index)
        };
        let up = high != digit && (self.inclusive || fits());
        match (down, up) {
            (true, true) => Some(self.nearer_up(index)),
            (true, false) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        }
    }

    /// Returns true if incrementing the last digit gives the closer decimal; ties to even.
    fn nearer_up(&self, index: usize) -> bool {
        match self.exact.at(index + 1) {
            b'5' if self.exact.ends_at(index + 2) => self.exact.at(index) & 1 == 1,
            next => next >= b'5',
        }
    }
}
