//! Conversion of values between types: what the operators, functions and constraints of the
//! language do to a value that is not yet of the type they need.
//!
//! A conversion is first a matter of types: unless one exists for the types alone, no value is
//! looked at, so that an unknown list is refused where a known one would be. The parts of a value
//! are then converted one by one, and only texts, maps that become objects, and elements of "any"
//! type can still fail.
//!
//! Nulls stay null, unknown values stay unknown with as much as carries over of what is known of
//! them, marks stay where they are; a set takes the marks of its elements.

mod apply;
mod exists;
mod gather;
mod mismatch;
mod primitive;
mod unknown;

pub use mismatch::{Mismatch, MismatchStep};
pub use primitive::may_read_number;

use crate::memory::arena::Arena;
use crate::types::Type;
use crate::types::unify::Safety;
use crate::value::{Value, View};

/// The result of a conversion.
type Converted<'a, T = Value<'a>> = Result<T, Mismatch<'a>>;

/// `value` as a value of type `ty`, in which `Dynamic` stands for any one type. Conversions that
/// may fail are tried. Null stays null, unknown stays unknown, marks stay.
#[inline]
pub fn convert<'a>(arena: &'a Arena, value: Value<'a>, ty: Type<'a>) -> Result<Value<'a>, Mismatch<'a>> {
    match (value.view(), ty) {
        (_, Type::Dynamic)
        | (View::Bool(_), Type::Bool)
        | (View::Number(_), Type::Number)
        | (View::String(_), Type::String) => Ok(value),
        _ => convert_other(arena, value, ty),
    }
}

fn convert_other<'a>(arena: &'a Arena, value: Value<'a>, ty: Type<'a>) -> Result<Value<'a>, Mismatch<'a>> {
    if value.is_of_type(arena, ty) && !ty.has_optional(arena) {
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

/// What the function `convert` gives: like every function it works on a value without marks and
/// gives all of them to its result, and of an unknown value it keeps the type alone.
pub fn convert_as_function<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    ty: Type<'a>,
) -> Result<Value<'a>, Mismatch<'a>> {
    let (plain, marks) = value.unmark_deep(arena);
    let conceal =
        |mismatch: Mismatch<'a>| if marks.is_empty() { mismatch } else { mismatch.concealed(arena) };
    let converted = convert(arena, plain, ty).map_err(conceal)?;
    let result =
        if plain.is_known() { converted } else { Value::unknown_of(arena, converted.type_of(arena)) };
    Ok(result.with_marks(arena, marks))
}

/// Whether values of type `from` convert to `to`: all of them, or with [`Safety::Unsafe`] some of
/// them. True where no conversion is needed.
pub fn conversion_exists<'a>(arena: &'a Arena, from: Type<'a>, to: Type<'a>, safety: Safety) -> bool {
    exists::exists(arena, from, to, safety)
}
