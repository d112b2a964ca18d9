//! One attribute of many objects that are alike.
#![expect(unsafe_code, reason = "objects with equal heads have equally many entries")]

use super::{Entry, OBJECT, Value};

/// The entry at one place of objects that are like one that was seen: known, unmarked, with as many
/// entries. One comparison tells whether an object is.
#[derive(Clone, Copy)]
pub(crate) struct ShapeCache {
    /// The head of such objects; 0, which no value has, when none was seen.
    head: u64,
    /// Where the entry is, in bytes from the first.
    offset: usize,
}

impl ShapeCache {
    /// The entry of no object.
    pub(crate) const NONE: Self = Self { head: 0, offset: 0 };

    /// The entry at `at` of objects like `value`; of none when it is no object or has no such entry.
    pub(crate) fn of(value: Value<'_>, at: usize) -> Self {
        let exists = value.as_object().is_some_and(|entries| at < entries.len());
        if exists { Self { head: value.head.get(), offset: at * size_of::<Entry<'_>>() } } else { Self::NONE }
    }

    /// The entry of a value, when that is such an object.
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
