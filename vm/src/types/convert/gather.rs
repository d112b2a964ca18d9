//! Collects converted elements into a list, set or map of one element type.
//!
//! If the element type was given in full, all elements have it. If it mentions "any", each element may
//! have its own type after the conversion; the element type of the collection is then the one type that
//! all elements have, or for some sources a type that they are unified to. Elements of unknown type take
//! that type.

use super::Converted;
use super::apply::apply;
use super::mismatch::{Mismatch, MismatchProblem, MismatchStep};
use crate::memory::arena::Arena;
use crate::types::Type;
use crate::types::set::set_from;
use crate::types::unify::{Safety, unify};
use crate::value::{Entry, Value, View};

/// How elements of different types get one type.
#[derive(Clone, Copy)]
pub(super) enum CommonType {
    /// They must already have one type.
    AsTheyAre,
    /// They are converted again, to their unified type.
    Unified(Safety),
}

/// Makes a list of `items`, whose element type is `element`. If that mentions "any", it is the one type of
/// the elements instead.
///
/// # Errors
///
/// A [`Mismatch`] if the elements have different types.
pub fn list_of<'a>(
    arena: &'a Arena,
    items: &'a mut [Value<'a>],
    element: Type<'a>,
) -> Result<Value<'a>, Mismatch<'a>> {
    list(arena, items, element, element, CommonType::AsTheyAre)
}

/// Makes a set of `items`, like [`list_of`].
///
/// # Errors
///
/// A [`Mismatch`] if the elements have different types.
pub fn set_of<'a>(
    arena: &'a Arena,
    items: &'a mut [Value<'a>],
    element: Type<'a>,
) -> Result<Value<'a>, Mismatch<'a>> {
    set(arena, items, element, element)
}

/// Makes a list of elements that were converted from `from` to `to`.
pub(super) fn list<'a>(
    arena: &'a Arena,
    items: &'a mut [Value<'a>],
    from: Type<'a>,
    to: Type<'a>,
    common: CommonType,
) -> Converted<'a> {
    let want = Type::List(arena.item(to));
    let element = agree(arena, Gathered::Items(items), want, from, to, common)?;
    Ok(Value::list(arena, items, element))
}

/// Makes a set of elements that were converted from `from` to `to`.
pub(super) fn set<'a>(
    arena: &'a Arena,
    items: &'a mut [Value<'a>],
    from: Type<'a>,
    to: Type<'a>,
) -> Converted<'a> {
    let want = Type::Set(arena.item(to));
    let element = agree(arena, Gathered::Items(items), want, from, to, CommonType::AsTheyAre)?;
    Ok(set_from(arena, items, element))
}

/// Makes a map of elements that were converted from `from` to `to`. Maps of tuples are not unified.
pub(super) fn map<'a>(
    arena: &'a Arena,
    entries: &'a mut [Entry<'a>],
    from: Type<'a>,
    to: Type<'a>,
    safety: Safety,
) -> Converted<'a> {
    let unified = to.is_collection() || matches!(to, Type::Object(_));
    let common = if unified { CommonType::Unified(safety) } else { CommonType::AsTheyAre };
    let want = Type::Map(arena.item(to));
    let element = agree(arena, Gathered::Entries(entries), want, from, to, common)?;
    Ok(Value::map(arena, entries, element))
}

/// The converted elements of a sequence or of a map.
enum Gathered<'s, 'a> {
    Items(&'s mut [Value<'a>]),
    Entries(&'s mut [Entry<'a>]),
}

impl<'a> Gathered<'_, 'a> {
    fn len(&self) -> usize {
        match self {
            Self::Items(items) => items.len(),
            Self::Entries(entries) => entries.len(),
        }
    }

    fn each(
        &mut self,
        mut act: impl FnMut(MismatchStep<'a>, &mut Value<'a>) -> Converted<'a, ()>,
    ) -> Converted<'a, ()> {
        match self {
            Self::Items(items) => {
                items.iter_mut().enumerate().try_for_each(|(at, item)| act(MismatchStep::Index(at), item))
            }
            Self::Entries(entries) => {
                entries.iter_mut().try_for_each(|entry| act(MismatchStep::Key(entry.name), &mut entry.value))
            }
        }
    }
}

/// Returns the element type of the collection `want`, and brings the elements to it.
fn agree<'a>(
    arena: &'a Arena,
    mut elements: Gathered<'_, 'a>,
    want: Type<'a>,
    from: Type<'a>,
    to: Type<'a>,
    common: CommonType,
) -> Converted<'a, Type<'a>> {
    if elements.len() == 0 {
        return Ok(if to.is_dynamic() { from } else { to.without_optional(arena) });
    }
    if !to.mentions_dynamic(arena) {
        return Ok(to.without_optional(arena));
    }
    let mut types = arena.list();
    elements.each(|_, element| {
        types.push(element.type_of(arena));
        Ok(())
    })?;
    if let CommonType::Unified(safety) = common {
        let Some(unified) = unify(arena, &types, safety) else {
            return Err(Mismatch::of_value(arena, MismatchProblem::Mixed { want }));
        };
        let mut each_type = types.iter_mut();
        elements.each(|step, element| {
            let Some(ty) = each_type.next() else { return Ok(()) };
            if !unified.is_dynamic() && !ty.same(arena, unified) {
                *element = apply(arena, *element, *ty, unified).map_err(|fault| fault.under(arena, step))?;
                *ty = element.type_of(arena);
            }
            Ok(())
        })?;
    }
    let element = types.iter().copied().find(|ty| !ty.is_dynamic()).unwrap_or(Type::Dynamic);
    if types.iter().any(|ty| !ty.is_dynamic() && !ty.same(arena, element)) {
        return Err(Mismatch::of_value(arena, MismatchProblem::Mixed { want }));
    }
    elements.each(|_, value| {
        *value = of_type(arena, *value, element);
        Ok(())
    })?;
    Ok(element)
}

/// Gives the type `ty` to a null or unknown value of unknown type. Other values are returned unchanged.
fn of_type<'a>(arena: &'a Arena, value: Value<'a>, ty: Type<'a>) -> Value<'a> {
    let (plain, marks) = value.unmark();
    match plain.view() {
        View::Null(Type::Dynamic) => Value::null(arena, ty).with_marks(arena, marks),
        View::Unknown(unknown) if unknown.ty.is_dynamic() => {
            Value::unknown_of(arena, ty).with_marks(arena, marks)
        }
        _ => value,
    }
}
