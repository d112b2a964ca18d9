//! Logarithms and powers of 64-bit floats, with the results of Go's package `math`, which the reference calls.
//!
//! `f64::ln`, `exp` and `powf` call the C library of the machine, and libraries differ in the last bit: a rule might decide
//! differently on two machines. Everything here is rounded as IEEE 754 says, so that results are equal on all machines. The
//! algorithms are those of Go: the logarithm that of FreeBSD's `e_log.c`, the exponential function that of Shibata's
//! "Efficient evaluation methods of elementary functions suitable for SIMD computation" (2010), as Go computes it on x86-64
//! processors with fused multiplication and addition. (Go's own results differ between processors in that function.)

use std::f64::consts::{FRAC_1_SQRT_2, LOG2_E};

/// The mantissa of a float without its first bit.
const FRACTION: u64 = (1 << 52) - 1;

/// Returns the natural logarithm; NaN for negative numbers.
pub(super) fn logarithm(number: f64) -> f64 {
    /// `ln(2)`: the first bits, whose multiples by an exponent are exact, and the others.
    const LN_2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
    const LN_2_LOW: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);
    /// The coefficients of a polynomial for `ln((1 + s) / (1 - s)) / s - 2` in the square of `s`.
    const COEFFICIENTS: [f64; 7] = [
        f64::from_bits(0x3FE5_5555_5555_5593),
        f64::from_bits(0x3FD9_9999_9997_FA04),
        f64::from_bits(0x3FD2_4924_9422_9359),
        f64::from_bits(0x3FCC_71C5_1D8E_78AF),
        f64::from_bits(0x3FC7_4664_96CB_03DE),
        f64::from_bits(0x3FC3_9A09_D078_C69F),
        f64::from_bits(0x3FC2_F112_DF3E_5244),
    ];
    if number == 0.0 {
        return f64::NEG_INFINITY;
    }
    if !(number > 0.0 && number.is_finite()) {
        return if number > 0.0 { number } else { f64::NAN };
    }
    // number = (1 + fraction) * 2^exponent, the mantissa between sqrt(1/2) and sqrt(2)
    let (mut mantissa, mut exponent) = split(number);
    if mantissa < FRAC_1_SQRT_2 {
        mantissa *= 2.0;
        exponent -= 1;
    }
    let (fraction, exponent) = (mantissa - 1.0, f64::from(exponent));
    let s = fraction / (2.0 + fraction);
    let square = s * s;
    let fourth = square * square;
    let [c1, c2, c3, c4, c5, c6, c7] = COEFFICIENTS;
    let odd = square * (c1 + fourth * (c3 + fourth * (c5 + fourth * c7)));
    let even = fourth * (c2 + fourth * (c4 + fourth * c6));
    let half_square = 0.5 * fraction * fraction;
    let low = s * (half_square + (odd + even)) + exponent * LN_2_LOW;
    exponent * LN_2_HIGH - ((half_square - low) - fraction)
}

/// Returns `e^number`. The magnitude is below 700, so that nothing overflows.
fn exponential(number: f64) -> f64 {
    /// `ln(2)`: the first bits, and the others.
    const LN_2_HIGH: f64 = 0.693_147_180_559_662_956_511_601_805_686_950_683_593_75;
    const LN_2_LOW: f64 = 0.282_352_905_630_315_771_225_884_481_750_134_360_255_254_120_68e-12;
    /// The inverses of the factorials of 8 down to 2.
    const COEFFICIENTS: [f64; 7] =
        [1.0 / 40_320.0, 1.0 / 5_040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5];
    let exponent = (number * LOG2_E).round_ties_even();
    let rest = libm::fma(-LN_2_LOW, exponent, libm::fma(-LN_2_HIGH, exponent, number));
    // e^x - 1 of a sixteenth of the rest, then four times (e^2x - 1) = (e^x - 1) * ((e^x - 1) + 2)
    let sixteenth = rest * 0.0625;
    let [first, others @ ..] = COEFFICIENTS;
    let series = others.iter().fold(first, |sum, next| libm::fma(sixteenth, sum, *next));
    let mut less_one = sixteenth * libm::fma(sixteenth, series, 1.0);
    for _ in 0..3 {
        less_one *= less_one + 2.0;
    }
    scaled(libm::fma(less_one + 2.0, less_one, 1.0), whole_part(exponent))
}

/// Returns `base` to the power of `exponent`: the whole part by repeated squaring, the fraction through
/// the logarithm, so that powers of whole numbers are exact while they fit. NaN if there is no such number.
pub(super) fn power(base: f64, exponent: f64) -> f64 {
    /// Whole exponents from here on do not fit 63 bits; they are even.
    const TOO_LARGE: f64 = 9_223_372_036_854_775_808.0;
    let size = exponent.abs();
    let is_odd = size < TOO_LARGE && size % 2.0 == 1.0;
    if exponent == 0.0 || base == 1.0 {
        return 1.0;
    }
    if exponent == 1.0 {
        return base;
    }
    if base == 0.0 || base.is_infinite() || size >= TOO_LARGE {
        if base == -1.0 {
            return 1.0;
        }
        let grows = (base.abs() > 1.0) == (exponent > 0.0);
        let magnitude = if grows { f64::INFINITY } else { 0.0 };
        return if is_odd { magnitude.copysign(base) } else { magnitude };
    }
    if size == 0.5 {
        return if exponent < 0.0 { 1.0 / base.sqrt() } else { base.sqrt() };
    }
    let (mut whole, mut rest) = (size.trunc(), size.fract());
    if rest != 0.0 && base < 0.0 {
        return f64::NAN;
    }
    if rest > 0.5 {
        (whole, rest) = (whole + 1.0, rest - 1.0);
    }
    let start = if rest == 0.0 { 1.0 } else { exponential(rest * logarithm(base)) };
    let (mantissa, binary) = squared(start, base.abs(), whole_part(whole));
    let magnitude = if exponent < 0.0 { scaled(1.0 / mantissa, -binary) } else { scaled(mantissa, binary) };
    if is_odd { magnitude.copysign(base) } else { magnitude }
}

