//! Membership and deduplication of values by hash: the sets that functions compute with. Set values of
//! the language are made by [`set_from`](hclvm_vm::set_from).
//!
//! The hash agrees with `==`: equal numbers have one hash at any precision, and values of different
//! types may share one. Values are wholly known. Each comparison of two values with one hash is
//! charged, so that collisions cannot be used to make a program slow for free.

use std::hash::{DefaultHasher, Hash, Hasher};

use hclvm_vm::ops::equality::equals;
use hclvm_vm::{Arena, ArenaVec, Entry, NumberRef, Value, View, same_element};

use super::arguments::{collect, may_make_items};

/// A set of values, sorted by hash.
pub(crate) struct ValueSet<'a> {
    arena: &'a Arena,
    values: ArenaVec<'a, (u64, Value<'a>)>,
}

impl<'a> ValueSet<'a> {
    /// Creates a set of the values of a list; empty if the budget is exhausted.
    pub(crate) fn from(arena: &'a Arena, items: &[Value<'a>]) -> Self {
        let mut values = arena.list();
        if may_make_items(arena, items.len().saturating_mul(2)) {
            values.extend(items.iter().map(|item| (hash_of(arena, *item), *item)));
            values.sort_unstable_by_key(|(hash, _)| *hash);
        }
        Self { arena, values }
    }

    /// Returns true if an equal value is in the set.
    pub(crate) fn contains(&self, value: Value<'a>) -> bool {
        self.of_equal_hash(value).any(|other| equal(self.arena, other, value))
    }

    /// Returns true if a value is in the set that a set of the language takes for the same element: unlike for
    /// `==`, the two zeros are different elements.
    pub(crate) fn has_element(&self, value: Value<'a>) -> bool {
        self.of_equal_hash(value).any(|other| self.arena.charge(1) && same_element(self.arena, other, value))
    }

    fn of_equal_hash(&self, value: Value<'a>) -> impl Iterator<Item = Value<'a>> {
        let hash = hash_of(self.arena, value);
        let start = self.values.partition_point(|(other, _)| *other < hash);
        let alike = self.values.iter().skip(start).take_while(move |(other, _)| *other == hash);
        alike.map(|(_, other)| *other)
    }
}

/// Returns the first of each group of equal values, in the order given; none if the budget is
/// exhausted.
pub(crate) fn firsts<'a>(arena: &'a Arena, items: &[Value<'a>]) -> &'a [Value<'a>] {
    if !may_make_items(arena, items.len().saturating_mul(3)) {
        return &[];
    }
    let mut places = arena.list();
    places.extend(items.iter().enumerate().map(|(at, item)| (hash_of(arena, *item), at, *item)));
    places.sort_unstable_by_key(|(hash, at, _)| (*hash, *at));
    let mut kept = arena.list();
    for alike in places.chunk_by(|(a, ..), (b, ..)| a == b) {
        let start = kept.len();
        for (_, at, item) in alike {
            if !kept.iter().skip(start).any(|(_, other)| equal(arena, *other, *item)) {
                kept.push((*at, *item));
            }
        }
    }
    kept.sort_unstable_by_key(|(at, _)| *at);
    collect(arena, kept.iter().map(|(_, item)| *item))
}

fn equal<'a>(arena: &'a Arena, a: Value<'a>, b: Value<'a>) -> bool {
    arena.charge(1) && equals(arena, a, b).as_bool() == Some(true)
}

fn hash_of(arena: &Arena, value: Value<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash(arena, value, &mut hasher);
    hasher.finish()
}

/// Adds a value to a hash. The recursion is bounded by the depth of values.
fn hash(arena: &Arena, value: Value<'_>, hasher: &mut DefaultHasher) {
    if !arena.charge(1) {
        return;
    }
    match value.unmark().0.view() {
        View::Bool(value) => value.hash(hasher),
        View::Number(number) => hash_number(number, hasher),
        View::String(text) => hash_text(arena, text, hasher),
        View::Tuple(items) | View::List(items, _) => {
            items.len().hash(hasher);
            for item in items {
                hash(arena, *item, hasher);
            }
        }
        View::Object(entries) | View::Map(entries, _) => hash_entries(arena, entries, hasher),
        // Equal sets may have their elements in different orders.
        View::Set(items, _) => items.len().hash(hasher),
        View::Null(_) | View::Unknown(_) | View::Marked(..) | View::Unset => {}
    }
}

fn hash_entries(arena: &Arena, entries: &[Entry<'_>], hasher: &mut DefaultHasher) {
    entries.len().hash(hasher);
    for entry in entries {
        hash_text(arena, entry.name, hasher);
        hash(arena, entry.value, hasher);
    }
}

/// Adds a text to a hash. All of a long text is read, which is charged.
fn hash_text(arena: &Arena, text: &str, hasher: &mut DefaultHasher) {
    if arena.spend((text.len() / 64) as u64) {
        text.hash(hasher);
    }
}

/// Adds an integer by its value and any other number by the nearest float; both zeros are integers.
fn hash_number(number: NumberRef<'_>, hasher: &mut DefaultHasher) {
    match number.to_i64() {
        Some(value) => value.hash(hasher),
        None => number.to_f64().to_bits().hash(hasher),
    }
}
