//! Views of bodies, attributes and blocks: an item as written, with the context it is evaluated in.
//!
//! Views are plain data; `expansion` evaluates them, and `dynamic` makes those of `dynamic` blocks.

use std::fmt;

use hclvm_vm::{Marks, Span, Value};

use crate::syntax::document::{Attribute, Block, Body};

/// An element bound to the iterator of a dynamic block.
#[derive(Clone, Copy)]
pub(crate) struct IteratorBinding<'a> {
    /// The slot of the iterator; `None` if no program reads it.
    pub(super) slot: Option<usize>,
    pub(super) element: Value<'a>,
    pub(super) outer: Option<&'a IteratorBinding<'a>>,
    /// True if this element or an outer one belongs to a marked collection. The element itself carries
    /// no marks; the values evaluated from it get them.
    pub(super) secret: bool,
}

impl IteratorBinding<'_> {
    /// Returns true if messages must not show the element.
    pub(crate) fn is_secret(&self) -> bool {
        self.secret
    }
}

impl fmt::Debug for IteratorBinding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Binding").field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// The context in which a body is evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpansionContext<'a> {
    pub(crate) bound: Option<&'a IteratorBinding<'a>>,
    /// The marks of the collections that the body was made from.
    pub(crate) marks: Marks<'a>,
    /// True if all values are unknown, because the collection is.
    pub(crate) unknown: bool,
}

impl ExpansionContext<'_> {
    /// The context outside of all dynamic blocks.
    pub(crate) const OUTSIDE: Self = Self { bound: None, marks: Marks::NONE, unknown: false };
}

/// A body of an expansion.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    pub(crate) body: Body<'a>,
    pub(crate) context: ExpansionContext<'a>,
}

/// An attribute of an expansion.
#[derive(Clone, Copy, Debug)]
pub struct AttributeView<'a> {
    /// The attribute as written.
    pub attribute: Attribute<'a>,
    pub(super) context: ExpansionContext<'a>,
}

/// A block of an expansion, either written or made by a `dynamic` block.
#[derive(Clone, Debug)]
pub struct BlockView<'a> {
    /// Its type.
    pub kind: &'a str,
    /// The range of its type.
    pub kind_span: Span,
    /// Its labels.
    pub labels: Vec<&'a str>,
    /// The ranges of its labels.
    pub label_spans: Vec<Span>,
    /// True if a label depends on a marked value: the value itself, or the element of a marked collection.
    pub secret_labels: bool,
    /// The range of its header, or of the header of the `dynamic` block that made it.
    pub header_span: Span,
    /// Its content.
    pub body: BodyView<'a>,
    /// The unknown collection, if this block represents all blocks that a `dynamic` block will make
    /// from it. All values in it are unknown.
    pub pending: Option<Value<'a>>,
    /// True if a `dynamic` block made it.
    pub made: bool,
}

/// The items of a body of an expansion.
#[derive(Clone, Debug)]
pub struct ContentView<'a> {
    /// Attributes in source order.
    pub attributes: Vec<AttributeView<'a>>,
    /// Blocks in source order; those made by a `dynamic` block take its place.
    pub blocks: Vec<BlockView<'a>>,
    /// Where to report missing items.
    pub missing_item: Span,
}

impl<'a> ContentView<'a> {
    /// Returns the attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<AttributeView<'a>> {
        self.attributes.iter().copied().find(|view| view.attribute.name() == name)
    }
}

impl<'a> BlockView<'a> {
    /// Returns its labels for a message: none if they are values that are not shown.
    pub(crate) fn shown_labels(&self) -> &[&'a str] {
        let is_secret = || self.body.context.bound.is_some_and(IteratorBinding::is_secret);
        let hides = || self.body.body.document().engine().hides_values();
        if self.made && (is_secret() || hides()) { &[] } else { &self.labels }
    }
}

impl<'a> AttributeView<'a> {
    /// Returns its name.
    pub fn name(self) -> &'a str {
        self.attribute.name()
    }

    /// Returns true if no dynamic block has made it: its value is the result of its program with the scope's variables.
    pub fn is_written(self) -> bool {
        let ExpansionContext { bound, marks, unknown } = self.context;
        bound.is_none() && marks.is_empty() && !unknown
    }
}

impl<'a> BodyView<'a> {
    /// Returns the body as written.
    pub fn body(self) -> Body<'a> {
        self.body
    }

    /// Returns true if all its values are unknown, because it is made from an unknown collection.
    pub fn is_unknown(self) -> bool {
        self.context.unknown
    }

    /// Iterates over its attributes, which no dynamic block makes.
    pub fn attributes(self) -> impl Iterator<Item = AttributeView<'a>> {
        self.body.attributes().map(move |attribute| self.attribute(attribute))
    }

    /// Iterates over its blocks as they are written, in the native syntax: a `dynamic` block is one of them.
    pub fn blocks(self) -> impl Iterator<Item = BlockView<'a>> {
        self.body.blocks().map(move |block| self.block(block))
    }

    pub(crate) fn attribute(self, attribute: Attribute<'a>) -> AttributeView<'a> {
        AttributeView { attribute, context: self.context }
    }

    /// Returns the body of a written block in it.
    pub(crate) fn inside(self, block: Block<'a>) -> Self {
        Self { body: block.body(), context: self.context }
    }

    pub(crate) fn block(self, block: Block<'a>) -> BlockView<'a> {
        BlockView {
            kind: block.kind(),
            kind_span: block.kind_span(),
            labels: block.labels().collect(),
            label_spans: block.label_spans().collect(),
            secret_labels: false,
            header_span: block.header_span(),
            body: self.inside(block),
            pending: None,
            made: false,
        }
    }
}
