//! Bodies and blocks of a document, written in either syntax. In JSON, only a schema shows which
//! properties are blocks; reading by a schema is in `structure/content.rs`.

use std::ops::Range;

use hclvm_compiler::tree::{self, BodyId, BodyItem, NodeId};
use hclvm_vm::Span;

use super::json::{self, JsonBlock};
use super::{Attribute, Document};

/// Attributes and blocks of a file or block.
#[derive(Clone, Copy, Debug)]
pub struct Body<'d> {
    document: &'d Document,
    at: BodyAt,
}

/// The place of a body in the tree.
#[derive(Clone, Copy, Debug)]
enum BodyAt {
    Native(BodyId),
    /// A value, which should be an object or an array of objects.
    Json(NodeId),
}

impl<'d> Body<'d> {
    pub(super) fn of_native(document: &'d Document, id: BodyId) -> Self {
        Self { document, at: BodyAt::Native(id) }
    }

    pub(super) fn of_json(document: &'d Document, value: NodeId) -> Self {
        Self { document, at: BodyAt::Json(value) }
    }

    /// Returns the value of a body in JSON.
    pub(crate) fn json(self) -> Option<NodeId> {
        match self.at {
            BodyAt::Native(_) => None,
            BodyAt::Json(value) => Some(value),
        }
    }

    /// Returns the items of a body in the native syntax.
    fn items(self) -> &'d [BodyItem] {
        match self.at {
            BodyAt::Native(id) => &self.document.file().body(id).items,
            BodyAt::Json(_) => &[],
        }
    }

    /// Returns some of the attributes and blocks of a body in the native syntax, by the numbers of its items.
    pub(in crate::syntax) fn part(self, items: Range<usize>) -> (Vec<Attribute<'d>>, Vec<Block<'d>>) {
        let (mut attributes, mut blocks) = (Vec::new(), Vec::new());
        for item in self.items().get(items).unwrap_or_default() {
            match *item {
                BodyItem::Attribute(index) => attributes.push(Attribute::new(self.document, index)),
                BodyItem::Block(index) => blocks.push(Block::new(self.document, index)),
            }
        }
        (attributes, blocks)
    }

    /// Returns the document it is in.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// Returns its range in the text.
    pub fn span(self) -> Span {
        match self.at {
            BodyAt::Native(id) => self.document.file().body(id).span,
            BodyAt::Json(value) => self.document.tree().span(value),
        }
    }

    /// Returns its attributes in source order. In JSON these are all properties, also repeated ones, but
    /// not the comment `//`.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'d>> {
        let native = self.items().iter().filter_map(|item| match item {
            BodyItem::Attribute(index) => Some(*index),
            BodyItem::Block(_) => None,
        });
        let json = self.json().into_iter();
        let json = json.flat_map(move |value| json::attributes(self.document.tree(), value));
        native.chain(json).map(move |index| Attribute::new(self.document, index))
    }

    /// Returns its blocks in source order. In JSON there are none until a schema names them.
    pub fn blocks(self) -> impl Iterator<Item = Block<'d>> {
        self.items().iter().filter_map(move |item| match item {
            BodyItem::Block(index) => Some(Block { document: self.document, at: BlockAt::Native(*index) }),
            BodyItem::Attribute(_) => None,
        })
    }

    /// Returns the attribute `name`.
    pub fn attribute(self, name: &str) -> Option<Attribute<'d>> {
        self.attributes().find(|attribute| attribute.name() == name)
    }

    /// Returns the first block with this type and these labels.
    pub fn block<'l>(self, kind: &str, labels: impl AsRef<[&'l str]>) -> Option<Block<'d>> {
        let labels = labels.as_ref();
        let matches = |block: &Block<'d>| block.labels().eq(labels.iter().copied());
        let native = self.blocks().find(|block| block.kind() == kind && matches(block));
        native.or_else(|| self.json_blocks(kind, labels.len()).into_iter().find(matches))
    }

    /// Returns the blocks of one type in source order; in JSON, those without labels.
    pub fn blocks_of(self, kind: &str) -> impl Iterator<Item = Block<'d>> {
        let json = self.json_blocks(kind, 0);
        self.blocks().filter(move |block| block.kind() == kind).chain(json)
    }

    /// Returns the blocks of one type with this number of labels of a body in JSON.
    fn json_blocks(self, kind: &str, labels: usize) -> Vec<Block<'d>> {
        let Some(value) = self.json() else { return Vec::new() };
        let found = json::blocks(self.document.tree(), value, kind, labels);
        found.into_iter().map(|block| Block::of_json(self.document, block)).collect()
    }
}

