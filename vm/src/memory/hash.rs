//! Hash tables over names and texts of programs: fast, and seeded anew in each process, so that no text
//! can be crafted to make them slow.
//!
//! This is the only file that names foldhash.

use std::collections;

/// The hasher of these tables.
pub type Hash = foldhash::fast::RandomState;

/// A hash map.
pub type HashMap<K, V> = collections::HashMap<K, V, Hash>;

/// A hash set.
pub type HashSet<K> = collections::HashSet<K, Hash>;
