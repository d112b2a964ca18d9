//! Values of plans. The output of `terraform show -json` has a value three times, to be read as one.
//!
//! ```text
//! after            {bucket: "b", rule: [{days: 1}, {days: 2}]}      what is known
//! after_unknown    {arn: true, rule: [{key: true}, {}]}             true in place of what is not
//! after_sensitive  {bucket: true}                                   true in place of what is not shown
//!                    ↓
//! attrs            {bucket = "b" (marked), arn = ?, rule = [{days = 1, key = ?}, {days = 2}]}
//! ```
//!
//! In doubt a value is sensitive.

use std::collections::HashSet;

use hclvm::value::{Arena, Entry, View, copy, marks_from};
use hclvm::{OwnedValue, Value};

use super::host::SENSITIVE;
use super::object::member;

/// Returns a value with its unknown parts and its marks.
pub(super) fn merged(
    value: Value<'_>,
    unknown: Option<Value<'_>>,
    sensitive: Option<Value<'_>>,
) -> OwnedValue {
    let arena = Arena::new();
    let merged = merge(&arena, value, unknown, sensitive);
    if !merged.contains_marks() {
        return OwnedValue::new(merged);
    }
    let mut hidden = HashSet::new();
    texts(merged, false, &mut hidden);
    OwnedValue::new(with_copies_marked(&arena, merged, &hidden))
}

/// Collects the texts that are marked. The recursion is bounded by the depth of values.
fn texts<'a>(value: Value<'a>, is_marked: bool, found: &mut HashSet<&'a str>) {
    let (value, marks) = value.unmark();
    let is_marked = is_marked || !marks.is_empty();
    if let Some(text) = value.as_str().filter(|text| is_marked && !text.is_empty()) {
        found.insert(text);
    }
    value.as_items().unwrap_or_default().iter().for_each(|item| texts(*item, is_marked, found));
    value.as_entries().unwrap_or_default().iter().for_each(|entry| texts(entry.value, is_marked, found));
}

/// Marks further texts that equal a marked one: providers copy values to attributes that the plan does not mark, such as
/// `tags` to `tags_all`. The recursion is bounded by the depth of values.
fn with_copies_marked<'a>(arena: &'a Arena, value: Value<'a>, hidden: &HashSet<&str>) -> Value<'a> {
    match value.view() {
        View::String(text) if hidden.contains(text) => {
            value.with_marks(arena, marks_from(arena, &[SENSITIVE]))
        }
        View::Tuple(items) => {
            let mut all = arena.list_with(items.len());
            all.extend(items.iter().map(|item| with_copies_marked(arena, *item, hidden)));
            Value::tuple(arena, all.into_bump_slice())
        }
        View::Object(entries) => {
            let mut all = arena.list_with(entries.len());
            all.extend(
                entries
                    .iter()
                    .map(|entry| Entry { value: with_copies_marked(arena, entry.value, hidden), ..*entry }),
            );
            Value::object(arena, all.into_bump_slice())
        }
        _ => value,
    }
}

/// The recursion is bounded by the depth of values.
fn merge<'a>(
    arena: &'a Arena,
    value: Value<'_>,
    unknown: Option<Value<'_>>,
    sensitive: Option<Value<'_>>,
) -> Value<'a> {
    let is_true = |one: Option<Value<'_>>| one.and_then(Value::as_bool) == Some(true);
    let mark = |value: Value<'a>, is_sensitive: bool| {
        if is_sensitive { value.with_marks(arena, marks_from(arena, &[SENSITIVE])) } else { value }
    };
    if is_true(unknown) {
        return mark(Value::DYNAMIC, sensitive.is_some_and(has_true));
    }
    let unknown_entries = unknown.and_then(Value::as_entries).unwrap_or_default();
    let unknown_items = unknown.and_then(Value::as_items).unwrap_or_default();
    let entries = value.as_entries().or_else(|| (!unknown_entries.is_empty()).then_some(&[][..]));
    let items = value.as_items().or_else(|| (!unknown_items.is_empty()).then_some(&[][..]));
    let (merged, mirror) = if let Some(entries) = entries {
        let mirror = sensitive.filter(|sensitive| sensitive.as_entries().is_some());
        (merge_entries(arena, entries, unknown_entries, mirror), mirror)
    } else if let Some(items) = items {
        let mirror = sensitive.filter(|sensitive| sensitive.as_items().is_some());
        (merge_items(arena, items, unknown_items, mirror), mirror)
    } else {
        (copy(arena, value), None)
    };
    // A mirror of another shape does not show which parts are sensitive: all of them may be.
    mark(merged, mirror.is_none() && sensitive.is_some_and(has_true))
}

/// Returns true if something in a mirror of a value is true. The recursion is bounded by the depth of values.
fn has_true(mirror: Value<'_>) -> bool {
    mirror.as_bool() == Some(true)
        || mirror.as_items().unwrap_or_default().iter().any(|item| has_true(*item))
        || mirror.as_entries().unwrap_or_default().iter().any(|entry| has_true(entry.value))
}

/// Both lists of entries are sorted by name.
fn merge_entries<'a>(
    arena: &'a Arena,
    known: &[Entry<'_>],
    unknown: &[Entry<'_>],
    sensitive: Option<Value<'_>>,
) -> Value<'a> {
    let mut members = arena.list_with(known.len() + unknown.len());
    let (mut known, mut unknown) = (known.iter().peekable(), unknown.iter().peekable());
    loop {
        let order = match (known.peek(), unknown.peek()) {
            (Some(known), Some(unknown)) => known.name.cmp(unknown.name),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => break,
        };
        let of_known = if order.is_le() { known.next() } else { None };
        let of_unknown = if order.is_ge() { unknown.next() } else { None };
        let Some(name) = of_known.or(of_unknown).map(|entry| entry.name) else { break };
        let of_unknown = of_unknown.map(|entry| entry.value);
        if of_known.is_none() && of_unknown.is_some_and(|unknown| unknown.as_bool() == Some(false)) {
            continue;
        }
        let value = of_known.map_or(Value::NULL, |entry| entry.value);
        let sensitive = sensitive.and_then(|sensitive| member(sensitive, name));
        members.push(Entry::new(arena.text(name), merge(arena, value, of_unknown, sensitive)));
    }
    Value::object(arena, members.into_bump_slice())
}

fn merge_items<'a>(
    arena: &'a Arena,
    known: &[Value<'_>],
    unknown: &[Value<'_>],
    sensitive: Option<Value<'_>>,
) -> Value<'a> {
    let sensitive = sensitive.and_then(Value::as_items).unwrap_or_default();
    let mut items = arena.list_with(known.len().max(unknown.len()));
    for at in 0..known.len().max(unknown.len()) {
        let value = known.get(at).copied().unwrap_or(Value::NULL);
        items.push(merge(arena, value, unknown.get(at).copied(), sensitive.get(at).copied()));
    }
    Value::tuple(arena, items.into_bump_slice())
}
