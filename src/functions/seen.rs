//! Values met before, found by a hash that equal values share.
//!
//! The hash follows `==`: numbers that print alike are equal whatever their precision, and
//! values of different types never are. Values are wholly known.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use hclvm_vm::arena::Arena;
use hclvm_vm::number::NumberRef;
use hclvm_vm::ops::equality::equals;
use hclvm_vm::value::{Entry, Value, View};

/// A set of values by equality, in no order.
pub(crate) struct Seen<'a> {
    arena: &'a Arena,
    values: HashMap<u64, Vec<Value<'a>>>,
}

impl<'a> Seen<'a> {
    /// No values yet; work is charged to `arena`.
    pub(crate) fn new(arena: &'a Arena) -> Self {
        Self { arena, values: HashMap::new() }
    }

    /// All values of a list.
    pub(crate) fn from(arena: &'a Arena, items: &[Value<'a>]) -> Self {
        let mut seen = Self::new(arena);
        for item in items {
            seen.insert(*item);
        }
        seen
    }

    /// Adds a value; false when an equal one is there.
    pub(crate) fn insert(&mut self, value: Value<'a>) -> bool {
        let bucket = self.values.entry(hash_of(self.arena, value)).or_default();
        let new = !bucket.iter().any(|other| equals(self.arena, *other, value).as_bool() == Some(true));
        if new {
            bucket.push(value);
        }
        new
    }

    /// Whether an equal value is there.
    pub(crate) fn contains(&self, value: Value<'a>) -> bool {
        let bucket = self.values.get(&hash_of(self.arena, value));
        bucket.is_some_and(|bucket| {
            bucket.iter().any(|other| equals(self.arena, *other, value).as_bool() == Some(true))
        })
    }
}

fn hash_of(arena: &Arena, value: Value<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash(arena, value, &mut hasher);
    hasher.finish()
}

/// Adds a value to a hash. The depth of values is limited, so the recursion is.
fn hash(arena: &Arena, value: Value<'_>, hasher: &mut DefaultHasher) {
    if !arena.charge(1) {
        return;
    }
    match value.unmark().0.view() {
        View::Bool(value) => value.hash(hasher),
        View::Number(number) => hash_number(number, hasher),
        View::String(text) => text.hash(hasher),
        View::Tuple(items) | View::List(items, _) => {
            items.len().hash(hasher);
            for item in items {
                hash(arena, *item, hasher);
            }
        }
        View::Object(entries) | View::Map(entries, _) => hash_entries(arena, entries, hasher),
        // Whether sets list equal elements in one order is not for this place to know.
        View::Set(items, _) => items.len().hash(hasher),
        View::Null(_) | View::Unknown(_) | View::Marked(..) | View::Unset => {}
    }
}

fn hash_entries(arena: &Arena, entries: &[Entry<'_>], hasher: &mut DefaultHasher) {
    entries.len().hash(hasher);
    for entry in entries {
        entry.name.hash(hasher);
        hash(arena, entry.value, hasher);
    }
}

/// Integers by value, anything else by the nearest float; both zeros are one.
fn hash_number(number: NumberRef<'_>, hasher: &mut DefaultHasher) {
    match number.to_i64() {
        Some(value) => value.hash(hasher),
        None => number.to_f64().to_bits().hash(hasher),
    }
}
