//! Both engines give equal results, bit for bit: random and border operands at precisions of 1 to 4,096 bits.
//!
//! `HCLVM_FLOATS=operations` or `operations:seed` selects a longer run than the default or another seed.
#![expect(clippy::print_stdout, reason = "reports the number of operations of a longer run")]

use std::panic::catch_unwind;

use rug::Float as Mpfr;

use super::super::super::super::memory::cast;
use super::super::NEAR;
use super::super::agreement::{Random, asked_for};
use super::pure::Float as Pure;
use super::{Direction, Engine};

/// Operations of the default run: three seconds of processor time in a debug build.
const OPERATIONS: u64 = 500_000;

/// A number in both engines.
#[derive(Clone, Debug)]
struct Pair {
    mpfr: Mpfr,
    pure: Pure,
}

/// A number as an engine reports it: precision, sign, exponent, infinity and mantissa.
type Seen = (u32, bool, Option<i32>, bool, Option<[u64; MOST_WORDS]>);

/// The words of the longest mantissas.
const MOST_WORDS: usize = 160;

fn seen<Number: Engine>(number: &Number) -> Seen {
    let (bits, exponent) = (number.precision(), number.exponent());
    (bits, number.is_negative(), exponent, number.is_infinite(), number.first_words())
}

/// A source of operands, and the comparison of results.
struct EngineComparison {
    random: Random,
    count: u64,
}

impl EngineComparison {
    /// Compares two results and returns them as an operand of further operations.
    fn check(&mut self, what: &str, operands: &[&Pair], bits: u32, mpfr: Mpfr, pure: Pure) -> Pair {
        self.count += 1;
        assert_eq!(seen(&pure), seen(&mpfr), "{what} at {bits} bits of {operands:#?}");
        Pair { mpfr, pure }
    }

    /// Compares two answers.
    fn same<Answer: PartialEq + std::fmt::Debug>(
        &mut self,
        what: &str,
        of: &Pair,
        mpfr: Answer,
        pure: Answer,
    ) {
        self.count += 1;
        assert_eq!(pure, mpfr, "{what} of {of:#?}");
    }

    fn below(&mut self, end: u64) -> u64 {
        self.random.below(end)
    }

    fn signed(&mut self, end: u64) -> i32 {
        i32::try_from(self.below(2 * end + 1)).expect("it is small")
            - i32::try_from(end).expect("it is small")
    }

    /// Returns a precision: one word, some words and their borders, up to 4,096.
    fn bits(&mut self) -> u32 {
        let bits = match self.below(8) {
            0 => 1 + self.below(4),
            1 => 1 + self.below(64),
            2 => 1 + self.below(512),
            3 => 1 + self.below(4_096),
            4 => 64 * (1 + self.below(64)),
            5 => 64 * (1 + self.below(64)) + 1,
            6 => 64 * (1 + self.below(64)) - 1,
            _ => [53, 64, 512, 640, 1_024][cast::amount(self.below(5))],
        };
        u32::try_from(bits).expect("it is small")
    }

    /// Returns words with long runs of equal bits, in which carries travel far and ties are frequent.
    fn words(&mut self, bits: u32) -> Vec<u64> {
        let length = cast::index(bits.div_ceil(64));
        let kind = self.below(6);
        let mut words: Vec<u64> = (0..length)
            .map(|_| match kind {
                0 | 1 => self.random.next(),
                2 => 0,
                3 => u64::MAX,
                _ => [0, u64::MAX][cast::amount(self.below(2))],
            })
            .collect();
        // Some bits that break a run.
        for _ in 0..self.below(3) {
            let (word, bit) = (cast::amount(self.below(length as u64)), self.below(64));
            words[word] ^= 1 << bit;
        }
        words
    }

    /// Returns a number. Often its exponent is near that of another one.
    fn number(&mut self, near: Option<&Pair>) -> Pair {
        let bits = self.bits();
        let negative = self.below(2) == 0;
        if self.below(24) == 0 {
            return if self.below(3) == 0 {
                Pair { mpfr: Mpfr::infinity(bits, negative), pure: Pure::infinity(bits, negative) }
            } else {
                Pair { mpfr: Mpfr::zero(bits, negative), pure: Pure::zero(bits, negative) }
            };
        }
        // Half of the numbers are rounded from another precision.
        let given = if self.below(2) == 0 { bits } else { self.bits() };
        let words = self.words(given);
        let mpfr = Mpfr::from_words(&words, 0, bits, negative);
        let pure = Pure::from_words(&words, 0, bits, negative);
        let number = self.check("words", &[], bits, mpfr, pure);
        let Some(own) = number.mpfr.exponent() else { return number };
        let near = near.and_then(|near| near.mpfr.exponent());
        let exponent = match (self.below(16), near) {
            (0..=5, Some(other)) => other + self.signed(2),
            (6..=8, Some(other)) => other + self.signed(4_200),
            (9, _) => i32::try_from(NEAR).expect("28 bits") - self.signed(3).abs(),
            (10, _) => self.signed(3).abs() - i32::try_from(NEAR).expect("28 bits"),
            (11, _) => own,
            _ => self.signed(1_100),
        };
        let power = exponent - own;
        let (mpfr, pure) = (number.mpfr.clone().shifted(power), number.pure.clone().shifted(power));
        self.check("shift", &[&number], bits, mpfr, pure)
    }

