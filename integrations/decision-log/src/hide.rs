//! Masked values as marked ones: what is computed from them is marked as well, and not reported.

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

/// Returns the value of the attribute or element `name` with its masked parts marked; `None` if no mask leads there.
fn member<'v>(arena: &'v Arena, name: &str, value: Value<'v>, masks: &[&[Segment]]) -> Option<Value<'v>> {
    match below(masks, name) {
        None => Some(marked(arena, value)),
        Some(masks) if masks.is_empty() => None,
        Some(masks) => Some(parts(arena, value, &masks)),
    }
}

/// Returns a value with its masked parts marked. Recursion is bounded by the longest mask.
fn parts<'v>(arena: &'v Arena, value: Value<'v>, masks: &[&[Segment]]) -> Value<'v> {
    let member = |name: &str, value| member(arena, name, value, masks).unwrap_or(value);
    let items = |items: &[Value<'v>]| -> &'v [Value<'v>] {
        let hidden = items.iter().enumerate().map(|(at, item)| member(&at.to_string(), *item));
        arena.slice(&hidden.collect::<Vec<_>>())
    };
    let entries = |entries: &[Entry<'v>]| -> &'v [Entry<'v>] {
        let hidden = entries.iter().map(|entry| Entry::new(entry.name, member(entry.name, entry.value)));
        arena.slice(&hidden.collect::<Vec<_>>())
    };
    match value.view() {
        View::Tuple(of) => Value::tuple(arena, items(of)),
        View::List(of, element) => Value::list(arena, items(of), element),
        View::Object(of) => Value::object(arena, entries(of)),
        View::Map(of, element) => Value::map(arena, entries(of), element),
        // Elements of a set have no marks of their own.
        View::Set(..) => marked(arena, value),
        // Functions such as `nonsensitive` remove the marks of a value, and none of its parts.
        View::Marked(inner, marks) => parts(arena, inner, masks).with_marks(arena, marks),
        _ => value,
    }
}

fn marked<'v>(arena: &'v Arena, value: Value<'v>) -> Value<'v> {
    value.with_marks(arena, marks_from(arena, &[MARK]))
}
