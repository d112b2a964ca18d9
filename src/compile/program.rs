//! A program: the code of one expression with its place in a text. The code alone, which programs of
//! equal text share, is an [`Artifact`](crate::compile::artifact::Artifact).

mod problems;

use std::fmt;
use std::sync::Arc;

use hclvm_compiler::analysis::{Determined, Folded};
use hclvm_compiler::lower::TooLarge;
use hclvm_compiler::source::Source;
use hclvm_compiler::tree::{NodeId, Tree};
use hclvm_compiler::{LexMode, ParsedExpression, parse_expression, parse_json_expression, parse_template};
use hclvm_vm::code::columns::ColumnCode;
use hclvm_vm::code::fast::Fast;
use hclvm_vm::code::{Code, Line, Slot};
use hclvm_vm::{FunctionTable, Layout, Span, Type, code};
use yoke::Yoke;

use crate::compile::artifact::{Artifact, SharedArtifact};
use crate::compile::file::{SourceFile, SourceKind};
use crate::compile::settings::Engine;
use crate::compile::text::Text;
use crate::compile::unit::{NecessaryTests, Unit};
use crate::diagnostics::error::{Diagnostics, Error};

/// A compiled expression. Immutable, cheap to clone and shared between threads.
///
/// It has code for two tiers. That of the fast tier, which most runs use, is compiled at once; that
/// of the baseline tier, which reports what went wrong, when it is first needed.
#[derive(Clone)]
pub struct Program {
    /// Its unit, and its code, which the unit keeps. The only counted reference: one to the code as well took two atomic
    /// operations more for each program.
    code: Yoke<&'static Artifact, Arc<Unit>>,
    /// The number of its expression in the unit.
    at: u32,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("source", &self.source().name())
            .field("span", &self.span())
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Compiles a single expression for scopes of `layout`. With [`Text::named`], messages name the text.
    ///
    /// # Errors
    /// Syntax errors, and an expression that is too large for the instruction format.
    pub fn compile<'t>(&self, text: impl Into<Text<'t>>, layout: &Arc<Layout>) -> Result<Program, Error> {
        let text = text.into();
        let parsed = parse_expression(text.text(), &self.settings().limits.of_texts());
        self.compile_parsed(SourceKind::Expression, text, parsed, layout)
    }

    /// Compiles a bare template, such as the content of a template file, for scopes of `layout`.
    ///
    /// # Errors
    /// As [`Engine::compile`].
    pub fn compile_template<'t>(
        &self,
        text: impl Into<Text<'t>>,
        layout: &Arc<Layout>,
    ) -> Result<Program, Error> {
        let text = text.into();
        let parsed = parse_template(text.text(), &self.settings().limits.of_texts());
        self.compile_parsed(SourceKind::Template, text, parsed, layout)
    }

    /// Compiles a JSON value, in which strings are templates, for scopes of `layout`.
    ///
    /// # Errors
    /// As [`Engine::compile`].
    pub fn compile_json<'t>(
        &self,
        text: impl Into<Text<'t>>,
        layout: &Arc<Layout>,
    ) -> Result<Program, Error> {
        let text = text.into();
        let parsed = parse_json_expression(text.text(), &self.settings().limits.of_texts());
        self.compile_parsed(SourceKind::JsonExpression, text, parsed, layout)
    }

    fn compile_parsed(
        &self,
        kind: SourceKind,
        text: Text<'_>,
        parsed: ParsedExpression,
        layout: &Arc<Layout>,
    ) -> Result<Program, Error> {
        let ParsedExpression { tree, root, mut diagnostics, seams, .. } = parsed;
        let mode = match kind {
            SourceKind::Template => Some(LexMode::Template),
            SourceKind::JsonExpression => None,
            _ => Some(LexMode::Expression),
        };
        if let Some(mode) = mode {
            diagnostics = self.all_problems(text.text().into(), mode, diagnostics);
        }
        let source = Arc::new(match kind {
            SourceKind::JsonExpression => Source::of_json(text.name_or("json"), text.text(), seams),
            SourceKind::Template => Source::new(text.name_or("template"), text.text(), seams),
            _ => Source::new(text.name_or("expression"), text.text(), seams),
        });
        let diagnostics = Diagnostics::new(Arc::clone(&source), diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics.into());
        }
        let file = Arc::new(SourceFile::new(kind, source, tree));
        Program::of(&Unit::of_expression(self, layout, &file, NodeId(0), root), 0)
    }
}

