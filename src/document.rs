//! A parsed file: bodies, blocks and attributes; each attribute hands out its program.

use std::sync::{Arc, OnceLock};

use hclvm_compiler::analysis;
use hclvm_compiler::tree::{self, BodyId, Item, Node, NodeId};
use hclvm_vm::scope::Layout;
use hclvm_vm::span::Span;

use crate::engine::Engine;
use crate::error::Error;
use crate::program::{File, Program};
use crate::{Scope, Source};

/// A parsed file. Cheap to clone, shared between threads; attributes are compiled when they are
/// first asked for and stay compiled.
#[derive(Clone, Debug)]
pub struct Document(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    engine: Engine,
    file: Arc<File>,
    root: BodyId,
    layout: Arc<Layout>,
    /// Programs by attribute number.
    programs: Box<[OnceLock<Result<Program, Error>>]>,
    /// Programs of the elements of lists, by attribute number; made when the first list is read.
    elements: OnceLock<Box<[OnceLock<Elements>]>>,
}

/// The programs of the elements of one list.
type Elements = Box<[Result<Program, Error>]>;

impl Document {
    pub(crate) fn new(engine: Engine, file: Arc<File>, root: BodyId) -> Self {
        let roots = file.tree.attributes().iter().map(|attribute| attribute.expr);
        let names = analysis::names(&file.tree, roots);
        let layout = Arc::new(Layout::new(names));
        Self::with_layout(engine, file, root, layout)
    }

    fn with_layout(engine: Engine, file: Arc<File>, root: BodyId, layout: Arc<Layout>) -> Self {
        let programs = (0..file.tree.attribute_count()).map(|_| OnceLock::new()).collect();
        let elements = OnceLock::new();
        Self(Arc::new(Inner { engine, file, root, layout, programs, elements }))
    }

    /// The same document compiled for scopes of another layout. Names outside of it are
    /// undefined names of the dialect.
    pub fn for_layout(&self, layout: &Arc<Layout>) -> Self {
        Self::with_layout(self.0.engine.clone(), Arc::clone(&self.0.file), self.0.root, Arc::clone(layout))
    }

    /// The engine that parsed it.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Its text.
    pub fn source(&self) -> &Arc<Source> {
        &self.0.file.source
    }

    /// The names that its programs may read: by default all that the text uses as variables.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.0.layout
    }

    /// A scope of its layout without values.
    pub fn scope(&self) -> Scope {
        self.0.engine.scope(&self.0.layout)
    }

    /// The body of the file.
    pub fn body(&self) -> Body<'_> {
        Body { document: self, id: self.0.root }
    }

    /// The attribute `name` of the file's body.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'_>> {
        self.body().attribute(name)
    }

    /// The first block of the file's body with this type and these labels.
    pub fn block<'l>(&self, kind: &str, labels: impl AsRef<[&'l str]>) -> Option<Block<'_>> {
        self.body().block(kind, labels)
    }

    fn tree(&self) -> &tree::Tree {
        &self.0.file.tree
    }

    pub(crate) fn file(&self) -> &Arc<File> {
        &self.0.file
    }
}

/// Attributes and blocks of a file or block.
#[derive(Clone, Copy, Debug)]
pub struct Body<'d> {
    document: &'d Document,
    id: BodyId,
}

impl<'d> Body<'d> {
    fn items(self) -> &'d [Item] {
        &self.document.tree().body(self.id).items
    }

    /// The document it is in.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// Its range in the text.
    pub fn span(self) -> Span {
        self.document.tree().body(self.id).span
    }

    /// Its attributes in source order.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'d>> {
        self.items().iter().filter_map(move |item| match item {
            Item::Attribute(index) => Some(Attribute { document: self.document, index: *index }),
            Item::Block(_) => None,
        })
    }

    /// Its blocks in source order.
    pub fn blocks(self) -> impl Iterator<Item = Block<'d>> {
        self.items().iter().filter_map(move |item| match item {
            Item::Block(index) => Some(Block { document: self.document, index: *index }),
            Item::Attribute(_) => None,
        })
    }

    /// The attribute `name`.
    pub fn attribute(self, name: &str) -> Option<Attribute<'d>> {
        self.attributes().find(|attribute| attribute.name() == name)
    }

    /// The first block with this type and these labels.
    pub fn block<'l>(self, kind: &str, labels: impl AsRef<[&'l str]>) -> Option<Block<'d>> {
        let labels = labels.as_ref();
        self.blocks().find(|block| block.kind() == kind && block.labels().eq(labels.iter().copied()))
    }

    /// The blocks of one type in source order.
    pub fn blocks_of(self, kind: &str) -> impl Iterator<Item = Block<'d>> {
        self.blocks().filter(move |block| block.kind() == kind)
    }
}

/// An attribute definition.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'d> {
    document: &'d Document,
    index: u32,
}

impl<'d> Attribute<'d> {
    /// The attribute of that number in the document's tree.
    pub(crate) fn new(document: &'d Document, index: u32) -> Self {
        Self { document, index }
    }

