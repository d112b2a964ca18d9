//! The values of many scopes of one layout: copies in a few arenas, for hosts that collect scopes and evaluate
//! them together. The values of one scope, which change, are [`Slots`].
//!
//! ```text
//! values    a a a b b b c c c - - - - - - - -     a row for each scope, then padding
//! frame of b      └─────────────┘                  as many values as programs copy: a row and what follows
//! ```
//! A program reads only the slots of its layout, so that it does not matter what follows a row.
//!
//! Names of objects are stored once for consecutive rows that have them in equal places, as requests do.
#![expect(unsafe_code, reason = "arenas and the values that borrow from them move together")]
#![expect(clippy::arc_with_non_send_sync, reason = "`Rows` says why it may go to other threads")]

use std::fmt;
use std::sync::Arc;

use super::frame::Frame;
use super::packed::size_of_copy;
use super::sharing::{Sharing, size_of_copies};
use super::slots::padded;
use super::{Entry, OBJECT, STRING, Slots, TUPLE, Value};
use crate::memory::arena::Arena;
use crate::memory::name::Symbols;

/// The values of many scopes.
pub struct Rows {
    /// The rows, followed by padding. Shared memory that nothing reads until there is a row.
    values: Vec<Value<'static>>,
    /// For each row the slots that programs may not read without a check; see [`Frame`].
    blocked: Vec<u64>,
    /// The values of a row.
    width: usize,
    /// The memory of all values. Not boxes: moving a box would end the borrows. Never shared.
    arenas: Vec<Arc<Arena>>,
    /// The index of the arena to which copies are added.
    current: usize,
    /// The names of the objects of the last row, in the order in which they are copied.
    names: Vec<&'static str>,
}

/// The bytes of the first arena; each further one has twice as many, up to the most. So few scopes take little,
/// and the unused rest of the last arena is a small part of many.
const FIRST: usize = 4 << 10;
const MOST: usize = 64 << 10;

/// Names of a row that are remembered, so that objects with very many names, which are rarely equal, do not
/// take memory twice.
const MOST_NAMES: usize = 256;

// SAFETY: values and names borrow only from the arenas, which move along and are never given out. An arena is
// written only through `&mut Rows`.
unsafe impl Send for Rows {}
// SAFETY: see `Send`.
unsafe impl Sync for Rows {}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..self.len()).filter_map(|at| self.row(at))).finish()
    }
}

impl Rows {
    /// Creates an empty list of rows of `width` slots; those beyond the 65,535th are left out.
    pub fn new(width: usize) -> Self {
        let width = width.min(usize::from(u16::MAX));
        let values = vec![Value::UNSET; padded(width)];
        Self { values, blocked: Vec::new(), width, arenas: Vec::new(), current: 0, names: Vec::new() }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.blocked.len()
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.blocked.is_empty()
    }

    /// Returns the bytes that the rows take.
    pub fn bytes(&self) -> usize {
        let tables =
            self.values.capacity() * size_of::<Value<'_>>() + self.blocked.capacity() * size_of::<u64>();
        let names = self.names.capacity() * size_of::<&str>();
        tables + names + self.arenas.iter().map(|arena| arena.allocated_bytes()).sum::<usize>()
    }

    /// Reserves memory for as many more rows.
    pub fn reserve(&mut self, rows: usize) {
        self.values.reserve_exact(rows.saturating_mul(self.width));
        self.blocked.reserve_exact(rows);
    }

    /// Adds a row with copies of the values of `slots`, which must be as many as the rows have. Objects get their
    /// symbols from `symbols` if their names have to be looked up again.
    pub fn push(&mut self, slots: &Slots, symbols: impl FnOnce() -> Arc<Symbols>) {
        let values = slots.values();
        debug_assert_eq!(values.len(), self.width);
        let start = self.len() * self.width;
        // Takes the place of the first padding, of which as much is added behind.
        self.values.extend(std::iter::repeat_n(Value::UNSET, self.width));
        let size = values.iter().try_fold(0, |size, value| Some(size + size_of_copy(*value)?));
        let Some(size) = size else { return self.push_sharing(slots, symbols) };
        let names = &mut self.names;
        let arena: &Arena = arena_for(&mut self.arenas, &mut self.current, size);
        let mut row = CopiedRow { arena, names, next: 0 };
        for (copy, value) in self.values.iter_mut().skip(start).zip(values) {
            // SAFETY: the copy borrows from the arenas only, as do the names, and these do not move, because they
            // are behind an `Arc`. An arena is reset only together with the removal of all rows and names.
            // `row` and `frame` shorten the lifetime to the borrow of `self`.
            *copy = unsafe { std::mem::transmute::<Value<'_>, Value<'static>>(row.copy(*value)) };
        }
        self.blocked.push(slots.frame().blocked());
    }

    /// Adds a row of values that have types of their own, or are so large that parts of them may be shared.
    // Cold: requests are plain values.
    #[cold]
    #[inline(never)]
    fn push_sharing(&mut self, slots: &Slots, symbols: impl FnOnce() -> Arc<Symbols>) {
        let (values, start) = (slots.values(), self.len() * self.width);
        let mut arena = Arena::unlimited(size_of_copies(values));
        arena.set_symbols(symbols());
        let arena = Arc::new(arena);
        let mut sharing = Sharing::new(&arena);
        for (copy, value) in self.values.iter_mut().skip(start).zip(values) {
            // SAFETY: the copy borrows from its arena only; see `push`.
            *copy = unsafe { std::mem::transmute::<Value<'_>, Value<'static>>(sharing.value(*value)) };
        }
        self.blocked.push(slots.frame().blocked());
        self.arenas.insert(self.current, arena);
        self.current += 1;
    }

