//! The evaluation of a node: one match that names every construct and calls its file.

use std::cell::{Cell, OnceCell};

use hclvm_compiler::tree::{Node, NodeId, Tree};
use hclvm_vm::code::Failure;
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, Fault, Marks, Place, Record, Value};

use crate::Walker;
use crate::names::Names;

/// A value and the faults found while evaluating it, in order.
pub(crate) type Found<'a> = (Value<'a>, Vec<Record<'a>>);

/// One evaluation.
#[derive(Clone, Copy)]
pub(crate) struct Walk<'w, 'a> {
    pub(crate) walker: &'a Walker<'a>,
    pub(crate) values: &'w [Value<'a>],
    pub(crate) arena: &'a Arena,
    /// True while evaluating elements of a marked collection whose marks have been removed.
    pub(crate) secret: bool,
    /// The marks of what decided whether parts of the innermost `try` or `can` have faults.
    pub(crate) read: &'w Cell<Marks<'a>>,
}

impl<'a> Walk<'_, 'a> {
    pub(crate) fn tree(&self) -> &'a Tree {
        self.walker.tree
    }

    /// Continues the evaluation with the elements of a collection that has these marks.
    pub(crate) fn among(self, marks: Marks<'a>) -> Self {
        Self { secret: self.secret || !marks.is_empty(), ..self }
    }

    /// Evaluates a node. Left-recursive constructs (operators, indexes, steps) are walked in a loop from
    /// their leftmost operand, so that long chains do not recurse.
    pub(crate) fn expr(&self, id: NodeId, names: Names<'_, 'a>) -> Found<'a> {
        let mut spine = Vec::new();
        let mut at = id;
        while let Some(left) = self.left_of(at) {
            spine.push(at);
            at = left;
        }
        let mut found = self.term(at, names);
        for id in spine.into_iter().rev() {
            found = self.extended(id, found, names);
        }
        found
    }

    /// Returns the left operand of a left-recursive node.
    fn left_of(&self, id: NodeId) -> Option<NodeId> {
        match self.tree().node(id) {
            Node::Binary { lhs, .. } => Some(lhs),
            Node::Index { collection, .. } => Some(collection),
            Node::RelativeTraversal { source, .. } | Node::Splat { source, .. } => Some(source),
            _ => None,
        }
    }

    /// Evaluates a left-recursive node, given the value of its left operand.
    fn extended(&self, id: NodeId, left: Found<'a>, names: Names<'_, 'a>) -> Found<'a> {
        if !self.arena.charge(1) {
            return (Value::DYNAMIC, Vec::new());
        }
        match self.tree().node(id) {
            Node::Binary { op, rhs, .. } => self.binary(id, op, left, self.expr(rhs, names)),
            Node::Index { key, .. } => self.index(id, left, self.expr(key, names)),
            Node::RelativeTraversal { steps, .. } => self.steps(id, steps, left),
            Node::Splat { each, .. } => self.splat(id, left, each, names),
            _ => left,
        }
    }

    fn term(&self, id: NodeId, names: Names<'_, 'a>) -> Found<'a> {
        if !self.arena.charge(1) {
            return (Value::DYNAMIC, Vec::new());
        }
        match self.tree().node(id) {
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::Invalid => {
                (self.literal(id), Vec::new())
            }
            Node::Template(parts) => self.template(id, parts, names),
            Node::TemplateWrap(inner) | Node::Parens(inner) => self.expr(inner, names),
            Node::TemplateJoin(inner) => self.join(id, self.expr(inner, names)),
            Node::Traversal { root, steps } => self.traversal(id, root, steps, names),
            Node::Call(call) => self.call(id, self.tree().call(call), names),
            Node::Conditional { condition, yes, no } => {
                let arms = [self.expr(yes, names), self.expr(no, names)];
                self.conditional(id, arms, || self.expr(condition, names))
            }
            Node::Tuple(items) => self.tuple(items, names),
            Node::Object(items) => self.object(id, items, names),
            Node::ObjectKey { expr, forced } => self.object_key(id, expr, forced, names),
            Node::For(details) => self.for_expr(id, self.tree().for_expr(details), names),
            Node::SplatItem => (names.item(), Vec::new()),
            Node::Unary { op, operand } => self.unary(id, op, self.expr(operand, names)),
            Node::JsonObject(items) => self.json_object(id, items, names),
            Node::JsonKey { name, .. } => self.expr(name, names),
            Node::JsonString { template, .. } => self.expr(template, names),
            Node::Broken(problems) => self.broken(problems),
            Node::Problem(_) => (Value::DYNAMIC, Vec::new()),
            Node::Binary { .. }
            | Node::Index { .. }
            | Node::RelativeTraversal { .. }
            | Node::Splat { .. } => (Value::DYNAMIC, Vec::new()),
        }
    }

    /// Notes marks of what decides whether a part has a fault.
    pub(crate) fn note(&self, marks: Marks<'a>) {
        self.read.set(self.read.get().union(self.arena, marks));
    }

    /// Returns the marks of values, and notes them.
    pub(crate) fn note_own(&self, values: &[Value<'a>]) -> Marks<'a> {
        let marks = values.iter().fold(Marks::NONE, |marks, value| marks.union(self.arena, value.unmark().1));
        self.note(marks);
        marks
    }

    /// Returns the marks of values and of their parts.
    pub(crate) fn all_marks(&self, values: &[Value<'a>]) -> Marks<'a> {
        values.iter().fold(Marks::NONE, |marks, value| marks.union(self.arena, value.all_marks(self.arena)))
    }

    /// Returns the marks of values and of their parts, and notes them.
    pub(crate) fn note_all(&self, values: &[Value<'a>]) -> Marks<'a> {
        let marks = self.all_marks(values);
        self.note(marks);
        marks
    }

    /// Returns the record of a fault that values with marks decided. Where it is dropped, the result gets the marks.
    pub(crate) fn record_under(
        &self,
        marks: Marks<'a>,
        fault: Fault<'a>,
        id: NodeId,
        place: Place,
    ) -> Record<'a> {
        self.record(fault, id, place).with_marks(self.arena, marks)
    }

    /// Adds the marks of what is given up because of faults to the last of them.
    pub(crate) fn give_up(&self, faults: &mut [Record<'a>], marks: Marks<'a>) {
        if let Some(last) = faults.last_mut() {
            *last = last.with_marks(self.arena, marks);
        }
    }

    /// Returns the value of a literal node; any other node is unknown.
    pub(crate) fn literal(&self, id: NodeId) -> Value<'a> {
        match self.tree().node(id) {
            Node::Null => Value::NULL,
            Node::Bool(value) => Value::bool(value),
            Node::Number(number) => Value::number(self.arena, self.tree().number(number).clone()),
            Node::Text(text) => self.text(self.tree().text(text)),
            _ => Value::DYNAMIC,
        }
    }

    pub(crate) fn text(&self, text: &'a str) -> Value<'a> {
        Value::str(self.arena, nfc(self.arena, text))
    }

    pub(crate) fn record(&self, fault: Fault<'a>, id: NodeId, place: Place) -> Record<'a> {
        let fault = if self.secret { fault.concealed(self.arena) } else { fault };
        Record::new(fault, id.0 - self.walker.first.0, place)
    }

    /// Stores a failure that does not depend on values in the cell of its node.
    pub(crate) fn failure(&self, id: NodeId, make: impl FnOnce() -> Failure) -> Fault<'a> {
        static ELSEWHERE: Failure = Failure::VariablesNotAllowed;
        let cell: Option<&'a OnceCell<Failure>> =
            self.walker.failures.get((id.0 - self.walker.first.0) as usize);
        Fault::Failure(cell.map_or(&ELSEWHERE, |cell| cell.get_or_init(make)))
    }
}

/// Concatenates the faults of several parts in the order given.
pub(crate) fn joined<'a>(parts: impl IntoIterator<Item = Vec<Record<'a>>>) -> Vec<Record<'a>> {
    let mut all = Vec::new();
    for mut part in parts {
        all.append(&mut part);
    }
    all
}
