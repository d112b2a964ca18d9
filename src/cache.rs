//! Compiled code by what it was compiled from, so that equal expressions are compiled once.
//!
//! The key is the expression's text, the form of its file, and the layout; all three are
//! compared exactly, the hash only finds the bucket. Functions, dialect and names belong to
//! the engine, and so does the cache. It holds code weakly: what no program uses any more
//! goes away by itself.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hclvm_vm::scope::Layout;

use crate::program::{Artifact, Form};

/// The code of an engine's programs.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    hasher: RandomState,
    buckets: Mutex<HashMap<u64, Vec<Entry>>>,
}

/// Code and what it was compiled from.
#[derive(Debug)]
struct Entry {
    text: Box<str>,
    form: Form,
    layout: Arc<Layout>,
    artifact: Weak<Artifact>,
}

impl Cache {
    /// The code of an expression, if a program still uses it. `complete` tells whether all names
    /// that the expression reads are in a layout, so that its code depends on no others.
    pub(crate) fn get(
        &self,
        text: &str,
        form: Form,
        layout: &Arc<Layout>,
        complete: impl Fn(&Layout) -> bool,
    ) -> Option<Arc<Artifact>> {
        let hash = self.hasher.hash_one(text);
        let buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.get(&hash)?.iter().find_map(|entry| {
            let same = entry.form == form && *entry.text == *text;
            let fits = || {
                same_layout(&entry.layout, layout)
                    || layout.names().starts_with(entry.layout.names()) && complete(&entry.layout)
            };
            if same && fits() { entry.artifact.upgrade() } else { None }
        })
    }

    /// Remembers code for as long as a program uses it.
    pub(crate) fn insert(&self, text: &str, form: Form, layout: &Arc<Layout>, artifact: &Arc<Artifact>) {
        let hash = self.hasher.hash_one(text);
        let entry =
            Entry { text: text.into(), form, layout: Arc::clone(layout), artifact: Arc::downgrade(artifact) };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        // Once in a while everything that has gone is swept out, at the cost of what was added.
        if buckets.len() >= 64 && buckets.len().is_power_of_two() {
            buckets.retain(|_, bucket| {
                bucket.retain(|entry| entry.artifact.strong_count() > 0);
                !bucket.is_empty()
            });
        }
        let bucket = buckets.entry(hash).or_default();
        bucket.retain(|entry| entry.artifact.strong_count() > 0);
        bucket.push(entry);
    }
}

fn same_layout(a: &Arc<Layout>, b: &Arc<Layout>) -> bool {
    Arc::ptr_eq(a, b) || a == b
}
