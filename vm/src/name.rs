//! Names of attributes as small numbers, so that an attribute is found by comparing numbers.
//!
//! Only names that programs mention are in the table: it grows with the text of programs,
//! never with data. It only ever grows, so a symbol means one name for ever; a value that
//! was built before its name came in has symbol 0 there and is found by name instead.

use std::sync::{Arc, RwLock};

use smol_str::SmolStr;

use crate::hash::HashMap;

/// The names that the programs of an engine mention.
#[derive(Debug, Default)]
pub struct Names {
    symbols: RwLock<Arc<Symbols>>,
}

/// A snapshot of the table, read without locking.
pub type Symbols = HashMap<SmolStr, u32>;

impl Names {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbols of `names`, which come into the table when they are not in it yet.
    pub fn intern<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<u32> {
        // A poisoned lock only means that another thread panicked: the table itself is replaced
        // as a whole and always consistent.
        let mut guard = self.symbols.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let names = names.into_iter();
        let mut symbols = Vec::with_capacity(names.size_hint().0);
        for name in names {
            let known = guard.get(name).copied();
            symbols.push(known.unwrap_or_else(|| {
                let symbol = guard.len() as u32 + 1;
                Arc::make_mut(&mut guard).insert(SmolStr::new(name), symbol);
                symbol
            }));
        }
        symbols
    }

    /// The symbol of a name, which comes into the table when it is not in it yet.
    pub fn symbol(&self, name: &str) -> u32 {
        let known = self.symbols.read().unwrap_or_else(std::sync::PoisonError::into_inner).get(name).copied();
        known.unwrap_or_else(|| self.intern([name]).first().copied().unwrap_or(0))
    }

    /// The table as it is now.
    pub fn snapshot(&self) -> Arc<Symbols> {
        Arc::clone(&self.symbols.read().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