    fn product(&mut self, a: &Pair, b: &Pair, bits: u32) -> Pair {
        self.check("product", &[a, b], bits, a.mpfr.times(&b.mpfr, bits), a.pure.times(&b.pure, bits))
    }

    /// Compares quotients at a precision, or at that of the divisor if it is higher: see [`Engine::over`].
    fn quotient(&mut self, a: &Pair, b: &Pair, bits: u32) {
        let bits = bits.max(b.pure.precision());
        self.check("quotient", &[a, b], bits, a.mpfr.over(&b.mpfr, bits), a.pure.over(&b.pure, bits));
    }

    fn binary(&mut self, a: &Pair, b: &Pair) {
        let bits = if self.below(3) == 0 { a.pure.precision().max(b.pure.precision()) } else { self.bits() };
        self.same("order", a, a.mpfr.compare(&b.mpfr), a.pure.compare(&b.pure));
        let [infinite, zero] = [Mpfr::is_infinite, Mpfr::is_zero].map(|is| [is(&a.mpfr), is(&b.mpfr)]);
        if infinite != [true, true] {
            self.check("sum", &[a, b], bits, a.mpfr.plus(&b.mpfr, bits), a.pure.plus(&b.pure, bits));
            self.check("difference", &[a, b], bits, a.mpfr.minus(&b.mpfr, bits), a.pure.minus(&b.pure, bits));
            if zero != [true, true] {
                self.quotient(a, b, bits);
            }
        }
        if !(infinite[0] && zero[1] || infinite[1] && zero[0]) {
            let product = self.product(a, b, bits);
            // A quotient that is exact, or close to one.
            if product.mpfr.exponent().is_some() && !zero[1] && !infinite[1] {
                let bits = self.bits();
                self.quotient(&product, b, bits);
            }
        }
    }

    fn unary(&mut self, a: &Pair) {
        let bits = self.bits();
        self.check("rounding", &[a], bits, a.mpfr.clone().at(bits), a.pure.clone().at(bits));
        self.check("truncation", &[a], bits, a.mpfr.truncated(), a.pure.truncated());
        self.check("negation", &[a], bits, a.mpfr.clone().negated(), a.pure.clone().negated());
        self.check("magnitude", &[a], bits, a.mpfr.magnitude(), a.pure.magnitude());
        self.same("needed bits", a, Engine::needed_bits(&a.mpfr), a.pure.needed_bits());
        self.same("zero", a, Engine::is_zero(&a.mpfr), a.pure.is_zero());
    }

    /// Compares texts, which take as long as a hundred other operations.
    fn texts(&mut self, a: &Pair) {
        let Some(exponent) = a.mpfr.exponent() else { return };
        let count = 1 + cast::amount(match self.below(3) {
            0 => self.below(4),
            1 => self.below(170),
            _ => self.below(1_300),
        });
        for direction in [Direction::Nearest, Direction::Down, Direction::Up] {
            let (mpfr, pure) = (a.mpfr.digits(count, direction), a.pure.digits(count, direction));
            self.same(&format!("{count} digits {direction:?}"), a, mpfr.clone(), pure);
            let digits = mpfr.0.trim_end_matches('0');
            let (bits, point) = (self.bits(), i32::try_from(mpfr.1).expect("28 bits"));
            let negative = self.below(2) == 0;
            let parsed = [digits.to_owned(), format!("{digits}{:0>1$}", 1, cast::amount(self.below(400)))];
            for digits in parsed {
                let mpfr = Mpfr::from_decimal(&digits, point, bits, negative);
                let pure = Pure::from_decimal(&digits, point, bits, negative);
                self.check(&format!("0.{digits}e{point}"), &[], bits, mpfr, pure);
            }
        }
        if (1..5_000).contains(&exponent) && a.mpfr.is_integer() {
            let radix = 2 + u32::try_from(self.below(35)).expect("it is small");
            let (mpfr, pure) = (a.mpfr.integer_text(radix), a.pure.integer_text(radix));
            self.same("text of an integer", a, mpfr.clone(), pure);
            let digits: Vec<u8> = mpfr
                .bytes()
                .filter_map(|digit| char::from(digit).to_digit(36))
                .map(|digit| u8::try_from(digit).expect("it is small"))
                .collect();
            // The same digits in a larger radix are another number.
            let radix = radix + u32::try_from(self.below(20)).expect("it is small");
            let negative = self.below(2) == 0;
            let mpfr = Mpfr::from_digits(&digits, radix, negative);
            let pure = Pure::from_digits(&digits, radix, negative);
            self.check("digits", &[a], radix, mpfr, pure);
        }
    }
}

