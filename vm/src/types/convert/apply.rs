//! Converts a value part by part, along a conversion that exists for its types.
//!
//! The recursion is bounded by the depth of the value. Elements of converted collections get their common
//! type in `gather`.

use super::exists::{exists, from_object, from_tuple};
use super::gather::{self, CommonType};
use super::mismatch::{Mismatch, MismatchProblem, MismatchStep};
use super::{Converted, primitive, unknown};
use crate::memory::arena::Arena;
use crate::types::unify::Safety;
use crate::types::{AttributeType, Type};
use crate::value::{Entry, Unknown, Value, View, find};

/// Converts `value` from the type `from` to `to`. The conversion exists.
pub(super) fn apply<'a>(arena: &'a Arena, value: Value<'a>, from: Type<'a>, to: Type<'a>) -> Converted<'a> {
    let is_equal = || from == to && from.is_primitive() && !is_untyped(value);
    if to.is_dynamic() || is_equal() || !arena.charge(1) {
        return Ok(value);
    }
    if value.is_plain() { known(arena, value, from, to) } else { other(arena, value, from, to) }
}

/// Returns true for a null or unknown value of unknown type. A structure that is taken for a collection may have
/// such parts, whose type `from` is the type of the other parts.
fn is_untyped(value: Value<'_>) -> bool {
    !value.is_plain()
        && matches!(
            value.unmark().0.view(),
            View::Null(Type::Dynamic) | View::Unknown(Unknown { ty: Type::Dynamic, .. })
        )
}

/// Converts a value that is marked, unknown or null. Separate from [`apply`], which recurses, so that its
/// frame stays small.
fn other<'a>(arena: &'a Arena, value: Value<'a>, from: Type<'a>, to: Type<'a>) -> Converted<'a> {
    let (plain, marks) = value.unmark();
    if plain.is_plain() {
        return match known(arena, plain, from, to) {
            Ok(converted) => Ok(converted.with_marks(arena, marks)),
            Err(mismatch) => Err(mismatch.concealed(arena)),
        };
    }
    Ok(leaf(arena, plain, to).with_marks(arena, marks))
}

/// Converts an unknown value or a null. An unknown value of that type already keeps its whole refinement.
fn leaf<'a>(arena: &'a Arena, value: Value<'a>, to: Type<'a>) -> Value<'a> {
    match value.view() {
        View::Unknown(Unknown { ty, .. }) if ty.same(arena, to) && !ty.has_optional(arena) => value,
        View::Unknown(source) => unknown::unknown_as(arena, source, to),
        View::Null(source) => unknown::null_as(arena, source, to),
        _ => value,
    }
}

fn known<'a>(arena: &'a Arena, value: Value<'a>, from: Type<'a>, to: Type<'a>) -> Converted<'a> {
    match (from, to) {
        (Type::List(from) | Type::Set(from), Type::List(to)) => list_from_items(arena, value, *from, *to),
        (Type::List(from) | Type::Set(from), Type::Set(to)) => set_from_items(arena, value, *from, *to),
        (Type::Tuple(from), Type::List(to)) => list_from_tuple(arena, value, from, *to),
        (Type::Tuple(from), Type::Set(to)) => set_from_tuple(arena, value, from, *to),
        (Type::Tuple(from), Type::Tuple(to)) => tuple_from_tuple(arena, value, from, to),
        (Type::Map(from), Type::Map(to)) => map_from_map(arena, value, *from, *to),
        (Type::Object(from), Type::Map(to)) => map_from_object(arena, value, from, *to),
        (Type::Object(_), Type::Object(to)) => object_from_object(arena, value, from, to),
        (Type::Map(from), Type::Object(to)) => object_from_map(arena, value, *from, to),
        _ => primitive::apply(arena, value, to),
    }
}

/// Adds a step to the mismatch of a part. A separate function, so that its temporaries take no room in
/// the frames of the recursion.
fn part<'a>(arena: &'a Arena, converted: Converted<'a>, step: MismatchStep<'a>) -> Converted<'a> {
    converted.map_err(|fault| fault.under(arena, step))
}

/// Converts the elements of a value, each from its own type.
fn items<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    types: &dyn Fn(usize) -> (Type<'a>, Type<'a>),
) -> Converted<'a, &'a mut [Value<'a>]> {
    let items = value.as_items().unwrap_or_default();
    let mut converted = arena.list();
    converted.reserve_exact(items.len());
    // A plain loop: iterators and `?` make the frame several times as large in debug builds.
    let mut at = 0;
    while at < items.len() {
        let (from, to) = types(at);
        match part(arena, apply(arena, items[at], from, to), MismatchStep::Index(at)) {
            Ok(item) => converted.push(item),
            Err(mismatch) => return Err(mismatch),
        }
        at += 1;
    }
    Ok(converted.into_bump_slice_mut())
}

/// Returns the type of an element. Tuples have as many elements as their types.
fn nth<'a>(types: &[Type<'a>], at: usize) -> Type<'a> {
    types.get(at).copied().unwrap_or(Type::Dynamic)
}

