//! The types of tuples and objects, derived from their members.
//!
//! Each member is charged, because a small program can build a value with exponentially many paths
//! through shared members.

use super::{Entry, Value};
use crate::memory::arena::{Arena, ArenaVec};
use crate::types::{AttributeType, Type};

/// Returns the type of a tuple of these items; `Dynamic` if the budget is exhausted.
pub(super) fn tuple_type<'a>(arena: &'a Arena, items: &[Value<'a>]) -> Type<'a> {
    let Some(mut types) = room_for(arena, items.len()) else { return Type::Dynamic };
    types.extend(items.iter().map(|item| item.type_of(arena)));
    Type::Tuple(types.into_bump_slice())
}

/// Returns the type of an object of these entries; `Dynamic` if the budget is exhausted.
pub(super) fn object_type<'a>(arena: &'a Arena, entries: &[Entry<'a>]) -> Type<'a> {
    let Some(mut types) = room_for(arena, entries.len()) else { return Type::Dynamic };
    types.extend(entries.iter().map(|entry| AttributeType {
        name: entry.name,
        ty: entry.value.type_of(arena),
        optional: false,
    }));
    Type::Object(types.into_bump_slice())
}

/// Returns an empty list with room for the types of `count` members; `None` if the budget is exhausted.
fn room_for<T>(arena: &Arena, count: usize) -> Option<ArenaVec<'_, T>> {
    let fits = arena.charge(count as u64) && arena.has_room(count.saturating_mul(size_of::<T>()));
    fits.then(|| arena.list_with(count))
}