fn compare(operations: u64, seed: u64) {
    let mut comparison = EngineComparison { random: Random(seed), count: 0 };
    let mut round = 0_u64;
    while comparison.count < operations {
        let a = comparison.number(None);
        let b = if comparison.below(16) == 0 { a.clone() } else { comparison.number(Some(&a)) };
        comparison.binary(&a, &b);
        comparison.binary(&b, &a);
        comparison.unary(&b);
        if round.is_multiple_of(60) {
            comparison.texts(&a);
        }
        round += 1;
    }
    println!("seed {seed}: {} operations", comparison.count);
}

#[test]
fn engines_agree() {
    let (count, seed) = asked_for(OPERATIONS);
    compare(count, seed);
}

/// Ties and last digits that only bits far behind the first ones decide.
#[test]
fn texts_next_to_ties_agree() {
    let mut comparison = EngineComparison { random: Random(5), count: 0 };
    for bits in [1, 53, 64, 100, 512] {
        for power in [-700, -70, 0, 60, 900] {
            // One bit more than the precision has: a tie.
            let mut tie = Mpfr::with_val(bits + 1, 1).shifted(bits.cast_signed());
            tie += 1;
            let tie = tie.shifted(power - bits.cast_signed());
            let (digits, point) = tie.digits(4_000, Direction::Down);
            let digits = digits.trim_end_matches('0').to_owned();
            let below = format!(
                "{}{}",
                &digits[..digits.len() - 1],
                char::from(digits.as_bytes()[digits.len() - 1] - 1)
            );
            for digits in [digits.clone(), format!("{digits}{:0>2000}1", 0), format!("{below}{:9>2000}", 9)] {
                let point = i32::try_from(point).expect("it is small");
                let (mpfr, pure) = (
                    Mpfr::from_decimal(&digits, point, bits, false),
                    Pure::from_decimal(&digits, point, bits, false),
                );
                comparison.check(&format!("0.{digits}e{point}"), &[], bits, mpfr, pure);
            }
        }
    }
    // Digits that end, or have a tie, at each place.
    for (digits, point) in
        [("5", -20), ("25", 10), ("125", 0), ("95", 1), ("995", 2), ("9999995", 3), ("1", 40), ("1", 150)]
    {
        let mpfr = Mpfr::from_decimal(digits, point, 512, false);
        let pure = Pure::from_decimal(digits, point, 512, false);
        let number = comparison.check(digits, &[], 512, mpfr, pure);
        for count in 1..200 {
            for direction in [Direction::Nearest, Direction::Down, Direction::Up] {
                let (mpfr, pure) =
                    (number.mpfr.digits(count, direction), number.pure.digits(count, direction));
                comparison.same(&format!("{count} digits {direction:?}"), &number, mpfr, pure);
            }
        }
    }
}

/// Products, quotients and texts that are left to the crate of long integers.
#[test]
fn long_numbers_agree() {
    let mut comparison = EngineComparison { random: Random(9), count: 0 };
    for bits in [2_560, 2_624, 5_000, 10_240] {
        for _ in 0..40 {
            let [a, b] = [bits, 10_240].map(|bits| {
                let words = comparison.words(bits);
                let (mpfr, pure) =
                    (Mpfr::from_words(&words, 7, bits, true), Pure::from_words(&words, 7, bits, true));
                comparison.check("words", &[], bits, mpfr, pure)
            });
            if a.pure.is_zero() || b.pure.is_zero() {
                continue;
            }
            for bits in [1, 512, bits, 10_239] {
                comparison.product(&a, &b, bits);
                comparison.quotient(&a, &b, bits);
                comparison.quotient(&b, &a, bits);
            }
            comparison.same("text", &a, a.mpfr.integer_text(10), a.pure.integer_text(10));
            for count in [1, 100, 3_000] {
                let [mpfr, pure] =
                    [a.mpfr.digits(count, Direction::Nearest), a.pure.digits(count, Direction::Nearest)];
                comparison.same("digits", &a, mpfr, pure);
            }
        }
    }
}

/// A result with another mantissa, sign or precision is found.
#[test]
fn differences_are_found() {
    let is_found = |mpfr: Mpfr, pure: Pure| {
        let check =
            || EngineComparison { random: Random(1), count: 0 }.check("difference", &[], 64, mpfr, pure);
        catch_unwind(std::panic::AssertUnwindSafe(check)).is_err()
    };
    let pure = || Pure::from_words(&[3], 0, 64, false);
    assert!(!is_found(Mpfr::from_words(&[3], 0, 64, false), pure()));
    assert!(is_found(Mpfr::from_words(&[3, 1 << 62], -64, 64, false), pure()));
    assert!(is_found(Mpfr::from_words(&[3], 0, 64, true), pure()));
    assert!(is_found(Mpfr::from_words(&[3], 0, 65, false), pure()));
    assert!(is_found(Mpfr::from_words(&[3], 1, 64, false), pure()));
}
