//! A document looked at while it is evaluated: `dynamic` blocks expanded, every attribute with the
//! elements that are bound where it stands.
//!
//! ```text
//! Expansion   arena, values by slot         the one evaluation all views belong to
//! BodyView    body  + context                 context: bound elements, marks, "nothing is known here"
//! AttributeView, BlockView                  what `content` finds in a body
//! ```
//!
//! Views are evaluated when they are asked for. The programs are those of the document, so
//! content that stands once in the text is compiled once, however many blocks it makes. Between
//! two calls the values by slot are those of the context that was entered last.

use std::fmt;
use std::sync::Arc;

use hclvm_vm::{Arena, Diagnostic, Layout, Marks, Span, Value};

use crate::compile::program::Program;
use crate::diagnostics::error::{Diagnostics, Error};
use crate::diagnostics::problems::Problems;
use crate::dialect::Undefined;
use crate::run::scope::Scope;
use crate::run::session::{Evaluation, Session, Tier, evaluate_concealed, evaluate_in, value_in};
use crate::structure::content::{ContentReader, Taken, has_labels};
use crate::structure::schema::{DYNAMIC, DYNAMIC_LABEL, Schema};
use crate::syntax::document::{Attribute, Block, Body, Document};

/// Says what is wrong with the value of a `for_each`; nothing when it may be used.
pub type ForEachCheck<'c> = dyn Fn(Attribute<'_>, Value<'_>) -> Vec<Diagnostic> + 'c;

/// One evaluation of a document, see [`Session::expand`](crate::Session::expand).
pub struct Expansion<'a> {
    document: &'a Document,
    pub(crate) arena: &'a Arena,
    tier: Tier,
    layout: &'a Layout,
    /// Values by slot, those of `bound` included.
    values: Vec<Value<'a>>,
    bound: Option<&'a Binding<'a>>,
    /// What stood in the slots before `bound`, in the order of binding.
    before: Vec<(usize, Value<'a>)>,
    check: Option<Box<ForEachCheck<'a>>>,
    pub(crate) problems: Problems,
}

impl fmt::Debug for Expansion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values hold elements that marks were taken off.
        f.debug_struct("Expansion").field("document", &self.document).finish_non_exhaustive()
    }
}

/// An element bound to the iterator of a dynamic block.
#[derive(Clone, Copy)]
pub(crate) struct Binding<'a> {
    /// The slot of the iterator; `None` when no program reads it.
    slot: Option<usize>,
    element: Value<'a>,
    outer: Option<&'a Binding<'a>>,
    /// Whether this element or one around it is of a marked collection. It has not the marks itself.
    secret: bool,
}

impl Binding<'_> {
    /// Whether what is said about it must not tell what it is.
    pub(crate) fn is_secret(&self) -> bool {
        self.secret
    }
}

impl fmt::Debug for Binding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Binding").field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// What is special where a body stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpansionContext<'a> {
    pub(crate) bound: Option<&'a Binding<'a>>,
    /// Marks of the collections that the body was made from.
    pub(crate) marks: Marks<'a>,
    /// Whether nothing is known here, because the collection is not.
    pub(crate) unknown: bool,
}

impl ExpansionContext<'_> {
    /// Outside of all dynamic blocks.
    pub(crate) const OUTSIDE: Self = Self { bound: None, marks: Marks::NONE, unknown: false };
}

/// A body where it stands in an expansion.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    pub(crate) body: Body<'a>,
    pub(crate) context: ExpansionContext<'a>,
}

/// An attribute where it stands in an expansion.
#[derive(Clone, Copy, Debug)]
pub struct AttributeView<'a> {
    /// The attribute as written.
    pub attribute: Attribute<'a>,
    context: ExpansionContext<'a>,
}

/// A block of an expansion: written out, or made by a `dynamic` block.
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
    /// The range of its header; of a block that was made, the header of the `dynamic` block.
    pub header_span: Span,
    /// Its content.
    pub body: BodyView<'a>,
    /// The collection, when this block stands for all that a `dynamic` block makes from an
    /// unknown collection. Then all values in it are unknown.
    pub pending: Option<Value<'a>>,
    /// Whether a `dynamic` block made it.
    pub made: bool,
}

/// What a body of an expansion holds.
#[derive(Clone, Debug)]
pub struct ContentView<'a> {
    /// Attributes in source order.
    pub attributes: Vec<AttributeView<'a>>,
    /// Blocks in source order, those made by a `dynamic` block in its place.
    pub blocks: Vec<BlockView<'a>>,
    /// Where to report that something is missing.
    pub missing_item: Span,
}

impl<'a> ContentView<'a> {
    /// The attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<AttributeView<'a>> {
        self.attributes.iter().copied().find(|view| view.attribute.name() == name)
    }
}

impl<'a> AttributeView<'a> {
    /// Its name.
    pub fn name(self) -> &'a str {
        self.attribute.name()
    }
}

