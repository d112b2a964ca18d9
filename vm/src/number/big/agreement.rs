//! Floats in place give the results of the number engine, bit for bit: random and border operands at all common precisions.
//!
//! `HCLVM_FLOATS=operations` or `operations:seed` selects a longer run than the default or another seed.
#![expect(clippy::print_stdout, reason = "reports the number of operations of a longer run")]

use super::float::{Engine, Float};
use super::long::Long;
use super::wide::Wide;
use super::{Big, FloatForm, NEAR};

/// Operations of the default run.
pub(in super::super) const OPERATIONS: u64 = 300_000;

/// A splitmix64 generator.
pub(in super::super) struct Random(pub(in super::super) u64);

impl Random {
    pub(in super::super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    pub(in super::super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn bits(&mut self) -> u32 {
        const BITS: [u32; 10] = [1, 2, 32, 53, 63, 64, 65, 511, 512, 512];
        match self.below(4) {
            0 => 1 + u32::try_from(self.below(512)).expect("it is small"),
            _ => BITS[usize::try_from(self.below(10)).expect("it is small")],
        }
    }

    /// Returns words with long runs of equal bits, in which carries travel far and ties are frequent.
    fn words(&mut self) -> [u64; 8] {
        let kind = self.below(5);
        let runs: Vec<u64> = (0..3).map(|_| self.below(512)).collect();
        std::array::from_fn(|at| match kind {
            0 => self.next(),
            1 => 0,
            2 => u64::MAX,
            3 if at < 6 => 0,
            3 => self.next(),
            _ => {
                let first = at as u64 * 64;
                (0..64).fold(0, |word, bit| {
                    let before = runs.iter().filter(|run| **run <= first + bit).count() as u64;
                    word | (before % 2) << bit
                })
            }
        })
    }

    fn float(&mut self, near: Option<&Float>) -> Float {
        let bits = self.bits();
        let mut words = self.words();
        words[7] |= 1 << 63;
        // The first bits, not rounded.
        for (word, first) in words.iter_mut().rev().zip((0..).step_by(64)) {
            let kept = bits.saturating_sub(first).min(64);
            *word &= u64::MAX.checked_shl(64 - kept).unwrap_or(0);
        }
        let float = Float::from_words(&words, -512, bits, self.below(2) == 0);
        let exponent = match (self.below(8), near.and_then(Float::exponent)) {
            // Close to the other operand, where differences cancel, and at the distance of all bits.
            (0..=3, Some(other)) => i64::from(other) + i64::try_from(self.below(5)).expect("it is small") - 2,
            (4, Some(other)) => {
                i64::from(other) + i64::try_from(self.below(1200)).expect("it is small") - 600
            }
            (5, _) => NEAR - i64::try_from(self.below(3)).expect("it is small"),
            (6, _) => i64::try_from(self.below(3)).expect("it is small") - NEAR,
            _ => i64::try_from(self.below(2200)).expect("it is small") - 1100,
        };
        float.shifted(i32::try_from(exponent.clamp(-NEAR, NEAR)).expect("it is clamped"))
    }
}

/// Returns an integer as a float.
fn integer(value: u64, bits: u32) -> Float {
    Float::from_words(&[value], 0, bits, false)
}

/// Returns a float in place; `None` if it was rounded to an exponent that is too large.
fn wide(float: &Float) -> Option<Wide> {
    Long { float: float.clone(), shift: 0 }.to_wide()
}

/// Compares a result with the float that the engine computed, which is in place if it can be.
fn check(what: &str, [a, b]: [&Float; 2], bits: u32, found: Option<Wide>, expected: &Long) {
    let described = || format!("{what} at {bits} bits of {a:?} and {b:?}");
    match (found, expected.to_wide()) {
        (Some(found), Some(expected)) => assert_eq!(found, expected, "{}", described()),
        (None, None) => {}
        (found, expected) => panic!("{}: {found:?}, expected {expected:?}", described()),
    }
}

/// Returns the number of operations and the seed that the environment selects.
pub(in super::super) fn asked_for(operations: u64) -> (u64, u64) {
    let asked = std::env::var("HCLVM_FLOATS").unwrap_or_default();
    let (count, seed) = asked.split_once(':').unwrap_or((&asked, ""));
    (count.parse().unwrap_or(operations), seed.parse().unwrap_or(1))
}

#[test]
fn operations_in_place_are_those_of_the_engine() {
    let (count, seed) = asked_for(OPERATIONS);
    let mut random = Random(seed);
    let mut in_place = 0;
    for _ in 0..count.div_ceil(8) {
        let x = random.float(None);
        let y = if random.below(16) == 0 { x.clone().at(random.bits()) } else { random.float(Some(&x)) };
        let (Some(a), Some(b)) = (wide(&x), wide(&y)) else { continue };
        let [p, q] = [&x, &y].map(|float| Long { float: float.clone(), shift: 0 });
        let bits = random.bits();
        let operands = [&x, &y];
        let sum = a.plus(&b, bits);
        in_place += u64::from(sum.is_some());
        check("sum", operands, bits, sum, &p.plus(&q, bits));
        check("difference", operands, bits, a.plus(&b.negated(), bits), &p.minus(&q, bits));
        check("product", operands, bits, a.times(&b, bits), &p.times(&q, bits));
        check("quotient", operands, bits, a.over(&b, bits), &p.over(&q, bits));
        check("rounding", operands, bits, a.at(bits), &p.clone().at(bits));
        check("truncation", operands, bits, a.truncated(), &p.truncated());
        check("floor", operands, bits, a.floored(), &p.floored());
        assert_eq!(a.compare(&b), p.compare(&q), "{x:?} and {y:?}");
        let zero = Big::zero(random.bits(), random.below(2) == 0);
        for (name, found, expected) in [
            ("sum", zero.plus(&Big(FloatForm::Wide(a)), bits), zero.long().plus(&p, bits)),
            ("difference", zero.minus(&Big(FloatForm::Wide(a)), bits), zero.long().minus(&p, bits)),
            ("difference", Big(FloatForm::Wide(a)).minus(&zero, bits), p.minus(&zero.long(), bits)),
            ("product", zero.times(&Big(FloatForm::Wide(a)), bits), zero.long().times(&p, bits)),
            ("quotient", zero.over(&Big(FloatForm::Wide(a)), bits), zero.long().over(&p, bits)),
            (
                "sum of zeros",
                zero.plus(&zero.negated(), bits),
                zero.long().plus(&zero.negated().long(), bits),
            ),
        ] {
            assert_eq!(
                format!("{found:?}"),
                format!("{:?}", Big::of(expected)),
                "{name} of {zero:?} and {x:?}"
            );
        }
        let long = Big(FloatForm::Long(p));
        let short = Big(FloatForm::Wide(a));
        assert_eq!(short.to_i64(), long.to_i64(), "{x:?}");
        assert_eq!(short.to_u64(), long.to_u64(), "{x:?}");
        assert_eq!(short.to_f64().to_bits(), long.to_f64().to_bits(), "{x:?}");
        assert_eq!(short.is_integer(), long.is_integer(), "{x:?}");
        assert_eq!(short.needed_bits(), long.needed_bits(), "{x:?}");
        assert_eq!(Long::from_wide(&a).to_wide(), Some(a), "a conversion and back");
    }
    println!("seed {seed}: {count} operations, {in_place} sums in place of {}", count.div_ceil(8));
    assert!(in_place * 10 > count, "most operands are of that form: {in_place}");
}

#[test]
fn integers_and_floats_of_hosts_are_those_of_the_engine() {
    let mut random = Random(3);
    for _ in 0..20_000 {
        let (a, b) = (
            random.words()[7].cast_signed() >> random.below(64),
            random.words()[7].cast_signed() >> random.below(64),
        );
        let bits = random.bits().max(64);
        let expected = Big::of(Long::from_i64(a, bits));
        assert_eq!(format!("{:?}", Big::from_i64(a, bits)), format!("{expected:?}"), "{a}");
        if b != 0 {
            let expected = Big::of(Long::quotient(a, b, bits));
            assert_eq!(format!("{:?}", Big::quotient(a, b, bits)), format!("{expected:?}"), "{a} / {b}");
        }
        let float = f64::from_bits(random.next());
        let expected = Long::from_f64(float).map(Big::of);
        assert_eq!(format!("{:?}", Big::from_f64(float)), format!("{expected:?}"), "{float}");
    }
}

#[test]
fn short_decimals_are_those_of_the_engine() {
    let (count, seed) = asked_for(OPERATIONS);
    let mut random = Random(seed);
    let mut multiplied = 0;
    for _ in 0..count {
        let scale = 1 + u8::try_from(random.below(18)).expect("it is small");
        let mantissa = match random.below(6) {
            0 => random.words()[7].cast_signed() >> random.below(64),
            // Exact quotients.
            1 => 5_i64.pow(u32::from(scale)) * i64::try_from(1 + random.below(500_000)).expect("it is small"),
            2 => i64::try_from(1 + random.below(1_000)).expect("it is small"),
            _ => i64::try_from(1 + random.below(999_999_999_999_999_999)).expect("it has 18 digits"),
        };
        let exact = mantissa % 5_i64.pow(u32::from(scale)) == 0;
        let wide = Wide::of_decimal(mantissa.unsigned_abs(), scale, mantissa < 0);
        assert!(wide.is_none() || !exact, "{mantissa} / 10^{scale} ends");
        multiplied += u64::from(wide.is_some());
        let expected = Big::of(Long::quotient(mantissa, 10_i64.pow(u32::from(scale)), 512));
        let found = Big::of_decimal(mantissa, scale);
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{mantissa} / 10^{scale}");
    }
    assert!(multiplied * 2 > count, "most are multiplied: {multiplied}");
}

#[test]
fn shortest_digits_are_those_of_the_general_algorithm() {
    let (count, seed) = asked_for(OPERATIONS);
    let mut random = Random(seed);
    let mut found = 0;
    // The general algorithm takes as long as thirty operations.
    for round in 0..count.div_ceil(30) {
        let mut float = random.float(None);
        let bits = float.precision();
        match round % 4 {
            // Close to short decimals and powers of ten: the sums and quotients of programs.
            0 => {
                let unit = integer(10_u64.pow(u32::try_from(random.below(12)).expect("it is small")), bits);
                let [a, b] =
                    [1_000, 10_000_000].map(|end| integer(random.below(end) + 1, bits).over(&unit, bits));
                float = a.plus(&b, bits);
            }
            1 => {
                let [a, b] = [1_000, 1_000_000_000].map(|end| integer(random.below(end) + 1, bits));
                float = b.over(&a, bits);
            }
            2 => {
                let power = i32::try_from(random.below(50)).expect("it is small") - 30;
                float = Float::from_decimal("1", power, bits, false);
                let last = float.exponent().expect("it is not zero") - bits.cast_signed();
                let ulps = Float::from_words(&[random.below(4)], last, bits, random.below(2) == 0);
                float = float.plus(&ulps, bits);
            }
            _ => {
                let exponent = i32::try_from(random.below(190)).expect("it is small") - 125;
                let power = exponent - float.exponent().unwrap_or(0);
                float = float.shifted(power);
            }
        }
        let Some(number) = wide(&float) else { continue };
        if let Some(digits) = number.shortest() {
            found += 1;
            assert_eq!(digits, Long::from_wide(&number).shortest(), "{float:?} at {bits} bits");
        }
    }
    assert!(found * 2 > count.div_ceil(30), "most are found: {found}");
}
