//! The symbol table of an engine: interned names of attributes, so that looking up an attribute compares
//! numbers.
//!
//! Only names that programs use are interned: the table grows with the text of programs, never with data. A symbol denotes
//! one name forever. An entry of a value that was built before its name was interned has symbol 0; an entry whose symbol
//! is not that of the program is found by name, at the cost of a binary search.
//!
//! An engine may compile texts for years, so the table is bounded: when it is full, an empty one takes its place, and names
//! get new symbols. Programs that are older than the table find the attributes of newer values by name. Names of variables
//! are resolved to slots by a [`Layout`](super::layout::Layout) instead.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use smol_str::SmolStr;

use crate::memory::hash::HashMap;

/// The names that the programs of an engine use.
#[derive(Debug, Default)]
pub struct Names {
    table: RwLock<NameTable>,
    /// The number of symbols given to names that are not in the table.
    others: AtomicU32,
}

#[derive(Debug, Default)]
struct NameTable {
    symbols: Arc<Symbols>,
    /// The last symbol that was given to a name, also of an earlier table.
    last: u32,
}

/// The largest number of names in a table. The table is copied when a name is added while a snapshot is
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

    /// Returns the symbols of `names`, which are added to the table.
    pub fn intern<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<u32> {
        // A poisoned lock only means that another thread panicked: the table itself is replaced
        // as a whole and always consistent.
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let names = names.into_iter();
        let mut symbols = Vec::with_capacity(names.size_hint().0);
        for name in names {
            let known = table.symbols.get(name).copied();
            let added = || table.add(name);
            symbols.push(known.or_else(added).unwrap_or_else(|| {
                // Such a symbol is in no entry that was built from data.
                self.others.fetch_add(1, Ordering::Relaxed) | OTHERS
            }));
        }
        symbols
    }

    /// Returns the symbol of a name, which is added to the table.
    pub fn symbol(&self, name: &str) -> u32 {
        let known = self.read().symbols.get(name).copied();
        known.unwrap_or_else(|| self.intern([name]).first().copied().unwrap_or(0))
    }

    /// Returns a snapshot of the table.
    pub fn snapshot(&self) -> Arc<Symbols> {
        Arc::clone(&self.read().symbols)
    }

    fn read(&self) -> RwLockReadGuard<'_, NameTable> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NameTable {
    /// Adds a name and returns its symbol; `None` for a name that is too long, and after 2³¹ names.
    fn add(&mut self, name: &str) -> Option<u32> {
        let symbol = self.last + 1;
        if name.len() > LONGEST || symbol == OTHERS {
            return None;
        }
        if self.symbols.len() >= MOST {
            self.symbols = Arc::default();
        }
        self.last = symbol;
        Arc::make_mut(&mut self.symbols).insert(SmolStr::new(name), symbol);
        Some(symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Names};

    #[test]
    fn a_symbol_is_never_given_to_another_name() {
        let names = Names::new();
        let first = names.symbol("a");
        let before = names.snapshot();
        for at in 0..MOST {
            names.symbol(&at.to_string());
        }
        assert!(names.snapshot().len() < MOST, "a new table has begun");
        let second = names.symbol("a");
        assert!(
            second > first && before.get("a") == Some(&first) && names.snapshot().get("a") == Some(&second)
        );
        assert!(names.symbol(&"a".repeat(300)) != names.symbol(&"a".repeat(300)));
    }
}
