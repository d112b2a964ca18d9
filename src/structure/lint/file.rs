//! What all lints need to know about a file: its expressions and its locals.

use std::collections::{HashMap, HashSet};

use hclvm_compiler::analysis::{Need, variable_need};
use hclvm_compiler::tree::{Node, NodeId, Tree};
use hclvm_vm::{Code, Diagnostic, Span};
use smol_str::SmolStr;

use super::shape::ValueShape;
use crate::structure::check::Declared;
use crate::structure::module::locals::{LOCAL, LOCALS};
use crate::syntax::document::{Attribute, Body, Document};

/// Types of blocks of applications that read all files of a folder as one: what reads a local may be in
/// another file.
const OF_FOLDERS: &[&str] = &[
    "build",
    "data",
    "ephemeral",
    "import",
    "module",
    "moved",
    "output",
    "packer",
    "provider",
    "resource",
    "source",
    "terraform",
    "variable",
];

/// The attribute of files of an application whose files are included by others, which read their locals.
const INPUTS: &str = "inputs";

/// Characters of an expression that a sentence quotes; the report shows the rest below it.
const LONGEST_QUOTE: usize = 60;

/// A file that is being linted.
pub(super) struct LintedFile<'d> {
    pub(super) document: &'d Document,
    pub(super) tree: &'d Tree,
    /// All attributes, those of blocks included.
    pub(super) attributes: Vec<Attribute<'d>>,
    /// The declared variables.
    pub(super) declared: Option<&'d Declared>,
    /// Names that `for` expressions and dynamic blocks declare anywhere: they are not those of variables.
    pub(super) bound: HashSet<SmolStr>,
    /// The locals with their expressions.
    pub(super) locals: HashMap<&'d str, NodeId>,
    /// The parts of `local` that expressions read; `None` if there are none.
    read: Option<Need>,
    /// True for a file of an application that reads all files of a folder as one.
    pub(super) is_part: bool,
    /// Locals that a warning says to be meant somewhere.
    mentioned: HashSet<&'d str>,
    found: Vec<Diagnostic>,
}

impl<'d> LintedFile<'d> {
    pub(super) fn new(document: &'d Document, declared: Option<&'d Declared>) -> Self {
        let tree = document.tree();
        let attributes = attributes(document.body());
        let of_locals = document.body().blocks_of(LOCALS).flat_map(|block| block.body().attributes());
        let locals: HashMap<_, _> = of_locals.map(|local| (local.name(), local.definition().expr)).collect();
        let expressions = attributes.iter().map(|attribute| attribute.nodes());
        let read = match document.layout().slot(LOCAL) {
            Some(_) => variable_need(tree, expressions, LOCAL),
            None => None,
        };
        let (mentioned, found, bound) = (HashSet::new(), Vec::new(), HashSet::new());
        let is_part = is_part(document);
        let mut file =
            Self { document, tree, attributes, declared, bound, locals, read, is_part, mentioned, found };
        file.bound = file.bound_names();
        file
    }

    fn bound_names(&self) -> HashSet<SmolStr> {
        let mut names: HashSet<SmolStr> = self.document.iterators().into_iter().collect();
        for id in self.nodes() {
            if let Node::For(details) = self.tree.node(id) {
                let details = self.tree.for_expr(details);
                let declared = details.key_name.iter().chain([&details.value_name]);
                names.extend(declared.map(|name| self.tree.name(*name).clone()));
            }
        }
        names
    }

    /// Returns true if an expression reads any local.
    pub(super) fn reads_locals(&self) -> bool {
        self.read.is_some()
    }

    /// Returns true if an expression reads a local.
    pub(super) fn reads_local(&self, name: &str) -> bool {
        self.read.as_ref().is_some_and(|need| need.is_whole() || need.attribute(name).is_some())
    }

    /// Iterates over the names of locals that expressions read, defined or not.
    pub(super) fn read_names(&self) -> impl Iterator<Item = &str> {
        self.read.iter().flat_map(Need::names).map(SmolStr::as_str)
    }