/// A block.
#[derive(Clone, Copy, Debug)]
pub struct Block<'d> {
    document: &'d Document,
    at: BlockAt,
}

/// The place of a block in the tree.
#[derive(Clone, Copy, Debug)]
enum BlockAt {
    /// By its number in the tree.
    Native(u32),
    Json(JsonBlock),
}

impl<'d> Block<'d> {
    /// Returns the block of that number in the document's tree.
    pub(crate) fn new(document: &'d Document, index: u32) -> Self {
        Self { document, at: BlockAt::Native(index) }
    }

    /// Returns its number in the document's tree; `None` in JSON.
    pub(crate) fn index(self) -> Option<u32> {
        match self.at {
            BlockAt::Native(index) => Some(index),
            BlockAt::Json(_) => None,
        }
    }

    pub(crate) fn of_json(document: &'d Document, block: JsonBlock) -> Self {
        Self { document, at: BlockAt::Json(block) }
    }

    /// Returns the syntax of a block that is not written in JSON.
    pub(crate) fn native(self) -> Option<&'d tree::BlockSyntax> {
        match self.at {
            BlockAt::Native(index) => Some(self.document.file().block(index)),
            BlockAt::Json(_) => None,
        }
    }

    /// Returns its type.
    pub fn kind(self) -> &'d str {
        let file = self.document.file();
        match self.at {
            BlockAt::Native(index) => file.block_kind(index),
            BlockAt::Json(block) => file.tree().property_name(block.kind(file.tree())),
        }
    }

    /// Returns the range of its type.
    pub fn kind_span(self) -> Span {
        let file = self.document.file();
        match self.at {
            BlockAt::Native(index) => file.block(index).kind_span,
            BlockAt::Json(block) => block.kind(file.tree()).name_span,
        }
    }

    /// Returns its labels.
    pub fn labels(self) -> impl Iterator<Item = &'d str> {
        let native = self.native().into_iter().flat_map(|block| &block.labels);
        let json = self.json_labels().into_iter();
        let document = self.document;
        native.map(|label| label.text.as_str()).chain(json.map(|label| document.tree().property_name(label)))
    }

    /// Returns the ranges of its labels.
    pub fn label_spans(self) -> impl Iterator<Item = Span> {
        let native = self.native().into_iter().flat_map(|block| &block.labels);
        native.map(|label| label.span).chain(self.json_labels().into_iter().map(|label| label.name_span))
    }

    fn json_labels(self) -> Vec<&'d tree::AttributeSyntax> {
        match self.at {
            BlockAt::Native(_) => Vec::new(),
            BlockAt::Json(block) => block.labels(self.document.tree()),
        }
    }

    /// Returns the range from its type to its last label; in JSON, the bracket that opens its content.
    pub fn header_span(self) -> Span {
        match self.at {
            BlockAt::Native(index) => self.document.file().block(index).header_span(),
            BlockAt::Json(block) => self.document.tree().start_span(block.value),
        }
    }

    /// Returns its range in the text.
    pub fn span(self) -> Span {
        let file = self.document.file();
        match self.at {
            BlockAt::Native(index) => file.block(index).span(),
            BlockAt::Json(block) => block.kind(file.tree()).name_span.to(file.tree().span(block.value)),
        }
    }

    /// Returns its content.
    pub fn body(self) -> Body<'d> {
        match self.at {
            BlockAt::Native(index) => Body::of_native(self.document, self.document.file().block(index).body),
            BlockAt::Json(block) => Body::of_json(self.document, block.value),
        }
    }

    /// Returns the attribute `name` of its body.
    pub fn attribute(self, name: &str) -> Option<Attribute<'d>> {
        self.body().attribute(name)
    }
}
