//! `+ - * / %`, negation and magnitude: inline where 64 bits suffice, otherwise in binary floats.
//!
//! The precision of the result is, for `+ - /`, the larger of the operands' precisions; for `*`, the
//! product is taken at 512 bits and then keeps the larger of the operands' precisions and the bits it
//! needs; for `%`, the dividend's precision. Rounding is to nearest, ties to even. The inline paths give
//! exactly the value and the precision that the floats would give. Operands that are not numbers are
//! handled in [`ops`](crate::ops).

use super::{Big, FULL_BITS, HOST_INFINITY_BITS, Number, NumberRef, Ratio, Width, decimal};

/// Why an operation on two numbers has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFault {
    /// The sum of infinities of opposite signs.
    OpposingInfinities,
    /// The difference of an infinity and itself.
    InfinityFromItself,
    /// The product of zero and an infinity.
    ZeroTimesInfinity,
    /// The quotient of two zeros or of two infinities.
    IndeterminateQuotient,
    /// A remainder that involves an infinity.
    InfiniteModulo,
}

/// The result of an operation if it has an inline form and the operands have one.
pub(crate) mod inline {
    use super::super::{NumberRef, ratio};
    pub(crate) use super::divide_integers;

    /// Returns the sum.
    #[inline]
    pub(crate) fn add(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Option<NumberRef<'static>> {
        match (lhs, rhs) {
            (NumberRef::Int(a, wa), NumberRef::Int(b, wb)) => {
                a.checked_add(b).map(|sum| NumberRef::Int(sum, wa.wider(wb)))
            }
            _ => ratio::sum(lhs, rhs),
        }
    }

    /// Returns the difference.
    #[inline]
    pub(crate) fn subtract(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Option<NumberRef<'static>> {
        match (lhs, rhs) {
            (NumberRef::Int(a, wa), NumberRef::Int(b, wb)) => {
                a.checked_sub(b).map(|difference| NumberRef::Int(difference, wa.wider(wb)))
            }
            _ => ratio::difference(lhs, rhs),
        }
    }

    /// Returns the product.
    #[inline]
    pub(crate) fn multiply(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Option<NumberRef<'static>> {
        match (lhs, rhs) {
            (NumberRef::Int(a, wa), NumberRef::Int(b, wb)) => a
                .checked_mul(b)
                // Zero times a negative number is negative zero, which is not an inline integer.
                .filter(|product| *product != 0 || (a | b) >= 0)
                .map(|product| NumberRef::Int(product, wa.wider(wb))),
            _ => ratio::product(lhs, rhs),
        }
    }

    /// Returns the quotient.
    #[inline]
    pub(crate) fn divide(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Option<NumberRef<'static>> {
        match (lhs, rhs) {
            (NumberRef::Int(a, wa), NumberRef::Int(b, wb)) => divide_integers(a, b, wa.wider(wb)),
            _ => ratio::quotient(lhs, rhs),
        }
    }

    /// Returns the remainder.
    #[inline]
    pub(crate) fn modulo(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Option<NumberRef<'static>> {
        match (lhs, rhs) {
            (NumberRef::Int(a, wa), NumberRef::Int(b, _)) => {
                a.checked_rem(b).map(|rest| NumberRef::Int(rest, wa))
            }
            _ => ratio::remainder(lhs, rhs),
        }
    }
}

/// The operations in floats, for operands or results without an inline form.
pub(crate) mod floats {
    pub(crate) use super::{
        add_floats as add, divide_floats as divide, modulo_floats as modulo, multiply_floats as multiply,
        subtract_floats as subtract,
    };
}

