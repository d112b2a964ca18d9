//! `!`, `&&` and `||` as functions of two evaluated operands.
//!
//! They apply when neither side alone decides; the short-circuit rules are with the instructions that
//! evaluate the sides.

use super::{OperationResult, undecided, unmark_both};
use crate::memory::arena::Arena;
use crate::types::Type;
use crate::value::Value;

/// `!a`
#[inline]
pub fn not<'a>(arena: &'a Arena, a: Value<'a>) -> OperationResult<'a> {
    let (plain, marks) = a.unmark();
    match plain.as_bool() {
        Some(a) => Ok(Value::bool(!a)),
        None => undecided(arena, Type::Bool, &[plain]),
    }
    .map(|result| result.with_marks(arena, marks))
}

/// `a && b`. A null is a fault, and an unknown operand gives an unknown result.
#[inline]
pub fn and<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> OperationResult<'a> {
    binary(arena, a, b, |a, b| a && b)
}

/// `a || b`. A null is a fault, and an unknown operand gives an unknown result.
#[inline]
pub fn or<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> OperationResult<'a> {
    binary(arena, a, b, |a, b| a || b)
}

#[inline]
fn binary<'a>(
    arena: &'a Arena,
    a: Value<'a>,
    b: Value<'a>,
    operator: impl FnOnce(bool, bool) -> bool,
) -> OperationResult<'a> {
    let (a, b, marks) = unmark_both(arena, a, b);
    let result = match (a.as_bool(), b.as_bool()) {
        (Some(a), Some(b)) => Value::bool(operator(a, b)),
        _ => undecided(arena, Type::Bool, &[a, b])?,
    };
    Ok(result.with_marks(arena, marks))
}
