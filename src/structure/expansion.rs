//! Expansions: a document evaluated attribute by attribute, with `dynamic` blocks expanded.
//!
//! Use it to apply schemas to a file that may hold `dynamic` blocks, or to evaluate only some of its
//! attributes. [`Session::expand`](crate::Session::expand) starts one; [`Expansion::content`] returns
//! views of the items of a body, and [`Expansion::evaluate`] evaluates a view.
//! [`Document::decode`](crate::Document::decode), [`spec`](crate::spec) and [`module`](crate::module)
//! are built on it, and shorter if they fit. Without `dynamic` blocks and evaluation, use
//! [`schema`](crate::schema).
//!
//! ```text
//! Expansion                  arena, values by slot: the evaluation that all views belong to
//! BodyView                   body + context: bound elements, marks, "all values are unknown"
//! AttributeView, BlockView   the items of a body
//! ```
//!
//! Programs belong to the document: the content of a dynamic block is compiled once, however many
//! blocks it makes. Invariant: between two calls, the values by slot are those of the context that was
//! entered last.

mod locals;
mod view;
mod why;

use std::fmt;
use std::sync::Arc;

use hclvm_vm::{Arena, Diagnostic, Layout, Marks, Value, copy};

use crate::compile::program::Program;
use crate::diagnostics::error::{Diagnostics, Error};
use crate::diagnostics::problems::ProblemCollector;
use crate::run::beside::SideRuns;
use crate::run::scope::Scope;
use crate::run::session::{Evaluation, Reporting, Session, Tier, evaluate_reporting, value_in};
use crate::structure::content::{ContentReader, Taken, has_labels, json};
use crate::structure::dynamic;
use crate::structure::schema::{DYNAMIC, DYNAMIC_LABEL, Schema};
use crate::syntax::document::{Attribute, Body, Document};
pub use view::{AttributeView, BlockView, BodyView, ContentView};
pub(crate) use view::{ExpansionContext, IteratorBinding};

/// A check of `for_each` values, see [`Expansion::check_for_each`]. Returns the problems it finds.
pub type ForEachCheck<'c> = dyn Fn(Attribute<'_>, Value<'_>) -> Vec<Diagnostic> + 'c;

/// One evaluation of a document, see [`Session::expand`](crate::Session::expand).
pub struct Expansion<'a> {
    pub(crate) document: &'a Document,
    pub(crate) arena: &'a Arena,
    tier: Tier,
    layout: &'a Layout,
    /// Values by slot, those of `bound` included.
    values: Vec<Value<'a>>,
    bound: Option<&'a IteratorBinding<'a>>,
    /// The values of the slots before `bound`, in the order of binding.
    before: Vec<(usize, Value<'a>)>,
    check: Option<Box<ForEachCheck<'a>>>,
    /// True if labels may be marked.
    pub(crate) allows_marked_labels: bool,
    pub(crate) problems: ProblemCollector,
    /// Memory to explain and observe attributes, made for the first of them.
    beside: Option<SideRuns>,
}

impl fmt::Debug for Expansion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values are left out: they include elements whose marks were removed.
        f.debug_struct("Expansion").field("document", &self.document).finish_non_exhaustive()
    }
}

impl Session {
    /// Begins an evaluation of a document with its `dynamic` blocks.
    ///
    /// # Errors
    /// A scope of another layout than the document's.
    pub fn expand<'s>(
        &'s mut self,
        document: &'s Document,
        scope: &'s Scope,
    ) -> Result<Expansion<'s>, Error> {
        scope.check_document(document)?;
        let (arena, tier, _) = self.start_shared();
        arena.set_partial(scope.is_partial());
        Ok(Expansion::new(document, arena, tier, scope))
    }
}

impl<'a> Expansion<'a> {
    pub(crate) fn new(document: &'a Document, arena: &'a Arena, tier: Tier, scope: &'a Scope) -> Self {
        let layout: &'a Layout = document.layout();
        // The caller checked that the scope has the layout of the document.
        let values: Vec<Value<'a>> = scope.values().to_vec();
        let problems = ProblemCollector::new(arena.budget().limits().faults);
        let (bound, before, check, beside) = (None, Vec::new(), None, None);
        let allows_marked_labels = false;
        Self {
            document,
            arena,
            tier,
            layout,
            values,
            bound,
            before,
            check,
            allows_marked_labels,
            problems,
            beside,
        }
    }

    /// Lets labels of blocks be marked. They lose their marks; [`BlockView::secret_labels`] is true for their block.
    /// Without, a marked label is an error.
    pub fn allow_marked_labels(&mut self) -> &mut Self {
        self.allows_marked_labels = true;
        self
    }

    /// Sets a check that is called with the value of each `for_each` before blocks are made from it. If
    /// it returns an error, the `dynamic` block makes no blocks.
    pub fn check_for_each(
        &mut self,
        check: impl Fn(Attribute<'_>, Value<'_>) -> Vec<Diagnostic> + 'a,
    ) -> &mut Self {
        self.check = Some(Box::new(check));
        self
    }

    /// Sets a variable for what is evaluated from now on. Blocks that dynamic blocks have made stay as they are: a
    /// host expands a body once, and evaluates it for several values of a variable. A name that is not in the
    /// layout is ignored.
    ///
    /// # Errors
    /// A value beyond the limits of the engine; the variable is unknown then.
    pub fn set(&mut self, name: &str, value: Value<'_>) -> Result<(), Error> {
        self.enter(None);
        let Some(slot) = self.layout.slot(name) else { return Ok(()) };
        let Some(cell) = self.values.get_mut(usize::from(slot.0)) else { return Ok(()) };
        *cell = copy(self.arena, value);
        if !self.arena.has_room(0) {
            *cell = Value::DYNAMIC;
            return Err(Error::value(format!("the value of \"{name}\" exceeds the limits of the engine")));
        }
        Ok(())
    }

