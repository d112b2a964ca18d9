//! Variables, attributes and indexes.

use hclvm_vm::code::fast::{FastOp, FastReg, Immediate, InlineCache};
use hclvm_vm::{NumberRef, Value, View, Width};

use super::{Extras, FastLowering};
use crate::analysis::info::UNLISTED;
use crate::lower::Undefined;
use crate::tree::{NameId, Node, NodeId, StepKind, StepList};

impl<'a> FastLowering<'_, 'a> {
    /// Lowers `a.b[0]`.
    pub(super) fn traversal(&mut self, id: NodeId, root: NameId, steps: StepList, d: FastReg) -> Option<()> {
        match self.variable(id, root) {
            Some(a) => self.steps(self.rest(id, root, steps), a, d),
            // A part of a constant, which is lowered only if a construct looks behind the constant.
            None if self.info.variable(id).is_some() => None,
            None => self.undefined(d),
        }
    }

    /// Lowers `f(x).b[0]`.
    pub(super) fn relative_traversal(&mut self, source: NodeId, steps: StepList, d: FastReg) -> Option<()> {
        self.with_operand(source, |lowering, a| lowering.steps(steps, a, d))
    }

    /// Lowers `collection[key]`.
    pub(super) fn index(&mut self, collection: NodeId, key: NodeId, d: FastReg) -> Option<()> {
        self.with_operand(collection, |lowering, a| {
            lowering.with_operand(key, |lowering, b| {
                lowering.push(FastOp::Index { d, a, b });
                Some(())
            })
        })
    }

    /// Returns the register that the traversal `id` starts from.
    pub(super) fn variable(&self, id: NodeId, root: NameId) -> Option<FastReg> {
        let listed = || self.info.variable(id).filter(|slot| slot.nth != UNLISTED);
        self.bound(root).or_else(|| Some(FastReg(listed()?.nth)))
    }

    /// Returns the register of a name that an enclosing for expression binds.
    #[inline] // Most expressions bind no name, which a comparison tells.
    fn bound(&self, root: NameId) -> Option<FastReg> {
        self.bound_in(self.extras.as_deref()?, root)
    }

    /// [`FastLowering::bound`] in an expression that may bind names.
    #[inline(never)]
    fn bound_in(&self, extras: &Extras<'a>, root: NameId) -> Option<FastReg> {
        let Extras { bound, .. } = extras;
        let name = self.context.tree.name(root);
        bound.iter().rev().find(|(bound, _)| *bound == name).map(|(_, reg)| *reg)
    }

    /// Returns true if a for expression is around.
    pub(super) fn is_in_loop(&self) -> bool {
        self.extras.as_deref().is_some_and(|extras| !extras.bound.is_empty())
    }

    /// Returns the steps of the traversal `id` that are left behind its register.
    pub(super) fn rest(&self, id: NodeId, root: NameId, steps: StepList) -> StepList {
        if !self.derives || self.bound(root).is_some() {
            return steps;
        }
        steps.skip(self.info.variable(id).map_or(0, |slot| u32::from(slot.derived)))
    }

    /// Returns true if a traversal has this many steps, of which the first leads to a slot.
    pub(super) fn is_derived(&self, id: NodeId, steps: StepList, count: usize) -> bool {
        self.derives && steps.len() == count && self.info.variable(id).is_some_and(|slot| slot.derived)
    }

    /// Returns true if a node is `a.name` for a value that is in a register: reading it again costs about as much as
    /// keeping it.
    pub(super) fn is_attribute(&self, id: NodeId) -> bool {
        let tree = self.context.tree;
        let id = self.context.bare(id);
        let is_one = |steps: StepList| matches!(tree.steps(steps), [step] if matches!(step.kind, StepKind::Attribute(_)));
        match tree.node(id) {
            Node::Traversal { root, steps } => {
                self.variable(id, root).is_some() && is_one(self.rest(id, root, steps))
            }
            Node::RelativeTraversal { source, steps } => {
                is_one(steps) && self.register_of(self.context.bare(source)).is_some()
            }
            _ => false,
        }
    }

    /// Lowers a name without a slot: a fault when reached. Its other meanings have no fast form.
    fn undefined(&mut self, d: FastReg) -> Option<()> {
        if self.context.environment.undefined != Undefined::Error {
            return None;
        }
        self.fault(d);
        Some(())
    }

    /// Lowers steps from `a` into `d`.
    fn steps(&mut self, steps: StepList, a: FastReg, d: FastReg) -> Option<()> {
        let tree = self.context.tree;
        if steps.is_empty() {
            self.push(FastOp::Copy { d, a });
        }
        let mut from = a;
        for step in tree.steps(steps) {
            let op = match (self.step_symbol(step), step.kind) {
                (Some(symbol), _) => FastOp::Attribute { d, a: from, cache: InlineCache::default(), symbol },
                (None, StepKind::Index(key)) => self.constant_index(self.info.constant(key)?, from, d)?,
                (None, StepKind::Attribute(_)) => return None,
            };
            self.push(op);
            from = d;
        }
        Some(())
    }

    fn constant_index(&mut self, key: Value<'a>, a: FastReg, d: FastReg) -> Option<FastOp> {
        if let Some(i) = immediate(key) {
            return Some(FastOp::IndexInt { d, a, i });
        }
        key.as_str()?;
        Some(FastOp::IndexText { d, a, k: self.pool.constant(key) })
    }
}

/// Returns a constant as an immediate operand if it is an integer of 32 bits at full precision.
pub(super) fn immediate(value: Value<'_>) -> Option<Immediate> {
    match value.view() {
        View::Number(NumberRef::Int(number, Width::Full)) => i32::try_from(number).ok().map(Immediate),
        _ => None,
    }
}
