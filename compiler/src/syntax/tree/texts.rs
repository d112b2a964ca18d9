//! The decoded literal texts of a tree, concatenated in one buffer.
//!
//! Names are not here: they are in `Tree::names`, each as a text of its own.

use super::TextId;

/// An append-only table of texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextTable {
    all: String,
    /// The end of each text; it begins at the end of the one before it.
    ends: Vec<usize>,
}

impl TextTable {
    /// Creates an empty table with capacity for `texts` texts of eight bytes.
    pub(crate) fn with_capacity(texts: usize) -> Self {
        Self { all: String::with_capacity(8 * texts), ends: Vec::with_capacity(texts) }
    }

    /// Frees the memory that it does not use.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.all.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Appends a text.
    pub(crate) fn add(&mut self, text: &str) -> TextId {
        self.all.push_str(text);
        self.ends.push(self.all.len());
        TextId::at(self.ends.len() - 1)
    }

    /// Returns a text.
    pub(crate) fn get(&self, id: TextId) -> &str {
        let at = id.index();
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[at]]
    }

    /// Returns the number of texts.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Removes all but the first `len` texts.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.all.truncate(self.ends.last().copied().unwrap_or(0));
    }
}
