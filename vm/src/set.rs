//! Sets: distinct elements in the reference's order.

use crate::arena::Arena;
use crate::ops::equality::decide;
use crate::types::Type;
use crate::value::Value;

/// A set of `items` in any order, with repetitions; marks of the items move to the set.
pub fn set_from<'a>(arena: &'a Arena, items: &[Value<'a>], element: Type<'a>) -> Value<'a> {
    Value::set_of_ordered(arena, arena.slice(items), element)
}

/// Whether a known unmarked set has an element that is certainly equal to `value`.
pub fn contains<'a>(arena: &'a Arena, set: Value<'a>, value: Value<'a>) -> bool {
    let items = set.as_items().unwrap_or_default();
    items.iter().any(|item| decide(arena, *item, value) == Some(true))
}
