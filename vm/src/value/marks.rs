//! Marks: names such as `sensitive` that follow a value through every operation.
//!
//! Invariant: marks are one layer; the value inside a marked value is not itself marked, but its parts
//! may be.

use super::{Entry, Value, View};
use crate::memory::arena::Arena;

/// A sorted set of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks<'a>(&'a [&'a str]);

/// Returns the set of `names`, given in any order, allocated in `arena`.
pub fn marks_from<'a>(arena: &'a Arena, names: &[&'a str]) -> Marks<'a> {
    let mut sorted = arena.list();
    sorted.extend_from_slice(names);
    sorted.sort_unstable();
    sorted.dedup();
    Marks(sorted.into_bump_slice())
}

impl<'a> Marks<'a> {
    /// The empty set.
    pub const NONE: Self = Self(&[]);

    /// Returns true if there are no marks.
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names, sorted.
    pub const fn names(self) -> &'a [&'a str] {
        self.0
    }

    /// Returns true if `name` is one of the marks.
    pub fn contains(self, name: &str) -> bool {
        self.0.binary_search(&name).is_ok()
    }

    /// Returns the marks of both sets.
    pub fn union(self, arena: &'a Arena, other: Marks<'a>) -> Self {
        if self.is_empty() {
            return other;
        }
        // Operands often have the marks of one variable.
        if other.is_empty() || std::ptr::eq(self.0, other.0) || self == other {
            return self;
        }
        let mut all = arena.list();
        all.extend_from_slice(self.0);
        all.extend_from_slice(other.0);
        marks_from(arena, &all)
    }
}

impl<'a> Value<'a> {
    /// Returns the marks of the value and of its parts.
    pub fn all_marks(self, arena: &'a Arena) -> Marks<'a> {
        self.unmark_deep(arena).1
    }

    /// Returns the value with its own marks and those of its parts removed, and the union of these marks.
    pub fn unmark_deep(self, arena: &'a Arena) -> (Self, Marks<'a>) {
        if !self.contains_marks() {
            return (self, Marks::NONE);
        }
        let mut all = Marks::NONE;
        let plain = strip(arena, self, &mut all);
        (plain, all)
    }
}

fn strip<'a>(arena: &'a Arena, value: Value<'a>, all: &mut Marks<'a>) -> Value<'a> {
    if !value.contains_marks() || !arena.charge(1) {
        return value;
    }
    let (inner, own) = value.unmark();
    *all = all.union(arena, own);
    if !inner.contains_marks() {
        return inner;
    }
    match inner.view() {
        View::Tuple(items) => Value::tuple(arena, strip_items(arena, items, all)),
        View::List(items, element) => Value::list(arena, strip_items(arena, items, all), element),
        View::Object(entries) => Value::object(arena, strip_entries(arena, entries, all)),
        View::Map(entries, element) => Value::map(arena, strip_entries(arena, entries, all), element),
        _ => inner,
    }
}

fn strip_items<'a>(arena: &'a Arena, items: &[Value<'a>], all: &mut Marks<'a>) -> &'a [Value<'a>] {
    let mut plain = arena.list();
    plain.extend(items.iter().map(|item| strip(arena, *item, all)));
    plain.into_bump_slice()
}

fn strip_entries<'a>(arena: &'a Arena, entries: &[Entry<'a>], all: &mut Marks<'a>) -> &'a [Entry<'a>] {
    let mut plain = arena.list();
    plain.extend(entries.iter().map(|entry| Entry { value: strip(arena, entry.value, all), ..*entry }));
    plain.into_bump_slice()
}
