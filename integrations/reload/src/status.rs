//! What is in use since when, and what was rejected.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hclvm::{Diagnostics, Error};

use crate::hash::ContentHash;
use crate::loaded::Loaded;
use crate::panics::Panic;
use crate::source::Unreadable;

/// What is in use, and the attempt to replace it that failed last.
#[derive(Clone, Debug)]
pub struct Status {
    /// The epoch of the configuration in use.
    pub epoch: u64,
    /// Its hash.
    pub hash: ContentHash,
    /// The time from which it is in use.
    pub since: SystemTime,
    /// The last attempt, if it was rejected.
    pub rejected: Option<Arc<Rejection>>,
    /// How changes are noticed.
    pub watching: Watching,
    /// The number of panics of the host's functions that were caught.
    pub panics: u64,
    /// The last one, kept over reloads.
    pub panic: Option<Arc<Panic>>,
}

/// How changes are noticed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Watching {
    /// Not at all: the host calls [`Reload::attempt`](crate::Reload::attempt), or watching has ended.
    #[default]
    Nothing,
    /// By notices of the system.
    Notices,
    /// By polling the files; with the reason why the system gives no notices, unless the host chose
    /// it.
    Polling(Option<String>),
}

impl Status {
    pub(crate) fn of<T, C>(loaded: &Loaded<T, C>) -> Self {
        let Loaded { epoch, hash, since, .. } = *loaded;
        Self { epoch, hash, since, rejected: None, watching: Watching::default(), panics: 0, panic: None }
    }

    pub(crate) fn loaded<T, C>(&mut self, loaded: &Loaded<T, C>) {
        let (watching, panic) = (std::mem::take(&mut self.watching), self.panic.take());
        *self = Self { watching, panics: self.panics, panic, ..Self::of(loaded) };
    }

    pub(crate) fn panicked(&mut self, panic: Panic) {
        self.panics += 1;
        self.panic = Some(Arc::new(panic));
    }
}

/// An attempt that was rejected; the configuration before it remains in use.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// When it was rejected.
    pub at: SystemTime,
    /// Why.
    pub problems: Problems,
    /// The hash of its texts; `None` if they cannot be read.
    pub hash: Option<ContentHash>,
}

impl Rejection {
    /// Returns the time since it was rejected.
    pub fn age(&self) -> Duration {
        self.at.elapsed().unwrap_or_default()
    }
}

/// Why a configuration is not loaded.
#[derive(Clone, Debug)]
pub enum Problems {
    /// The problems of texts.
    Diagnostics(Vec<Diagnostics>),
    /// A sentence: what cannot be read, or why the host refuses it.
    Sentence(String),
}

impl Problems {
    /// Returns the problems of texts; none for a sentence.
    pub fn diagnostics(&self) -> &[Diagnostics] {
        match self {
            Self::Diagnostics(list) => list,
            Self::Sentence(_) => &[],
        }
    }
}

/// Diagnostics as a report with source lines, or the sentence.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diagnostics(list) => {
                let reports: Vec<String> = list.iter().map(|one| one.report().to_string()).collect();
                f.write_str(reports.join("\n").trim_end())
            }
            Self::Sentence(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for Problems {}

impl From<Error> for Problems {
    fn from(error: Error) -> Self {
        match error.diagnostics() {
            Some(diagnostics) => Self::Diagnostics(diagnostics.by_file()),
            None => Self::Sentence(format!("{error}.")),
        }
    }
}

impl From<Diagnostics> for Problems {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::Diagnostics(diagnostics.by_file())
    }
}

impl From<&Panic> for Problems {
    fn from(panic: &Panic) -> Self {
        Self::Sentence(format!("{panic}."))
    }
}

impl From<Unreadable> for Problems {
    fn from(unreadable: Unreadable) -> Self {
        Self::Sentence(unreadable.to_string())
    }
}

impl From<String> for Problems {
    fn from(sentence: String) -> Self {
        Self::Sentence(sentence)
    }
}

impl From<&str> for Problems {
    fn from(sentence: &str) -> Self {
        Self::Sentence(sentence.to_owned())
    }
}
