//! Ratios are what the floats give, bit for bit: chains of operations on integers, decimals and results of operations.
#![expect(clippy::print_stdout, reason = "a longer run shows what it compared")]

use std::cmp::Ordering;

use super::super::arithmetic::{add_floats, divide_floats, modulo_floats, multiply_floats, subtract_floats};
use super::super::big::agreement::{self, Random, asked_for};
use super::super::{Number, NumberFault, NumberRef, Width, order};
use super::{Decimal, Ratio, difference, product, quotient, remainder, sum};

type Short = fn(NumberRef<'_>, NumberRef<'_>) -> Option<NumberRef<'static>>;
type Floats = fn(NumberRef<'_>, NumberRef<'_>) -> Result<Number, NumberFault>;

type Estimated = fn(Decimal, Decimal) -> Option<Decimal>;

/// The operations that estimates determine, the first of [`OPERATIONS`].
const ESTIMATES: [Estimated; 3] = [Decimal::plus, |a, b| a.plus(b.negated()), Decimal::times];

const OPERATIONS: [(&str, Short, Floats); 5] = [
    ("+", sum, add_floats),
    ("-", difference, subtract_floats),
    ("*", product, multiply_floats),
    ("/", quotient, divide_floats),
    ("%", remainder, modulo_floats),
];

impl Random {
    /// Returns an integer of up to so many bits, small ones more often than others.
    fn integer(&mut self, bits: u64) -> i64 {
        let bits = 1 + self.below(bits);
        let magnitude = (self.next() >> (64 - bits)).cast_signed();
        if self.below(3) == 0 { -magnitude } else { magnitude }
    }

    fn operand(&mut self, results: &[NumberRef<'static>]) -> NumberRef<'static> {
        match self.below(8) {
            0 => NumberRef::Int(self.integer(6), Width::Full),
            1 => {
                NumberRef::Int(self.integer(63), if self.below(2) == 0 { Width::Full } else { Width::Short })
            }
            2 => self.decimal(3, 12),
            3 => self.decimal(9, 30),
            4 => self.decimal(12, 59),
            _ if results.is_empty() => self.decimal(2, 10),
            _ => results[usize::try_from(self.below(results.len() as u64)).expect("it is small")],
        }
    }

    /// Returns a number that estimates take, or hardly not: a numerator of up to 37 bits, any number of units in the
    /// last place.
    fn for_estimate(&mut self) -> NumberRef<'static> {
        let numerator = match self.integer(37) {
            0 => 3,
            numerator => numerator,
        };
        let scale = u8::try_from(self.below(10)).expect("it is small");
        let denominator = 10_u32.pow(scale.into());
        let odd = |number: u64| number >> number.trailing_zeros();
        if scale == 0 {
            return NumberRef::Int(numerator, Width::Full);
        }
        let bits = 1 + self.below(15);
        let ulps = i16::try_from(self.integer(bits)).expect("it has 15 bits");
        if self.below(3) == 0 || ulps == 0 || odd(numerator.unsigned_abs()) == odd(denominator.into()) {
            return NumberRef::Decimal(numerator - numerator % 10 + 7, scale);
        }
        NumberRef::Ratio(Ratio::of_parts(numerator, denominator, scale, ulps))
    }

    fn decimal(&mut self, places: u64, bits: u64) -> NumberRef<'static> {
        let (mantissa, scale) = (self.integer(bits), 1 + self.below(places));
        let scale = u8::try_from(scale).expect("it is small");
        NumberRef::decimal(mantissa, scale).unwrap_or(NumberRef::Decimal(mantissa - mantissa % 10 + 7, scale))
    }
}

/// Returns the number as a decimal, as values do.
fn decimal(number: NumberRef<'_>) -> Option<Decimal> {
    match number {
        NumberRef::Int(value, _) => Some(Decimal::new(value, 0, 0)),
        NumberRef::Decimal(mantissa, scale) => Some(Decimal::new(mantissa, scale, 0)),
        NumberRef::Ratio(Ratio { scale: 0, .. }) | NumberRef::Big(_) => None,
        NumberRef::Ratio(ratio) => Some(Decimal::new(ratio.numerator, ratio.scale, ratio.ulps)),
    }
}

/// Returns the decimal as a number.
fn number(decimal: Decimal) -> NumberRef<'static> {
    match decimal.parts() {
        (numerator, 0, _) => NumberRef::Int(numerator, Width::Full),
        (numerator, scale, 0) => NumberRef::Decimal(numerator, scale),
        (numerator, scale, ulps) => {
            NumberRef::Ratio(Ratio::of_parts(numerator, decimal.denominator(), scale, ulps))
        }
    }
}

/// Returns the number as a float.
fn float(number: NumberRef<'_>) -> String {
    format!("{:?}", number.to_big())
}

