//! Variables, attributes and indexes.

use hclvm_vm::code::{Failure, Op, Reg};
use hclvm_vm::text::nfc;
use hclvm_vm::{Place, Value, cast, literal_meant, nearest};
use smol_str::SmolStr;

use super::emit::Emitter;
use super::{BaselineLowering, Undefined};
use crate::tree::{NameId, NodeId, StepKind, StepList};

/// Variables of loops that are compared with a name without a meaning, the innermost first.
const MOST_BOUND: usize = 64;

impl BaselineLowering<'_> {
    /// Lowers `a.b[0]`.
    pub(super) fn traversal(&mut self, id: NodeId, root: NameId, steps: StepList, d: Reg) {
        let tree = self.context.tree;
        let name = tree.name(root);
        if let Some(a) = self.bound_register(name) {
            return self.steps_from(id, steps, 0, a, d);
        }
        match (self.info.variable(id), self.context.environment.undefined) {
            (Some(variable), _) => {
                let slot = self.emitter.slot(variable.slot, name);
                self.emit(Op::Variable { d, slot }, id, Place::Root);
                let skipped = usize::from(variable.derived);
                if steps.len() > skipped {
                    self.steps_from(id, steps, skipped, d, d);
                }
            }
            (None, Undefined::Error) => {
                let failure = self.unknown_variable(name);
                let failure = self.emitter.failure(failure);
                self.emit(Op::Fail { d, failure }, id, Place::Root);
            }
            (None, Undefined::Unknown) => self.constant(id, Value::DYNAMIC, d),
            (None, Undefined::Text) => {
                let text = self.context.arena().text(&self.own_text(id));
                self.constant(id, Value::str(self.context.arena(), nfc(self.context.arena(), text)), d);
            }
        }
    }

    /// Returns the register of a name that an enclosing for expression binds, and marks it as read.
    pub(super) fn bound_register(&self, name: &str) -> Option<Reg> {
        let bound = self.bound.iter().rev().find(|bound| bound.name == name)?;
        bound.read.set(true);
        Some(bound.reg)
    }

    /// Returns the failure for a name without a meaning, with the most similar variable of the loops around it.
    fn unknown_variable(&self, name: &SmolStr) -> Failure {
        let layout = self.context.environment.layout;
        if layout.is_none() && self.bound.is_empty() {
            return Failure::VariablesNotAllowed;
        }
        let bound = self.bound.iter().rev().take(MOST_BOUND).map(|bound| bound.name.as_str());
        let near = literal_meant(name).or_else(|| nearest(name, bound));
        let suggestion = near.map(SmolStr::from);
        Failure::UnknownVariable { name: name.clone(), suggestion }
    }

    /// Returns the source of a traversal as a template: with the markers and spaces around it if it is an
    /// interpolation by itself.
    fn own_text(&self, id: NodeId) -> String {
        let source = self.context.environment.source;
        let span = self.context.tree.span(id);
        let text = span.slice(source);
        let before = source.get(..cast::index(span.start)).unwrap_or("");
        let after = source.get(cast::index(span.end)..).unwrap_or("");
        let (head, tail) = (before.trim_end_matches(' '), after.trim_start_matches(' '));
        if head.ends_with("${") && tail.starts_with('}') {
            let leading = &before[head.len()..];
            let trailing = &after[..after.len() - tail.len()];
            return format!("${{{leading}{text}{trailing}}}");
        }
        format!("${{{text}}}")
    }

    /// Lowers steps from the value in `d`, in place.
    pub(super) fn steps(&mut self, id: NodeId, steps: StepList, d: Reg) {
        if !steps.is_empty() {
            self.steps_from(id, steps, 0, d, d);
        }
    }

    /// Lowers the steps behind the first `skipped` ones from the value in `a` into `d`.
    pub(super) fn steps_from(&mut self, id: NodeId, steps: StepList, skipped: usize, a: Reg, d: Reg) {
        let tree = self.context.tree;
        let mut from = a;
        for (at, step) in tree.steps(steps).iter().enumerate().skip(skipped) {
            let position = Emitter::position(at);
            let place = Place::Step(position.0);
            match step.kind {
                StepKind::Attribute(name) => {
                    let text = nfc(self.context.arena(), self.context.arena().text(tree.name(name)));
                    let name = self.emitter.constant(Value::str(self.context.arena(), text));
                    self.emit(Op::Attribute { d, a: from, name, step: position }, id, place);
                }
                StepKind::Index(key) => {
                    let key = self.info.constant(key).unwrap_or(Value::NULL);
                    let k = self.emitter.constant(key);
                    self.emit(Op::IndexConstant { d, a: from, k, step: position }, id, place);
                }
            }
            from = d;
        }
        if steps.is_empty() {
            self.emit(Op::Copy { d, a }, id, Place::Node);
        }
    }

    /// Lowers `collection[key]`.
    pub(super) fn index(&mut self, id: NodeId, collection: NodeId, key: NodeId, d: Reg) {
        self.expr(collection, d);
        self.with_value(key, |lowering, b| {
            lowering.emit(Op::Index { d, a: d, b }, id, Place::Brackets);
        });
    }
}
