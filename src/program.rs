//! A compiled expression.

use std::sync::Arc;

use hclvm_compiler::locate::locate;
use hclvm_compiler::tree::{NodeId, Tree};
use hclvm_vm::code::{self, Code, Line, Op};
use hclvm_vm::diagnostic::Diagnostic;
use hclvm_vm::fault::{Fault, Record};
use hclvm_vm::scope::Layout;
use hclvm_vm::span::Span;

use crate::Source;
use crate::error::Diagnostics;
use crate::error::Error;

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

/// One expression compiled. Immutable, cheap to clone, shared between threads.
#[derive(Clone, Debug)]
pub struct Program(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    code: Arc<Code>,
    layout: Arc<Layout>,
    file: Arc<File>,
    first: NodeId,
    root: NodeId,
}

impl Program {
    pub(crate) fn new(
        code: Arc<Code>,
        layout: Arc<Layout>,
        file: Arc<File>,
        first: NodeId,
        root: NodeId,
    ) -> Self {
        Self(Arc::new(Inner { code, layout, file, first, root }))
    }

    /// The layout of the scopes it runs with.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.0.layout
    }

    pub(crate) fn shared_code(&self) -> &Arc<Code> {
        &self.0.code
    }

    /// Its code.
    pub fn code(&self) -> &Code {
        &self.0.code
    }

    /// The text it was compiled from.
    pub fn source(&self) -> &Arc<Source> {
        &self.0.file.source
    }

    /// The expression and the tree it is in.
    pub(crate) fn expression(&self) -> (&Tree, NodeId) {
        (&self.0.file.tree, self.0.root)
    }

    /// The range of the expression in its text.
    pub fn span(&self) -> Span {
        self.0.file.tree.span(self.0.root)
    }

    /// The range of the node an instruction came from; the node is counted from the first node
    /// of the expression, as listings give it.
    pub fn node_span(&self, node: u32) -> Span {
        self.0.file.tree.span(self.node(node))
    }

    /// The instructions of its full body as text.
    pub fn listing(&self) -> impl Iterator<Item = Line> + '_ {
        code::lines(&self.0.code)
    }

    /// The instructions of its fast body as text; none when it has no fast body. They do not say
    /// where they came from.
    pub fn fast_listing(&self) -> impl Iterator<Item = Line> + '_ {
        code::fast_lines(&self.0.code)
    }

    /// The variables that are in the registers 0, 1, … when its fast body begins.
    pub fn fast_registers(&self) -> impl Iterator<Item = &str> {
        let code = &self.0.code;
        let slots = code.fast.as_ref().map(|fast| &*fast.slots).unwrap_or_default();
        let name = |slot| code.slots.iter().find(|(known, _)| *known == slot).map(|(_, name)| name.as_str());
        slots.iter().map(move |slot| name(*slot).unwrap_or_default())
    }

    /// Refuses scopes of another layout.
    #[inline]
    pub(crate) fn check_layout(&self, layout: &Arc<Layout>) -> Result<(), Error> {
        if Arc::ptr_eq(&self.0.layout, layout) || self.0.layout == *layout {
            return Ok(());
        }
        Err(Error::layout("the program was compiled for scopes of another layout"))
    }

    /// Problems known since compiling, such as unknown functions. They are errors of an evaluation
    /// only if it reaches them, because `&&`, `||`, `?:` and `try` may drop them.
    pub fn known_problems(&self) -> Diagnostics {
        let code = self.code();
        let found = code.ops.iter().zip(&code.origins).filter_map(|(op, origin)| match op {
            Op::Fail { failure, .. } => {
                let fault = Fault::Failure(code.failures.get(failure.0 as usize)?);
                Some(self.diagnostic(&Record { fault, node: origin.node, place: origin.place }))
            }
            _ => None,
        });
        Diagnostics::new(Arc::clone(self.source()), found.collect())
    }

    /// A fault of a run as a diagnostic.
    pub(crate) fn diagnostic(&self, record: &Record<'_>) -> Diagnostic {
        let (subject, context) = locate(&self.0.file.tree, self.node(record.node), record.place);
        let mut diagnostic = Diagnostic::error(record.fault.title(), record.fault.detail(), subject);
        diagnostic.context = context;
        diagnostic
    }

    fn node(&self, node: u32) -> NodeId {
        NodeId((self.0.first.0 + node).min(self.0.root.0))
    }
}
