//! Hash tables over names and texts of programs: quick, and seeded anew in each process, so that
//! no text can be written to make them slow.
//!
//! The door to foldhash.

use std::collections;

/// The hash of these tables.
pub type Hash = foldhash::fast::RandomState;

/// A table of values by key.
pub type HashMap<K, V> = collections::HashMap<K, V, Hash>;

/// A table of keys.
pub type HashSet<K> = collections::HashSet<K, Hash>;
