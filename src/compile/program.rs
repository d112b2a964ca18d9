//! A compiled expression.

use std::fmt;
use std::sync::{Arc, OnceLock};

use hclvm_compiler::locate::locate;
use hclvm_compiler::lower::{self, Context, Scratch, TooLarge};
use hclvm_compiler::tree::{NodeId, Tree};
use hclvm_vm::code::fast::Fast;
use hclvm_vm::code::{Code, Line, Op};
use hclvm_vm::{Diagnostic, Fault, Layout, Record, Span, code};

use crate::compile::unit::Home;
use crate::diagnostics::error::{Diagnostics, Error};
use crate::engine::Engine;
use hclvm_compiler::source::Source;

/// What a text was parsed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
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

/// A parsed text.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) form: Form,
    pub(crate) source: Arc<Source>,
    pub(crate) tree: Tree,
}

/// The bodies of an expression, shared by all programs of the same text.
#[derive(Debug, Default)]
pub(crate) struct Artifact {
    /// The fast body; an empty one, which bails out at once, where there is none.
    pub(crate) fast: Fast,
    /// The full body, once a run, a listing or a report of problems needed it.
    pub(crate) full: OnceLock<Result<Box<Code>, TooLarge>>,
}

impl Artifact {
    /// With an empty fast body, in the memory of the one it had.
    pub(crate) fn clear(&mut self) {
        self.fast.clear();
        if self.full.get().is_some() {
            self.full = OnceLock::new();
        }
    }
}

/// One expression compiled. Immutable, cheap to clone, shared between threads.
///
/// The body that most runs use is compiled at once, the one that explains what went wrong when it
/// is needed for the first time.
#[derive(Clone)]
pub struct Program {
    artifact: Arc<Artifact>,
    home: Arc<Home>,
    first: NodeId,
    root: NodeId,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("source", &self.source().name())
            .field("span", &self.span())
            .finish_non_exhaustive()
    }
}

impl Program {
    pub(crate) fn new(artifact: Arc<Artifact>, home: Arc<Home>, first: NodeId, root: NodeId) -> Self {
        Self { artifact, home, first, root }
    }

    /// The layout of the scopes it runs with.
    #[inline]
    pub fn layout(&self) -> &Arc<Layout> {
        &self.home.layout
    }

    /// Its bodies.
    #[inline]
    pub(crate) fn artifact(&self) -> &Arc<Artifact> {
        &self.artifact
    }

    /// Its fast body, where there is one.
    pub(crate) fn fast(&self) -> Option<&Fast> {
        Some(&self.artifact.fast).filter(|fast| !fast.is_empty())
    }

    /// Its full body, made now if nobody needed it before. The programs that share it have the
    /// same text, functions and dialect, and the same slots for the names in it.
    ///
    /// # Errors
    /// None, for what might be too large is compiled at once.
    pub(crate) fn full(&self) -> Result<&Code, Error> {
        let full = self.artifact.full.get_or_init(|| {
            let environment = self.home.environment();
            let context = Context {
                tree: &self.home.file.tree,
                first: self.first,
                root: self.root,
                environment: &environment,
                resolution: None,
                scratch: &Scratch::default(),
            };
            lower::lower_baseline(&context).map(Box::new)
        });
        full.as_deref().map_err(|_| Error::too_large(self.source(), self.span()))
    }

    /// The text it was compiled from.
    pub fn source(&self) -> &Arc<Source> {
        &self.home.file.source
    }

    /// Whether it was compiled by this engine. Names of attributes are numbers that mean nothing to
    /// another one.
    #[inline]
    pub(crate) fn is_of(&self, engine: &Engine) -> bool {
        self.home.engine.is(engine)
    }

    /// The engine that compiled it.
    pub(crate) fn engine(&self) -> &Engine {
        &self.home.engine
    }

    pub(crate) fn file(&self) -> &Arc<File> {
        &self.home.file
    }

    /// The expression and the tree it is in.
    pub(crate) fn expression(&self) -> (&Tree, NodeId) {
        (&self.home.file.tree, self.root)
    }

    /// The range of the expression in its text.
    pub fn span(&self) -> Span {
        self.home.file.tree.span(self.root)
    }

    /// The range of the node an instruction came from; the node is counted from the first node
    /// of the expression, as listings give it.
    pub fn node_span(&self, node: u32) -> Span {
        self.home.file.tree.span(self.node(node))
    }

    /// The instructions of its full body as text. The body is compiled now if no run needed it
    /// before.
    ///
    /// # Errors
    /// `Expression too large`, with the place, when that body does not fit the instructions; such an
    /// expression is usually refused when its program is made.
    pub fn listing(&self) -> Result<impl Iterator<Item = Line> + '_, Error> {
        self.full().map(code::lines)
    }

    /// The instructions of its fast body as text; none when it has no fast body. They do not say
    /// where they came from.
    pub fn fast_listing(&self) -> impl Iterator<Item = Line> + '_ {
        self.fast().into_iter().flat_map(code::fast_lines)
    }

    /// The variables that are in registers when its fast body begins, each with the number of its
    /// register.
    pub fn fast_registers(&self) -> impl Iterator<Item = (usize, &str)> {
        let (slots, in_place) = self.fast().map(|fast| (&*fast.slots, fast.in_place)).unwrap_or_default();
        let names = self.home.layout.names();
        slots.iter().enumerate().map(move |(at, slot)| {
            let slot = usize::from(slot.0);
            (if in_place { slot } else { at }, names.get(slot).map_or("", |name| name.as_str()))
        })
    }

    /// Refuses scopes of another layout.
    #[inline]
    pub(crate) fn check_layout(&self, layout: &Arc<Layout>) -> Result<(), Error> {
        if Arc::ptr_eq(&self.home.layout, layout) { Ok(()) } else { self.compare_layouts(layout) }
    }

    #[cold]
    #[inline(never)]
    fn compare_layouts(&self, layout: &Layout) -> Result<(), Error> {
        if *self.home.layout == *layout {
            return Ok(());
        }
        Err(Error::layout("the program was compiled for scopes of another layout"))
    }

    /// Problems known since compiling, such as unknown functions. They are errors of an evaluation
    /// only if it reaches them, because `&&`, `||`, `?:` and `try` may drop them. The full body,
    /// which tells them, is compiled now if no run needed it before; that it is too large is a
    /// problem, too.
    pub fn known_problems(&self) -> Diagnostics {
        let found = match self.full() {
            Ok(code) => self.failures(code).collect(),
            Err(error) => error.diagnostics().into_iter().flatten().cloned().collect(),
        };
        Diagnostics::new(Arc::clone(self.source()), found)
    }

    fn failures<'c>(&self, code: &'c Code) -> impl Iterator<Item = Diagnostic> + use<'_, 'c> {
        code.ops.iter().zip(&code.origins).filter_map(|(op, origin)| match op {
            Op::Fail { failure, .. } => {
                let fault = Fault::Failure(code.failures.get(failure.0 as usize)?);
                Some(self.diagnostic(&Record { fault, node: origin.node, place: origin.place }))
            }
            _ => None,
        })
    }

    /// A fault of a run as a diagnostic.
    pub(crate) fn diagnostic(&self, record: &Record<'_>) -> Diagnostic {
        let (subject, context) = locate(&self.home.file.tree, self.node(record.node), record.place);
        let mut diagnostic = Diagnostic::error(record.fault.title(), record.fault.detail(), subject);
        diagnostic.context = context;
        diagnostic
    }

    fn node(&self, node: u32) -> NodeId {
        NodeId((self.first.0 + node).min(self.root.0))
    }
}
