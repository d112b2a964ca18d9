//! Who has the code of an expression, so that equal expressions are compiled once.
//!
//! Documents share code where the text of an expression, the form of its file and the layout are
//! equal; all three are compared exactly, the hash only finds the place. Functions, dialect and names
//! belong to the engine, and so does the cache. It knows documents weakly: what no document and no
//! program uses any more goes away by itself.
//!
//! Expressions are registered before they are compiled, mostly all of a document or many of them at
//! once. So nobody locks for a single one, and the text of an expression is where its document has it.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hclvm_vm::Layout;
use hclvm_vm::hash::Hash;

use crate::compile::program::Artifact;
use crate::compile::unit::Home;

/// The expressions of an engine's documents.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    hash: Hash,
    table: Mutex<Table>,
}

#[derive(Debug)]
struct Table {
    buckets: HashMap<u64, Bucket, BuildHasherDefault<Given>>,
    /// The homes of all entries.
    homes: Vec<Weak<Home>>,
    /// Number of buckets, or of homes, from which it is time to sweep.
    sweep_at: usize,
}

impl Default for Table {
    fn default() -> Self {
        Self { buckets: HashMap::default(), homes: Vec::new(), sweep_at: FEW }
    }
}

/// So many of them are no reason to sweep.
const FEW: usize = 512;

/// The entries of one hash; nearly always one.
#[derive(Debug)]
struct Bucket {
    first: Entry,
    others: Vec<Entry>,
}

/// An expression whose home compiles it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The number of its home in those of the table.
    home: u32,
    /// Its number there.
    index: u32,
}

/// Who compiles an expression.
#[derive(Debug)]
pub(crate) enum Owner {
    /// The home that asked.
    Itself,
    /// The same home for an equal expression: its number.
    Sibling(u32),
    /// Another home, if it is still there, for its expression of that number.
    Other(Weak<Home>, u32),
    /// Nobody, for here is the code.
    Code(Arc<Artifact>),
}

impl Cache {
    /// Who compiles the expressions of a home that have these numbers and were not registered yet.
    pub(crate) fn register(&self, home: &Arc<Home>, expressions: Range<u32>) -> Box<[Owner]> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let number = table.number_of(home);
        let mut registration = Registration { home, number, table: &mut table, open: None };
        expressions.map(|index| registration.owner(index, self.hash.hash_one(home.text(index)))).collect()
    }
}

impl Table {
    /// The number of a home from now on.
    fn number_of(&mut self, home: &Arc<Home>) -> u32 {
        if let Some(last) = self.homes.last()
            && last.as_ptr() == Arc::as_ptr(home)
        {
            return self.homes.len() as u32 - 1;
        }
        // Once in a while everything that has gone is swept out, at the cost of what was added.
        if self.buckets.len().max(self.homes.len()) >= self.sweep_at {
            self.sweep();
        }
        self.homes.push(Arc::downgrade(home));
        self.homes.len() as u32 - 1
    }

    /// Takes out the entries whose homes have gone.
    fn sweep(&mut self) {
        let Self { buckets, homes, .. } = self;
        buckets.retain(|_, bucket| bucket.sweep(homes));
        let mut kept = Vec::new();
        let mut numbers = vec![None; homes.len()];
        for entry in buckets.values_mut().flat_map(Bucket::entries_mut) {
            let before = entry.home as usize;
            entry.home = *numbers[before].get_or_insert_with(|| {
                kept.push(Weak::clone(&homes[before]));
                kept.len() as u32 - 1
            });
        }
        self.homes = kept;
        self.buckets.shrink_to(4 * FEW.max(self.buckets.len()));
        self.sweep_at = FEW.max(2 * self.buckets.len().max(self.homes.len()));
    }
}

/// Expressions of one home being registered.
struct Registration<'r> {
    home: &'r Arc<Home>,
    /// Its number.
    number: u32,
    table: &'r mut Table,
    /// The home that an equal hash led to the last time, if it was still there; most have all from one.
    open: Option<(u32, Arc<Home>)>,
}

impl Registration<'_> {
    fn owner(&mut self, index: u32, hash: u64) -> Owner {
        let home = self.home;
        let new = Entry { home: self.number, index };
        let Table { buckets, homes, .. } = &mut *self.table;
        let mut bucket = match buckets.entry(hash) {
            Place::Vacant(place) => {
                place.insert(Bucket { first: new, others: Vec::new() });
                return Owner::Itself;
            }
            Place::Occupied(bucket) => bucket,
        };
        for entry in bucket.get().entries() {
            let Some(other) = open(&mut self.open, entry.home, new.home, home, homes) else { continue };
            if !is_same(home, index, other, entry.index) || !fits(home, index, &other.layout) {
                continue;
            }
            if !Arc::ptr_eq(home, other) {
                let code = other.code_if_compiled(entry.index).cloned();
                return code.map_or_else(|| Owner::Other(Arc::downgrade(other), entry.index), Owner::Code);
            }
            return if entry.index == index { Owner::Itself } else { Owner::Sibling(entry.index) };
        }
        bucket.get_mut().add(new, homes);
        Owner::Itself
    }
}

/// The home of that number, which is `home` if it is `own`; nothing when it has gone.
fn open<'h>(
    last: &'h mut Option<(u32, Arc<Home>)>,
    number: u32,
    own: u32,
    home: &'h Arc<Home>,
    homes: &[Weak<Home>],
) -> Option<&'h Arc<Home>> {
    if number == own {
        return Some(home);
    }
    if last.as_ref().is_none_or(|(last, _)| *last != number) {
        *last = Some((number, homes[number as usize].upgrade()?));
    }
    last.as_ref().map(|(_, home)| home)
}

/// Whether two expressions have one text and were read the same way.
fn is_same(a: &Home, a_index: u32, b: &Home, b_index: u32) -> bool {
    a.file.form == b.file.form && a.text(a_index) == b.text(b_index)
}

/// Whether code for another layout is code for that of the home: an expression depends on no more
/// names than it reads.
fn fits(home: &Home, index: u32, layout: &Arc<Layout>) -> bool {
    let same = Arc::ptr_eq(&home.layout, layout) || home.layout == *layout;
    same || home.layout.names().starts_with(layout.names()) && home.is_complete_in(index, layout)
}

impl Bucket {
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn entries_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// One more entry, in the place of one that has gone if there is one.
    fn add(&mut self, entry: Entry, homes: &[Weak<Home>]) {
        let alone = self.others.is_empty() && homes[self.first.home as usize].strong_count() == 0;
        if !alone && self.sweep(homes) {
            self.others.push(entry);
        } else {
            self.first = entry;
        }
    }

    /// Takes out what has gone; false when that is everything, which stays then.
    fn sweep(&mut self, homes: &[Weak<Home>]) -> bool {
        let is_there = |entry: &Entry| homes[entry.home as usize].strong_count() > 0;
        if !self.others.is_empty() {
            self.others.retain(is_there);
        }
        if is_there(&self.first) {
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
