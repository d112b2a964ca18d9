//! What a reload changed.

use std::fmt;
use std::time::Duration;

use hclvm::syntax::Update;
use hclvm::{Diagnostics, OwnedValue};

use crate::hash::ContentHash;

/// What a reload changed, and how long it took.
#[derive(Clone, Debug)]
pub struct Report {
    /// The epoch that began.
    pub epoch: u64,
    /// The hash of its texts.
    pub hash: ContentHash,
    /// The attributes that were added, removed, changed and moved.
    pub update: Update,
    /// The locals that were added, removed or changed, by name.
    pub locals: Vec<String>,
    /// The paths of attributes and locals that read one of these locals, directly or through others.
    pub dependents: Vec<String>,
    /// The values that differ under the given scope. Empty if there is none.
    pub values: Vec<ValueChange>,
    /// The warnings of the evaluation under the given scope.
    pub problems: Vec<Diagnostics>,
    /// How long the parts took.
    pub times: Times,
}

/// A value before and after a reload.
#[derive(Clone, Debug)]
pub struct ValueChange {
    /// The path: `rule.small.when`, `local.limit`.
    pub path: hclvm::module::AttributePath,
    /// The value before; `None` if the attribute is new.
    pub before: Option<OwnedValue>,
    /// The value now; `None` if the attribute is gone.
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

impl Times {
    /// Returns the sum.
    pub fn total(&self) -> Duration {
        self.read + self.parse + self.look_up + self.compile + self.evaluate
    }
}

/// One line: `epoch 3: 1 changed, 2 added, 409 unchanged; 3 compiled; 2 values changed; 412 us`.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { epoch, update, values, times, .. } = self;
        write!(f, "epoch {epoch}:")?;
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
        if !values.is_empty() {
            write!(f, "; {} value{} changed", values.len(), if values.len() == 1 { "" } else { "s" })?;
        }
        write!(f, "; {} us", times.total().as_micros())
    }
}
