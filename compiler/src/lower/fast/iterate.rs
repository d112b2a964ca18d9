//! Loops: for expressions and repeated template parts. Their `if` clauses are in
//! [`clause`](super::clause), what is computed of all elements at once in [`map`](super::map).
//!
//! ```text
//!        LoopBegin over c
//! head:  LoopNext value               ──▶ exit
//!        LoopKey key                      if the key has a name
//!        clause                       ──▶ head, if it is false
//!        LoopPush a                   ──▶ head
//! exit:  LoopEnd d
//! ```

use hclvm_vm::Value;
use hclvm_vm::code::Build;
use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, Immediate, InlineCache};

use super::FastLowering;
use super::destination::Destination;
use crate::lower::operator;
use crate::tree::{For, ForId, Node, NodeId, NodeList, StepKind, StepList};

/// The number of instructions of a round until assembly replaces it.
pub(super) const ROUND: Immediate = Immediate(0);

impl FastLowering<'_, '_> {
    /// Lowers a for expression.
    pub(super) fn for_expr(&mut self, details: ForId, d: FastReg) -> Option<()> {
        let tree = self.context.tree;
        let details = tree.for_expr(details);
        let Some(computed) = self.computed_of_elements(details) else { return self.each(details, d) };
        self.guarded(|lowering| {
            if !computed.has_bounds() {
                return lowering.map(details.collection, &computed, d, None);
            }
            let [undecided, end] = [lowering.label(), lowering.label()];
            lowering.map(details.collection, &computed, d, Some(undecided))?;
            lowering.push(FastOp::Jump { to: end });
            lowering.place(undecided)?;
            lowering.each(details, d)?;
            lowering.place(end)
        })
    }

    /// Lowers a for expression as a loop.
    fn each(&mut self, details: &For, d: FastReg) -> Option<()> {
        self.guarded(|lowering| {
            lowering.over(Some(operator::build(details)), details, |lowering, head| match details.key {
                None => lowering.deliver(details.value, Destination::Loop(head)),
                Some(key) => lowering.push_entry(key, details.value, head),
            })?;
            lowering.push(FastOp::LoopEnd { d });
            Some(())
        })
    }

    /// Lowers a repeated part of a template, appended in place.
    pub(super) fn join(&mut self, id: NodeId) -> Option<()> {
        let tree = self.context.tree;
        let Node::For(details) = tree.node(id) else { return None };
        let details = tree.for_expr(details);
        let Node::Template(parts) = tree.node(details.value) else { return None };
        if let Some((steps, text)) = self.text_of_elements(details, parts) {
            return self.guarded(|lowering| lowering.append_each(details.collection, steps, text));
        }
        self.guarded(|lowering| {
            lowering.over(None, details, |lowering, head| {
                lowering.parts(parts)?;
                lowering.push(FastOp::Jump { to: head });
                Some(())
            })?;
            lowering.push(FastOp::LoopClose {});
            Some(())
        })
    }

    /// Returns the steps to the interpolated value, at most one attribute, and the literal text behind it, if the
    /// template consists of these.
    fn text_of_elements(&self, details: &For, parts: NodeList) -> Option<(StepList, Option<NodeId>)> {
        if details.key_name.is_some() || details.condition.is_some() {
            return None;
        }
        let tree = self.context.tree;
        let (part, text) = match tree.list(parts) {
            [part] => (part, None),
            [part, text] if matches!(tree.node(*text), Node::Text(_)) => (part, Some(*text)),
            _ => return None,
        };
        match tree.node(self.context.bare(*part)) {
            Node::Traversal { root, steps } if tree.name(root) == tree.name(details.value_name) => {
                let usable = match tree.steps(steps) {
                    [] => true,
                    [step] => matches!(step.kind, StepKind::Attribute(_)),
                    _ => false,
                };
                usable.then_some((steps, text))
            }
            _ => None,
        }
    }

    /// Lowers a directive that appends the text of each element, or of an attribute of each, and literal text.
    fn append_each(&mut self, collection: NodeId, steps: StepList, text: Option<NodeId>) -> Option<()> {
        let k = text.and_then(|text| self.literal(text));
        let k = k.unwrap_or_else(|| self.pool.constant(Value::str(self.context.arena(), "")));
        self.with_operand(collection, |lowering, a| {
            let tree = lowering.context.tree;
            let Some(step) = tree.steps(steps).first() else {
                lowering.push(FastOp::TemplateEach { a, k });
                return Some(());
            };
            lowering.with_register(|lowering, d| {
                let symbol = lowering.step_symbol(step)?;
                lowering.push(FastOp::Map { d, a, cache: InlineCache::default(), symbol });
                lowering.push(FastOp::TemplateEach { a: d, k });
                Some(())
            })
        })
    }

    /// Lowers a loop around `body`, which ends in a jump to the head and runs for each element that the
    /// clause includes. A loop without `build` appends to a template.
    fn over(
        &mut self,
        build: Option<Build>,
        details: &For,
        body: impl FnOnce(&mut Self, FastLabel) -> Option<()>,
    ) -> Option<()> {
        let tree = self.context.tree;
        // For an empty collection only the faults of the trial matter.
        let clause = details.condition.is_some_and(|condition| !self.tries_well(condition, details));
        let round = ROUND;
        self.with_operand(details.collection, |lowering, a| {
            lowering.push(match build {
                Some(build) => FastOp::LoopBegin { build, a, clause, round },
                None => FastOp::LoopEach { a, clause, round },
            });
            Some(())
        })?;
        self.with_registers(2, |lowering, value| {
            let key = FastReg(value.0 + 1);
            let (head, exit) = (lowering.label(), lowering.label());
            lowering.place(head)?;
            lowering.push(FastOp::LoopNext { value, to: exit });
            let outer = lowering.extras().bound.len();
            if let Some(name) = details.key_name {
                lowering.push(FastOp::LoopKey { key });
                lowering.extras().bound.push((tree.name(name).as_str(), key));
            }
            lowering.extras().bound.push((tree.name(details.value_name).as_str(), value));
            if let Some(condition) = details.condition {
                lowering.clause(condition, head)?;
            }
            body(lowering, head)?;
            lowering.extras().bound.truncate(outer);
            lowering.place(exit)
        })
    }

    /// Adds the value of a node to the result of a loop under a key and jumps to its head.
    fn push_entry(&mut self, key: NodeId, value: NodeId, head: FastLabel) -> Option<()> {
        self.with_operand(key, |lowering, key| {
            lowering.with_operand(value, |lowering, a| {
                lowering.push(FastOp::LoopEntry { key, a, to: head });
                Some(())
            })
        })
    }
}
