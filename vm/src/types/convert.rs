//! Conversion of values between types, as operators, functions and constraints apply it to values that do
//! not have the type they need.
//!
//! Types come first: unless a conversion exists for the types alone, no value is examined, so that an
//! unknown list is rejected where a known one would be. The parts of the value are then converted one by
//! one; only strings, maps that become objects, and elements of "any" type can still fail.
//!
//! Nulls stay null and marks stay where they are, except that a set takes the marks of its elements.
//! Unknown values stay unknown and keep the part of their refinement that still holds.

mod apply;
mod exists;
mod gather;
mod mismatch;
mod primitive;
pub(crate) mod uniform;
mod unknown;

pub use gather::{list_of, set_of};
pub use mismatch::{Mismatch, MismatchStep};
pub use primitive::may_read_number;
pub(crate) use primitive::write_ratio;

use crate::memory::arena::Arena;
use crate::types::Type;
use crate::types::unify::{Safety, taken_for};
use crate::value::Value;

/// The result of a conversion.
type Converted<'a, T = Value<'a>> = Result<T, Mismatch<'a>>;

/// Converts `value` to `ty`, in which `Dynamic` matches any one type. Conversions that can fail for some
/// values are allowed. Nulls stay null, unknown values stay unknown, and marks are kept.
///
/// # Errors
///
/// A [`Mismatch`] if no conversion exists for the types, or if it fails for this value.
#[inline]
pub fn convert<'a>(arena: &'a Arena, value: Value<'a>, ty: Type<'a>) -> Result<Value<'a>, Mismatch<'a>> {
    if value.fits(ty) { Ok(value) } else { convert_other(arena, value, ty) }
}

fn convert_other<'a>(arena: &'a Arena, value: Value<'a>, ty: Type<'a>) -> Result<Value<'a>, Mismatch<'a>> {
    // Operands of operators are often marked, or of unknown type.
    if value.unmark().0.fits(ty) {
        return Ok(value);
    }
    if value.is_dynamic() && ty.is_primitive() {
        return Ok(if arena.charge(1) { Value::unknown_of(arena, ty) } else { value });
    }
    if let Some(sequence) = uniform::sequence(arena, value, ty) {
        return Ok(sequence);
    }
    if value.is_of_type(arena, ty.without_optional(arena)) {
        return Ok(value);
    }
    let have = value.type_of(arena);
    if !exists::exists(arena, have, ty, Safety::Unsafe) {
        let mismatch = Mismatch::of_types(arena, have, ty);
        return Err(if value.contains_marks() { mismatch.concealed(arena) } else { mismatch });
    }
    match unknown::list_of_uncounted(arena, value, ty) {
        Some(list) => Ok(list),
        None => apply::apply(arena, value, have, ty),
    }
}

/// Converts one of two values to `ty`, the unified type of its own type and the type `other`.
///
/// # Errors
///
/// Those of [`convert`], and a [`Mismatch`] if the value is a structure that was taken for a
/// collection and its elements, converted as those of the collection, have different types.
pub fn convert_unified<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    other: Type<'a>,
    ty: Type<'a>,
) -> Result<Value<'a>, Mismatch<'a>> {
    // Only maps and lists are unified types of structures and collections.
    let taken_for = match ty {
        Type::Map(_) | Type::List(_) => taken_for(arena, value.type_of(arena), other, ty),
        _ => None,
    };
    let Some(from) = taken_for else { return convert(arena, value, ty) };
    let converted = apply::apply(arena, value, from, ty)?;
    if converted.holds_its_types(arena) {
        Ok(converted)
    } else {
        let mismatch = Mismatch::of_value(arena, mismatch::MismatchProblem::Mixed { want: ty });
        Err(if value.contains_marks() { mismatch.concealed(arena) } else { mismatch })
    }
}

/// Converts like the function `convert`: optional attributes are required, the marks of all parts move to
/// the result, and of an unknown value only the type is kept.
///
/// # Errors
///
/// Those of [`convert`]; concealed if the value is marked.
pub fn convert_as_function<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    ty: Type<'a>,
) -> Result<Value<'a>, Mismatch<'a>> {
    let (plain, marks) = value.unmark_deep(arena);
    let conceal =
        |mismatch: Mismatch<'a>| if marks.is_empty() { mismatch } else { mismatch.concealed(arena) };
    let converted = convert(arena, plain, ty.without_optional(arena)).map_err(conceal)?;
    let result =
        if plain.is_known() { converted } else { Value::unknown_of(arena, converted.type_of(arena)) };
    Ok(result.with_marks(arena, marks))
}

/// Returns true if values of type `from` convert to `to`: all of them, or with [`Safety::Unsafe`] at
/// least some. True if no conversion is needed.
pub fn conversion_exists<'a>(arena: &'a Arena, from: Type<'a>, to: Type<'a>, safety: Safety) -> bool {
    exists::exists(arena, from, to, safety)
}
