//! The cache of a loop that reads one attribute of many objects of the same shape.
//!
//! Not to be confused with the inline cache of an instruction, which holds the index of an entry and is
//! checked against the entry's symbol.
#![expect(unsafe_code, reason = "objects with equal heads have equally many entries")]

use super::{Entry, OBJECT, Value};

/// The offset of an entry in objects whose head equals that of an object seen before: known, unmarked,
/// with equally many entries. A comparison of the head decides whether the offset is valid; the caller
/// checks the entry's symbol.
#[derive(Clone, Copy)]
pub(crate) struct ShapeCache {
    /// The head of the object seen; 0, which no value has, if there was none.
    head: u64,
    /// The offset of the entry in bytes.
    offset: usize,
}

impl ShapeCache {
    /// A cache that matches no value.
    pub(crate) const NONE: Self = Self { head: 0, offset: 0 };

    /// Returns a cache for entry `at` of objects like `value`. It matches nothing if `value` is no object
    /// or has no such entry.
    pub(crate) fn of(value: Value<'_>, at: usize) -> Self {
        let exists = value.as_object().is_some_and(|entries| at < entries.len());
        if exists { Self { head: value.head.get(), offset: at * size_of::<Entry<'_>>() } } else { Self::NONE }
    }

    /// Returns the entry of `value` if its head matches. Inlined into the loop, where it is a compare and
    /// a load.
    #[inline(always)]
    pub(crate) fn entry(self, value: Value<'_>) -> Option<Entry<'_>> {
        if value.head.get() != self.head {
            return None;
        }
        debug_assert_eq!(value.tag(), OBJECT);
        // SAFETY: no value's head is 0, so `of` has made this from an object with an entry at `at`.
        // The head holds the tag and the number of entries, so this value, too, is an object with an
        // entry at that offset, and its data points to its entries; see `entries_unchecked`.
        Some(unsafe { *value.data.cast::<Entry<'_>>().byte_add(self.offset) })
    }
}
