//! A parsed file: bodies, blocks and attributes; each attribute hands out its program.

mod body;
pub(crate) mod json;

use std::sync::{Arc, OnceLock};

use hclvm_compiler::analysis;
use hclvm_compiler::tree::{self, BodyId, Node, NodeId};
use hclvm_vm::{Layout, Span};

use crate::compile::program::{File, Program};
use crate::compile::unit::Home;
use crate::diagnostics::error::Error;
use crate::engine::Engine;
use crate::run::scope::Scope;
use hclvm_compiler::source::Source;

pub use body::{Block, Body};

/// A parsed file. Cheap to clone, shared between threads; attributes are compiled when they are
/// first asked for and stay compiled.
#[derive(Clone, Debug)]
pub struct Document(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    home: Arc<Home>,
    root: BodyId,
    /// Programs by attribute number, for evaluations that borrow them; made when the first does.
    programs: OnceLock<Cells<Result<Program, Error>>>,
    /// Programs of the elements of lists, by attribute number; made when the first list is read.
    elements: OnceLock<Cells<Elements>>,
}

/// A cell for each attribute of a tree, by its number.
type Cells<T> = Box<[OnceLock<T>]>;

/// The programs of the elements of one list.
type Elements = Box<[Result<Program, Error>]>;

impl Document {
    /// `sound` says that the file parsed without any diagnostic.
    pub(crate) fn new(engine: Engine, file: Arc<File>, root: BodyId, sound: bool) -> Self {
        let names = if sound {
            analysis::names_of_sound(&file.tree)
        } else {
            analysis::names(&file.tree, file.tree.expressions())
        };
        let layout = Arc::new(Layout::new(names));
        Self::with_layout(engine, file, root, layout)
    }

    fn with_layout(engine: Engine, file: Arc<File>, root: BodyId, layout: Arc<Layout>) -> Self {
        let home = Home::of_many(&engine, &layout, &file);
        Self(Arc::new(Inner { home, root, programs: OnceLock::new(), elements: OnceLock::new() }))
    }

    /// The same document compiled for scopes of another layout. Names outside of it are
    /// undefined names of the dialect.
    pub fn for_layout(&self, layout: &Arc<Layout>) -> Self {
        Self::with_layout(self.engine().clone(), Arc::clone(self.file()), self.0.root, Arc::clone(layout))
    }

    /// The engine that parsed it.
    pub fn engine(&self) -> &Engine {
        &self.0.home.engine
    }

    /// Its text.
    pub fn source(&self) -> &Arc<Source> {
        &self.0.home.file.source
    }

    /// The names that its programs may read: by default all that the text uses as variables.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.0.home.layout
    }

    /// A scope of its layout without values.
    pub fn scope(&self) -> Scope {
        self.engine().scope(self.layout())
    }

    /// The body of the file.
    pub fn body(&self) -> Body<'_> {
        match self.tree().json() {
            Some(node) => Body::of_json(self, node),
            None => Body::of_native(self, self.0.root),
        }
    }

    /// The attribute `name` of the file's body.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'_>> {
        self.body().attribute(name)
    }

    /// The first block of the file's body with this type and these labels.
    pub fn block<'l>(&self, kind: &str, labels: impl AsRef<[&'l str]>) -> Option<Block<'_>> {
        self.body().block(kind, labels)
    }

    /// Whether it is written in JSON, so that only a schema tells attributes from blocks.
    pub fn is_json(&self) -> bool {
        self.tree().json().is_some()
    }

    pub(crate) fn tree(&self) -> &tree::Tree {
        &self.0.home.file.tree
    }

    pub(crate) fn file(&self) -> &Arc<File> {
        &self.0.home.file
    }
}

fn cells<T>(tree: &tree::Tree) -> Cells<T> {
    (0..tree.attribute_count()).map(|_| OnceLock::new()).collect()
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

    pub(crate) fn definition(self) -> &'d tree::AttributeSyntax {
        self.document.tree().attribute(self.index)
    }

    /// The document it is in.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// Its name.
    pub fn name(self) -> &'d str {
        self.document.tree().attribute_name(self.definition(), self.document.source().text())
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
        self.document.0.home.program(self.index)
    }

    /// The same for as long as the document stays.
    pub(crate) fn program_ref(self) -> Result<&'d Program, &'d Error> {
        let programs = self.document.0.programs.get_or_init(|| cells(self.document.tree()));
        programs[self.index as usize].get_or_init(|| self.program()).as_ref()
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
        let lists = self.document.0.elements.get_or_init(|| cells(self.document.tree()));
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
            let program = inner.home.program_of_part(first, *node);
            first = NodeId(node.0 + 1);
            program
        };
        self.element_nodes().iter().map(compile).collect()
    }

    /// Makes sure that it has a program; whether its code was there already.
    pub(crate) fn compile_or_reuse(self) -> Result<bool, Error> {
        let (code, known) = self.document.0.home.code(self.index);
        code.map(|_| known)
    }

    /// Its program for scopes of another layout.
    pub fn compile(self, layout: &Arc<Layout>) -> Result<Program, Error> {
        let (engine, file) = (self.document.engine(), self.document.file());
        let definition = self.definition();
        Home::of_one(engine, layout, file, definition.first_node, definition.expr).program(0)
    }
}