    /// Returns the units of work that were spent; see [`Limits::fuel`](crate::Limits).
    pub fn fuel(&self) -> u64 {
        self.arena.budget().spent()
    }

    /// Returns the body of the document.
    pub fn body(&self) -> BodyView<'a> {
        BodyView { body: self.document.body(), context: ExpansionContext::OUTSIDE }
    }

    /// Returns the view of a body that no dynamic block of the document contains.
    pub fn written(&self, body: Body<'a>) -> BodyView<'a> {
        BodyView { body, context: ExpansionContext::OUTSIDE }
    }

    /// Returns the content of a body that holds nothing but the items of `schema` and `dynamic` blocks
    /// that make them. Problems are kept for [`take_diagnostics`](Self::take_diagnostics).
    ///
    /// # Errors
    /// A limit that was exceeded by evaluating a `for_each` or a label.
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

    /// Returns all items of a body, whatever their names. A body in JSON that is no object is a problem.
    ///
    /// # Errors
    /// See [`Expansion::content`].
    pub fn everything(&mut self, view: BodyView<'a>) -> Result<ContentView<'a>, Error> {
        json::check_object(view.body, &mut self.problems);
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

    /// Evaluates an attribute. Returns its value with the diagnostics.
    ///
    /// # Errors
    /// A limit that was exceeded, or an expression too large to compile.
    pub fn evaluate(&mut self, view: AttributeView<'a>) -> Result<Evaluation<'a>, Error> {
        let AttributeView { attribute, context } = view;
        if context.unknown {
            let value = Value::DYNAMIC.with_marks(self.arena, context.marks);
            let diagnostics = Diagnostics::new(Arc::clone(self.document.source()), Vec::new());
            let fuel = self.arena.budget().spent();
            return Ok(Evaluation { value, diagnostics, fuel, marked: value });
        }
        let program = attribute.program_ref().map_err(Clone::clone)?;
        let mut evaluation = self.run(program, context.bound)?;
        evaluation.value = evaluation.value.with_marks(self.arena, context.marks);
        evaluation.marked = evaluation.marked.with_marks(self.arena, context.marks);
        Ok(evaluation)
    }

    /// Evaluates an attribute. Diagnostics are kept for [`take_diagnostics`](Self::take_diagnostics).
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
            let tier = if self.tier == Tier::Best { Tier::Baseline } else { self.tier };
            let evaluation = self.run_in(tier, program, context.bound, self.problems.room())?;
            self.problems.extend(evaluation.diagnostics.iter().cloned());
            evaluation.value
        };
        Ok(value.with_marks(self.arena, context.marks))
    }

    /// Takes the diagnostics collected since the last call.
    pub fn take_diagnostics(&mut self) -> Diagnostics {
        self.document.file().diagnostics(self.problems.take())
    }

    /// Runs the host's check of a `for_each`. Returns true if blocks may be made from it.
    pub(crate) fn is_allowed(&mut self, attribute: Attribute<'a>, value: Value<'a>) -> bool {
        let found = self.check.as_ref().map_or_else(Vec::new, |check| check(attribute, value));
        let is_allowed = !found.iter().any(Diagnostic::is_error);
        self.problems.extend(found);
        is_allowed
    }

    /// Runs a program with `bound` elements.
    pub(crate) fn run(
        &mut self,
        program: &'a Program,
        bound: Option<&'a IteratorBinding<'a>>,
    ) -> Result<Evaluation<'a>, Error> {
        self.run_in(self.tier, program, bound, usize::MAX)
    }

    fn run_in(
        &mut self,
        tier: Tier,
        program: &'a Program,
        bound: Option<&'a IteratorBinding<'a>>,
        room: usize,
    ) -> Result<Evaluation<'a>, Error> {
        self.enter(bound);
        let reporting = Reporting { concealed: bound.is_some_and(IteratorBinding::is_secret), room };
        evaluate_reporting(self.arena, tier, program, &self.values, reporting)
    }

    /// Runs a program whose layout has one variable, with this value.
    pub(crate) fn apply(&mut self, program: &'a Program, value: Value<'a>) -> Result<Evaluation<'a>, Error> {
        // The program may be of another engine, which shows values.
        let reporting = Reporting { concealed: self.document.engine().hides_values(), ..Reporting::ALL };
        evaluate_reporting(self.arena, self.tier, program, &[value], reporting)
    }

    /// Binds an element to an iterator, inside of the `outer` bindings.
    pub(crate) fn binding(
        &self,
        iterator: &str,
        pair: [Value<'a>; 2],
        outer: Option<&'a IteratorBinding<'a>>,
        marks: Marks<'a>,
    ) -> &'a IteratorBinding<'a> {
        let element = dynamic::element(self.arena, pair);
        let slot = self.layout.slot(iterator).map(|slot| usize::from(slot.0));
        let secret = !marks.is_empty() || outer.is_some_and(|outer| outer.secret);
        self.arena.item(IteratorBinding { slot, element, outer, secret })
    }

    /// Sets the values by slot to those of a context. Does nothing if it is the one entered last, as for
    /// all attributes of a body but the first.
    fn enter(&mut self, bound: Option<&'a IteratorBinding<'a>>) {
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
        let inside_out: Vec<&IteratorBinding<'a>> =
            std::iter::successors(bound, |binding| binding.outer).collect();
        for binding in inside_out.into_iter().rev() {
            if let Some(slot) = binding.slot
                && let Some(cell) = self.values.get_mut(slot)
            {
                self.before.push((slot, std::mem::replace(cell, binding.element)));
            }
        }
    }
}
