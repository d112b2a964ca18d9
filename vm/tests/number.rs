//! Numbers: known values, and the inline paths compared with arithmetic of floats.

use std::cmp::Ordering;

use hclvm_vm::number::{
    absolute, add, ceil, compare, divide, equal, floor, modulo, multiply, negate, subtract, truncate,
};
use hclvm_vm::{Number, NumberFault, NumberRef};

type Operation = fn(NumberRef<'_>, NumberRef<'_>) -> Result<Number, NumberFault>;

fn number(text: &str) -> Number {
    Number::parse_text(text).unwrap_or_else(|| panic!("{text} is a number"))
}

fn run(lhs: &str, operation: Operation, rhs: &str) -> String {
    match operation(number(lhs).borrow(), number(rhs).borrow()) {
        Ok(result) => result.to_string(),
        Err(fault) => format!("{fault:?}"),
    }
}

fn same(lhs: &str, rhs: &str) -> bool {
    equal(number(lhs).borrow(), number(rhs).borrow())
}

#[test]
fn text_round_trips() {
    for text in [
        "0",
        "-0",
        "1",
        "-1",
        "0.5",
        "0.1",
        "-0.001",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "123456789012345678.9",
        "0.000000000000000000001",
        "+Inf",
        "-Inf",
        "1000000000000000000000",
        "3.1415926535897932384626433832795028841971693993751",
    ] {
        let parsed = number(text);
        assert_eq!(parsed.to_string(), text);
        assert_eq!(parsed.borrow().text_length(), text.len() as u64, "{text}");
        assert_eq!(parsed.borrow().text_within(text.len() as u64).as_deref(), Some(text));
        assert_eq!(parsed.borrow().text_within(text.len() as u64 - 1), None);
    }
}

#[test]
fn text_is_plain_and_shortest() {
    for (text, plain) in [
        ("1e21", "1000000000000000000000"),
        ("1e-7", "0.0000001"),
        ("1.50", "1.5"),
        ("1.0", "1"),
        (".5", "0.5"),
        ("5.", "5"),
        ("+5", "5"),
        ("1p3", "8"),
        ("1.5p1", "3"),
        ("1p-2", "0.25"),
        ("007.250", "7.25"),
        ("0e99", "0"),
        ("-0.0", "-0"),
        ("inf", "+Inf"),
        ("-inf", "-Inf"),
        ("1e999999999", "+Inf"),
        ("1e646456994", "+Inf"),
        ("1e-646456999", "0"),
    ] {
        assert_eq!(number(text).to_string(), plain, "{text}");
    }
}

#[test]
fn malformed_text_is_no_number() {
    for text in [
        "",
        " ",
        "1 ",
        " 1",
        "1_000",
        "0x10",
        "0b1",
        "nan",
        "NaN",
        "infinity",
        "INF",
        "1..2",
        "1.2.3",
        "1e5e5",
        "1e",
        "1e+",
        "1e9999999999",
        "1e9223372036854775808",
        "0e9223372036854775808",
        ".",
        "-",
        "+-1",
        "--1",
        "e5",
        "١",
    ] {
        assert!(Number::parse_text(text).is_none(), "{text:?}");
    }
    for text in ["-1", "+1", ".5", "inf"] {
        assert!(Number::parse_literal(text).is_none(), "{text:?}");
    }
}

#[test]
fn small_text_stays_inline() {
    assert!(matches!(number("12"), Number::Int(12, _)));
    assert!(matches!(number("1.20e1"), Number::Int(12, _)));
    assert!(matches!(number("1.25"), Number::Decimal(125, 2)));
    assert!(matches!(number("-0.001000"), Number::Decimal(-1, 3)));
    assert!(matches!(number("-0"), Number::Big(_)));
}

#[test]
fn arithmetic_is_at_512_bits() {
    assert!(same(&run("0.1", add, "0.2"), "0.3"));
    assert_ne!(run("0.1", multiply, "0.1"), "0.01");
    assert_eq!(run("1e154", add, "1").len(), 155);
    let sum = add(number("1e154").borrow(), number("1").borrow()).unwrap();
    assert_eq!(subtract(sum.borrow(), number("1e154").borrow()).unwrap().to_string(), "1");
    let lost = add(number("1e200").borrow(), number("1").borrow()).unwrap();
    assert_eq!(subtract(lost.borrow(), number("1e200").borrow()).unwrap().to_string(), "0");
    let third = run("1", divide, "3");
    assert_eq!((third.len(), &third[third.len() - 4..]), (2 + 155, "3335"));
}

