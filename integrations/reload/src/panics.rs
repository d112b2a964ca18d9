//! Panics of the host's functions, which are caught: what is in use stays in use, and watching continues.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::SystemTime;

/// A panic of a function of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Panic {
    /// When it was caught.
    pub at: SystemTime,
    /// The epoch that was about to begin, or had begun for what is called after that.
    pub epoch: u64,
    /// What panicked.
    pub part: Part,
    /// The message of the panic.
    pub message: String,
}

/// A part of the host that a reload calls.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The reading of the texts, or the list of what is watched.
    Texts,
    /// The loader or the parser of the texts. The candidate is rejected.
    Loader,
    /// The evaluation, with the function that sets the [scope](crate::Builder::scope). The candidate is rejected.
    Evaluation,
    /// The function that accepts candidates. The candidate is rejected.
    Accept,
    /// The subscriber of a path. It remains subscribed, and all others are called.
    Subscriber(String),
    /// The function that [`Reload::watch`](crate::Reload::watch) calls with outcomes.
    Outcome,
    /// The notices of changes. The files are polled from then on.
    Notices,
    /// The destructor of what is no longer in use.
    Drop,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Texts => f.write_str("the source of the texts"),
            Self::Loader => f.write_str("the loader"),
            Self::Evaluation => f.write_str("the evaluation"),
            Self::Accept => f.write_str("the function that accepts candidates"),
            Self::Subscriber(path) => write!(f, "the subscriber of {path}"),
            Self::Outcome => f.write_str("the function that is called with outcomes"),
            Self::Notices => f.write_str("the notices of changes"),
            Self::Drop => f.write_str("the destructor of the configuration before"),
        }
    }
}

/// A sentence: `the subscriber of rule.a panicked: out of range`.
impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} panicked: {}", self.part, self.message)
    }
}

/// Calls functions of the host, of which `part` is the one that is called.
pub(crate) fn catch<R>(epoch: u64, part: &Cell<Part>, call: impl FnOnce() -> R) -> Result<R, Panic> {
    // What a function leaves behind is its own; the state of this crate changes when it has returned.
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| Panic {
        at: SystemTime::now(),
        epoch,
        part: part.replace(Part::Drop),
        message: message(&*panic).to_owned(),
    })
}

/// Returns the text of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
