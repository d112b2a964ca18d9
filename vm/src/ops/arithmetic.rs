//! `+ - * / %` and negation of numbers.
//!
//! Ranges of unknown operands are not propagated: if an operand is unknown, the result is a number that
//! is not null and nothing more, even for `0 * unknown`.

use super::{OperationResult, undecided, unmark_both};
use crate::memory::arena::Arena;
use crate::number::{self, Number, NumberFault, NumberRef};
use crate::types::Type;
use crate::value::Value;

/// Arithmetic operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

/// Applies an operator to numbers, of which any may be unknown or marked.
pub fn apply<'a>(arena: &'a Arena, op: Arithmetic, a: Value<'a>, b: Value<'a>) -> OperationResult<'a> {
    match op {
        Arithmetic::Add => add(arena, a, b),
        Arithmetic::Subtract => subtract(arena, a, b),
        Arithmetic::Multiply => multiply(arena, a, b),
        Arithmetic::Divide => divide(arena, a, b),
        Arithmetic::Modulo => modulo(arena, a, b),
    }
}

/// `a + b`
#[inline]
pub fn add<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> OperationResult<'a> {
    binary(arena, a, b, number::inline::add, number::floats::add)
}

/// `a - b`
#[inline]
pub fn subtract<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> OperationResult<'a> {
    binary(arena, a, b, number::inline::subtract, number::floats::subtract)
}

/// `a * b`
#[inline]
pub fn multiply<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> OperationResult<'a> {
    binary(arena, a, b, number::inline::multiply, number::floats::multiply)
}

/// `a / b`
#[inline]
pub fn divide<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> OperationResult<'a> {
    binary(arena, a, b, number::inline::divide, number::floats::divide)
}

/// `a % b`
#[inline]
pub fn modulo<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> OperationResult<'a> {
    binary(arena, a, b, number::inline::modulo, number::floats::modulo)
}

/// `-a`
#[inline]
pub fn negate<'a>(arena: &'a Arena, a: Value<'a>) -> OperationResult<'a> {
    let (plain, marks) = a.unmark();
    match plain.as_number() {
        Some(number) => Ok(Value::number(arena, number::negate(number))),
        None => undecided(arena, Type::Number, &[plain]),
    }
    .map(|result| result.with_marks(arena, marks))
}

/// Applies an operator to two numbers: in its inline form if the operands and the result have one, else in floats.
// Inlined into each operator, so that the inline form is part of it.
#[inline(always)]
pub(crate) fn of_numbers<'a>(
    arena: &'a Arena,
    [a, b]: [NumberRef<'_>; 2],
    inline: impl FnOnce(NumberRef<'_>, NumberRef<'_>) -> Option<NumberRef<'static>>,
    floats: impl FnOnce(NumberRef<'_>, NumberRef<'_>) -> Result<Number, NumberFault>,
) -> OperationResult<'a> {
    match inline(a, b) {
        Some(number) => Ok(Value::number_ref(number)),
        None => Ok(Value::number(arena, floats(a, b)?)),
    }
}

#[inline]
fn binary<'a>(
    arena: &'a Arena,
    a: Value<'a>,
    b: Value<'a>,
    inline: impl FnOnce(NumberRef<'_>, NumberRef<'_>) -> Option<NumberRef<'static>>,
    floats: impl FnOnce(NumberRef<'_>, NumberRef<'_>) -> Result<Number, NumberFault>,
) -> OperationResult<'a> {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return of_numbers(arena, [a, b], inline, floats);
    }
    let (a, b, marks) = unmark_both(arena, a, b);
    let result = match (a.as_number(), b.as_number()) {
        (Some(a), Some(b)) => of_numbers(arena, [a, b], inline, floats)?,
        _ => undecided(arena, Type::Number, &[a, b])?,
    };
    Ok(result.with_marks(arena, marks))
}
