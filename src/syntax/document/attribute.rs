//! Attribute definitions of a document, and the way from one to its program. How an expression is
//! compiled is in [`compile`](crate::compile).

use std::sync::{Arc, OnceLock};

use hclvm_compiler::analysis;
use hclvm_compiler::lower::TooLarge;
use hclvm_compiler::tree::{AttributeSyntax, Node, NodeId};
use hclvm_vm::{Layout, Span, cast};

use super::{Cells, Document, ElementPrograms};
use crate::compile::artifact::SharedArtifact;
use crate::compile::program::Program;
use crate::compile::settings::Engine;
use crate::compile::unit::Unit;
use crate::diagnostics::error::Error;

/// An attribute definition.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'d> {
    document: &'d Document,
    index: u32,
}

/// A part of a template, see [`Attribute::template_parts`].
#[derive(Clone, Debug)]
pub enum TemplatePart<'d> {
    /// Literal text, escapes decoded, not normalized.
    Text(&'d str),
    /// An expression or a directive.
    Expression(Program),
}

impl<'d> Attribute<'d> {
    /// Returns the attribute of that number in the document's tree.
    pub(crate) fn new(document: &'d Document, index: u32) -> Self {
        Self { document, index }
    }

    /// Returns its number in the document's tree.
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    pub(crate) fn definition(self) -> &'d AttributeSyntax {
        self.document.file().attribute(self.index)
    }

    /// Returns the first node and the root of its expression in the [tree](Document::tree): its nodes are those
    /// from the first one to the root.
    pub fn nodes(self) -> (NodeId, NodeId) {
        let definition = self.definition();
        (definition.first_node, definition.expr)
    }

    /// Returns the document it is in.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// Returns its name.
    pub fn name(self) -> &'d str {
        self.document.file().attribute_name(self.definition())
    }

    /// Returns the range of its name.
    pub fn name_span(self) -> Span {
        self.definition().name_span
    }

    /// Returns the range of its expression.
    pub fn expression_span(self) -> Span {
        self.document.file().expression_span(self.index)
    }

    /// Returns the ranges of the literals in its expression: numbers, texts without the expressions inside of them, and
    /// written names of an object. To show an expression without them, see
    /// [`Diagnostics::redacted`](crate::Diagnostics::redacted).
    pub fn literal_spans(self) -> Vec<Span> {
        let tree = self.document.tree();
        let is_literal = |id: NodeId| match tree.node(id) {
            Node::Number(_) | Node::Text(_) | Node::JsonKey { .. } => true,
            Node::ObjectKey { forced, .. } => !forced,
            // Its text has escapes, so that the places inside of it are not those of parts.
            Node::JsonString { .. } | Node::Broken(_) | Node::Invalid => true,
            _ => false,
        };
        let (first, last) = self.nodes();
        let nodes = (first.0..=last.0).map(NodeId);
        nodes.filter(|id| is_literal(*id)).map(|id| tree.span(id)).collect()
    }

    /// Returns the range from its name to the end of its expression.
    pub fn span(self) -> Span {
        self.definition().span
    }

    /// Returns the range of the first part of its expression: of a text in quotes that behind the opening quote.
    pub fn start_span(self) -> Span {
        self.document.tree().start_span(self.definition().expr)
    }

    /// Returns its program, compiled for the document's layout the first time it is needed.
    ///
    /// # Errors
    /// An expression that is too large for the instruction format.
    pub fn program(self) -> Result<Program, Error> {
        Program::of(&self.document.0.unit, self.index)
    }

    /// Returns its code to be linked; see [`Unit::code_to_link`].
    ///
    /// # Errors
    /// As [`Attribute::program`].
    pub(crate) fn code_to_link(self) -> Result<SharedArtifact, Error> {
        let code = self.document.0.unit.code_to_link(self.index);
        code.map_err(|TooLarge| Error::too_large(self.document.source(), self.expression_span()))
    }

    /// Like [`Attribute::program`], borrowed from the document.
    pub(crate) fn program_ref(self) -> Result<&'d Program, &'d Error> {
        let programs = self.document.0.programs.get_or_init(|| cells(self.document));
        programs[cast::index(self.index)].get_or_init(|| self.program()).as_ref()
    }

    /// Returns its program for the baseline tier alone, which is not kept by the document.
    pub(crate) fn baseline_program(self) -> Result<Program, Error> {
        let AttributeSyntax { first_node, expr, .. } = *self.definition();
        Program::for_baseline(&self.document.0.unit, first_node, expr)
    }

    /// Returns its program for scopes of another layout.
    ///
    /// # Errors
    /// As [`Attribute::program`].
    pub fn compile(self, layout: &Arc<Layout>) -> Result<Program, Error> {
        Program::of(&self.unit_for(layout), 0)
    }

    /// Returns its program with the functions, rules and limits of another engine. Applications allow other
    /// functions in some places of a file than in the rest: none in the values of variables, for example.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hclvm::functions::FunctionTable;
    /// use hclvm::{Engine, Layout};
    ///
    /// let document = Engine::new().parse("x.hcl", "port = max(80, 8080)")?;
    /// let plain = Engine::builder().functions(FunctionTable::new()).build();
    /// let (port, nothing) = (document.attribute("port").expect("it is there"), Arc::new(Layout::default()));
    /// let program = port.compile_with(&plain, &nothing)?;
    /// let error = plain.session().run(&program, &plain.scope(&nothing)).unwrap_err();
    /// assert!(error.to_string().contains("Call to unknown function"));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Attribute::program`].
    pub fn compile_with(self, engine: &Engine, layout: &Arc<Layout>) -> Result<Program, Error> {
        let (first, root) = self.nodes();
        Program::of(&Unit::of_expression(engine, layout, self.document.file(), first, root), 0)
    }

    /// Returns the single name that its expression consists of, which is not read as a variable.
    pub fn keyword(self) -> Option<&'d str> {
        analysis::keyword(self.document.tree(), self.definition().expr)
    }

    /// Returns true if its expression is written as an object, `{ … }`.
    pub fn is_object(self) -> bool {
        analysis::map(self.document.tree(), self.definition().expr).is_ok()
    }

    /// Creates a unit of its expression alone, for scopes of another layout.
    pub(crate) fn unit_for(self, layout: &Arc<Layout>) -> Arc<Unit> {
        let (engine, file, definition) = (self.document.engine(), self.document.file(), self.definition());
        Unit::of_expression(engine, layout, file, definition.first_node, definition.expr)
    }

    /// Enters its expression in the engine's cache, so that documents parsed later can find it.
    pub(crate) fn enter_in_cache(self) {
        self.document.0.unit.look_up(self.index);
    }

    /// Uses the code of an equal expression of another document. Returns false if that is not compiled, or is for
    /// scopes of another layout.
    pub(crate) fn take_code_of(self, other: Attribute<'_>) -> bool {
        self.document.0.unit.take_code(self.index, &other.document.0.unit, other.index)
    }

    /// Compiles it unless the engine has the code of an equal expression. Returns whether it has.
    pub(crate) fn compile_or_reuse(self) -> Result<bool, Error> {
        let (code, known) = self.document.0.unit.code(self.index);
        match code {
            Ok(_) => Ok(known),
            Err(_) => self.program().map(|_| known),
        }
    }

    /// Returns the number of elements of its expression if that is written as a list.
    pub(crate) fn element_count(self) -> Option<usize> {
        match self.document.tree().node(self.definition().expr) {
            Node::Tuple(items) => Some(items.len()),
            _ => None,
        }
    }

    /// Returns the parts of the template that is its expression, in order; an expression that is no template is a single
    /// part. For hosts that show a template although a part of it has no value.
    ///
    /// ```
    /// use hclvm::Engine;
    /// use hclvm::syntax::TemplatePart;
    ///
    /// let engine = Engine::new();
    /// let document = engine.parse("x.hcl", r#"greeting = "Hello, ${name}!""#)?;
    /// let parts = document.attribute("greeting").expect("it is there").template_parts()?;
    /// assert!(matches!(parts.as_slice(), [TemplatePart::Text("Hello, "), TemplatePart::Expression(_), TemplatePart::Text("!")]));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Attribute::program`].
    pub fn template_parts(self) -> Result<Vec<TemplatePart<'d>>, Error> {
        let tree = self.document.tree();
        let Node::Template(parts) = tree.node(self.definition().expr) else {
            return Ok(vec![TemplatePart::Expression(self.program()?)]);
        };
        // The nodes of a part end with it. Nodes of texts may be behind those of the expressions that follow them.
        let mut ends: Vec<u32> = tree.list(parts).iter().map(|node| node.0).collect();
        ends.sort_unstable();
        let part = |node: &NodeId| {
            if let Node::Text(text) = tree.node(*node) {
                return Ok(TemplatePart::Text(tree.text(text)));
            }
            let before = ends.partition_point(|end| *end < node.0).checked_sub(1).and_then(|at| ends.get(at));
            let first = before.map_or(self.definition().first_node, |end| NodeId(end + 1));
            Program::of_part(&self.document.0.unit, first, *node).map(TemplatePart::Expression)
        };
        tree.list(parts).iter().map(part).collect()
    }

    fn element_nodes(self) -> &'d [NodeId] {
        let tree = self.document.tree();
        match tree.node(self.definition().expr) {
            Node::Tuple(items) => tree.list(items),
            _ => &[],
        }
    }

    /// Returns the range of an element of the list that is its expression.
    pub(crate) fn element_span(self, at: usize) -> Span {
        let node = self.element_nodes().get(at).copied();
        node.map_or(self.expression_span(), |node| self.document.tree().span(node))
    }

    /// Returns the program of an element of the list that is its expression. If that is not a list,
    /// returns the program of the whole expression.
    pub(crate) fn element_ref(self, at: usize) -> Result<&'d Program, &'d Error> {
        let lists = self.document.0.elements.get_or_init(|| cells(self.document));
        let elements = lists[cast::index(self.index)].get_or_init(|| self.compile_elements());
        match elements.get(at) {
            Some(element) => element.as_ref(),
            None => self.program_ref(),
        }
    }

    fn compile_elements(self) -> ElementPrograms {
        let mut first = self.definition().first_node;
        let compile = |node: &NodeId| {
            // The nodes of an element end with it, and those of the next follow.
            let program = Program::of_part(&self.document.0.unit, first, *node);
            first = NodeId(node.0 + 1);
            program
        };
        self.element_nodes().iter().map(compile).collect()
    }
}

fn cells<T>(document: &Document) -> Cells<T> {
    (0..document.file().attribute_count()).map(|_| OnceLock::new()).collect()
}