#[test]
fn precision_is_part_of_the_value() {
    let (one, three) = (Number::short(1), Number::short(3));
    let third = divide(one.borrow(), three.borrow()).unwrap();
    assert_eq!(third.to_string(), "0.33333333333333333334");
    let full = divide(number("1").borrow(), number("3").borrow()).unwrap();
    assert!(!equal(third.borrow(), full.borrow()));
    let tenth = Number::from_f64(0.1).unwrap();
    assert!(equal(tenth.borrow(), number("0.1").borrow()));
    assert_eq!(compare(tenth.borrow(), number("0.1").borrow()), Ordering::Greater);
    let double = add(tenth.borrow(), tenth.borrow()).unwrap();
    assert_eq!(add(double.borrow(), tenth.borrow()).unwrap().to_string(), "0.30000000000000004");
    let mixed = add(tenth.borrow(), number("0.2").borrow()).unwrap();
    assert_eq!(mixed.to_string(), "0.3000000000000000055511151231257827021181583404541015625");
    let most = Number::short(i64::MAX);
    assert_eq!(multiply(most.borrow(), most.borrow()).unwrap().borrow().precision(), 126);
}

#[test]
fn zeros_have_signs() {
    assert_eq!(run("0", multiply, "-1"), "-0");
    assert_eq!(run("0", divide, "-5"), "-0");
    assert_eq!(run("5", subtract, "5"), "0");
    assert_eq!(run("-0.5", add, "0.5"), "0");
    assert_eq!(run("-6", modulo, "3"), "0");
    assert_eq!(negate(number("0").borrow()).to_string(), "-0");
    assert_eq!(negate(number("-0").borrow()).to_string(), "0");
    assert_eq!(absolute(number("-0").borrow()).to_string(), "0");
    assert!(same("0", "-0"));
}

#[test]
fn indeterminate_forms_are_faults() {
    assert_eq!(run("1", divide, "0"), "+Inf");
    assert_eq!(run("-1", divide, "0"), "-Inf");
    assert_eq!(run("1", divide, "-0"), "-Inf");
    assert_eq!(run("0", divide, "0"), "IndeterminateQuotient");
    assert_eq!(run("inf", divide, "-inf"), "IndeterminateQuotient");
    assert_eq!(run("inf", subtract, "inf"), "InfinityFromItself");
    assert_eq!(run("inf", add, "-inf"), "OpposingInfinities");
    assert_eq!(run("inf", multiply, "0"), "ZeroTimesInfinity");
    assert_eq!(run("5", modulo, "inf"), "InfiniteModulo");
    assert_eq!(run("inf", modulo, "5"), "InfiniteModulo");
    assert_eq!(run("inf", modulo, "0"), "+Inf");
}

#[test]
fn modulo_with_an_infinity_of_the_host_is_the_product() {
    let (infinity, less) = (Number::infinity(false), Number::from_f64(f64::NEG_INFINITY).unwrap());
    let five = number("5");
    assert_eq!(modulo(five.borrow(), infinity.borrow()).unwrap().to_string(), "+Inf");
    assert_eq!(modulo(less.borrow(), five.borrow()).unwrap().to_string(), "-Inf");
    let fault = modulo(infinity.borrow(), number("0").borrow());
    assert_eq!(fault.err(), Some(NumberFault::InfiniteModulo));
    // A sum with it is an infinity like any other.
    let sum = add(infinity.borrow(), five.borrow()).unwrap();
    assert_eq!(modulo(five.borrow(), sum.borrow()).err(), Some(NumberFault::InfiniteModulo));
}

#[test]
fn modulo_cuts_towards_zero() {
    for (a, b, rest) in [
        ("5", "0", "5"),
        ("-5", "0", "-5"),
        ("0", "0", "0"),
        ("5", "-0", "5"),
        ("-5", "3", "-2"),
        ("5", "-3", "2"),
        ("5.5", "2", "1.5"),
        ("-9223372036854775808", "-1", "0"),
    ] {
        assert_eq!(run(a, modulo, b), rest, "{a} % {b}");
    }
    let rest = run("10", modulo, "0.3");
    assert!(rest.starts_with("0.09999") && rest.ends_with("928"), "{rest}");
}