    /// Returns the values of a row.
    pub fn row(&self, at: usize) -> Option<&[Value<'_>]> {
        let start = self.start(at)?;
        self.values.get(start..start + self.width)
    }

    /// Returns the values of a row as programs see them.
    #[inline]
    pub fn frame(&self, at: usize) -> Option<Frame<'_, '_>> {
        let start = self.start(at)?;
        Some(Frame::of_parts(self.values.get(start..start + padded(self.width))?, *self.blocked.get(at)?))
    }

    fn start(&self, at: usize) -> Option<usize> {
        (at < self.len()).then_some(at * self.width)
    }

    /// Removes all rows and keeps memory for as many.
    pub fn clear(&mut self) {
        self.values.clear();
        self.values.resize(padded(self.width), Value::UNSET);
        self.blocked.clear();
        self.names.clear();
        // Those of single rows may be of any size.
        self.arenas.retain(|arena| arena.allocated_bytes() <= 2 * MOST);
        for arena in &mut self.arenas {
            if let Some(arena) = Arc::get_mut(arena) {
                arena.reset();
            }
        }
        self.current = 0;
    }
}

/// Returns an arena with `size` bytes left: the current one, the next one that `Rows::clear` emptied, or a new
/// one.
fn arena_for<'s>(arenas: &'s mut Vec<Arc<Arena>>, current: &mut usize, size: usize) -> &'s Arena {
    while arenas.get(*current).is_some_and(|arena| arena.left() < size) {
        *current += 1;
    }
    if *current >= arenas.len() {
        let last = arenas.last().map_or(0, |arena| arena.allocated_bytes());
        let bytes = (2 * last).clamp(FIRST, MOST).max(size);
        arenas.push(Arc::new(Arena::unlimited(bytes)));
    }
    &arenas[*current]
}

/// A row that is copied.
struct CopiedRow<'r, 'a> {
    arena: &'a Arena,
    /// The names of the row before, and of this one up to `next`.
    names: &'r mut Vec<&'static str>,
    next: usize,
}

impl<'a> CopiedRow<'_, 'a> {
    /// Copies a value of which [`size_of_copy`] is known. The recursion is bounded by the depth of the value.
    fn copy(&mut self, value: Value<'_>) -> Value<'a> {
        match value.tag() {
            STRING => Value::str(self.arena, self.arena.text(value.text_unchecked())),
            TUPLE => {
                let items = value.items_unchecked();
                let mut copies = self.arena.list_with(items.len());
                copies.extend(items.iter().map(|item| self.copy(*item)));
                Value::tuple(self.arena, copies.into_bump_slice())
            }
            OBJECT => {
                let entries = value.entries_unchecked();
                let mut copies = self.arena.list_with(entries.len());
                copies.extend(entries.iter().map(|entry| {
                    let name = self.name(entry.name);
                    Entry { name, symbol: entry.symbol, value: self.copy(entry.value) }
                }));
                Value::object(self.arena, copies.into_bump_slice())
            }
            // SAFETY: other values of known size borrow nothing.
            _ => unsafe { std::mem::transmute::<Value<'_>, Value<'static>>(value) },
        }
    }

    /// Returns a name as the row before has it at this place, or copies it.
    fn name(&mut self, name: &str) -> &'a str {
        let at = self.next;
        self.next += 1;
        if let Some(known) = self.names.get(at).filter(|known| **known == name) {
            return known;
        }
        let copy = self.arena.text(name);
        // SAFETY: the names of `Rows` are removed before the arenas are reset or dropped; see `Rows::push`.
        let kept = unsafe { std::mem::transmute::<&str, &'static str>(copy) };
        match self.names.get_mut(at) {
            Some(place) => *place = kept,
            None if at < MOST_NAMES => self.names.push(kept),
            None => {}
        }
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::copy;

    fn slots(texts: [&str; 2], number: i64) -> Slots {
        let mut slots = Slots::new(2);
        let made = slots.replace(0, Value::UNSET, Arena::new, |arena| {
            let entry = |name, text| Entry::new(name, Value::str(arena, arena.text(text)));
            let entries = arena.slice(&[entry("a", texts[0]), entry("b", texts[1])]);
            Ok::<_, ()>(copy(arena, Value::object(arena, entries)))
        });
        assert_eq!(made, Ok(true));
        slots.set(1, Value::int(number));
        slots
    }

    #[test]
    fn each_row_has_its_own_values_also_after_memory_is_reused() {
        let mut rows = Rows::new(2);
        for round in 0..3 {
            for at in 0..1_000 {
                let text = format!("text {at} of {round}");
                rows.push(&slots([&text, "same"], at), Arc::default);
            }
            assert_eq!(rows.len(), 1_000);
            for at in 0..1_000 {
                let expected = format!("[{{a = \"text {at} of {round}\", b = \"same\"}}, {at}]");
                assert_eq!(format!("{:?}", rows.row(at).expect("a row")).replace("\\\\", ""), expected);
            }
            rows.clear();
            assert!(rows.is_empty());
        }
    }
}