impl<'a> BodyView<'a> {
    /// The body as written.
    pub fn body(self) -> Body<'a> {
        self.body
    }

    /// Whether nothing in it is known, because it is made from an unknown collection.
    pub fn is_unknown(self) -> bool {
        self.context.unknown
    }

    pub(crate) fn attribute(self, attribute: Attribute<'a>) -> AttributeView<'a> {
        AttributeView { attribute, context: self.context }
    }

    /// The body of a block in it that is written out.
    pub(crate) fn inside(self, block: Block<'a>) -> Self {
        Self { body: block.body(), context: self.context }
    }

    pub(crate) fn block(self, block: Block<'a>) -> BlockView<'a> {
        BlockView {
            kind: block.kind(),
            kind_span: block.kind_span(),
            labels: block.labels().collect(),
            label_spans: block.label_spans().collect(),
            header_span: block.header_span(),
            body: self.inside(block),
            pending: None,
            made: false,
        }
    }
}

impl Session {
    /// Begins an evaluation of a document as a whole, with its `dynamic` blocks.
    ///
    /// # Errors
    /// A scope of another layout than the document's.
    pub fn expand<'s>(
        &'s mut self,
        document: &'s Document,
        scope: &'s Scope,
    ) -> Result<Expansion<'s>, Error> {
        scope.check_document(document)?;
        let (arena, tier) = self.start_shared();
        Ok(Expansion::new(document, arena, tier, scope))
    }
}

impl<'a> Expansion<'a> {
    pub(crate) fn new(document: &'a Document, arena: &'a Arena, tier: Tier, scope: &'a Scope) -> Self {
        let layout: &'a Layout = document.layout();
        // The scope is of the document's layout.
        let mut values: Vec<Value<'a>> = scope.values().to_vec();
        if document.engine().settings().dialect.undefined == Undefined::Unknown {
            for value in values.iter_mut().filter(|value| value.is_unset()) {
                *value = Value::DYNAMIC;
            }
        }
        let problems = Problems::new(arena.budget().limits().faults);
        let (bound, before, check) = (None, Vec::new(), None);
        Self { document, arena, tier, layout, values, bound, before, check, problems }
    }

    /// Lets `check` look at every `for_each` before blocks are made from it. A `dynamic` block
    /// with an error in what it says makes no blocks.
    pub fn check_for_each(
        &mut self,
        check: impl Fn(Attribute<'_>, Value<'_>) -> Vec<Diagnostic> + 'a,
    ) -> &mut Self {
        self.check = Some(Box::new(check));
        self
    }

