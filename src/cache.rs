//! Compiled code by what it was compiled from, so that equal expressions are compiled once.
//!
//! The key is the expression's text, the form of its file, and the layout; all three are
//! compared exactly, the hash only finds the place. Functions, dialect and names belong to
//! the engine, and so does the cache. It holds code weakly: what no program uses any more
//! goes away by itself.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hclvm_vm::hash::Hash;
use hclvm_vm::scope::Layout;

use crate::program::{Artifact, Form};

/// The code of an engine's programs.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    hash: Hash,
    table: Mutex<Table>,
}

#[derive(Debug)]
struct Table {
    buckets: HashMap<u64, Bucket, BuildHasherDefault<Given>>,
    /// The texts of all entries, one behind the other.
    texts: String,
    /// Number of buckets from which it is time to sweep.
    sweep_at: usize,
}

impl Default for Table {
    fn default() -> Self {
        Self { buckets: HashMap::default(), texts: String::new(), sweep_at: FEW }
    }
}

/// So many buckets are no reason to sweep.
const FEW: usize = 64;

/// The entries of one hash; nearly always one.
#[derive(Debug)]
struct Bucket {
    first: Entry,
    others: Vec<Entry>,
}

/// Code and what it was compiled from.
#[derive(Debug)]
struct Entry {
    /// Where its text begins and ends in those of the table.
    text: (usize, usize),
    form: Form,
    layout: Arc<Layout>,
    artifact: Weak<Artifact>,
}

/// An expression to look up, with its hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'t> {
    hash: u64,
    text: &'t str,
    form: Form,
}

impl Cache {
    /// The key of an expression.
    pub(crate) fn key<'t>(&self, text: &'t str, form: Form) -> Key<'t> {
        Key { hash: self.hash.hash_one(text), text, form }
    }

    /// The code of an expression, if a program still uses it. `complete` tells whether all names
    /// that the expression reads are in a layout, so that its code depends on no others.
    pub(crate) fn get(
        &self,
        key: Key<'_>,
        layout: &Arc<Layout>,
        complete: impl Fn(&Layout) -> bool,
    ) -> Option<Arc<Artifact>> {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.buckets.get(&key.hash)?.entries().find_map(|entry| {
            let fits = || {
                same_layout(&entry.layout, layout)
                    || layout.names().starts_with(entry.layout.names()) && complete(&entry.layout)
            };
            if table.is_of(entry, key) { entry.artifact.upgrade().filter(|_| fits()) } else { None }
        })
    }

    /// Remembers code for as long as a program uses it.
    pub(crate) fn insert(&self, key: Key<'_>, layout: &Arc<Layout>, artifact: &Arc<Artifact>) {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        // Once in a while everything that has gone is swept out, at the cost of what was added.
        if table.buckets.len() >= table.sweep_at {
            table.sweep();
        }
        let text = table.text(key);
        let (layout, artifact) = (Arc::clone(layout), Arc::downgrade(artifact));
        let entry = Entry { text, form: key.form, layout, artifact };
        match table.buckets.entry(key.hash) {
            Place::Vacant(place) => {
                place.insert(Bucket { first: entry, others: Vec::new() });
            }
            Place::Occupied(mut bucket) => bucket.get_mut().add(entry),
        }
    }
}

impl Table {
    fn is_of(&self, entry: &Entry, key: Key<'_>) -> bool {
        let (start, end) = entry.text;
        entry.form == key.form && self.texts.get(start..end) == Some(key.text)
    }

    /// Where the text of a key is, which comes to the others when it is not there yet.
    fn text(&mut self, key: Key<'_>) -> (usize, usize) {
        let mut entries = self.buckets.get(&key.hash).into_iter().flat_map(Bucket::entries);
        if let Some(known) = entries.find(|entry| self.is_of(entry, key)) {
            return known.text;
        }
        let start = self.texts.len();
        self.texts.push_str(key.text);
        (start, self.texts.len())
    }

    /// Takes out the entries whose code has gone, and their texts.
    fn sweep(&mut self) {
        self.buckets.retain(|_, bucket| bucket.sweep());
        let mut texts = String::new();
        for bucket in self.buckets.values_mut() {
            for entry in std::iter::once(&mut bucket.first).chain(&mut bucket.others) {
                let (start, end) = entry.text;
                let text = self.texts.get(start..end).unwrap_or_default();
                entry.text = (texts.len(), texts.len() + text.len());
                texts.push_str(text);
            }
        }
        self.texts = texts;
        self.sweep_at = FEW.max(2 * self.buckets.len());
    }
}

impl Bucket {
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// One more entry, in the place of one that has gone if there is one.
    fn add(&mut self, entry: Entry) {
        if self.sweep() {
            self.others.push(entry);
        } else {
            self.first = entry;
        }
    }

    /// Takes out what has gone; false when that is everything, which stays then.
    fn sweep(&mut self) -> bool {
        self.others.retain(Entry::is_used);
        if self.first.is_used() {
            return true;
        }
        match self.others.pop() {
            Some(other) => {
                self.first = other;
                true
            }
            None => false,
        }
    }
}

impl Entry {
    fn is_used(&self) -> bool {
        self.artifact.strong_count() > 0
    }
}

/// A hash that was made before.
#[derive(Clone, Copy, Debug, Default)]
struct Given(u64);

impl Hasher for Given {
    fn write(&mut self, bytes: &[u8]) {
        // Keys are single words, which go the other way.
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn same_layout(a: &Arc<Layout>, b: &Arc<Layout>) -> bool {
    Arc::ptr_eq(a, b) || a == b
}