#[test]
fn integers_out_of_numbers() {
    for (text, down, up, cut) in [
        ("2.5", "2", "3", "2"),
        ("-2.5", "-3", "-2", "-2"),
        ("-0.5", "-1", "0", "0"),
        ("7", "7", "7", "7"),
        ("1e-400", "0", "1", "0"),
        ("-1e-600000000", "-1", "0", "0"),
        ("inf", "+Inf", "+Inf", "+Inf"),
        (
            "123456789012345678901234567890.5",
            "123456789012345678901234567890",
            "123456789012345678901234567891",
            "123456789012345678901234567890",
        ),
    ] {
        let value = number(text);
        assert_eq!(floor(value.borrow()).to_string(), down, "floor {text}");
        assert_eq!(ceil(value.borrow()).to_string(), up, "ceil {text}");
        assert_eq!(truncate(value.borrow()).to_string(), cut, "truncate {text}");
    }
    assert_eq!(number("18446744073709551615").borrow().to_u64(), Some(u64::MAX));
    assert_eq!(number("9223372036854775808").borrow().to_i64(), None);
    assert_eq!(number("-9223372036854775808").borrow().to_i64(), Some(i64::MIN));
    assert_eq!(number("1.5").borrow().to_i64(), None);
    assert_eq!(number("1e600000000").borrow().to_i64(), None);
    assert_eq!(number("-0").borrow().to_i64(), Some(0));
    assert_eq!(Number::from(u64::MAX).to_string(), "18446744073709551615");
}

#[test]
fn integers_in_any_base() {
    for (text, radix, value) in [
        ("+5", 16, "5"),
        ("-0", 10, "0"),
        ("aA", 37, "406"),
        ("aA", 62, "656"),
        ("Aa", 62, "2242"),
        ("99999999999999999999999", 62, "24769744843834172186261736684416597405763"),
        ("99999999999999999999999", 16, "2971056094284912659757898137"),
        ("-00FF00", 16, "-65280"),
        ("-10000000000000000000000000000000000000000000000000000000000000000", 2, "-18446744073709551616"),
    ] {
        assert_eq!(Number::parse_integer(text, radix).unwrap().to_string(), value, "{text}");
    }
    for (text, radix) in
        [("", 10), ("-", 10), ("12", 2), ("g", 16), ("1 ", 10), ("1", 1), ("1", 63), ("--1", 10)]
    {
        assert!(Number::parse_integer(text, radix).is_none(), "{text}");
    }
    let long = "7".repeat(100_000);
    assert_eq!(Number::parse_integer(&long, 10).unwrap().to_string(), long);
}

#[test]
fn large_exponents_cost_nothing() {
    let (large, larger) = (number("1e600000000"), number("1e600000001"));
    assert!(!large.borrow().is_infinite());
    assert!(!number("1e646456992").borrow().is_infinite());
    assert_eq!(compare(large.borrow(), larger.borrow()), Ordering::Less);
    assert!(!equal(large.borrow(), larger.borrow()));
    assert!(equal(large.borrow(), add(large.borrow(), number("1").borrow()).unwrap().borrow()));
    assert!(same("1e-600000000", "10e-600000001"));
    assert_eq!(large.borrow().text_within(100_000), None);
    assert_eq!(large.borrow().text_length(), 600_000_001);
    assert_eq!(large.borrow().text_of_ten_digits(), "1e+600000000");
    assert_eq!(number("-1.25e-600000000").borrow().text_of_ten_digits(), "-1.25e-600000000");
    let ten = divide(larger.borrow(), large.borrow()).unwrap();
    assert!(equal(ten.borrow(), number("10").borrow()), "{ten}");
    let tiny = divide(number("1e-600000000").borrow(), large.borrow()).unwrap();
    assert!(tiny.borrow().is_zero());
    assert!(multiply(large.borrow(), large.borrow()).unwrap().borrow().is_infinite());
    assert_eq!(subtract(larger.borrow(), larger.borrow()).unwrap().to_string(), "0");
    assert_eq!(large.borrow().to_f64(), f64::INFINITY);
    assert!(modulo(large.borrow(), number("7").borrow()).is_ok());
}

