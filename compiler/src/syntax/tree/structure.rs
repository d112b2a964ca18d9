//! Bodies, attributes and blocks: the parts of a file that are not expressions.
//!
//! These are the syntax; the library wraps them as `Attribute`, `Block` and `Body` for its users.

use hclvm_vm::Span;
use smol_str::SmolStr;

use super::{BodyId, NameId, NodeId, PropertyId};

/// An attribute definition `name = expression`.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeSyntax {
    /// The name, in JSON only; in the native syntax it is the text at `name_span`. See
    /// [`Tree::attribute_name`](super::Tree::attribute_name).
    pub(crate) name: Option<NameId>,
    /// The range of the name.
    pub name_span: Span,
    /// The range of `=`.
    pub equals: Span,
    /// The expression.
    pub expr: NodeId,
    /// The first node of the expression; its nodes are `first_node..=expr`.
    pub first_node: NodeId,
    /// The range from the name to the end of the expression.
    pub span: Span,
}

/// A JSON property `"name": value`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Property {
    /// The property as an attribute, as an index for [`Tree::attribute`](super::Tree::attribute).
    pub attribute: u32,
    /// The property whose value contains this one, at any depth of arrays.
    pub parent: Option<PropertyId>,
}

/// A label of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockLabel {
    /// The text, escapes decoded.
    pub text: SmolStr,
    /// The range, including quotes.
    pub span: Span,
}

/// A block `type "label" { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockSyntax {
    /// The block type.
    pub kind: NameId,
    /// The range of the block type.
    pub kind_span: Span,
    /// The labels in order.
    pub labels: Vec<BlockLabel>,
    /// The range of `{`, or of the type if `{` is missing.
    pub open_brace: Span,
    /// The range of `}`, or of the type if `{` is missing.
    pub close_brace: Span,
    /// The content.
    pub body: BodyId,
}

impl BlockSyntax {
    /// Returns the range from the type to the last label.
    pub fn header_span(&self) -> Span {
        self.labels.last().map_or(self.kind_span, |label| self.kind_span.to(label.span))
    }

    /// Returns the range from the type to the closing brace.
    pub fn span(&self) -> Span {
        self.kind_span.to(self.close_brace)
    }
}

/// An item of a body, as an index into the tree's attributes or blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyItem {
    /// An attribute definition.
    Attribute(u32),
    /// A block.
    Block(u32),
}

/// Attributes and blocks in source order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodySyntax {
    /// The items in source order. Of several definitions of an attribute only the first is listed.
    pub items: Vec<BodyItem>,
    /// The range of the body: the whole text of a file, `{` to `}` of a block, the attribute of a block
    /// on one line.
    pub span: Span,
}
