//! What a reload changed.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use hclvm::syntax::Update;
use hclvm::{Diagnostics, OwnedValue};

use crate::hash::ContentHash;
use crate::source::Text;

/// What a reload changed, and how long it took.
#[derive(Clone)]
pub struct Report {
    /// The epoch that began.
    pub epoch: u64,
    /// The hash of its texts.
    pub hash: ContentHash,
    /// The files that were added, removed and changed.
    pub files: FileChanges,
    /// The attributes that were added, removed, changed and moved. Empty for what is not one document.
    pub update: Update,
    /// The locals that were added, removed or changed, by name.
    pub locals: Vec<String>,
    /// The paths of attributes and locals that read one of these locals, directly or through others.
    pub dependents: Vec<String>,
    /// The values that differ: of a document, under the given scope, if there is one.
    pub values: Vec<ValueChange>,
    /// The warnings of the evaluation. That of a document has none.
    pub problems: Vec<Diagnostics>,
    /// How long the parts took.
    pub times: Times,
}

/// The files of a configuration that differ, by name, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChanges {
    /// Files that are read now and were not before.
    pub added: Vec<String>,
    /// Files that are gone.
    pub removed: Vec<String>,
    /// Files with another content.
    pub changed: Vec<String>,
}

impl FileChanges {
    /// Compares texts.
    pub(crate) fn of(before: &[Text], after: &[Text]) -> Self {
        fn by_name(texts: &[Text]) -> BTreeMap<&str, &[u8]> {
            texts.iter().map(|text| (text.name.as_str(), text.bytes.as_slice())).collect()
        }
        let (before, after) = (by_name(before), by_name(after));
        let mut changes = Self::default();
        for (name, bytes) in &after {
            match before.get(name) {
                None => changes.added.push((*name).to_owned()),
                Some(old) if old != bytes => changes.changed.push((*name).to_owned()),
                Some(_) => {}
            }
        }
        let gone = before.keys().filter(|name| !after.contains_key(*name));
        changes.removed = gone.map(|name| (*name).to_owned()).collect();
        changes
    }
}

/// A value before and after a reload.
#[derive(Clone, Debug)]
pub struct ValueChange {
    /// The path: `rule.small.when`, `local.limit`; of an application's module, by its own names.
    pub path: hclvm::module::AttributePath,
    /// The value before; `None` if it is new.
    pub before: Option<OwnedValue>,
    /// The value now; `None` if it is gone.
    pub after: Option<OwnedValue>,
}

/// The time that the parts of a reload took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Reading and hashing the texts.
    pub read: Duration,
    /// Parsing them.
    pub parse: Duration,
    /// Finding what changed, and the code of what did not.
    pub look_up: Duration,
    /// Compiling what changed.
    pub compile: Duration,
    /// Evaluating under the given scope, and comparing the values.
    pub evaluate: Duration,
}

impl Report {
    pub(crate) fn new(epoch: u64, hash: ContentHash, files: FileChanges, times: Times) -> Self {
        Self {
            epoch,
            hash,
            files,
            update: Update::default(),
            locals: Vec::new(),
            dependents: Vec::new(),
            values: Vec::new(),
            problems: Vec::new(),
            times,
        }
    }

    /// Returns true if what was loaded is a document with attributes, or replaces one.
    fn has_attributes(&self) -> bool {
        !self.update.is_empty() || self.update.unchanged > 0
    }
}

impl Times {
    /// Returns the sum.
    pub fn total(&self) -> Duration {
        self.read + self.parse + self.look_up + self.compile + self.evaluate
    }
}

/// One line: `epoch 3: 1 changed, 2 added, 409 unchanged; 3 compiled; 2 values changed; 412 us`, and of what is not
/// one document `epoch 3: 1 file changed; 2 values changed; 412 us`.
/// The line of `Display`: the lists may be as long as the files.
impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Report({self})")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { epoch, files, update, values, times, .. } = self;
        write!(f, "epoch {epoch}:")?;
        if self.has_attributes() {
            let counts = [
                (update.added.len(), "added"),
                (update.removed.len(), "removed"),
                (update.changed.len(), "changed"),
                (update.moved.len(), "moved"),
            ];
            for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
                write!(f, " {count} {what},")?;
            }
            write!(f, " {} unchanged; {} compiled", update.unchanged, update.compiled)?;
        } else {
            let counts = [
                (files.added.len(), "added"),
                (files.removed.len(), "removed"),
                (files.changed.len(), "changed"),
            ];
            let counts = counts.into_iter().filter(|(count, _)| *count > 0);
            let parts: Vec<String> =
                counts.map(|(count, what)| format!("{} {what}", files_of(count))).collect();
            write!(f, " {}", parts.join(", "))?;
        }
        if !values.is_empty() {
            write!(f, "; {} value{} changed", values.len(), if values.len() == 1 { "" } else { "s" })?;
        }
        write!(f, "; {} us", times.total().as_micros())
    }
}

fn files_of(count: usize) -> String {
    format!("{count} file{}", if count == 1 { "" } else { "s" })
}
