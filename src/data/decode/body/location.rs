//! Where bodies and blocks are, for errors about them.

use hclvm_vm::Span;

use super::failure::BodyError;
use crate::structure::content::problem;
use crate::structure::expansion::BlockView;

/// The position of a body, for errors about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyLocation<'a> {
    /// The block type; empty for a document.
    pub(super) kind: &'a str,
    /// The header of the block.
    pub(super) header: Span,
    /// The opening brace of the block.
    pub(super) open: Span,
}

impl BodyLocation<'_> {
    /// Returns the error of a block without the label that its type needs.
    pub(super) fn missing_label(self) -> BodyError {
        let problem = problem::missing_label(self.kind, "label", &["label".into()], self.open);
        BodyError::Diagnosed(vec![problem.within(self.header.to(self.open))])
    }
}

/// Returns the range of a block from its type to its end.
pub(super) fn block_span(block: &BlockView<'_>) -> Span {
    block.header_span.to(block.body.body().span())
}
