//! The saved code of a loaded document, which is read and verified when an attribute, or the module, is first used:
//! loading a large document takes little more time than reading it.

use hclvm_vm::code::fast::Fast;
use hclvm_vm::code::saved::{Linkage, Reader};
use hclvm_vm::{Arena, Limits, cast};

use crate::compile::artifact::{Artifact, SharedArtifact};

/// The saved code of all attributes of a document.
#[derive(Debug)]
pub(crate) struct SavedCode {
    linkage: Linkage,
    /// The position at which the code of each attribute begins.
    starts: Box<[u32]>,
    bytes: Box<[u8]>,
    /// The linked code of the document's module; empty if it was saved without.
    module: Box<[u8]>,
}

impl SavedCode {
    /// Reads the code of the module, and where the code of `attributes` attributes is; it is the rest of what is read.
    pub(crate) fn new(from: &mut Reader<'_>, linkage: Linkage, attributes: usize) -> Option<Self> {
        let module = from.block()?;
        let starts: Vec<u32> = from.list(Reader::u32)?;
        let bytes = from.rest();
        // Each byte is of one attribute at most, which bounds the work for code that was made up.
        let inside = starts.last().is_none_or(|last| cast::index(*last) < bytes.len());
        let valid = starts.len() == attributes && starts.is_sorted_by(|a, b| a < b) && inside;
        valid.then(|| Self { linkage, starts: starts.into(), bytes: bytes.into(), module: module.into() })
    }

    /// Returns the linked code of the document's module, if it was saved.
    pub(crate) fn module(&self) -> Option<&[u8]> {
        Some(&*self.module).filter(|module| !module.is_empty())
    }

    /// Returns the code of an attribute; `None` if it was not saved. Code that is not valid, which no engine writes, is
    /// as if it were not saved, so that the text determines the result.
    pub(crate) fn load(&self, at: u32) -> Option<SharedArtifact> {
        let start = |at: usize| self.starts.get(at).map(|start| cast::index(*start));
        let at = cast::index(at);
        let bytes = self.bytes.get(start(at)?..start(at + 1).unwrap_or(self.bytes.len()))?;
        let arena = arena_of_constants();
        let mut from = Reader::new(bytes);
        if from.u8()? == 0 {
            return None;
        }
        let fast = Fast::load(&mut from, &self.linkage, &arena)?;
        Some(SharedArtifact::new(Artifact { fast, ..Artifact::default() }))
    }
}

/// Returns memory in which constants are built, from which they are copied. Nothing in it is larger than the bytes
/// that are read.
pub(crate) fn arena_of_constants() -> Arena {
    Arena::with_limits(Limits { fuel: u64::MAX, arena_bytes: usize::MAX, ..Limits::UNTRUSTED })
}