/// Returns the sum.
#[inline]
pub fn add(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Result<Number, NumberFault> {
    inline::add(lhs, rhs).map_or_else(|| add_floats(lhs, rhs), |sum| Ok(sum.to_owned()))
}

/// Returns the difference.
#[inline]
pub fn subtract(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Result<Number, NumberFault> {
    inline::subtract(lhs, rhs)
        .map_or_else(|| subtract_floats(lhs, rhs), |difference| Ok(difference.to_owned()))
}

/// Returns the product.
#[inline]
pub fn multiply(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Result<Number, NumberFault> {
    inline::multiply(lhs, rhs).map_or_else(|| multiply_floats(lhs, rhs), |product| Ok(product.to_owned()))
}

/// Returns the quotient, which is not truncated to an integer. A finite number divided by zero is an
/// infinity.
#[inline]
pub fn divide(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Result<Number, NumberFault> {
    inline::divide(lhs, rhs).map_or_else(|| divide_floats(lhs, rhs), |quotient| Ok(quotient.to_owned()))
}

/// Returns the remainder of the truncated quotient, with the dividend's sign and precision. The remainder
/// of a division by zero is the dividend.
///
/// If either operand is an infinity of a host, the result is the product, or a fault if there is none.
/// Any other infinity is a fault. (The reference distinguishes its own two constants from other infinities by
/// their address, and crashes for other infinite dividends. Here the precision distinguishes them, and
/// nothing crashes.)
#[inline]
pub fn modulo(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Result<Number, NumberFault> {
    inline::modulo(lhs, rhs).map_or_else(|| modulo_floats(lhs, rhs), |rest| Ok(rest.to_owned()))
}

/// Returns the negated number. The negation of zero is negative zero.
#[inline]
pub fn negate(number: NumberRef<'_>) -> Number {
    match number {
        NumberRef::Int(value, width) if value != 0 && value != i64::MIN => Number::Int(-value, width),
        NumberRef::Decimal(mantissa, scale) => Number::Decimal(-mantissa, scale),
        NumberRef::Ratio(ratio) => Number::Ratio(ratio.negated()),
        _ => Number::settled(number.to_big().negated()),
    }
}

/// Returns the magnitude.
pub fn absolute(number: NumberRef<'_>) -> Number {
    if number.is_negative() { negate(number) } else { number.to_owned() }
}

/// Returns the quotient if it has an inline form: a whole number, or at 512 bits a short decimal or a ratio.
pub(crate) fn divide_integers(a: i64, b: i64, width: Width) -> Option<NumberRef<'static>> {
    let rest = a.checked_rem(b)?;
    if rest == 0 {
        // Zero divided by a negative number is negative zero.
        return (a != 0 || b > 0).then(|| NumberRef::Int(a / b, width));
    }
    if width == Width::Short {
        return None;
    }
    decimal::quotient(a, b).or_else(|| Ratio::quotient(a, b).map(NumberRef::Ratio))
}

/// Applies an operator to two integers of which one has full precision, if the result does not fit 64 bits.
// Inlined, so that the operator is not called.
#[inline(always)]
fn integers(a: NumberRef<'_>, b: NumberRef<'_>, apply: impl FnOnce(i128, i128) -> i128) -> Option<Number> {
    let (NumberRef::Int(a, wa), NumberRef::Int(b, wb)) = (a, b) else { return None };
    // Neither operator overflows for two integers of 64 bits.
    let result = apply(a.into(), b.into());
    let is_long = wa.wider(wb) == Width::Full && i64::try_from(result).is_err();
    if is_long { Big::from_i128(result).map(Number::Big) } else { None }
}

/// Adds in floats.
// Cold, like the following ones: most numbers are inline.
#[cold]
pub(crate) fn add_floats(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Result<Number, NumberFault> {
    if let Some(sum) = integers(lhs, rhs, |a, b| a + b) {
        return Ok(sum);
    }
    let (a, b) = (lhs.to_big(), rhs.to_big());
    if a.is_infinite() && b.is_infinite() && a.is_negative() != b.is_negative() {
        return Err(NumberFault::OpposingInfinities);
    }
    Ok(Number::settled(a.plus(&b, wider(&a, &b))))
}

// Cold; see `add_floats`.
#[cold]
pub(crate) fn subtract_floats(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Result<Number, NumberFault> {
    if let Some(difference) = integers(lhs, rhs, |a, b| a - b) {
        return Ok(difference);
    }
    let (a, b) = (lhs.to_big(), rhs.to_big());
    if a.is_infinite() && b.is_infinite() && a.is_negative() == b.is_negative() {
        return Err(NumberFault::InfinityFromItself);
    }
    Ok(Number::settled(a.minus(&b, wider(&a, &b))))
}

// Cold; see `add_floats`.
#[cold]
pub(crate) fn multiply_floats(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Result<Number, NumberFault> {
    if let Some(product) = integers(lhs, rhs, |a, b| a * b) {
        return Ok(product);
    }
    let (a, b) = (lhs.to_big(), rhs.to_big());
    if (a.is_zero() && b.is_infinite()) || (a.is_infinite() && b.is_zero()) {
        return Err(NumberFault::ZeroTimesInfinity);
    }
    let product = a.times(&b, FULL_BITS);
    let bits = product.needed_bits().max(wider(&a, &b));
    Ok(Number::settled(product.at(bits)))
}

// Cold; see `add_floats`.
#[cold]
pub(crate) fn divide_floats(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Result<Number, NumberFault> {
    let (a, b) = (lhs.to_big(), rhs.to_big());
    if (a.is_zero() && b.is_zero()) || (a.is_infinite() && b.is_infinite()) {
        return Err(NumberFault::IndeterminateQuotient);
    }
    Ok(Number::settled(a.over(&b, wider(&a, &b))))
}

// Cold; see `add_floats`.
#[cold]
pub(crate) fn modulo_floats(lhs: NumberRef<'_>, rhs: NumberRef<'_>) -> Result<Number, NumberFault> {
    if lhs.is_host_infinity() || rhs.is_host_infinity() {
        return multiply(lhs, rhs).map_err(|_| NumberFault::InfiniteModulo);
    }
    if rhs.is_zero() {
        return Ok(lhs.to_owned());
    }
    if lhs.is_infinite() || rhs.is_infinite() {
        return Err(NumberFault::InfiniteModulo);
    }
    let (a, b) = (lhs.to_big(), rhs.to_big());
    let bits = a.precision();
    // Every step is rounded to the dividend's precision, as in the reference, so a quotient with more
    // digits than that leaves a remainder that is not exact.
    let times = a.over(&b, wider(&a, &b)).truncated().at(bits);
    Ok(Number::settled(a.minus(&b.times(&times, bits), bits)))
}

impl NumberRef<'_> {
    /// Returns true for an infinity that a host set, false for one that was computed.
    pub fn is_host_infinity(self) -> bool {
        self.is_infinite() && self.precision() == HOST_INFINITY_BITS
    }
}

fn wider(a: &Big, b: &Big) -> u32 {
    a.precision().max(b.precision())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_beyond_64_bits_are_those_of_floats() {
        let all = [i64::MIN, i64::MIN + 1, -(1 << 40), -3, -1, 0, 1, 3, 1 << 40, i64::MAX - 1, i64::MAX];
        type Operator = fn(NumberRef<'_>, NumberRef<'_>) -> Result<Number, NumberFault>;
        type Floats = fn(&Big, &Big) -> Big;
        let operators: [(Operator, Floats); 3] = [
            (add_floats, |a, b| a.plus(b, wider(a, b))),
            (subtract_floats, |a, b| a.minus(b, wider(a, b))),
            (multiply_floats, |a, b| a.times(b, FULL_BITS)),
        ];
        for (a, b) in all.iter().flat_map(|a| all.map(|b| (*a, b))) {
            for other in [Width::Full, Width::Short] {
                let (a, b) = (NumberRef::Int(a, Width::Full), NumberRef::Int(b, other));
                for (apply, floats) in operators {
                    let found = apply(a, b).expect("it is finite");
                    let expected = Number::settled(floats(&a.to_big(), &b.to_big()));
                    assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{a:?} and {b:?}");
                }
            }
        }
    }
}