impl Program {
    /// Returns the program of an expression of a unit.
    pub(crate) fn of(unit: &Arc<Unit>, at: u32) -> Result<Self, Error> {
        unit.code(at);
        let code = Yoke::try_attach_to_cart(Arc::clone(unit), |unit| {
            unit.code_if_compiled(at).map(|code| &**code).ok_or(TooLarge)
        });
        code.map(|code| Self { code, at }).map_err(|TooLarge| unit.too_large(at))
    }

    /// Compiles a part of an expression of a unit: `root`, whose nodes are among `first..=root`.
    /// Parts have no number, so their code is not shared.
    pub(crate) fn of_part(unit: &Arc<Unit>, first: NodeId, root: NodeId) -> Result<Self, Error> {
        Self::of(&unit.of_part(first, root, unit.compile(first, root, None)), 0)
    }

    /// Creates the program of a part of this one, for the baseline tier alone.
    pub(crate) fn part(&self, first: NodeId, root: NodeId) -> Result<Self, Error> {
        Self::for_baseline(self.unit(), first, root)
    }

    /// Creates the program of `root`, whose nodes are among `first..=root`, for the baseline tier alone.
    pub(crate) fn for_baseline(unit: &Arc<Unit>, first: NodeId, root: NodeId) -> Result<Self, Error> {
        let code = unit.engine.settings().scratch_pool.without_code();
        Self::of(&unit.of_part(first, root, Ok(code)), 0)
    }

    /// Returns the parts of it that known slots determine.
    pub(crate) fn determined(&self, is_known: impl Fn(Slot) -> bool) -> Determined {
        let (first, root) = self.nodes();
        self.unit().determined(first, root, is_known)
    }