    /// The body of the document.
    pub fn body(&self) -> BodyView<'a> {
        BodyView { body: self.document.body(), context: ExpansionContext::OUTSIDE }
    }

    /// What a body holds of `schema`, which has to be everything in it but `dynamic` blocks of the
    /// schema's block types. What is wrong is kept until it is [taken](Self::take_diagnostics).
    ///
    /// # Errors
    /// The limit that evaluating a `for_each` or a label exceeded.
    pub fn content(&mut self, view: BodyView<'a>, schema: &Schema) -> Result<ContentView<'a>, Error> {
        let reader = ContentReader { body: view.body, taken: &Taken::default(), schema, dynamic: true };
        let found = reader.content(&mut self.problems);
        reader.refuse_rest(&mut self.problems);
        let mut blocks = Vec::new();
        for block in found.blocks {
            if block.kind() == DYNAMIC {
                self.expand_by(view, block, schema, &mut blocks)?;
            } else {
                blocks.push(view.block(block));
            }
        }
        let attributes = found.attributes.into_iter().map(|attribute| view.attribute(attribute)).collect();
        Ok(ContentView { attributes, blocks, missing_item: found.missing_item })
    }

    /// Everything that a body holds, whatever its names.
    ///
    /// # Errors
    /// See [`Expansion::content`].
    pub fn everything(&mut self, view: BodyView<'a>) -> Result<ContentView<'a>, Error> {
        let attributes = view.body.attributes().map(|attribute| view.attribute(attribute)).collect();
        let mut blocks = Vec::new();
        for block in view.body.blocks() {
            if block.kind() != DYNAMIC {
                blocks.push(view.block(block));
            } else if has_labels(block, &[DYNAMIC_LABEL.into()], &mut self.problems) {
                self.expand(view, block, None, &mut blocks)?;
            }
        }
        let missing_item = view.body.span().empty_at_start();
        Ok(ContentView { attributes, blocks, missing_item })
    }

    /// The value of an attribute, and what went wrong.
    ///
    /// # Errors
    /// The limit that the evaluation exceeded, or an expression too large to compile.
    pub fn evaluate(&mut self, view: AttributeView<'a>) -> Result<Evaluation<'a>, Error> {
        let AttributeView { attribute, context } = view;
        if context.unknown {
            let value = Value::DYNAMIC.with_marks(self.arena, context.marks);
            let diagnostics = Diagnostics::new(Arc::clone(self.document.source()), Vec::new());
            return Ok(Evaluation { value, diagnostics });
        }
        let program = attribute.program_ref().map_err(Clone::clone)?;
        let mut evaluation = self.run(program, context.bound)?;
        evaluation.value = evaluation.value.with_marks(self.arena, context.marks);
        Ok(evaluation)
    }

    /// The value of an attribute; what went wrong is kept.
    ///
    /// # Errors
    /// See [`Expansion::evaluate`].
    pub fn value(&mut self, view: AttributeView<'a>) -> Result<Value<'a>, Error> {
        let AttributeView { attribute, context } = view;
        if context.unknown {
            return Ok(Value::DYNAMIC.with_marks(self.arena, context.marks));
        }
        let program = attribute.program_ref().map_err(Clone::clone)?;
        self.enter(context.bound);
        let value = if let Some(value) = value_in(self.arena, self.tier, program, &self.values) {
            value
        } else {
            let evaluation = self.run_in(Tier::Baseline, program, context.bound)?;
            self.problems.extend(evaluation.diagnostics.iter().cloned());
            evaluation.value
        };
        Ok(value.with_marks(self.arena, context.marks))
    }

    /// What went wrong since the last time.
    pub fn take_diagnostics(&mut self) -> Diagnostics {
        Diagnostics::new(Arc::clone(self.document.source()), self.problems.take())
    }

    /// Asks the host about a `for_each`; whether it may be used.
    pub(crate) fn is_allowed(&mut self, attribute: Attribute<'a>, value: Value<'a>) -> bool {
        let found = self.check.as_ref().map_or_else(Vec::new, |check| check(attribute, value));
        let is_allowed = !found.iter().any(Diagnostic::is_error);
        self.problems.extend(found);
        is_allowed
    }

    /// Runs a program with these elements bound.
    pub(crate) fn run(
        &mut self,
        program: &'a Program,
        bound: Option<&'a Binding<'a>>,
    ) -> Result<Evaluation<'a>, Error> {
        self.run_in(self.tier, program, bound)
    }

    fn run_in(
        &mut self,
        tier: Tier,
        program: &'a Program,
        bound: Option<&'a Binding<'a>>,
    ) -> Result<Evaluation<'a>, Error> {
        self.enter(bound);
        if bound.is_some_and(Binding::is_secret) {
            return evaluate_concealed(self.arena, tier, program, &self.values);
        }
        evaluate_in(self.arena, tier, program, &self.values)
    }

    /// Runs a program whose layout has one name, with a value for it.
    pub(crate) fn apply(&mut self, program: &'a Program, value: Value<'a>) -> Result<Evaluation<'a>, Error> {
        evaluate_in(self.arena, self.tier, program, &[value])
    }

    /// Sets a variable for all points; nothing reads a name without slot.
    pub(crate) fn set(&mut self, name: &str, value: Value<'a>) {
        self.enter(None);
        let slot = self.layout.slot(name).map(|slot| usize::from(slot.0));
        if let Some(cell) = slot.and_then(|slot| self.values.get_mut(slot)) {
            *cell = value;
        }
    }

    /// An element bound to an iterator, inside of what is bound already.
    pub(crate) fn binding(
        &self,
        iterator: &str,
        [key, value]: [Value<'a>; 2],
        outer: Option<&'a Binding<'a>>,
        marks: Marks<'a>,
    ) -> &'a Binding<'a> {
        let entries = [self.arena.entry("key", key), self.arena.entry("value", value)];
        let element = Value::object(self.arena, self.arena.slice(&entries));
        let slot = self.layout.slot(iterator).map(|slot| usize::from(slot.0));
        let secret = !marks.is_empty() || outer.is_some_and(|outer| outer.secret);
        self.arena.item(Binding { slot, element, outer, secret })
    }

    /// Makes the values those of a context. Does nothing where the last one was the same, which it
    /// is for all attributes of a body.
    fn enter(&mut self, bound: Option<&'a Binding<'a>>) {
        let is_same = match (self.bound, bound) {
            (Some(last), Some(next)) => std::ptr::eq(last, next),
            (None, None) => true,
            _ => false,
        };
        if is_same {
            return;
        }
        while let Some((slot, value)) = self.before.pop() {
            self.values[slot] = value;
        }
        self.bound = bound;
        let inside_out: Vec<&Binding<'a>> = std::iter::successors(bound, |binding| binding.outer).collect();
        for binding in inside_out.into_iter().rev() {
            if let Some(slot) = binding.slot
                && let Some(cell) = self.values.get_mut(slot)
            {
                self.before.push((slot, std::mem::replace(cell, binding.element)));
            }
        }
    }
}
