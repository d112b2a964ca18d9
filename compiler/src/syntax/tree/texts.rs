//! The decoded texts of a tree, one behind the other.

use super::TextId;

/// Texts by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    all: String,
    /// Where each text ends; it begins where the one before it ends.
    ends: Vec<usize>,
}

impl Texts {
    /// None yet, with room for so many short ones.
    pub(crate) fn with_capacity(texts: usize) -> Self {
        Self { all: String::with_capacity(8 * texts), ends: Vec::with_capacity(texts) }
    }

    /// One more text.
    pub(crate) fn add(&mut self, text: &str) -> TextId {
        self.all.push_str(text);
        self.ends.push(self.all.len());
        TextId::at(self.ends.len() - 1)
    }

    pub(crate) fn get(&self, id: TextId) -> &str {
        let at = id.index();
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[at]]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Keeps the first `len` texts only.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.all.truncate(self.ends.last().copied().unwrap_or(0));
    }
}
