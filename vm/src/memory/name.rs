//! The symbol table of an engine: interned names of attributes, so that looking up an attribute compares
//! numbers.
//!
//! Only names that programs use are interned: the table grows with the text of programs, never with data.
//! It grows monotonically, so a symbol denotes one name forever. An entry of a value that was built
//! before its name was interned has symbol 0 and is found by name instead.
//!
//! An engine may compile untrusted texts for years, so the table is bounded. A name that does not fit
//! gets a fresh symbol each time, which no entry has; such attributes are found by name, at the cost of a
//! binary search. Names of variables are resolved to slots by a [`Layout`](super::layout::Layout)
//! instead.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, RwLock};

use smol_str::SmolStr;

use crate::memory::cast;
use crate::memory::hash::HashMap;

/// The names that the programs of an engine use.
#[derive(Debug, Default)]
pub struct Names {
    symbols: RwLock<Arc<Symbols>>,
    /// The number of symbols given to names that are not in the table.
    others: AtomicU32,
}

/// The largest number of names in the table. The table is copied when a name is added while a snapshot is
/// in use, so its size bounds the cost of compiling.
const MOST: usize = 1 << 16;

/// The longest name in the table, in bytes: longer than attribute names that people write, and short
/// enough to bound the memory of the table.
const LONGEST: usize = 256;

/// The first symbol of names that are not in the table. There are 2³¹ of them; by the time one is given
/// out again its first program is gone.
const OTHERS: u32 = 1 << 31;

/// A snapshot of the table, read without locking.
pub type Symbols = HashMap<SmolStr, u32>;

impl Names {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the symbols of `names`, which are added to the table if it has room.
    pub fn intern<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<u32> {
        // A poisoned lock only means that another thread panicked: the table itself is replaced
        // as a whole and always consistent.
        let mut guard = self.symbols.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let names = names.into_iter();
        let mut symbols = Vec::with_capacity(names.size_hint().0);
        for name in names {
            let known = guard.get(name).copied();
            symbols.push(known.unwrap_or_else(|| {
                if guard.len() >= MOST || name.len() > LONGEST {
                    return self.others.fetch_add(1, Ordering::Relaxed) | OTHERS;
                }
                let symbol = cast::length(guard.len()) + 1;
                Arc::make_mut(&mut guard).insert(SmolStr::new(name), symbol);
                symbol
            }));
        }
        symbols
    }

    /// Returns the symbol of a name, which is added to the table if it has room.
    pub fn symbol(&self, name: &str) -> u32 {
        let known = self.symbols.read().unwrap_or_else(std::sync::PoisonError::into_inner).get(name).copied();
        known.unwrap_or_else(|| self.intern([name]).first().copied().unwrap_or(0))
    }

    /// Returns a snapshot of the table.
    pub fn snapshot(&self) -> Arc<Symbols> {
        Arc::clone(&self.symbols.read().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
