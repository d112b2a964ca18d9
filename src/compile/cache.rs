//! The compile cache of an engine: finds the code of an equal expression, so that each is compiled
//! once. It holds no code itself; that is in the [units](crate::compile::unit).
//!
//! Two expressions are equal if their text, the kind of their file and the slots of their names are
//! equal. All three are compared exactly; the hash only selects the bucket. Functions, dialect and
//! names belong to the engine, and so does the cache. It refers to units weakly, so an entry ends
//! with the last document or program that uses its unit.
//!
//! Units look up many expressions at once, before the first of them is compiled: the lock is taken
//! once for all, and keys are not copied, because an entry refers to the text in its unit. Every
//! unit that has an expression is entered, also if it uses the code of another unit, so the code is
//! found until the last of them is gone.
//!
//! A lookup refers to an expression that was entered before it and is never repeated. Lookups
//! therefore form no circle, and compiling cannot deadlock however threads follow them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hclvm_vm::Layout;
use hclvm_vm::cast;
use hclvm_vm::hash::Hash;

use crate::compile::artifact::SharedArtifact;
use crate::compile::unit::Unit;

/// The expressions of an engine's units.
#[derive(Debug, Default)]
pub(crate) struct CodeCache {
    hash: Hash,
    index: Mutex<HashIndex>,
}

/// The result of looking up an expression.
#[derive(Debug)]
pub(crate) enum CachedCode {
    /// Not known: the caller compiles it.
    Compile,
    /// Equal to this expression of the same unit.
    SameUnit(u32),
    /// Equal to this expression of another unit, which was not compiled yet. If the unit is gone
    /// when the code is needed, the caller compiles it.
    OtherUnit(Weak<Unit>, u32),
    /// Already compiled.
    Ready(SharedArtifact),
}

impl CodeCache {
    /// Looks up expressions of a unit and enters them. A unit looks up each of its expressions once.
    pub(crate) fn look_up(&self, unit: &Arc<Unit>, expressions: Range<u32>) -> Box<[CachedCode]> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let number = index.number_of(unit);
        let mut batch = LookupBatch { unit, number, index: &mut index, opened: None };
        let texts = unit.texts();
        let look_up = |at| {
            let text = texts(at);
            // Without the length, which a hash of several fields would need.
            let mut hasher = self.hash.build_hasher();
            hasher.write(text);
            batch.look_up(at, text, hasher.finish())
        };
        expressions.map(look_up).collect()
    }
}

/// Entries by the hash of their text.
#[derive(Debug)]
struct HashIndex {
    buckets: HashMap<u64, Bucket, BuildHasherDefault<PreHashed>>,
    /// The units of all entries.
    units: Vec<Weak<Unit>>,
    /// The number of buckets or units at which entries of dropped units are removed.
    sweep_at: usize,
}

/// The least number of buckets or units worth a sweep: with fewer, the index takes at most 50 KiB.
const MIN_SWEEP: usize = 512;

impl Default for HashIndex {
    fn default() -> Self {
        Self { buckets: HashMap::default(), units: Vec::new(), sweep_at: MIN_SWEEP }
    }
}

impl HashIndex {
    /// Returns the number under which a unit is entered from now on.
    fn number_of(&mut self, unit: &Arc<Unit>) -> u32 {
        if let Some(last) = self.units.last()
            && last.as_ptr() == Arc::as_ptr(unit)
        {
            return cast::length(self.units.len() - 1);
        }
        // The threshold doubles with what is left, so the cost of sweeps is proportional to the number
        // of expressions added.
        if self.buckets.len().max(self.units.len()) >= self.sweep_at {
            self.sweep();
        }
        self.units.push(Arc::downgrade(unit));
        cast::length(self.units.len() - 1)
    }

    /// Removes the entries of dropped units.
    fn sweep(&mut self) {
        let Self { buckets, units, .. } = self;
        buckets.retain(|_, bucket| bucket.sweep(units));
        let mut kept = Vec::new();
        let mut numbers = vec![None; units.len()];
        for entry in buckets.values_mut().flat_map(Bucket::entries_mut) {
            let before = cast::index(entry.unit);
            entry.unit = *numbers[before].get_or_insert_with(|| {
                kept.push(Weak::clone(&units[before]));
                cast::length(kept.len() - 1)
            });
        }
        self.units = kept;
        self.buckets.shrink_to(4 * MIN_SWEEP.max(self.buckets.len()));
        self.sweep_at = MIN_SWEEP.max(2 * self.buckets.len().max(self.units.len()));
    }
}

/// The entries of one hash. Nearly always one, which needs no memory of its own.
#[derive(Debug)]
struct Bucket {
    first: CachedExpression,
    others: Others,
}

/// The entries of a bucket but the first. One word, because a large file has many buckets.
#[derive(Debug, Default)]
struct Others(Option<Box<OtherEntries>>);

#[derive(Debug, Default)]
struct OtherEntries {
    list: Vec<CachedExpression>,
}

impl Others {
    fn as_slice(&self) -> &[CachedExpression] {
        self.0.as_ref().map_or(&[], |others| &others.list)
    }

    /// Returns the list if there is one.
    fn list(&mut self) -> Option<&mut Vec<CachedExpression>> {
        self.0.as_mut().map(|others| &mut others.list)
    }
}