    /// Its number in the document's tree.
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    pub(crate) fn definition(self) -> &'d tree::Attribute {
        self.document.tree().attribute(self.index)
    }

    /// The document it is in.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// Its name.
    pub fn name(self) -> &'d str {
        self.document.tree().name(self.definition().name)
    }

    /// The range of its name.
    pub fn name_span(self) -> Span {
        self.definition().name_span
    }

    /// The range of its expression.
    pub fn expression_span(self) -> Span {
        self.document.tree().span(self.definition().expr)
    }

    /// The range from its name to the end of its expression.
    pub fn span(self) -> Span {
        self.definition().span
    }

    /// The range that stands for its expression where only the beginning matters.
    pub(crate) fn start_span(self) -> Span {
        self.document.tree().start_span(self.definition().expr)
    }

    /// Its program, compiled for the document's layout the first time it is asked for.
    pub fn program(self) -> Result<Program, Error> {
        self.program_ref().cloned().map_err(Clone::clone)
    }

    pub(crate) fn program_ref(self) -> Result<&'d Program, &'d Error> {
        let cell = &self.document.0.programs[self.index as usize];
        cell.get_or_init(|| self.compile(&self.document.0.layout)).as_ref()
    }

    /// How many elements its expression has, when it is written as a list.
    pub(crate) fn element_count(self) -> Option<usize> {
        match self.document.tree().node(self.definition().expr) {
            Node::Tuple(items) => Some(items.len()),
            _ => None,
        }
    }

    fn element_nodes(self) -> &'d [NodeId] {
        let tree = self.document.tree();
        match tree.node(self.definition().expr) {
            Node::Tuple(items) => tree.list(items),
            _ => &[],
        }
    }

    /// The range of an element of the list that is its expression.
    pub(crate) fn element_span(self, at: usize) -> Span {
        let node = self.element_nodes().get(at).copied();
        node.map_or(self.expression_span(), |node| self.document.tree().span(node))
    }

    /// The program of an element of the list that is its expression; of another expression, the
    /// program of the whole.
    pub(crate) fn element_ref(self, at: usize) -> Result<&'d Program, &'d Error> {
        let lists =
            self.document.0.elements.get_or_init(|| {
                (0..self.document.tree().attribute_count()).map(|_| OnceLock::new()).collect()
            });
        let elements = lists[self.index as usize].get_or_init(|| self.compile_elements());
        match elements.get(at) {
            Some(element) => element.as_ref(),
            None => self.program_ref(),
        }
    }

    fn compile_elements(self) -> Elements {
        let inner = &self.document.0;
        let mut first = self.definition().first_node;
        let compile = |node: &NodeId| {
            // The nodes of an element end with it, and those of the next follow.
            let program = inner.engine.program(&inner.file, first, *node, &inner.layout);
            first = NodeId(node.0 + 1);
            program
        };
        self.element_nodes().iter().map(compile).collect()
    }

    /// Makes sure that it has a program; whether its code was there already.
    pub(crate) fn compile_or_reuse(self) -> Result<bool, Error> {
        let definition = self.definition();
        let inner = &self.document.0;
        let cell = &inner.programs[self.index as usize];
        let mut reused = true;
        let program = cell.get_or_init(|| {
            let made = inner.engine.cached_program(
                &inner.file,
                definition.first_node,
                definition.expr,
                &inner.layout,
            );
            made.map(|(program, known)| {
                reused = known;
                program
            })
        });
        program.as_ref().map(|_| reused).map_err(Clone::clone)
    }

    /// Its program for scopes of another layout.
    pub fn compile(self, layout: &Arc<Layout>) -> Result<Program, Error> {
        let definition = self.definition();
        let inner = &self.document.0;
        Ok(inner.engine.cached_program(&inner.file, definition.first_node, definition.expr, layout)?.0)
    }
}

/// A block.
#[derive(Clone, Copy, Debug)]
pub struct Block<'d> {
    document: &'d Document,
    index: u32,
}

impl<'d> Block<'d> {
    pub(crate) fn definition(self) -> &'d tree::Block {
        self.document.tree().block(self.index)
    }

    /// Its type.
    pub fn kind(self) -> &'d str {
        self.document.tree().name(self.definition().kind)
    }

    /// The range of its type.
    pub fn kind_span(self) -> Span {
        self.definition().kind_span
    }

    /// Its labels.
    pub fn labels(self) -> impl Iterator<Item = &'d str> {
        self.definition().labels.iter().map(|label| label.text.as_str())
    }

    /// The ranges of its labels.
    pub fn label_spans(self) -> impl Iterator<Item = Span> {
        self.definition().labels.iter().map(|label| label.span)
    }

    /// The range from its type to its last label.
    pub fn header_span(self) -> Span {
        self.definition().header_span()
    }

    /// Its range in the text.
    pub fn span(self) -> Span {
        self.definition().span()
    }

    /// Its content.
    pub fn body(self) -> Body<'d> {
        Body { document: self.document, id: self.definition().body }
    }

    /// The attribute `name` of its body.
    pub fn attribute(self, name: &str) -> Option<Attribute<'d>> {
        self.body().attribute(name)
    }
}
