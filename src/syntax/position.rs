//! From a position in the text to the attribute or blocks there, for editors and reports. The way back,
//! from an item to its range, are the `span` methods of the items.

use hclvm_vm::Span;

use crate::syntax::document::{Attribute, Block, Body, Document};

/// Returns true if a range contains the byte at an offset. The end of a range is exclusive.
fn holds(span: Span, offset: u32) -> bool {
    (span.start..span.end).contains(&offset)
}

impl Document {
    /// Returns the attribute, in any block, whose definition contains the byte at `offset`.
    pub fn attribute_at(&self, offset: u32) -> Option<Attribute<'_>> {
        let blocks = self.blocks_at(offset);
        let body = blocks.last().map_or(self.body(), |block| block.body());
        body.attributes().find(|attribute| holds(attribute.span(), offset))
    }

    /// Returns the blocks around the byte at `offset`, the outermost first. A block ranges from its type
    /// to its closing brace.
    pub fn blocks_at(&self, offset: u32) -> Vec<Block<'_>> {
        let mut found: Vec<Block<'_>> = Vec::new();
        let mut body: Body<'_> = self.body();
        while let Some(block) = body.blocks().find(|block| holds(block.span(), offset)) {
            found.push(block);
            body = block.body();
        }
        found
    }

    /// Returns the outermost block around the byte at `offset`.
    pub fn outermost_block_at(&self, offset: u32) -> Option<Block<'_>> {
        self.body().blocks().find(|block| holds(block.span(), offset))
    }

    /// Returns the innermost block around the byte at `offset`.
    pub fn innermost_block_at(&self, offset: u32) -> Option<Block<'_>> {
        self.blocks_at(offset).pop()
    }

    /// Returns the header of the outermost block around the byte at `offset`, such as
    /// `rule "allow"`.
    pub fn context_at(&self, offset: u32) -> Option<String> {
        let block = self.outermost_block_at(offset)?;
        let labels = block.labels().map(|label| format!(" {label:?}"));
        Some(std::iter::once(block.kind().to_owned()).chain(labels).collect())
    }
}
