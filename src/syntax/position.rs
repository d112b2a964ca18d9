//! From a place in the text to the structure there, for editors and reports.

use hclvm_vm::Span;

use crate::syntax::document::{Attribute, Block, Body, Document};

/// Whether a range holds the byte at an offset; its end is outside.
fn holds(span: Span, offset: u32) -> bool {
    (span.start..span.end).contains(&offset)
}

impl Document {
    /// The attribute whose definition holds the byte at `offset`, in whatever block.
    pub fn attribute_at(&self, offset: u32) -> Option<Attribute<'_>> {
        let blocks = self.blocks_at(offset);
        let body = blocks.last().map_or(self.body(), |block| block.body());
        body.attributes().find(|attribute| holds(attribute.span(), offset))
    }

    /// The blocks around the byte at `offset`, the outermost first. A block is everything from its
    /// type to its closing brace.
    pub fn blocks_at(&self, offset: u32) -> Vec<Block<'_>> {
        let mut found: Vec<Block<'_>> = Vec::new();
        let mut body: Body<'_> = self.body();
        while let Some(block) = body.blocks().find(|block| holds(block.span(), offset)) {
            found.push(block);
            body = block.body();
        }
        found
    }

    /// The outermost block around the byte at `offset`.
    pub fn outermost_block_at(&self, offset: u32) -> Option<Block<'_>> {
        self.body().blocks().find(|block| holds(block.span(), offset))
    }

    /// The innermost block around the byte at `offset`.
    pub fn innermost_block_at(&self, offset: u32) -> Option<Block<'_>> {
        self.blocks_at(offset).pop()
    }

    /// Names the outermost block around the byte at `offset` as its header does, such as
    /// `rule "allow"`.
    pub fn context_at(&self, offset: u32) -> Option<String> {
        let block = self.outermost_block_at(offset)?;
        let labels = block.labels().map(|label| format!(" {label:?}"));
        Some(std::iter::once(block.kind().to_owned()).chain(labels).collect())
    }
}
