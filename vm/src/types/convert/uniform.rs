//! Sequences of one primitive type: most conversions to lists and sets, and most arms of different lengths.
//!
//! A shortcut: the results equal those of [`apply`](super::apply), without types of tuples, which are as large as
//! the tuples. An authorization policy took a third fewer instructions with it.

use crate::memory::arena::Arena;
use crate::types::Type;
use crate::types::set::set_from;
use crate::value::{Value, View};

/// Returns the type of all items. `None` if there are none, if they have different types, and if one is no
/// primitive, null, unknown or marked.
fn element_type<'a>(items: &[Value<'a>]) -> Option<Type<'a>> {
    let (first, rest) = items.split_first()?;
    let ty = first.primitive_type()?;
    rest.iter().all(|item| item.fits(ty)).then_some(ty)
}

/// Converts a sequence of plain primitives of one type to a list or set of that type or of any type. `None`
/// for other values and types.
pub(super) fn sequence<'a>(arena: &'a Arena, value: Value<'a>, ty: Type<'a>) -> Option<Value<'a>> {
    let (Type::List(wanted) | Type::Set(wanted)) = ty else { return None };
    let (View::Tuple(items) | View::List(items, _) | View::Set(items, _)) = value.view() else { return None };
    if let (View::List(_, own), Type::List(_)) | (View::Set(_, own), Type::Set(_)) = (value.view(), ty)
        && own.is_primitive()
        && own == *wanted
    {
        return Some(value);
    }
    let element = element_type(items)?;
    if !(wanted.is_dynamic() || *wanted == element) || !arena.charge(items.len() as u64) {
        return None;
    }
    Some(match ty {
        Type::List(_) => Value::list(arena, items, element),
        _ => set_from(arena, items, element),
    })
}

/// Converts one of two tuples of different lengths, whose elements all have one primitive type, to the unified
/// type of both: a list. `None` for other values.
pub(crate) fn one_of_tuples<'a>(arena: &'a Arena, value: Value<'a>, other: Value<'a>) -> Option<Value<'a>> {
    let (items, others) = (value.as_tuple()?, other.as_tuple()?);
    if items.len() == others.len() {
        return None;
    }
    let element = element_type(if items.is_empty() { others } else { items })?;
    let all_fit = others.iter().all(|item| item.fits(element));
    (all_fit && arena.charge((items.len() + others.len()) as u64)).then(|| Value::list(arena, items, element))
}