    /// Returns the tests without which it is not true, and the layout of the names in it.
    pub(crate) fn necessary_tests(&self) -> NecessaryTests<'_> {
        self.unit().necessary_tests(self.nodes().1)
    }

    /// Compiles it again with constants that take the place of parts, and returns it, with code of its own.
    /// Its baseline code has no constants in it.
    pub(crate) fn folded(&self, folded: &Folded<'_>) -> Result<Self, Error> {
        let (first, root) = self.nodes();
        Self::of(&self.unit().of_part(first, root, self.unit().compile(first, root, Some(folded))), 0)
    }

    /// Compiles the only expression of a unit, for the baseline tier alone, with other functions than
    /// the engine's.
    pub(crate) fn with_functions(unit: &Arc<Unit>, functions: &FunctionTable) -> Result<Self, Error> {
        unit.engine.settings().scratch_pool.count_unpooled();
        let (first, root) = unit.nodes(0);
        let baseline = unit.compile_baseline(first, root, Some(functions));
        let code = baseline.map(Artifact::of_baseline).map(SharedArtifact::new);
        Self::of(&unit.of_part(first, root, code), 0)
    }

    #[inline]
    fn unit(&self) -> &Arc<Unit> {
        self.code.backing_cart()
    }

    /// Returns the first node and the root of its expression.
    fn nodes(&self) -> (NodeId, NodeId) {
        self.unit().nodes(self.at)
    }

    /// Returns the layout of the scopes it runs with.
    #[inline]
    pub fn layout(&self) -> &Arc<Layout> {
        &self.unit().layout
    }

    /// Returns its code.
    #[inline]
    pub(crate) fn artifact(&self) -> &Artifact {
        self.code.get()
    }

    /// Returns a counted reference to its code.
    pub(crate) fn shared_artifact(&self) -> Result<SharedArtifact, Error> {
        self.unit().code(self.at).0.clone().map_err(|TooLarge| self.unit().too_large(self.at))
    }

    /// Returns the fast tier's code if there is any.
    pub(crate) fn fast(&self) -> Option<&Fast> {
        Some(&self.artifact().fast).filter(|fast| !fast.is_empty())
    }

    /// Returns the baseline tier's code, compiled now if it was not needed before. Programs that
    /// share an artifact have the same text, functions, dialect and slots, so any of them may
    /// compile it.
    ///
    /// # Errors
    /// An expression that is too large. Lowering compiles large expressions for both tiers at once,
    /// so such an expression has no program.
    pub(crate) fn baseline(&self) -> Result<&Code, Error> {
        let compile = || {
            let (first, root) = self.nodes();
            self.unit().compile_baseline(first, root, None)
        };
        let baseline = self.artifact().baseline.get_or_init(compile);
        baseline.as_deref().map_err(|TooLarge| self.unit().too_large(self.at))
    }

    /// Returns the columnar tier's code, compiled now if this is the first run over columns; `None` if each row has to
    /// be run alone.
    pub(crate) fn columns(&self) -> Option<&ColumnCode> {
        let compile = || {
            let (first, root) = self.nodes();
            self.unit().compile_columns(first, root).map(Box::new)
        };
        self.artifact().columns.get_or_init(compile).as_deref()
    }

    /// Returns the type of its results as far as the expression alone determines it: `Bool`, `Number` or `String`, or
    /// `Dynamic` if it is another one or depends on values. A result may be null or unknown all the same.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let layout = std::sync::Arc::new(hclvm::Layout::new(["n"]));
    /// assert_eq!(engine.compile("n > 1 && n < 5", &layout)?.static_type(), hclvm::Type::Bool);
    /// assert_eq!(engine.compile("n", &layout)?.static_type(), hclvm::Type::Dynamic);
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn static_type(&self) -> Type<'static> {
        let (first, root) = self.nodes();
        self.unit().static_type(first, root)
    }

    /// Returns the text it was compiled from.
    pub fn source(&self) -> &Arc<Source> {
        &self.unit().file.source
    }

    /// Returns true if this engine compiled it. The symbols of attribute names in its code are
    /// meaningless to other engines.
    #[inline]
    pub(crate) fn is_of(&self, engine: &Engine) -> bool {
        self.unit().engine.is(engine)
    }

    /// Returns the engine that compiled it.
    pub(crate) fn engine(&self) -> &Engine {
        &self.unit().engine
    }

    pub(crate) fn file(&self) -> &Arc<SourceFile> {
        &self.unit().file
    }

    /// Returns the expression and the tree it is in.
    pub(crate) fn expression(&self) -> (&Tree, NodeId) {
        (self.unit().file.tree(), self.nodes().1)
    }

    /// Returns the range of the expression in its text.
    pub fn span(&self) -> Span {
        self.unit().file.tree().span(self.nodes().1)
    }

    /// Returns the range of the node that an instruction came from. Nodes are counted from the first
    /// one of the expression, as in [`Line::node`].
    pub fn node_span(&self, node: u32) -> Span {
        self.unit().file.tree().span(self.node(node))
    }

    /// Returns the instructions of the baseline tier as text. They are compiled now if no run needed
    /// them before.
    ///
    /// # Errors
    /// `Expression too large`, with the place, if the code does not fit the instruction format. Such
    /// an expression is usually rejected when its program is made.
    pub fn listing(&self) -> Result<impl Iterator<Item = Line> + '_, Error> {
        self.baseline().map(code::lines)
    }

    /// Returns the instructions of the fast tier as text, none if it has no code for this
    /// expression. They have no nodes.
    pub fn fast_listing(&self) -> impl Iterator<Item = Line> + '_ {
        self.fast().into_iter().flat_map(code::fast_lines)
    }

    /// Returns the variables that are in registers when the fast tier's code begins, each with the
    /// number of its register.
    pub fn fast_registers(&self) -> impl Iterator<Item = (usize, &str)> {
        let (slots, in_place) = self.fast().map(|fast| (&*fast.slots, fast.in_place)).unwrap_or_default();
        let names = self.unit().layout.names();
        slots.iter().enumerate().map(move |(at, slot)| {
            let slot = usize::from(slot.0);
            (if in_place { slot } else { at }, names.get(slot).map_or("", |name| name.as_str()))
        })
    }

    /// Returns an error if scopes of `layout` are not those it was compiled for.
    #[inline]
    pub(crate) fn check_layout(&self, layout: &Arc<Layout>) -> Result<(), Error> {
        if Arc::ptr_eq(&self.unit().layout, layout) { Ok(()) } else { self.compare_layouts(layout) }
    }

    // Out of line, because a scope and a program of one document share their layout.
    #[cold]
    #[inline(never)]
    fn compare_layouts(&self, layout: &Layout) -> Result<(), Error> {
        if *self.unit().layout == *layout {
            return Ok(());
        }
        Err(Error::layout("the program was compiled for scopes of another layout"))
    }

    /// Returns a node of the expression that code or a fault refers to.
    pub(crate) fn node(&self, node: u32) -> NodeId {
        let (first, root) = self.nodes();
        NodeId((first.0 + node).min(root.0))
    }
}
