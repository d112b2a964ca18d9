//! Names of attributes as small numbers, so that an attribute is found by comparing numbers.
//!
//! Only names that programs mention are in the table: it grows with the text of programs,
//! never with data. It only ever grows, so a symbol means one name for ever; a value that
//! was built before its name came in has symbol 0 there and is found by name instead.
//!
//! An engine may compile the texts of strangers for years, so the table has an end: a name that
//! finds no place gets another symbol each time, which nothing else has. What has that symbol is
//! found by name as well, only not as quickly.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, RwLock};

use smol_str::SmolStr;

use crate::memory::cast;
use crate::memory::hash::HashMap;

/// The names that the programs of an engine mention.
#[derive(Debug, Default)]
pub struct Names {
    symbols: RwLock<Arc<Symbols>>,
    /// How many symbols were given to names that are not in the table.
    others: AtomicU32,
}

/// Names that the table may have: it is copied when one comes in while somebody reads it.
const MOST: usize = 1 << 16;

/// Bytes that a name in the table may have.
const LONGEST: usize = 256;

/// Symbols from here on are of names that are not in the table. There are so many that who had one
/// first is long gone when it comes again.
const OTHERS: u32 = 1 << 31;

/// A snapshot of the table, read without locking.
pub type Symbols = HashMap<SmolStr, u32>;

impl Names {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbols of `names`, which come into the table when they are not in it yet and it has room.
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

    /// The symbol of a name, which comes into the table when it is not in it yet and it has room.
    pub fn symbol(&self, name: &str) -> u32 {
        let known = self.symbols.read().unwrap_or_else(std::sync::PoisonError::into_inner).get(name).copied();
        known.unwrap_or_else(|| self.intern([name]).first().copied().unwrap_or(0))
    }

    /// The table as it is now.
    pub fn snapshot(&self) -> Arc<Symbols> {
        Arc::clone(&self.symbols.read().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