/// An expression of a unit.
#[derive(Clone, Copy, Debug)]
struct CachedExpression {
    /// The number of its unit in the index.
    unit: u32,
    /// Its number in the unit.
    at: u32,
}

impl CachedExpression {
    fn is_live(self, units: &[Weak<Unit>]) -> bool {
        units[cast::index(self.unit)].strong_count() > 0
    }
}

impl Bucket {
    fn entries_mut(&mut self) -> impl Iterator<Item = &mut CachedExpression> {
        std::iter::once(&mut self.first).chain(self.others.list().into_iter().flatten())
    }

    fn get(&self, at: usize) -> Option<CachedExpression> {
        if at == 0 { Some(self.first) } else { self.others.as_slice().get(at - 1).copied() }
    }

    /// Adds an entry. A full list drops the entries of dropped units and gets room for as many
    /// entries as it keeps, so adding takes amortized constant time however many units share an
    /// expression.
    fn add(&mut self, entry: CachedExpression, units: &[Weak<Unit>]) {
        let others = &mut self.others.0.get_or_insert_default().list;
        if others.len() == others.capacity() {
            others.retain(|other| other.is_live(units));
            others.reserve(others.len() + 1);
        }
        others.push(entry);
    }

    /// Removes an entry. Returns false if it is the only one, which stays.
    fn remove(&mut self, at: usize) -> bool {
        let others = self.others.list();
        if at > 0 {
            others.map(|others| others.swap_remove(at - 1));
            return true;
        }
        match others.and_then(Vec::pop) {
            Some(other) => {
                self.first = other;
                true
            }
            None => false,
        }
    }

    /// Removes the entries of dropped units. Returns false if there are no others.
    fn sweep(&mut self, units: &[Weak<Unit>]) -> bool {
        if let Some(others) = self.others.list() {
            others.retain(|other| other.is_live(units));
            others.shrink_to(2 * others.len());
            if others.is_empty() {
                self.others = Others::default();
            }
        }
        self.first.is_live(units) || self.remove(0)
    }
}

/// Expressions of one unit that are looked up together.
struct LookupBatch<'b> {
    unit: &'b Arc<Unit>,
    number: u32,
    index: &'b mut HashIndex,
    /// The other unit that the last equal hash led to: successive expressions of a document are
    /// mostly found in one other document, which is then upgraded once.
    opened: Option<(u32, Arc<Unit>)>,
}

impl LookupBatch<'_> {
    fn look_up(&mut self, at: u32, text: &[u8], hash: u64) -> CachedCode {
        let unit = self.unit;
        if !unit.is_shared(at) {
            return CachedCode::Compile;
        }
        let new = CachedExpression { unit: self.number, at };
        let HashIndex { buckets, units, .. } = &mut *self.index;
        let bucket = match buckets.entry(hash) {
            Entry::Vacant(vacant) => {
                vacant.insert(Bucket { first: new, others: Others::default() });
                return CachedCode::Compile;
            }
            Entry::Occupied(bucket) => bucket.into_mut(),
        };
        let mut position = 0;
        while let Some(entry) = bucket.get(position) {
            let other = if entry.unit == new.unit {
                unit
            } else if let Some(other) = open(&mut self.opened, entry.unit, units) {
                other
            } else if bucket.remove(position) {
                continue;
            } else {
                bucket.first = new;
                return CachedCode::Compile;
            };
            let is_same = unit.file.kind == other.file.kind && text == other.text(entry.at);
            if is_same && fits(unit, at, &other.layout) {
                if Arc::ptr_eq(unit, other) {
                    return if entry.at == at { CachedCode::Compile } else { CachedCode::SameUnit(entry.at) };
                }
                bucket.add(new, units);
                return match other.code_if_compiled(entry.at) {
                    Some(code) => CachedCode::Ready(code.clone()),
                    None => CachedCode::OtherUnit(Arc::downgrade(other), entry.at),
                };
            }
            position += 1;
        }
        bucket.add(new, units);
        CachedCode::Compile
    }
}

/// Returns the unit of that number if it is still there.
fn open<'o>(
    opened: &'o mut Option<(u32, Arc<Unit>)>,
    number: u32,
    units: &[Weak<Unit>],
) -> Option<&'o Arc<Unit>> {
    if opened.as_ref().is_none_or(|(last, _)| *last != number) {
        *opened = Some((number, units[cast::index(number)].upgrade()?));
    }
    opened.as_ref().map(|(_, unit)| unit)
}

/// Returns true if code compiled for `layout` is valid in the unit: the layouts are equal, or the
/// unit's extends `layout` and the expression reads only names of `layout`.
fn fits(unit: &Unit, at: u32, layout: &Arc<Layout>) -> bool {
    let same = Arc::ptr_eq(&unit.layout, layout) || unit.layout == *layout;
    same || unit.layout.names().starts_with(layout.names()) && unit.is_complete_in(at, layout)
}

/// A hasher for keys that are hashes: returns the key.
#[derive(Clone, Copy, Debug, Default)]
struct PreHashed(u64);

impl Hasher for PreHashed {
    fn write(&mut self, bytes: &[u8]) {
        // Required by the trait and not called: keys are single words.
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
