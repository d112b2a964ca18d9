//! A parsed text, which the [units](crate::compile::unit) of its expressions share.

use std::sync::{Arc, OnceLock};

use hclvm_compiler::source::{Input, Source};
use hclvm_compiler::tree::{AttributeSyntax, BlockSyntax, BodyId, BodySyntax, NodeId, Structure, Tree};
use hclvm_compiler::{ParseLimits, parse_config};
use hclvm_vm::{Diagnostic, Span};

use crate::diagnostics::blocks::tell_blocks;
use crate::diagnostics::error::Diagnostics;

/// How a text was parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SourceKind {
    /// A file of attributes and blocks.
    Config,
    /// A single expression.
    Expression,
    /// A bare template.
    Template,
    /// A file in JSON.
    Json,
    /// A single value in JSON.
    JsonExpression,
}

/// A parsed text. That of a loaded document is parsed when its tree is first needed.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) kind: SourceKind,
    pub(crate) source: Arc<Source>,
    tree: OnceLock<Tree>,
    loaded: Option<Box<LoadedText>>,
}

/// The properties of a text that is not parsed.
#[derive(Debug)]
pub(crate) struct LoadedText {
    pub(crate) structure: Structure,
    pub(crate) limits: ParseLimits,
}

/// The properties of a text.
pub(super) enum TextProperties<'f> {
    Tree(&'f Tree),
    /// The text was not parsed.
    Structure(&'f Structure),
}

impl TextProperties<'_> {
    /// Returns the range of the expression of an attribute.
    #[inline]
    pub(super) fn expression_span(&self, at: u32) -> Span {
        match self {
            Self::Tree(tree) => tree.span(tree.attribute(at).expr),
            Self::Structure(structure) => structure.expression_span(at),
        }
    }
}

impl SourceFile {
    /// Creates the file of a parsed text.
    pub(crate) fn new(kind: SourceKind, source: Arc<Source>, tree: Tree) -> Self {
        Self { kind, source, tree: OnceLock::from(tree), loaded: None }
    }

    /// Creates the file of a loaded document.
    pub(crate) fn of_loaded(source: Source, loaded: LoadedText) -> Self {
        let (source, tree) = (Arc::new(source), OnceLock::new());
        Self { kind: SourceKind::Config, source, tree, loaded: Some(Box::new(loaded)) }
    }

    /// Returns the tree. If the text of a loaded document has another structure than the document claims, none of its
    /// expressions are valid, which makes them unknown values; no engine writes such a document.
    #[inline]
    pub(crate) fn tree(&self) -> &Tree {
        match self.tree.get() {
            Some(tree) => tree,
            None => self.parsed_later(),
        }
    }

    // Cold: once for a loaded document, and never for a parsed one.
    #[cold]
    fn parsed_later(&self) -> &Tree {
        self.tree.get_or_init(|| {
            let Some(loaded) = &self.loaded else { return Tree::default() };
            let parsed = parse_config(Input::from(&**self.source.text()), &loaded.limits);
            let is_sound = parsed.diagnostics.is_empty();
            if is_sound && loaded.structure.is_of(&parsed.tree, parsed.body) {
                parsed.tree
            } else {
                loaded.structure.without_expressions()
            }
        })
    }

    /// Returns the tree, or the structure of a loaded document that was not parsed.
    #[inline]
    pub(super) fn known(&self) -> TextProperties<'_> {
        match (self.tree.get(), &self.loaded) {
            (Some(tree), _) => TextProperties::Tree(tree),
            (None, Some(loaded)) => TextProperties::Structure(&loaded.structure),
            (None, None) => TextProperties::Tree(self.tree()),
        }
    }

    /// Returns the attribute of that number.
    #[inline]
    pub(crate) fn attribute(&self, at: u32) -> &AttributeSyntax {
        match self.known() {
            TextProperties::Tree(tree) => tree.attribute(at),
            TextProperties::Structure(structure) => structure.attribute(at),
        }
    }

    /// Returns the name of an attribute.
    #[inline]
    pub(crate) fn attribute_name<'f>(&'f self, attribute: &'f AttributeSyntax) -> &'f str {
        match self.known() {
            TextProperties::Tree(tree) => tree.attribute_name(attribute, self.source.text()),
            // Files in JSON, whose names have escapes, have no structure.
            TextProperties::Structure(_) => attribute.name_span.slice(self.source.text()),
        }
    }

    /// Returns the range of the expression of an attribute.
    #[inline]
    pub(crate) fn expression_span(&self, at: u32) -> Span {
        self.known().expression_span(at)
    }

    /// Returns the number of attributes in all bodies.
    pub(crate) fn attribute_count(&self) -> usize {
        match self.known() {
            TextProperties::Tree(tree) => tree.attribute_count(),
            TextProperties::Structure(structure) => structure.attribute_count(),
        }
    }

    /// Returns a block of a file in the native syntax.
    #[inline]
    pub(crate) fn block(&self, at: u32) -> &BlockSyntax {
        match self.known() {
            TextProperties::Tree(tree) => tree.block(at),
            TextProperties::Structure(structure) => structure.block(at),
        }
    }

    /// Returns the type of the block of that number in a file in the native syntax.
    #[inline]
    pub(crate) fn block_kind(&self, at: u32) -> &str {
        match self.known() {
            TextProperties::Tree(tree) => tree.name(tree.block(at).kind),
            TextProperties::Structure(structure) => structure.kind(structure.block(at)),
        }
    }

    /// Returns a body of a file in the native syntax.
    #[inline]
    pub(crate) fn body(&self, id: BodyId) -> &BodySyntax {
        match self.known() {
            TextProperties::Tree(tree) => tree.body(id),
            TextProperties::Structure(structure) => structure.body(id),
        }
    }

    /// Returns the root value of a file in JSON.
    pub(crate) fn json(&self) -> Option<NodeId> {
        if self.kind == SourceKind::Json { self.tree().json() } else { None }
    }

    /// Returns diagnostics about the text, with the blocks around their places.
    pub(crate) fn diagnostics(&self, mut list: Vec<Diagnostic>) -> Diagnostics {
        for diagnostic in &mut list {
            tell_blocks(self.tree(), diagnostic);
        }
        Diagnostics::new(Arc::clone(&self.source), list)
    }
}
