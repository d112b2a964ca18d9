//! Masked values as marked ones: what is computed from them is marked as well, and not told.

use hclvm::value::{Arena, Entry, View, marks_from};
use hclvm::{Error, Scope, Value};

use crate::mask::{Below, Mask, Segment, below};

/// The mark of masked values.
const MARK: &str = "masked";

/// Marks the masked values of a scope.
///
/// # Errors
/// A value beyond the limits of the engine: then it has no value.
pub(crate) fn hide(scope: &mut Scope, masks: &[Mask]) -> Result<(), Error> {
    if masks.is_empty() {
        return Ok(());
    }
    let masks: Below<'_> = masks.iter().map(Mask::segments).collect();
    let given = scope.fork();
    for name in given.layout().names() {
        let Some(value) = given.get(name) else { continue };
        let arena = Arena::new();
        if let Some(hidden) = member(&arena, name, value, &masks) {
            scope.set_value(name, hidden)?;
        }
    }
    Ok(())
}

/// Returns the value of the attribute or element `name` with its masked parts marked; `None` if there are none.
fn member<'v>(arena: &'v Arena, name: &str, value: Value<'v>, masks: &[&[Segment]]) -> Option<Value<'v>> {
    match below(masks, name) {
        None => Some(marked(arena, value)),
        Some(masks) if masks.is_empty() => None,
        Some(masks) => parts(arena, value, &masks),
    }
}

/// Returns a value with its masked parts marked; `None` if there are none. Recursion is bounded by the longest mask.
fn parts<'v>(arena: &'v Arena, value: Value<'v>, masks: &[&[Segment]]) -> Option<Value<'v>> {
    let items = |items: &[Value<'v>]| -> Option<&'v [Value<'v>]> {
        let mut changed = false;
        let hidden: Vec<Value<'v>> = items
            .iter()
            .enumerate()
            .map(|(at, item)| {
                let hidden = member(arena, &at.to_string(), *item, masks);
                changed |= hidden.is_some();
                hidden.unwrap_or(*item)
            })
            .collect();
        changed.then(|| arena.slice(&hidden))
    };
    let entries = |entries: &[Entry<'v>]| -> Option<&'v [Entry<'v>]> {
        let mut changed = false;
        let hidden: Vec<Entry<'v>> = entries
            .iter()
            .map(|entry| {
                let hidden = member(arena, entry.name, entry.value, masks);
                changed |= hidden.is_some();
                Entry::new(entry.name, hidden.unwrap_or(entry.value))
            })
            .collect();
        changed.then(|| arena.slice(&hidden))
    };
    match value.view() {
        View::Tuple(of) => items(of).map(|items| Value::tuple(arena, items)),
        View::List(of, element) => items(of).map(|items| Value::list(arena, items, element)),
        View::Object(of) => entries(of).map(|entries| Value::object(arena, entries)),
        View::Map(of, element) => entries(of).map(|entries| Value::map(arena, entries, element)),
        // Elements of a set have no marks of their own.
        View::Set(..) => Some(marked(arena, value)),
        View::Marked(inner, marks) => parts(arena, inner, masks).map(|value| value.with_marks(arena, marks)),
        _ => None,
    }
}

fn marked<'v>(arena: &'v Arena, value: Value<'v>) -> Value<'v> {
    value.with_marks(arena, marks_from(arena, &[MARK]))
}
