//! Origins of unknown values: the attribute of the resource that will have the value. Two references to it are equal, also
//! before it is known.

use hclvm::value::{Arena, Entry, View};
use hclvm::{OwnedValue, Value};

/// Returns the attributes of a resource, whose unknown parts have their place as origin: `aws_vpc.main.id`. Elements of sets
/// have no place.
pub(super) fn with_origins(attrs: OwnedValue, address: &str) -> OwnedValue {
    if attrs.get().is_wholly_known() {
        return attrs;
    }
    let arena = Arena::new();
    OwnedValue::new(below_place(&arena, attrs.get(), &mut address.to_owned()))
}

/// The recursion is bounded by the depth of values.
fn below_place<'a>(arena: &'a Arena, value: Value<'a>, place: &mut String) -> Value<'a> {
    if value.is_wholly_known() {
        return value;
    }
    let (inner, marks) = value.unmark();
    let inner = match inner.view() {
        View::Unknown(mut unknown) => {
            unknown.refinement.origin = arena.text(place);
            Value::unknown(arena, unknown)
        }
        View::Tuple(items) => Value::tuple(arena, each_item(arena, items, place)),
        View::List(items, element) => Value::list(arena, each_item(arena, items, place), element),
        View::Object(entries) => Value::object(arena, each_entry(arena, entries, place)),
        View::Map(entries, element) => Value::map(arena, each_entry(arena, entries, place), element),
        _ => inner,
    };
    inner.with_marks(arena, marks)
}

fn each_item<'a>(arena: &'a Arena, items: &[Value<'a>], place: &mut String) -> &'a [Value<'a>] {
    let mut all = arena.list_with(items.len());
    for (at, item) in items.iter().enumerate() {
        let item = below(place, &format!("[{at}]"), |place| below_place(arena, *item, place));
        all.push(item);
    }
    all.into_bump_slice()
}

fn each_entry<'a>(arena: &'a Arena, entries: &[Entry<'a>], place: &mut String) -> &'a [Entry<'a>] {
    let mut all = arena.list_with(entries.len());
    for entry in entries {
        let step = [".", entry.name].concat();
        let value = below(place, &step, |place| below_place(arena, entry.value, place));
        all.push(Entry { value, ..*entry });
    }
    all.into_bump_slice()
}

/// Calls a function with the place of a part.
fn below<T>(place: &mut String, step: &str, then: impl FnOnce(&mut String) -> T) -> T {
    let outer = place.len();
    place.push_str(step);
    let result = then(place);
    place.truncate(outer);
    result
}
