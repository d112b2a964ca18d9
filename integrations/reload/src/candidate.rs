//! A configuration that is about to be loaded.

use std::cell::OnceCell;
use std::fmt;

use hclvm::{Document, Error, Module, Scope};

use crate::hash::ContentHash;
use crate::source::Text;

/// A configuration that could be loaded, for the host to accept or refuse.
pub struct Candidate<'c, C = Document> {
    pub(crate) content: &'c C,
    pub(crate) texts: &'c [Text],
    pub(crate) hash: ContentHash,
    pub(crate) epoch: u64,
    /// Only documents have one.
    module: OnceCell<Result<Module, Error>>,
}

impl<C> fmt::Debug for Candidate<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Candidate(epoch {}, {} texts, {})", self.epoch, self.texts.len(), self.hash)
    }
}

impl<'c, C> Candidate<'c, C> {
    pub(crate) fn new(content: &'c C, texts: &'c [Text], hash: ContentHash, epoch: u64) -> Self {
        Self { content, texts, hash, epoch, module: OnceCell::new() }
    }

    /// Returns its content.
    pub fn content(&self) -> &C {
        self.content
    }

    /// Returns its texts.
    pub fn texts(&self) -> &[Text] {
        self.texts
    }

    /// Returns the epoch that begins if it is accepted.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the hash of its texts.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }
}

impl Candidate<'_> {
    /// Returns its document.
    pub fn document(&self) -> &Document {
        self.content
    }

    /// Returns the document as a module, which is made once.
    ///
    /// # Errors
    /// See [`Document::module`].
    pub fn module(&self) -> Result<Module, Error> {
        self.module.get_or_init(|| self.content.module()).clone()
    }
}

/// Sets the variables of a scope under which values are compared.
pub(crate) type SetScope = Box<dyn FnMut(&mut Scope, &Candidate<'_>) -> Result<(), Error> + Send>;
