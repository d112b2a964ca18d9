//! The types of tuples and objects, derived from their members.
//!
//! Every member is charged, because a small program can make a value with
//! exponentially many paths through shared members.

use super::{Entry, Value};
use crate::arena::Arena;
use crate::types::{AttributeType, Type};

/// The type of a tuple with these items; `Dynamic` when the budget is exhausted.
pub(super) fn tuple_type<'a>(arena: &'a Arena, items: &[Value<'a>]) -> Type<'a> {
    if !arena.charge(items.len() as u64) {
        return Type::Dynamic;
    }
    let mut types = arena.list();
    types.extend(items.iter().map(|item| item.type_of(arena)));
    Type::Tuple(types.into_bump_slice())
}

/// The type of an object with these entries; `Dynamic` when the budget is exhausted.
pub(super) fn object_type<'a>(arena: &'a Arena, entries: &[Entry<'a>]) -> Type<'a> {
    if !arena.charge(entries.len() as u64) {
        return Type::Dynamic;
    }
    let mut types = arena.list();
    types.extend(entries.iter().map(|entry| AttributeType {
        name: entry.name,
        ty: entry.value.type_of(arena),
        optional: false,
    }));
    Type::Object(types.into_bump_slice())
}
