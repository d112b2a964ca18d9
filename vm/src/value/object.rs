//! Entries of objects and maps.
//!
//! Invariant: entries in a value are sorted by name and distinct; names are in normal form C.

use super::Value;
use crate::memory::arena::ArenaVec;

/// The symbol of names that have none.
pub(crate) const NO_SYMBOL: u32 = 0;

/// A named value of an object or map.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// The attribute name or map key, in normal form C.
    pub name: &'a str,
    /// The name's symbol in the engine's table, or 0 for a name that no program used when the entry was
    /// made.
    pub symbol: u32,
    /// The value.
    pub value: Value<'a>,
}

impl<'a> Entry<'a> {
    /// Creates an entry whose name has no symbol. Programs find it by its name, which takes longer; see
    /// [`Arena::entry`](crate::Arena::entry).
    pub const fn new(name: &'a str, value: Value<'a>) -> Self {
        Self { name, symbol: NO_SYMBOL, value }
    }
}

/// Finds the entry called `name` by binary search in sorted entries.
pub fn find<'e, 'a>(entries: &'e [Entry<'a>], name: &str) -> Option<&'e Entry<'a>> {
    entries.binary_search_by(|entry| entry.name.cmp(name)).ok().and_then(|at| entries.get(at))
}

/// Sorts entries by name. Of entries with equal names, the last one is kept.
pub fn last_of_each<'a>(mut entries: ArenaVec<'a, Entry<'a>>) -> &'a [Entry<'a>] {
    if !entries.is_sorted_by(|a, b| a.name < b.name) {
        // A stable sort: entries with equal names keep their order.
        entries.sort_by(|a, b| a.name.cmp(b.name));
        // The earlier of two equal entries is overwritten, the later one removed.
        entries.dedup_by(|next, kept| {
            let equal = next.name == kept.name;
            if equal {
                *kept = *next;
            }
            equal
        });
    }
    entries.into_bump_slice()
}

const _: () = assert!(size_of::<Entry<'static>>() == size_of::<&str>() + 24);