#[test]
fn ratios_are_those_of_floats() {
    let (count, seed) = asked_for(agreement::OPERATIONS);
    let mut random = Random(seed ^ 0x5EED);
    let (mut short, mut estimated, mut with_integer, mut beside, mut compared) =
        (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
    let mut results: Vec<NumberRef<'static>> = Vec::new();
    for _ in 0..count {
        if results.len() >= 6 {
            results.clear();
        }
        let (a, b) = (random.operand(&results), random.operand(&results));
        let at = usize::try_from(random.below(5)).expect("it is small");
        let (name, inline, floats) = OPERATIONS[at];
        if matches!((a, b), (NumberRef::Int(..), NumberRef::Int(..))) {
            continue;
        }
        let estimate =
            ESTIMATES.get(at).zip(decimal(a).zip(decimal(b))).and_then(|(apply, (a, b))| apply(a, b));
        let Some(found) = inline(a, b).or_else(|| estimate.map(number)) else { continue };
        short += 1;
        let expected = floats(a, b).expect("what has a ratio has a float");
        let expected = expected.borrow();
        let described = || format!("{a:?} {name} {b:?} = {found:?}, expected {expected:?}");
        assert_eq!(float(found), float(expected), "{}", described());
        assert_eq!(found.precision(), expected.precision(), "{}", described());
        if name == "+"
            && let (Some(a), NumberRef::Int(b, _)) = (decimal(a), b)
            && let Some(sum) = i32::try_from(b).ok().and_then(|b| a.plus_integer(b))
        {
            with_integer += 1;
            assert_eq!(format!("{:?}", number(sum)), format!("{found:?}"), "{}", described());
        }
        if let Some(estimate) = estimate {
            estimated += 1;
            assert_eq!(format!("{:?}", number(estimate)), format!("{found:?}"), "{}", described());
        }
        if let NumberRef::Ratio(ratio) = found {
            beside += u64::from(ratio.ulps() != 0);
            assert!(!expected.is_integer(), "{}", described());
            assert_eq!(found.sign(), expected.sign(), "{}", described());
        }
        for other in &results {
            compared += 1;
            let (x, y) = (found.to_big(), other.to_big());
            let order = x.compare(&y);
            assert_eq!(order::compare(found, *other), order, "{found:?} and {other:?}");
            assert_eq!(order::equal(found, *other), x.same_text(&y), "{found:?} and {other:?}");
            let identical = order == Ordering::Equal && found.precision() == other.precision();
            assert_eq!(order::identical(found, *other), identical, "{found:?} and {other:?}");
        }
        results.push(found);
    }
    println!(
        "seed {seed}: {count} operations, {short} short, {estimated} by estimates, {with_integer} with an integer, {beside} beside a fraction, {compared} compared"
    );
    assert!(short * 3 > count, "many operands and results are short: {short}");
    assert!(estimated * 4 > short, "many results are determined by estimates: {estimated}");
    assert!(with_integer * 100 > short, "many sums have an integer: {with_integer}");
    assert!(beside * 10 > short, "many results are beside their fraction: {beside}");
}

#[test]
fn estimates_are_those_of_floats() {
    let (count, seed) = asked_for(agreement::OPERATIONS);
    let mut random = Random(seed ^ 0xE57);
    let (mut estimated, mut beside) = (0_u64, 0_u64);
    for _ in 0..count {
        let (a, b) = (random.for_estimate(), random.for_estimate());
        let at = usize::try_from(random.below(3)).expect("it is small");
        let (name, _, floats) = OPERATIONS[at];
        let (x, y) = (decimal(a).expect("a decimal"), decimal(b).expect("a decimal"));
        let with_integer = match b {
            NumberRef::Int(integer, _) if at == 0 => {
                i32::try_from(integer).ok().and_then(|b| x.plus_integer(b))
            }
            _ => None,
        };
        let estimate = ESTIMATES[at](x, y);
        if estimate.is_none() && with_integer.is_none() {
            continue;
        }
        let expected = floats(a, b).expect("it is finite");
        for found in [estimate, with_integer].into_iter().flatten() {
            estimated += 1;
            beside += u64::from(found.parts().2 != 0);
            let found = number(found);
            let described = || format!("{a:?} {name} {b:?} = {found:?}, expected {expected:?}");
            assert_eq!(float(found), float(expected.borrow()), "{}", described());
            assert_eq!(found.precision(), expected.borrow().precision(), "{}", described());
        }
    }
    println!("seed {seed}: {count} operations, {estimated} estimated, {beside} beside a fraction");
    assert!(estimated * 8 > count, "many are estimated: {estimated}");
    assert!(beside * 4 > estimated, "many results are beside their fraction: {beside}");
}

/// Compares the text of a ratio with that of its float. Returns true if it has one in place.
fn text_is_that_of_float(ratio: Ratio) -> bool {
    let mut text = super::RatioText::new();
    let Some(()) = ratio.text(&mut text) else { return false };
    let expected = Number::Big(NumberRef::Ratio(ratio).to_big().into_owned()).to_string();
    assert_eq!(text.as_str(), expected, "{ratio:?}");
    true
}

#[test]
fn texts_of_small_denominators_are_those_of_floats() {
    let mut found = 0;
    for denominator in 2..=520 {
        for numerator in [1, 2, denominator - 1, -5, 1_000, 999_983, 1 << 40, -(1 << 62) + 1] {
            let Some(ratio) = Ratio::quotient(numerator, denominator) else { continue };
            found += usize::from(numerator % denominator != 0 && text_is_that_of_float(ratio));
        }
    }
    assert!(found > 519 * 7, "most have their texts in place: {found}");
}

#[test]
fn texts_are_those_of_floats() {
    let (count, seed) = asked_for(agreement::OPERATIONS);
    let mut random = Random(seed ^ 0x7E87);
    let (mut ratios, mut found) = (0_u64, 0_u64);
    for _ in 0..count / 4 {
        let (a, b) = (random.integer(62), random.integer(31));
        let number = match random.below(3) {
            0 => match super::super::inline::divide_integers(a, if b == 0 { 7 } else { b }, Width::Full) {
                Some(number) => number,
                None => continue,
            },
            1 => random.for_estimate(),
            _ => match quotient(random.for_estimate(), NumberRef::Int(random.integer(12), Width::Full)) {
                Some(number) => number,
                None => continue,
            },
        };
        let NumberRef::Ratio(ratio) = number else { continue };
        ratios += 1;
        found += u64::from(text_is_that_of_float(ratio));
    }
    println!("seed {seed}: {ratios} ratios, {found} texts");
    assert!(ratios * 16 > count, "many numbers are ratios: {ratios}");
    assert!(found * 10 > ratios * 9, "most ratios have their texts in place: {found}");
}