/// Converts the entries of a value to one type.
fn entries<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    types: impl Iterator<Item = Type<'a>>,
    to: Type<'a>,
) -> Converted<'a, &'a mut [Entry<'a>]> {
    let mut converted = arena.list();
    for (entry, from) in value.as_entries().unwrap_or_default().iter().zip(types) {
        let value = part(arena, apply(arena, entry.value, from, to), MismatchStep::Key(entry.name))?;
        converted.push(Entry { value, ..*entry });
    }
    Ok(converted.into_bump_slice_mut())
}

fn list_from_items<'a>(arena: &'a Arena, value: Value<'a>, from: Type<'a>, to: Type<'a>) -> Converted<'a> {
    if matches!(value.view(), View::Set(items, _) if items.len() > 1 && !value.is_wholly_known()) {
        // Unknown elements may turn out to be equal, so even the length is unknown.
        return Ok(unknown::of_any_length(arena, from, to));
    }
    let items = items(arena, value, &|_| (from, to))?;
    gather::list(arena, items, from, to, CommonType::AsTheyAre)
}

fn set_from_items<'a>(arena: &'a Arena, value: Value<'a>, from: Type<'a>, to: Type<'a>) -> Converted<'a> {
    let items = items(arena, value, &|_| (from, to))?;
    gather::set(arena, items, from, to)
}

fn list_from_tuple<'a>(arena: &'a Arena, value: Value<'a>, from: &[Type<'a>], to: Type<'a>) -> Converted<'a> {
    let element = from_tuple(arena, from, to, Safety::Unsafe).unwrap_or(to);
    let items = items(arena, value, &|at| (nth(from, at), element))?;
    gather::list(arena, items, element, element, CommonType::Unified(Safety::Unsafe))
}

fn set_from_tuple<'a>(arena: &'a Arena, value: Value<'a>, from: &[Type<'a>], to: Type<'a>) -> Converted<'a> {
    let element = from_tuple(arena, from, to, Safety::Unsafe).unwrap_or(to);
    let items = items(arena, value, &|at| (nth(from, at), element))?;
    gather::set(arena, items, element, element)
}

fn tuple_from_tuple<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    from: &[Type<'a>],
    to: &[Type<'a>],
) -> Converted<'a> {
    let items = items(arena, value, &|at| (nth(from, at), nth(to, at)))?;
    Ok(Value::tuple(arena, items))
}

fn map_from_map<'a>(arena: &'a Arena, value: Value<'a>, from: Type<'a>, to: Type<'a>) -> Converted<'a> {
    let entries = entries(arena, value, std::iter::repeat(from), to)?;
    gather::map(arena, entries, from, to, Safety::Safe)
}

fn map_from_object<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    from: &[AttributeType<'a>],
    to: Type<'a>,
) -> Converted<'a> {
    let element = from_object(arena, from, to, Safety::Unsafe).unwrap_or(to);
    let entries = entries(arena, value, from.iter().map(|attribute| attribute.ty), element)?;
    gather::map(arena, entries, element, element, Safety::Unsafe)
}

fn object_from_object<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    from: Type<'a>,
    to: &[AttributeType<'a>],
) -> Converted<'a> {
    let source = value.as_entries().unwrap_or_default();
    let mut converted = arena.list();
    for to in to {
        converted.push(match (find(source, to.name), from.attribute(to.name)) {
            (Some(entry), Some(from)) => {
                let value =
                    part(arena, apply(arena, entry.value, from.ty, to.ty), MismatchStep::Attribute(to.name))?;
                Entry { value, ..*entry }
            }
            _ => absent(arena, to),
        });
    }
    Ok(Value::object(arena, converted.into_bump_slice()))
}

fn object_from_map<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    from: Type<'a>,
    to: &[AttributeType<'a>],
) -> Converted<'a> {
    let source = value.as_entries().unwrap_or_default();
    let mut converted = arena.list();
    for to in to {
        converted.push(match find(source, to.name) {
            Some(entry) => attribute_from_element(arena, entry, from, to)?,
            None if to.optional => absent(arena, to),
            None => return Err(Mismatch::of_value(arena, MismatchProblem::NoElement(to.name))),
        });
    }
    Ok(Value::object(arena, converted.into_bump_slice()))
}

fn attribute_from_element<'a>(
    arena: &'a Arena,
    entry: &Entry<'a>,
    from: Type<'a>,
    to: &AttributeType<'a>,
) -> Converted<'a, Entry<'a>> {
    if !exists(arena, from, to.ty, Safety::Unsafe) {
        let problem = MismatchProblem::Attribute { name: to.name, have: from, want: to.ty };
        return Err(Mismatch::of_value(arena, problem));
    }
    let value = apply(arena, entry.value, from, to.ty)
        .map_err(|fault| fault.under(arena, MismatchStep::Key(entry.name)))?;
    Ok(Entry { value, ..*entry })
}

/// Returns the null that takes the place of an optional attribute missing in the source.
fn absent<'a>(arena: &'a Arena, to: &AttributeType<'a>) -> Entry<'a> {
    Entry::new(to.name, Value::null(arena, to.ty.without_optional(arena)))
}
