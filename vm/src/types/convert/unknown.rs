//! Conversions of unknown and null values: only types and refinements change.

use crate::memory::arena::Arena;
use crate::types::unify::{Safety, unify};
use crate::types::{AttributeType, Type};
use crate::value::{Refinement, Unknown, Value, View};

/// Converts an unknown value to the type `to`. Whether it may be null and the range of its lengths are
/// kept.
pub(super) fn unknown_as<'a>(arena: &'a Arena, source: Unknown<'a>, to: Type<'a>) -> Value<'a> {
    let ty = resolved(arena, source.ty, to.without_optional(arena));
    let (min_len, max_len) = lengths(&source, ty);
    let not_null = source.refinement.not_null;
    let refinement = Refinement { not_null, min_len, max_len, ..Refinement::default() };
    Unknown { ty, refinement }.settle(arena)
}

/// Converts a null to the type `to`.
pub(super) fn null_as<'a>(arena: &'a Arena, source: Type<'a>, to: Type<'a>) -> Value<'a> {
    Value::null(arena, resolved(arena, source, to.without_optional(arena)))
}

/// Returns an unknown list for a set whose number of elements is unknown, because unknown elements may
/// turn out to be equal.
pub(super) fn of_any_length<'a>(arena: &'a Arena, from: Type<'a>, to: Type<'a>) -> Value<'a> {
    let element = resolved(arena, from, to.without_optional(arena));
    Value::unknown_of(arena, Type::List(arena.item(element)))
}

/// Returns the unknown list that replaces such a set as a whole. It keeps the element type of the set
/// even where a list of another type is required, as the reference does.
pub(super) fn list_of_uncounted<'a>(arena: &'a Arena, value: Value<'a>, to: Type<'a>) -> Option<Value<'a>> {
    let (plain, marks) = value.unmark();
    match (plain.view(), to) {
        (View::Set(items, element), Type::List(_)) if items.len() > 1 && !plain.is_wholly_known() => {
            Some(Value::unknown_of(arena, Type::List(arena.item(element))).with_marks(arena, marks))
        }
        _ => None,
    }
}

/// Returns the range of lengths of the result. Unknown elements of a set may turn out to be equal, but at
/// least one remains.
fn lengths(source: &Unknown<'_>, to: Type<'_>) -> (usize, usize) {
    let (min, max) = match source.ty {
        Type::Tuple(items) => (items.len(), items.len()),
        Type::Object(attributes) => (attributes.len(), attributes.len()),
        _ => (source.refinement.min_len, source.refinement.max_len),
    };
    match to {
        Type::Set(_) => (min.min(1), max),
        Type::List(_) | Type::Map(_) => (min, max),
        _ => (0, usize::MAX),
    }
}

/// Returns `to` with every "any" in it replaced by the corresponding part of `from`.
fn resolved<'a>(arena: &'a Arena, from: Type<'a>, to: Type<'a>) -> Type<'a> {
    if to.is_dynamic() {
        return from;
    }
    if from.is_dynamic() || !to.mentions_dynamic(arena) || !arena.charge(1) {
        return to;
    }
    let element = |to: &Type<'a>| -> &'a Type<'a> { arena.item(resolved_element(arena, from, *to)) };
    match to {
        Type::List(to) => Type::List(element(to)),
        Type::Set(to) => Type::Set(element(to)),
        Type::Map(to) => Type::Map(element(to)),
        Type::Tuple(to) => {
            let mut types = arena.list();
            let Type::Tuple(from) = from else { return Type::Tuple(to) };
            types.extend(from.iter().zip(to).map(|(from, to)| resolved(arena, *from, *to)));
            Type::Tuple(types.into_bump_slice())
        }
        Type::Object(to) => {
            let mut types = arena.list();
            types.extend(to.iter().map(|to| resolved_attribute(arena, from, to)));
            Type::Object(types.into_bump_slice())
        }
        _ => to,
    }
}

fn resolved_element<'a>(arena: &'a Arena, from: Type<'a>, to: Type<'a>) -> Type<'a> {
    let mut types = arena.list();
    match from {
        Type::List(from) | Type::Set(from) | Type::Map(from) => return resolved(arena, *from, to),
        Type::Tuple(from) => types.extend_from_slice(from),
        Type::Object(from) => types.extend(from.iter().map(|attribute| attribute.ty)),
        _ => {}
    }
    match unify(arena, &types, Safety::Unsafe) {
        Some(from) => resolved(arena, from, to),
        None => to,
    }
}

fn resolved_attribute<'a>(arena: &'a Arena, from: Type<'a>, to: &AttributeType<'a>) -> AttributeType<'a> {
    let from = match from {
        Type::Map(element) => Some(*element),
        _ => from.attribute(to.name).map(|attribute| attribute.ty),
    };
    AttributeType { ty: from.map_or(to.ty, |from| resolved(arena, from, to.ty)), ..*to }
}