/// Converts a whole float of at most 63 bits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "exact in the documented range, which the caller has checked"
)]
fn whole_part(whole: f64) -> i64 {
    whole as i64
}

/// `start * base^exponent` as a mantissa and a power of two, so that nothing overflows on the
/// way.
fn squared(start: f64, base: f64, exponent: i64) -> (f64, i64) {
    let (mut mantissa, mut power) = (start, 0_i64);
    let (mut square, square_power) = split(base);
    let mut square_power = i64::from(square_power);
    let mut left = exponent;
    while left != 0 {
        // The result is beyond the range of floats whatever follows.
        if square_power.abs() > 1 << 12 {
            return (mantissa, power + square_power);
        }
        if left & 1 == 1 {
            mantissa *= square;
            power += square_power;
        }
        square *= square;
        square_power *= 2;
        if square < 0.5 {
            square += square;
            square_power -= 1;
        }
        left >>= 1;
    }
    (mantissa, power)
}

/// Splits a positive number into `mantissa * 2^power` with a mantissa from 0.5 up to 1.
fn split(number: f64) -> (f64, i32) {
    const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;
    if number < f64::MIN_POSITIVE {
        let (mantissa, power) = split(number * TWO_TO_64);
        return (mantissa, power - 64);
    }
    let bits = number.to_bits();
    let mantissa = f64::from_bits(bits & FRACTION | 1022 << 52);
    // At most 11 bits: the number is positive.
    (mantissa, i32::try_from(bits >> 52).unwrap_or(0) - 1022)
}

/// `mantissa * 2^power`, rounded once.
fn scaled(mantissa: f64, power: i64) -> f64 {
    let (part, own) = split(mantissa);
    let normal = |power: i64| f64::from_bits((power + 1023).cast_unsigned() << 52);
    match power.saturating_add(i64::from(own)) {
        power @ -1021..=1024 => part * 2.0 * normal(power - 1),
        power @ -1100..-1021 => part * normal(-1021) * normal(power + 1021),
        power if power > 0 => f64::INFINITY,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of `x`, `y`, `math.Log(x) / math.Log(y)` and `math.Pow(x, y)` on each line, by Go 1.19 on x86-64.
    const GO: &str = include_str!("elementary/go.txt");

    fn float(bits: &str) -> f64 {
        u64::from_str_radix(bits, 16).map_or(f64::NAN, f64::from_bits)
    }

    #[track_caller]
    fn is_same(found: f64, expected: f64, what: &str) {
        let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
        assert!(same, "{what}: {found:e}, expected {expected:e}");
    }

    #[test]
    fn results_are_those_of_go() {
        let mut count = 0;
        for line in GO.lines() {
            let floats: Vec<f64> = line.split(' ').map(float).collect();
            let [x, y, quotient, result] = floats[..] else { panic!("four floats: {line}") };
            is_same(logarithm(x) / logarithm(y), quotient, &format!("log({x:e}) / log({y:e})"));
            is_same(power(x, y), result, &format!("pow({x:e}, {y:e})"));
            count += 1;
        }
        assert!(count > 150, "{count} lines");
    }

    #[test]
    fn special_powers_have_their_limits() {
        let (infinity, nan) = (f64::INFINITY, f64::NAN);
        for (base, exponent, expected) in [
            (nan, 0.0, 1.0),
            (1.0, infinity, 1.0),
            (0.0, -3.0, infinity),
            (-0.0, -3.0, -infinity),
            (-0.0, -2.0, infinity),
            (-0.0, 3.0, -0.0),
            (-0.0, 0.5, 0.0),
            (-1.0, infinity, 1.0),
            (-1.0, 1e19, 1.0),
            (0.5, infinity, 0.0),
            (0.5, -infinity, infinity),
            (-2.0, infinity, infinity),
            (2.0, -1e19, 0.0),
            (-infinity, 3.0, -infinity),
            (-infinity, -3.0, -0.0),
            (-infinity, 0.5, infinity),
            (-8.0, 1.0 / 3.0, nan),
            (-2.0, 3.0, -8.0),
            (2.0, 1024.0, infinity),
            (2.0, -1074.0, f64::from_bits(1)),
            (2.0, -1076.0, 0.0),
            (9.0, -0.5, 1.0 / 3.0),
        ] {
            is_same(power(base, exponent), expected, &format!("pow({base}, {exponent})"));
        }
        is_same(logarithm(-0.0), -infinity, "log(-0)");
        is_same(logarithm(-1.0), nan, "log(-1)");
        is_same(logarithm(infinity), infinity, "log(inf)");
    }
}
