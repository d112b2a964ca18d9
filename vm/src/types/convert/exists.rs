//! Decides whether a conversion between two types exists, whatever the value.
//!
//! | to | from | safe |
//! |---|---|---|
//! | any | anything | yes |
//! | anything | a type not yet known | no |
//! | string | bool, number | yes |
//! | bool, number | string | no |
//! | list | list, set, tuple | yes |
//! | set | set, tuple | yes |
//! | set | list | no: order and repetitions are lost |
//! | map | map, object | yes |
//! | object | object with all required attributes | yes |
//! | object | map | no: it may lack attributes |
//! | tuple | tuple of the same length | yes |
//!
//! The parts must convert as well, as safely as required. An element type of `any` denotes the one type
//! that all parts convert to; see [`unify`](crate::types::unify).

use super::primitive;
use crate::memory::arena::Arena;
use crate::types::unify::{Safety, unify};
use crate::types::{AttributeType, Type};

/// Returns true if values of type `from` convert to `to`. Equal types need no conversion.
pub(super) fn exists<'a>(arena: &'a Arena, from: Type<'a>, to: Type<'a>, safety: Safety) -> bool {
    let lossy = safety == Safety::Unsafe;
    if to.is_dynamic() || from.is_dynamic() {
        return to.is_dynamic() || lossy;
    }
    if from.is_primitive() && to.is_primitive() {
        return from == to || primitive::exists(from, to, lossy);
    }
    if !arena.charge(1) {
        return false;
    }
    match (from, to) {
        (Type::List(from), Type::List(to)) | (Type::Set(from), Type::List(to) | Type::Set(to)) => {
            exists(arena, *from, *to, safety)
        }
        (Type::List(from), Type::Set(to)) => lossy && exists(arena, *from, *to, safety),
        (Type::Map(from), Type::Map(to)) => exists(arena, *from, *to, safety),
        (Type::Tuple(from), Type::List(to) | Type::Set(to)) => from_tuple(arena, from, *to, safety).is_some(),
        (Type::Object(from), Type::Map(to)) => from_object(arena, from, *to, safety).is_some(),
        (Type::Tuple(from), Type::Tuple(to)) => {
            from.len() == to.len() && from.iter().zip(to).all(|(from, to)| exists(arena, *from, *to, safety))
        }
        (Type::Object(_), Type::Object(to)) => to.iter().all(|to| object_has(arena, from, to, safety)),
        (Type::Map(element), Type::Object(to)) => {
            lossy && to.iter().all(|to| to.optional || exists(arena, *element, to.ty, safety))
        }
        (Type::Capsule(from), Type::Capsule(to)) => from == to,
        _ => false,
    }
}

fn object_has<'a>(arena: &'a Arena, from: Type<'a>, to: &AttributeType<'a>, safety: Safety) -> bool {
    match from.attribute(to.name) {
        Some(from) => exists(arena, from.ty, to.ty, safety),
        None => to.optional,
    }
}

/// Returns the element type that the elements of a tuple are converted to for a list or set of `to`,
/// `None` if some do not convert.
pub(super) fn from_tuple<'a>(
    arena: &'a Arena,
    from: &[Type<'a>],
    to: Type<'a>,
    safety: Safety,
) -> Option<Type<'a>> {
    if from.is_empty() {
        return Some(to);
    }
    let mut element = to;
    if to.is_dynamic() {
        element = unify(arena, from, safety)?;
        if element.is_dynamic() && from.iter().any(|from| !from.is_dynamic()) {
            return None;
        }
    }
    from.iter().all(|from| exists(arena, *from, element, safety)).then_some(element)
}

/// Returns the element type that the attributes of an object are converted to for a map of `to`, `None`
/// if some do not convert.
pub(super) fn from_object<'a>(
    arena: &'a Arena,
    from: &[AttributeType<'a>],
    to: Type<'a>,
    safety: Safety,
) -> Option<Type<'a>> {
    if from.is_empty() {
        return Some(to);
    }
    let mut element = to;
    if to.is_dynamic() {
        let mut types = arena.list();
        types.extend(from.iter().map(|attribute| attribute.ty));
        element = unify(arena, &types, safety)?;
    }
    from.iter().all(|from| exists(arena, from.ty, element, safety)).then_some(element)
}