    /// Notes that a warning says that a local is meant, so that it is not reported that nothing reads it.
    pub(super) fn mention(&mut self, name: &str) {
        self.mentioned.extend(self.locals.get_key_value(name).map(|(name, _)| *name));
    }

    pub(super) fn is_mentioned(&self, name: &str) -> bool {
        self.mentioned.contains(name)
    }

    /// Returns true if the value of an expression may be a number, where its syntax shows the kind.
    pub(super) fn may_be_number(&self, id: NodeId) -> bool {
        self.shape(id).is_none_or(|shape| shape == ValueShape::Number)
    }

    /// Reports a warning, which is made more precise by what is returned.
    pub(super) fn warn(&mut self, code: Code, detail: String, span: Span) -> &mut Diagnostic {
        let title = code.titles().first().copied().unwrap_or_default();
        self.found.push(Diagnostic::error(title, detail, span).coded(code).warning());
        let last = self.found.len() - 1;
        &mut self.found[last]
    }

    /// Returns the warnings.
    pub(super) fn into_found(self) -> Vec<Diagnostic> {
        self.found
    }

    /// Iterates over the nodes of all expressions; parts come before the whole.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<'d> {
        let ranges: Vec<(u32, u32)> = self
            .attributes
            .iter()
            .map(|attribute| attribute.definition())
            .map(|definition| (definition.first_node.0, definition.expr.0))
            .collect();
        ranges.into_iter().flat_map(|(first, last)| (first..=last).map(NodeId))
    }

    /// Returns the source text of a node.
    pub(super) fn text(&self, id: NodeId) -> &'d str {
        self.tree.span(id).slice(self.document.source().text())
    }

    /// Returns the name of the local that a text such as `local.n` names.
    pub(super) fn local_named(&self, path: &str) -> Option<&'d str> {
        let name = path.strip_prefix(LOCAL)?.strip_prefix('.')?;
        self.locals.get_key_value(name.split(['.', '[']).next()?).map(|(name, _)| *name)
    }

    /// Returns true if a path with a dot is a local, or begins with a variable that the file reads.
    pub(super) fn is_known(&self, path: &str) -> bool {
        let Some((root, _)) = path.split_once('.') else { return false };
        match root {
            LOCAL => self.local_named(path).is_some(),
            _ => self.document.layout().slot(root).is_some(),
        }
    }

    /// Returns the source text of a node for a sentence, cut to a part of a line.
    pub(super) fn quoted(&self, id: NodeId) -> String {
        let text = self.text(id);
        let short: String =
            text.chars().take_while(|c| !matches!(c, '\n' | '\r')).take(LONGEST_QUOTE).collect();
        if short.len() == text.len() { format!("`{short}`") } else { format!("`{short}…`") }
    }

    /// Returns an expression without the parentheses around it.
    pub(super) fn bare(&self, mut id: NodeId) -> NodeId {
        while let Node::Parens(inner) = self.tree.node(id) {
            id = inner;
        }
        id
    }

    /// Returns the text of a string without interpolations.
    pub(super) fn literal(&self, id: NodeId) -> Option<&'d str> {
        self.tree.literal_text(self.bare(id))
    }

    /// Calls `visit` with all nodes of an expression.
    pub(super) fn visit(&self, root: NodeId, mut visit: impl FnMut(NodeId)) {
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            visit(id);
            self.tree.children(id, &mut open);
        }
    }
}

/// Returns true for a file of an application that reads all files of a folder as one.
fn is_part(document: &Document) -> bool {
    let body = document.body();
    // In JSON, blocks are also attributes.
    let names = body.blocks().map(|block| block.kind());
    let names = names.chain(body.attributes().filter(|_| document.is_json()).map(|one| one.name()));
    names.into_iter().any(|name| OF_FOLDERS.contains(&name)) || body.attribute(INPUTS).is_some()
}

/// Returns all attributes of a body and of the blocks in it.
fn attributes(body: Body<'_>) -> Vec<Attribute<'_>> {
    let mut found = Vec::new();
    let mut open = vec![body];
    while let Some(body) = open.pop() {
        found.extend(body.attributes());
        open.extend(body.blocks().map(|block| block.body()));
    }
    found
}
