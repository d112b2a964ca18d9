//! Names of attributes as small numbers, so that an attribute is found by comparing numbers.
//!
//! Only names that programs mention are in the table: it grows with the text of programs,
//! never with data. It only ever grows, so a symbol means one name for ever; a value that
//! was built before its name came in has symbol 0 there and is found by name instead.

use std::hash::Hasher;
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
        let mut symbols = Vec::new();
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

/// A quick hash for the few texts that one expression compares with, see [`Switch`](crate::code::fast::Switch).
#[derive(Clone, Copy, Debug, Default)]
pub struct NameHasher(u64);

impl Hasher for NameHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
        let rest = chunks.remainder();
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(word) ^ (bytes.len() as u64) << 56);
    }

    #[inline]
    fn write_u8(&mut self, _: u8) {}

    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}

impl NameHasher {
    #[inline]
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}
