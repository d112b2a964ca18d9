//! Indexes into a tree, one type for each of its tables, and runs of consecutive entries.
//!
//! Stored in 32 bits: a tree has fewer entries than its source has bytes, and a source is limited to
//! 4 GiB.

use hclvm_vm::cast;

/// Generates the index types of a tree.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the id of the entry at `index`.
            pub(crate) const fn at(index: usize) -> Self {
                Self(cast::length(index))
            }

            /// Returns the position of the entry in its table.
            pub const fn index(self) -> usize {
                cast::index(self.0)
            }
        }
    )*};
}

ids! {
    /// Index of a node.
    NodeId,
    /// Index of a name (identifier). Equal names of a file may have several ids.
    NameId,
    /// Index of a decoded literal text.
    TextId,
    /// Index of a number literal.
    NumberId,
    /// Index of the details of a call.
    CallId,
    /// Index of the details of a for expression.
    ForId,
    /// Index of a problem of a JSON string.
    ProblemId,
    /// Index of a JSON property.
    PropertyId,
    /// Index of a body.
    BodyId,
}

/// Generates the types of runs: a start and a length in one of the tree's tables.
macro_rules! runs {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            start: u32,
            len: u32,
        }

        impl $name {
            /// The empty run.
            pub(crate) const EMPTY: Self = Self { start: 0, len: 0 };

            /// Returns the run of the entries `start..end`.
            pub(crate) const fn between(start: usize, end: usize) -> Self {
                Self { start: cast::length(start), len: cast::length(end - start) }
            }

            /// Returns the positions of the entries in their table.
            pub(super) const fn range(self) -> std::ops::Range<usize> {
                cast::index(self.start)..cast::index(self.start + self.len)
            }

            /// Returns the number of entries.
            pub const fn len(self) -> usize {
                cast::index(self.len)
            }

            /// Returns true if the run has no entries.
            pub const fn is_empty(self) -> bool {
                self.len == 0
            }
        }
    )*};
}

runs! {
    /// A run of child ids, see [`Tree::list`](super::Tree::list).
    NodeList,
    /// A run of traversal steps, see [`Tree::steps`](super::Tree::steps).
    StepList,
}

impl StepList {
    /// Returns the run without its first `count` steps.
    pub(crate) const fn skip(self, count: u32) -> Self {
        let count = if count < self.len { count } else { self.len };
        Self { start: self.start + count, len: self.len - count }
    }
}