#[test]
fn ten_digits() {
    for (text, expected) in [
        ("0", "0"),
        ("-0", "-0"),
        ("1", "1"),
        ("1000000", "1000000"),
        ("1e10", "1e+10"),
        ("12345678901", "1.23456789e+10"),
        ("12345678915", "1.234567892e+10"),
        ("9999999999.6", "1e+10"),
        ("0.00001", "1e-05"),
        ("0.0001", "0.0001"),
        ("1.5", "1.5"),
        ("-12.75", "-12.75"),
        ("1e100", "1e+100"),
        ("12345678915e20", "1.234567892e+30"),
        ("12345678905e20", "1.23456789e+30"),
        ("inf", "+Inf"),
        ("0.3333333333333333333333333", "0.3333333333"),
    ] {
        assert_eq!(number(text).borrow().text_of_ten_digits(), expected, "{text}");
    }
}

#[test]
fn chosen_shapes() {
    let value = |text: &str| number(text);
    for (text, places, fixed, scientific) in [
        ("0.25", 1, "0.2", "2.5e-01"),
        ("5", 6, "5.000000", "5.000000e+00"),
        ("12345.678", 6, "12345.678000", "1.234568e+04"),
        ("1e20", 0, "100000000000000000000", "1e+20"),
        ("0.5", 0, "0", "5e-01"),
        ("0.51", 0, "1", "5e-01"),
        ("1.5", 0, "2", "2e+00"),
        ("2.5", 0, "2", "2e+00"),
        ("-0.004", 2, "-0.00", "-4.00e-03"),
        ("9.996", 2, "10.00", "1.00e+01"),
        ("99.5", 1, "99.5", "1.0e+02"),
        ("0", 2, "0.00", "0.00e+00"),
        ("-0", 2, "-0.00", "-0.00e+00"),
        ("1e-600000000", 3, "0.000", "1.000e-600000000"),
        ("inf", 2, "+Inf", "+Inf"),
    ] {
        assert_eq!(value(text).borrow().text_fixed(places), fixed, "{text}");
        assert_eq!(value(text).borrow().text_scientific(places), scientific, "{text}");
    }
    for (text, general) in [
        ("5", "5"),
        ("-80", "-80"),
        ("123456789", "1.23456789e+08"),
        ("1e100", "1e+100"),
        ("1.277", "1.277"),
        ("100000", "100000"),
        ("1000000", "1e+06"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("0", "0"),
        ("-2579734254355262670278508493680669420", "-2.57973425435526267027850849368066942e+36"),
    ] {
        assert_eq!(value(text).borrow().text_general(None), general, "{text}");
    }
    for (text, radix, digits) in [
        ("83", 16, Some("53")),
        ("-1", 16, Some("-1")),
        ("0", 2, Some("0")),
        ("8", 8, Some("10")),
        ("1.5", 2, None),
        ("-82923099924546408471", 10, Some("-82923099924546408471")),
        ("1e600000000", 10, None),
        ("inf", 2, None),
        ("5", 37, None),
        ("5", 0, None),
        ("1e1001", 10, None),
    ] {
        assert_eq!(value(text).borrow().text_in_radix(radix, 1000).as_deref(), digits, "{text}");
    }
}

#[test]
fn numbers_cross_threads() {
    fn crosses<T: Send + Sync>(_: &T) {}
    crosses(&number("1"));
    crosses(&number("1").borrow());
}

/// A small generator whose numbers are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn integer(&mut self) -> i64 {
        let bits = self.roll() % 64;
        self.roll().cast_signed() >> bits
    }

    fn decimal(&mut self) -> String {
        let places = self.roll() % 12;
        let value = self.integer() % 1_000_000_000_000;
        format!("{value}e-{places}")
    }
}

/// The same number in the form that no inline path accepts.
fn as_float(number: &Number) -> Number {
    Number::Big(number.borrow().to_big().into_owned())
}

const OPERATIONS: [Operation; 5] = [add, subtract, multiply, divide, modulo];

