//! A configuration that is about to be loaded.

use std::cell::OnceCell;

use hclvm::{Document, Error, Module, Scope};

use crate::hash::ContentHash;
use crate::source::Text;

/// A configuration that parsed and compiled, for the host to accept or refuse.
#[derive(Debug)]
pub struct Candidate<'c> {
    pub(crate) document: &'c Document,
    pub(crate) texts: &'c [Text],
    pub(crate) hash: ContentHash,
    pub(crate) epoch: u64,
    module: OnceCell<Result<Module, Error>>,
}

impl<'c> Candidate<'c> {
    pub(crate) fn new(document: &'c Document, texts: &'c [Text], hash: ContentHash, epoch: u64) -> Self {
        Self { document, texts, hash, epoch, module: OnceCell::new() }
    }

    /// Returns its document.
    pub fn document(&self) -> &Document {
        self.document
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

    /// Returns the document as a module, which is made once.
    ///
    /// # Errors
    /// See [`Document::module`].
    pub fn module(&self) -> Result<Module, Error> {
        self.module.get_or_init(|| self.document.module()).clone()
    }
}

/// Sets the variables of a scope under which values are compared.
pub(crate) type SetScope = Box<dyn FnMut(&mut Scope, &Candidate<'_>) -> Result<(), Error> + Send>;
