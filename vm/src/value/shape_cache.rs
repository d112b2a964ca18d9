//! The cache of a loop that reads one attribute of many objects of the same shape.
//!
//! Not to be confused with the inline cache of an instruction, which holds the index of an entry and is
//! checked against the entry's symbol.
#![expect(unsafe_code, reason = "objects with equal heads have equally many entries")]

use std::mem::MaybeUninit;
use std::{array, ptr};

use super::{Entry, FLAGS, OBJECT, Value};

/// The number of objects whose entries are read together: 8 instructions an object instead of 10.
const GROUP: usize = 4;

/// The offset of an entry in objects whose head equals that of an object seen before: known, unmarked,
/// with equally many entries. A comparison of the head decides whether the offset is valid, and one of
/// the entry's symbol whether the entry is the attribute wanted.
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

    /// Copies the value of the entry of each object to its place, and returns all. Returns `None` if there are not as
    /// many places as objects, if a head does not match, or if an entry has another symbol.
    pub(crate) fn values<'p, 'a>(
        self,
        objects: &[Value<'a>],
        symbol: u32,
        places: &'p mut [MaybeUninit<Value<'a>>],
    ) -> Option<&'p [Value<'a>]> {
        if objects.len() != places.len() {
            return None;
        }
        let (groups, rest) = objects.as_chunks::<GROUP>();
        let (places_of_groups, places_of_rest) = places.as_chunks_mut::<GROUP>();
        for (group, places) in groups.iter().zip(places_of_groups) {
            self.copy(group, symbol, places)?;
        }
        for (object, place) in rest.iter().zip(places_of_rest) {
            self.copy(array::from_ref(object), symbol, array::from_mut(place))?;
        }
        // SAFETY: a value was written to each of the places, which are as many as the objects.
        Some(unsafe { &*(ptr::from_ref(places) as *const [Value<'a>]) })
    }

    /// Copies the value of the entry of each object to its place.
    // Inlined into the loop, where it is two compares, two loads and a store for each object.
    #[inline(always)]
    fn copy<'a, const N: usize>(
        self,
        objects: &[Value<'a>; N],
        symbol: u32,
        places: &mut [MaybeUninit<Value<'a>>; N],
    ) -> Option<()> {
        let mut entries = [ptr::null::<Entry<'a>>(); N];
        for (entry, object) in entries.iter_mut().zip(objects) {
            if object.head.get() != self.head {
                return None;
            }
            debug_assert_eq!(object.tag(), OBJECT);
            // SAFETY: no value's head is 0, so `of` has made this from an object with an entry at `at`.
            // The head holds the tag and the number of entries, so this value, too, is an object with an
            // entry at that offset, and its data points to its entries; see `entries_unchecked`.
            let found = unsafe { &*object.data.cast::<Entry<'a>>().byte_add(self.offset) };
            if found.symbol != symbol {
                return None;
            }
            *entry = found;
        }
        for (place, entry) in places.iter_mut().zip(entries) {
            // SAFETY: the loop above has made each of the pointers from a reference to an entry. An assignment would
            // copy the two fields of the value one by one.
            unsafe { ptr::copy_nonoverlapping(&raw const (*entry).value, place.as_mut_ptr(), 1) };
        }
        Some(())
    }

    /// Returns true if the objects are known to hold neither aggregates nor marked nor unknown values.
    pub(crate) const fn is_flat(self) -> bool {
        self.head & (FLAGS | 0xFFFF << 16) == 1 << 16
    }
}