fn assert_paths_agree(lhs: &Number, rhs: &Number) {
    for (index, operation) in OPERATIONS.into_iter().enumerate() {
        let inline = operation(lhs.borrow(), rhs.borrow());
        let floats = operation(as_float(lhs).borrow(), as_float(rhs).borrow());
        match (inline, floats) {
            (Ok(a), Ok(b)) => {
                let context = format!("operation {index}: {lhs} and {rhs}: {a:?}, {b:?}");
                assert_eq!(compare(a.borrow(), b.borrow()), Ordering::Equal, "{context}");
                assert_eq!(a.borrow().precision(), b.borrow().precision(), "{context}");
                assert_eq!(a.borrow().is_negative(), b.borrow().is_negative(), "{context}");
                assert_eq!(a.to_string(), b.to_string(), "{context}");
                // A divisor of zero gives the dividend back, in the form it had.
                let computed = !rhs.borrow().is_zero();
                assert!(
                    !computed || matches!(a, Number::Int(..)) == matches!(b, Number::Int(..)),
                    "{context}"
                );
            }
            (a, b) => assert_eq!(a.err(), b.err(), "operation {index}: {lhs} and {rhs}"),
        }
    }
    let floats = (as_float(lhs), as_float(rhs));
    assert_eq!(
        compare(lhs.borrow(), rhs.borrow()),
        compare(floats.0.borrow(), floats.1.borrow()),
        "{lhs} {rhs}"
    );
    assert_eq!(equal(lhs.borrow(), rhs.borrow()), equal(floats.0.borrow(), floats.1.borrow()), "{lhs} {rhs}");
}

#[test]
fn inline_integers_agree_with_floats() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let edges = [0, 1, -1, 2, 5, 10, i64::MAX, i64::MIN, i64::MIN + 1];
    for round in 0..4000 {
        let mut pick = || {
            if dice.roll().is_multiple_of(4) {
                edges[hclvm_vm::cast::amount(dice.roll()) % edges.len()]
            } else {
                dice.integer()
            }
        };
        let (a, b) = (pick(), pick());
        let make = |full: bool, value| if full { Number::full(value) } else { Number::short(value) };
        assert_paths_agree(&make(round & 1 == 0, a), &make(round & 2 == 0, b));
    }
}

#[test]
fn inline_decimals_agree_with_floats() {
    let mut dice = Dice(0xDEAD_BEEF_CAFE_F00D);
    for _ in 0..4000 {
        let (a, b) = (number(&dice.decimal()), number(&dice.decimal()));
        assert_paths_agree(&a, &b);
        for value in [a, b] {
            let float = as_float(&value);
            assert_eq!(value.to_string(), float.to_string());
            assert!(equal(value.borrow(), float.borrow()), "{value}");
            assert_eq!(value.borrow().text_of_ten_digits(), float.borrow().text_of_ten_digits());
            for round in [floor, ceil, truncate] {
                let (inline, float) = (round(value.borrow()), round(float.borrow()));
                assert_eq!(inline.to_string(), float.to_string(), "{value}");
                assert_eq!(inline.borrow().precision(), float.borrow().precision(), "{value}");
            }
        }
    }
}

#[test]
fn quotients_that_end_are_inline_and_right() {
    let mut dice = Dice(42);
    for _ in 0..2000 {
        let (a, b) = (
            dice.integer() % 1_000_000,
            [2, 4, 5, 8, 10, 25, 80, 1000, -40, 6, 7][hclvm_vm::cast::amount(dice.roll() % 11)],
        );
        let quotient = divide(Number::full(a).borrow(), Number::full(b).borrow()).unwrap();
        if let Number::Decimal(mantissa, scale) = quotient {
            assert!(mantissa % 10 != 0 && scale > 0, "{a} / {b}");
            assert_eq!(i128::from(mantissa) * i128::from(b), i128::from(a) * 10_i128.pow(scale.into()));
        }
    }
}

#[test]
fn text_of_floats_is_shortest() {
    let mut dice = Dice(7);
    for _ in 0..20_000 {
        let float = f64::from_bits(dice.roll());
        // Where floats lie closer below than above, half a unit is taken on both sides.
        let even_spacing = float.to_bits().trailing_zeros() < 52;
        if float.is_normal() && even_spacing {
            let text = Number::from_f64(float).unwrap().to_string();
            assert_eq!(text.len(), float.to_string().len(), "{text} {float}");
            assert_eq!(text.parse(), Ok(float));
        }
    }
}

#[test]
fn full_text_reads_back() {
    let mut dice = Dice(99);
    for _ in 0..2000 {
        let (a, b) = (number(&dice.decimal()), Number::full(dice.integer()));
        let Ok(value) = divide(a.borrow(), b.borrow()) else { continue };
        let again = number(&value.to_string());
        assert_eq!(compare(value.borrow(), again.borrow()), Ordering::Equal, "{value}");
        assert!(equal(value.borrow(), again.borrow()));
    }
}
