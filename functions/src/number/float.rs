//! Functions that the reference computes with 64-bit floats: results have 53 bits, and powers beyond
//! the range of floats are infinite. The last digit of a logarithm may differ where the reference does
//! not round to the nearest float. Powers follow the algorithm of Go's math.Pow, which `powf` of the
//! standard library does not promise.

use hclvm_vm::{Arena, CallError, Function, Number, NumberRef, Type, Value};

use crate::arguments::{CallResult, number, number_of};

/// `log(num, base)`
pub(crate) fn log() -> Function {
    Function::new("log", [number("num"), number("base")], Type::Number, |arena, args, _| {
        let (num, base) = (float_of(number_of(args, 0))?, float_of(number_of(args, 1))?);
        result(arena, num.ln() / base.ln())
    })
}

/// `pow(num, power)`
pub(crate) fn pow() -> Function {
    Function::new("pow", [number("num"), number("power")], Type::Number, |arena, args, _| {
        let (num, power) = (float_of(number_of(args, 0))?, float_of(number_of(args, 1))?);
        result(arena, power_of(num, power))
    })
    .inline(|arena, args| {
        let [num, power] = args else { return None };
        result(arena, power_of(float_of(num.as_number()?).ok()?, float_of(power.as_number()?).ok()?)).ok()
    })
}

/// Returns the nearest float. A finite number beyond the range of floats is rejected, infinities are
/// not.
fn float_of(number: NumberRef<'_>) -> Result<f64, CallError> {
    let float = number.to_f64();
    if float.is_infinite() && !number.is_infinite() {
        return Err(CallError::new(format!("expected a number between {:e} and {:e}", f64::MIN, f64::MAX)));
    }
    Ok(float)
}

fn result(arena: &Arena, float: f64) -> CallResult<'_> {
    match Number::from_f64(float) {
        Some(number) => Ok(Value::number(arena, number)),
        None => Err(CallError::new("the result is not a number")),
    }
}

/// Computes `base` to the power of `exponent`: the whole part by repeated squaring, the fraction through
/// the logarithm, so that powers of whole numbers are exact while they fit.
fn power_of(base: f64, exponent: f64) -> f64 {
    let size = exponent.abs();
    let special = base == 0.0 || base == 1.0 || !base.is_finite() || size == 0.0;
    if special || !size.is_finite() || size >= LARGEST_WHOLE || (base < 0.0 && size.fract() != 0.0) {
        return base.powf(exponent);
    }
    if size == 0.5 {
        return if exponent < 0.0 { 1.0 / base.sqrt() } else { base.sqrt() };
    }
    let (mut whole, mut rest) = (size.trunc(), size.fract());
    if rest > 0.5 {
        (whole, rest) = (whole + 1.0, rest - 1.0);
    }
    let start = if rest == 0.0 { 1.0 } else { (rest * base.ln()).exp() };
    let (mantissa, binary) = squared(start, base.abs(), whole_part(whole));
    let magnitude = if exponent < 0.0 { scaled(1.0 / mantissa, -binary) } else { scaled(mantissa, binary) };
    if base < 0.0 && whole % 2.0 == 1.0 { -magnitude } else { magnitude }
}

/// Whole exponents below this fit 63 bits; larger ones are left to `powf`.
const LARGEST_WHOLE: f64 = 9.0e18;

/// Converts a whole float from 0 to [`LARGEST_WHOLE`].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "exact in the documented range, which the caller has checked"
)]
fn whole_part(whole: f64) -> u64 {
    whole as u64
}

/// `start * base^exponent` as a mantissa and a power of two, so that nothing overflows on the
/// way.
fn squared(start: f64, base: f64, exponent: u64) -> (f64, i64) {
    let (mut mantissa, mut power) = (start, 0_i64);
    let (mut square, mut square_power) = split(base);
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
fn split(number: f64) -> (f64, i64) {
    const FRACTION: u64 = (1 << 52) - 1;
    const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;
    if number < f64::MIN_POSITIVE {
        let (mantissa, power) = split(number * TWO_TO_64);
        return (mantissa, power - 64);
    }
    let bits = number.to_bits();
    (f64::from_bits(bits & FRACTION | 1022 << 52), (bits >> 52).cast_signed() - 1022)
}

/// `mantissa * 2^power`
fn scaled(mantissa: f64, power: i64) -> f64 {
    let (part, own) = split(mantissa);
    let power = power.saturating_add(own);
    match i32::try_from(power) {
        Ok(power @ -1021..=1024) => part * 2.0 * 2.0_f64.powi(power - 1),
        Ok(power @ -1100..-1021) => part * 2.0_f64.powi(-1021) * 2.0_f64.powi(power + 1021),
        _ if power > 0 => f64::INFINITY,
        _ => 0.0,
    }
}
