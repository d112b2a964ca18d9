//! Mutants: their places, their changes as a reader sees them, and the code that is spliced in.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// The placeholder in a splice for the condition that the mutant is active. Not a character of Rust code.
pub const ON: &str = "\u{1}";

/// One change of one place in a file.
#[derive(Clone, Debug)]
pub struct Change {
    /// The kind of change.
    pub operator: &'static str,
    /// The bytes that are changed in a difference.
    pub changed: Range<usize>,
    /// Their replacement in a difference.
    pub replacement: String,
    /// How the code is spliced in.
    pub splice: Splice,
}

/// A change in a tree of files.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Its number in the list of a tree, which depends on nothing but the sources.
    pub id: u32,
    /// Its name across trees: a hash of its file, its text and its change, not of its line.
    pub key: u64,
    /// The file, relative to the workspace.
    pub file: String,
    /// The line of the change, from 1.
    pub line: usize,
    /// The index of its room in the configuration.
    pub room: usize,
    /// The change.
    pub change: Change,
}

/// Texts around and within a part of the source.
///
/// Splices of several mutants nest, and one that is left out does not affect the others.
#[derive(Clone, Debug)]
pub struct Splice {
    /// The bytes around which `open` and `close` are placed.
    pub range: Range<usize>,
    /// The text before the range; [`ON`] is the condition that the mutant is active.
    pub open: String,
    /// The text behind the range.
    pub close: String,
    /// Bytes within the range that another text replaces. No other splice is there.
    pub replaced: Option<(Range<usize>, String)>,
}

impl Splice {
    /// Creates a splice that keeps the range.
    pub fn around(range: Range<usize>, open: impl Into<String>, close: impl Into<String>) -> Self {
        Self { range, open: open.into(), close: close.into(), replaced: None }
    }

    /// Creates a splice that takes `other` instead of the range while the mutant is active. The text
    /// `other` holds no mutants, because at most one is active.
    pub fn instead(range: Range<usize>, other: &str) -> Self {
        Self::around(range, format!("(if {ON} {{ {other} }} else {{ "), " })")
    }
}

/// Hashes the identity of a mutant. `ordinal` distinguishes equal changes of equal texts in a file.
pub fn key(file: &str, operator: &str, text: &str, replacement: &str, ordinal: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    (file, operator, text, replacement, ordinal).hash(&mut hasher);
    hasher.finish()
}
