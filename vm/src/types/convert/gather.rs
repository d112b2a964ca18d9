//! Converted elements gathered into a list, set or map of one element type.
//!
//! Where the element type was given in full, all elements have it. Where it mentions "any" type,
//! each element may have come out with its own; then the collection's element type is the type
//! that the elements agree on, or for some sources one that they are unified to. Gathered of
//! unknown type take that type.

use super::Converted;
use super::apply::apply;
use super::mismatch::{Mismatch, MismatchStep, Problem};
use crate::memory::arena::Arena;
use crate::types::Type;
use crate::types::set::set_from;
use crate::types::unify::{Safety, unify};
use crate::value::{Entry, Value, View};

/// How elements of several types come to have one.
#[derive(Clone, Copy)]
pub(super) enum Common {
    /// They must have it already.
    AsTheyAre,
    /// They are converted once more, by such conversions.
    Unified(Safety),
}

/// A list of elements that were converted from `from` to `to`.
pub(super) fn list<'a>(
    arena: &'a Arena,
    items: &'a mut [Value<'a>],
    from: Type<'a>,
    to: Type<'a>,
    common: Common,
) -> Converted<'a> {
    let want = Type::List(arena.item(to));
    let element = agree(arena, Gathered::Items(items), want, from, to, common)?;
    Ok(Value::list(arena, items, element))
}

/// A set of elements that were converted from `from` to `to`.
pub(super) fn set<'a>(
    arena: &'a Arena,
    items: &'a mut [Value<'a>],
    from: Type<'a>,
    to: Type<'a>,
) -> Converted<'a> {
    let want = Type::Set(arena.item(to));
    let element = agree(arena, Gathered::Items(items), want, from, to, Common::AsTheyAre)?;
    Ok(set_from(arena, items, element))
}

/// A map of elements that were converted from `from` to `to`. Maps of tuples are not unified.
pub(super) fn map<'a>(
    arena: &'a Arena,
    entries: &'a mut [Entry<'a>],
    from: Type<'a>,
    to: Type<'a>,
    safety: Safety,
) -> Converted<'a> {
    let unified = to.is_collection() || matches!(to, Type::Object(_));
    let common = if unified { Common::Unified(safety) } else { Common::AsTheyAre };
    let want = Type::Map(arena.item(to));
    let element = agree(arena, Gathered::Entries(entries), want, from, to, common)?;
    Ok(Value::map(arena, entries, element))
}

/// Gathered in the form of their collection.
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

/// The element type of the collection `want` of these elements, which have it afterwards.
fn agree<'a>(
    arena: &'a Arena,
    mut elements: Gathered<'_, 'a>,
    want: Type<'a>,
    from: Type<'a>,
    to: Type<'a>,
    common: Common,
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
    if let Common::Unified(safety) = common {
        let Some(unified) = unify(arena, &types, safety) else {
            return Err(Mismatch::of_value(arena, Problem::Mixed { want }));
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
        return Err(Mismatch::of_value(arena, Problem::Mixed { want }));
    }
    elements.each(|_, value| {
        *value = of_type(arena, *value, element);
        Ok(())
    })?;
    Ok(element)
}

/// A null or unknown value of unknown type as one of `ty`; any other value as it is.
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
