//! Compiled code by what it was compiled from, so that equal expressions are compiled once.
//!
//! The key is the expression's text, the form of its file, and the layout; all three are
//! compared exactly, the hash only finds the place. Functions, dialect and names belong to
//! the engine, and so does the cache. It holds code weakly: what no program uses any more
//! goes away by itself.
//!
//! It also keeps the memory to compile in: whoever finds no code takes it along, and gives it back
//! with the new code, so that compiling an expression locks twice and no more.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hclvm_compiler::lower::Scratch;
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
    /// The layouts of all entries. Entries that come one after the other mostly share one.
    layouts: Vec<Arc<Layout>>,
    /// Number of buckets, or of layouts, from which it is time to sweep.
    sweep_at: usize,
    /// Memory to compile in, unless somebody compiles.
    scratch: Option<Box<Scratch>>,
    /// How many programs were compiled.
    compiled: u64,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            buckets: HashMap::default(),
            texts: String::new(),
            layouts: Vec::new(),
            sweep_at: FEW,
            scratch: None,
            compiled: 0,
        }
    }
}

/// So many of them are no reason to sweep.
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
    /// The number of its layout in those of the table.
    layout: u32,
    artifact: Weak<Artifact>,
}

/// An expression to look up, with its hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'t> {
    hash: u64,
    text: &'t str,
    form: Form,
}

/// What the cache has for an expression.
pub(crate) enum Found {
    /// The code of an equal one.
    Code(Arc<Artifact>),
    /// Memory to compile it in, for [`Cache::insert`].
    Nothing(Box<Scratch>),
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
    ) -> Found {
        let mut table = self.lock();
        let known = table.buckets.get(&key.hash).and_then(|bucket| {
            bucket.entries().find_map(|entry| {
                let fits = || {
                    let known = &table.layouts[entry.layout as usize];
                    same_layout(known, layout) || layout.names().starts_with(known.names()) && complete(known)
                };
                if entry.is_used() && entry.is_of(key, &table.texts) {
                    entry.artifact.upgrade().filter(|_| fits())
                } else {
                    None
                }
            })
        });
        match known {
            Some(code) => Found::Code(code),
            None => Found::Nothing(table.take_scratch()),
        }
    }

    /// Remembers code for as long as a program uses it.
    pub(crate) fn insert(
        &self,
        key: Key<'_>,
        layout: &Arc<Layout>,
        artifact: Option<&Arc<Artifact>>,
        scratch: Box<Scratch>,
    ) {
        let mut table = self.lock();
        table.take_back(scratch);
        if let Some(artifact) = artifact {
            table.insert(key, layout, Arc::downgrade(artifact));
        }
    }

    /// Memory to compile in, for [`Cache::give_back`].
    pub(crate) fn lend(&self) -> Box<Scratch> {
        self.lock().take_scratch()
    }

    /// Takes back what was lent to compile something that the cache does not remember.
    pub(crate) fn give_back(&self, scratch: Box<Scratch>) {
        self.lock().take_back(scratch);
    }

    /// Counts a program that was compiled without the cache.
    pub(crate) fn count(&self) {
        self.lock().compiled += 1;
    }

    /// How many times something was compiled.
    pub(crate) fn compiled(&self) -> u64 {
        self.lock().compiled
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn take_scratch(&mut self) -> Box<Scratch> {
        self.scratch.take().unwrap_or_default()
    }

    fn take_back(&mut self, scratch: Box<Scratch>) {
        self.scratch = Some(scratch);
        self.compiled += 1;
    }

    fn insert(&mut self, key: Key<'_>, layout: &Arc<Layout>, artifact: Weak<Artifact>) {
        // Once in a while everything that has gone is swept out, at the cost of what was added.
        if self.size() >= self.sweep_at {
            self.sweep();
        }
        if !self.layouts.last().is_some_and(|last| Arc::ptr_eq(last, layout)) {
            self.layouts.push(Arc::clone(layout));
        }
        let layout = self.layouts.len() as u32 - 1;
        let texts = &mut self.texts;
        match self.buckets.entry(key.hash) {
            Place::Vacant(place) => {
                let text = appended(texts, key.text);
                let first = Entry { text, form: key.form, layout, artifact };
                place.insert(Bucket { first, others: Vec::new() });
            }
            Place::Occupied(mut bucket) => {
                let known = bucket.get().entries().find(|entry| entry.is_of(key, texts));
                let text = known.map_or_else(|| appended(texts, key.text), |entry| entry.text);
                bucket.get_mut().add(Entry { text, form: key.form, layout, artifact });
            }
        }
    }

    /// Takes out the entries whose code has gone, with their texts and layouts.
    fn sweep(&mut self) {
        self.buckets.retain(|_, bucket| bucket.sweep());
        let (mut texts, mut layouts) = (String::new(), Vec::new());
        let mut numbers = vec![None; self.layouts.len()];
        for bucket in self.buckets.values_mut() {
            for entry in std::iter::once(&mut bucket.first).chain(&mut bucket.others) {
                let (start, end) = entry.text;
                entry.text = appended(&mut texts, self.texts.get(start..end).unwrap_or_default());
                let layout = entry.layout as usize;
                entry.layout = *numbers[layout].get_or_insert_with(|| {
                    layouts.push(Arc::clone(&self.layouts[layout]));
                    layouts.len() as u32 - 1
                });
            }
        }
        (self.texts, self.layouts) = (texts, layouts);
        self.sweep_at = FEW.max(2 * self.size());
    }

    fn size(&self) -> usize {
        self.buckets.len().max(self.layouts.len())
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

/// Where a text is that comes behind the others.
fn appended(texts: &mut String, text: &str) -> (usize, usize) {
    let start = texts.len();
    texts.push_str(text);
    (start, texts.len())
}

impl Entry {
    fn is_of(&self, key: Key<'_>, texts: &str) -> bool {
        let (start, end) = self.text;
        self.form == key.form && texts.as_bytes().get(start..end) == Some(key.text.as_bytes())
    }

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
