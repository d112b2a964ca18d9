//! Compiled code by what it was compiled from, so that equal expressions are compiled once.
//!
//! The key is the expression's text, the form of its file, and the layout; all three are
//! compared exactly, the hash only finds the bucket. Functions, dialect and names belong to
//! the engine, and so does the cache. It holds code weakly: what no program uses any more
//! goes away by itself.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hclvm_vm::code::{Code, Failure};
use hclvm_vm::scope::Layout;

use crate::program::Form;

/// The code of an engine's programs.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    hasher: RandomState,
    buckets: Mutex<HashMap<u64, Vec<Artifact>>>,
}

/// Code and what it was compiled from.
#[derive(Debug)]
struct Artifact {
    text: Box<str>,
    form: Form,
    layout: Arc<Layout>,
    code: Weak<Code>,
}

impl Cache {
    /// The code of an expression, if a program still uses it. `strict` says that undefined names
    /// are faults, so that code without such a fault does not depend on names it does not read.
    pub(crate) fn get(
        &self,
        text: &str,
        form: Form,
        layout: &Arc<Layout>,
        strict: bool,
    ) -> Option<Arc<Code>> {
        let hash = self.hasher.hash_one(text);
        let buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.get(&hash)?.iter().find_map(|artifact| {
            let same = artifact.form == form && *artifact.text == *text;
            let code = if same { artifact.code.upgrade()? } else { return None };
            fits(&code, &artifact.layout, layout, strict).then_some(code)
        })
    }

    /// Remembers code for as long as a program uses it.
    pub(crate) fn insert(&self, text: &str, form: Form, layout: &Arc<Layout>, code: &Arc<Code>) {
        let hash = self.hasher.hash_one(text);
        let artifact =
            Artifact { text: text.into(), form, layout: Arc::clone(layout), code: Arc::downgrade(code) };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        // Once in a while everything that has gone is swept out, at the cost of what was added.
        if buckets.len() >= 64 && buckets.len().is_power_of_two() {
            buckets.retain(|_, bucket| {
                bucket.retain(|artifact| artifact.code.strong_count() > 0);
                !bucket.is_empty()
            });
        }
        let bucket = buckets.entry(hash).or_default();
        bucket.retain(|artifact| artifact.code.strong_count() > 0);
        bucket.push(artifact);
    }
}

/// Whether code compiled for one layout does the same with another: the layouts are equal, or the
/// other one only has more names behind them and none was missing.
fn fits(code: &Code, compiled_for: &Arc<Layout>, layout: &Arc<Layout>, strict: bool) -> bool {
    if Arc::ptr_eq(compiled_for, layout) || compiled_for == layout {
        return true;
    }
    let extended = layout.names().starts_with(compiled_for.names());
    let complete = !code.failures.iter().any(|failure| matches!(failure, Failure::UnknownVariable { .. }));
    strict && extended && complete
}
