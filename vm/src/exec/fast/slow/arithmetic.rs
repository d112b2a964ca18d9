//! Arithmetic and comparisons of operands that are not both small integers.

use super::super::stop::{Plain, Stop};
use super::plain;
use crate::memory::arena::Arena;
use crate::number::{self, Decimal, Interval, Width};
use crate::ops::arithmetic::Arithmetic;
use crate::ops::compare::Comparison;
use crate::ops::{self, OperationFault};
use crate::types::Type;
use crate::types::convert::convert;
use crate::value::Value;

macro_rules! arithmetic {
    ($($name:ident, $short:expr;)+) => {$(
        #[doc = concat!("Applies `", stringify!($name), "` to operands that are not both small integers.")]
        // Cold: the loop has inline forms for small integers.
        #[cold]
        #[inline(never)]
        pub(in crate::exec::fast) fn $name<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Plain<'a> {
            match $short(a, b) {
                Some(result) => Ok(result),
                None => exact::$name(arena, a, b),
            }
        }
    )+

    /// The operators for results that have no short way.
    mod exact {
        use super::*;

        $(
            // Cold: most results have one.
            #[cold]
            #[inline(never)]
            pub(super) fn $name<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> Plain<'a> {
                let (Some(first), Some(second)) = (a.as_number(), b.as_number()) else {
                    return binary(arena, a, b, ops::arithmetic::$name);
                };
                let forms = (number::inline::$name, number::floats::$name);
                ops::arithmetic::of_numbers(arena, [first, second], forms.0, forms.1).map_err(|_| Stop::Fault)
            }
        )+
    }
    };
}

arithmetic! {
    add, |a, b| decimals(a, b, |a, b| a.plus(b));
    subtract, |a, b| decimals(a, b, |a, b| a.plus(b.negated()));
    multiply, |a, b| decimals(a, b, |a, b| a.times(b));
    divide, quotient;
    modulo, |_, _| None;
}

/// Returns the function that applies an operator.
pub(in crate::exec::fast) fn operation(
    op: Arithmetic,
) -> for<'a> fn(&'a Arena, Value<'a>, Value<'a>) -> Plain<'a> {
    match op {
        Arithmetic::Add => add,
        Arithmetic::Subtract => subtract,
        Arithmetic::Multiply => multiply,
        Arithmetic::Divide => divide,
        Arithmetic::Modulo => modulo,
    }
}

/// Divides two integers at full precision; `None` for other operands and results.
// Inlined into `divide`.
#[inline(always)]
fn quotient<'a>(a: Value<'a>, b: Value<'a>) -> Option<Value<'a>> {
    let quotient = number::inline::divide_integers(a.as_full_int()?, b.as_full_int()?, Width::Full)?;
    Some(Value::number_ref(quotient))
}

/// Applies an operator to two decimals; `None` if the operands are none, or the result is not determined by estimates.
// Inlined, so that there is a function for each operator, and in a loop what is known of a constant is computed once.
#[inline(always)]
pub(in crate::exec::fast) fn decimals<'a>(
    a: Value<'a>,
    b: Value<'a>,
    apply: impl FnOnce(Decimal, Decimal) -> Option<Decimal>,
) -> Option<Value<'a>> {
    Some(Value::decimal(apply(a.as_decimal()?, b.as_decimal()?)?))
}

/// Applies an operator to operands converted to numbers. The result of an unknown or marked operand is unknown or
/// marked; what depends on it falls back.
// Inlined into each operator, so that `apply` is a direct call.
#[inline(always)]
fn binary<'a>(
    arena: &'a Arena,
    a: Value<'a>,
    b: Value<'a>,
    apply: impl FnOnce(&'a Arena, Value<'a>, Value<'a>) -> Result<Value<'a>, OperationFault>,
) -> Plain<'a> {
    let a = any_number(arena, a)?;
    let b = any_number(arena, b)?;
    apply(arena, a, b).map_err(|_| Stop::Fault)
}

/// Converts an operand, which may be unknown or marked, to a number.
// Inlined for the check: most operands are numbers already.
#[inline(always)]
fn any_number<'a>(arena: &'a Arena, value: Value<'a>) -> Plain<'a> {
    if value.as_number().is_some() {
        return Ok(value);
    }
    if value.is_unset() {
        return Err(Stop::FallBack);
    }
    convert(arena, value, Type::Number).map_err(|_| Stop::Fault)
}

/// Converts an operand to a number.
// Inlined for the check: most operands are numbers already.
#[inline(always)]
fn number<'a>(arena: &'a Arena, value: Value<'a>) -> Plain<'a> {
    if value.as_number().is_some() {
        return Ok(value);
    }
    convert(arena, plain(value)?, Type::Number).map_err(|_| Stop::Fault)
}

/// Computes `-a`.
// Cold: rare in programs, because a negative literal is a constant.
#[cold]
#[inline(never)]
pub(in crate::exec::fast) fn negate<'a>(arena: &'a Arena, a: Value<'a>) -> Plain<'a> {
    ops::arithmetic::negate(arena, any_number(arena, a)?).map_err(|_| Stop::Fault)
}

/// Computes `a op b` for operands that are not both small integers.
// Out of line: its temporaries would spill in the loop.
#[inline(never)]
pub(in crate::exec::fast) fn compare<'a>(
    arena: &'a Arena,
    op: Comparison,
    a: Value<'a>,
    b: Value<'a>,
) -> Result<bool, Stop> {
    let a = number(arena, a)?;
    let b = number(arena, b)?;
    // Converted values that are no numbers are null.
    let (Some(a), Some(b)) = (a.as_number(), b.as_number()) else { return Err(Stop::Fault) };
    if let (Some(close_to_a), Some(close_to_b)) = (Interval::of(a), Interval::of(b))
        && let Some(order) = close_to_a.compare(close_to_b)
    {
        return Ok(op.holds_in(order));
    }
    // Equality compares printed digits. Where that disagrees with the exact order, `!(a < b)` differs from
    // `a >= b`, and the instruction does not show which of both was written.
    let order = number::compare(a, b);
    if order.is_eq() == number::equal(a, b) { Ok(op.holds_in(order)) } else { Err(Stop::FallBack) }
}
