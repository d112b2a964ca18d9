//! Loops: for expressions, repeated template parts, splats.

use std::sync::Arc;

use hclvm_vm::code::Build;
use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg, Immediate, InlineCache};
use hclvm_vm::{Function, Lazy};

use super::FastLowering;
use crate::tree::{BinaryOp, CallId, For, ForId, Node, NodeId, StepKind, UnaryOp};

/// The instructions of a round, which are counted when all of them are there.
const ROUND: Immediate = Immediate(0);

impl<'a> FastLowering<'_, 'a> {
    pub(super) fn for_expr(&mut self, details: ForId, d: FastReg) -> Option<()> {
        let tree = self.context.tree;
        let details = tree.for_expr(details);
        let build = match (details.key, details.group) {
            (None, _) => Build::Tuple,
            (Some(_), false) => Build::Object,
            (Some(_), true) => Build::Groups,
        };
        self.guarded(|lowering| {
            lowering.over(Some(build), details, |lowering, head| match details.key {
                None => lowering.push_element(details.value, head),
                Some(key) => lowering.push_entry(key, details.value, head),
            })?;
            lowering.push(FastOp::LoopEnd { d });
            Some(())
        })
    }

    /// A repeated part of a template, appended in place.
    pub(super) fn join(&mut self, id: NodeId) -> Option<()> {
        let tree = self.context.tree;
        let Node::For(details) = tree.node(id) else { return None };
        let details = tree.for_expr(details);
        let Node::Template(parts) = tree.node(details.value) else { return None };
        self.guarded(|lowering| {
            lowering.over(None, details, |lowering, head| lowering.parts_and_jump(parts, head))?;
            lowering.push(FastOp::LoopClose {});
            Some(())
        })
    }

    /// Opens a loop and evaluates `body`, which ends in a jump to the head, for each element
    /// that the clause includes. A loop that builds nothing appends to a template.
    fn over(
        &mut self,
        build: Option<Build>,
        details: &For,
        body: impl FnOnce(&mut Self, FastLabel) -> Option<()>,
    ) -> Option<()> {
        let tree = self.context.tree;
        let (clause, round) = (details.condition.is_some(), ROUND);
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
            lowering.count_round(head);
            lowering.place(exit)
        })
    }

    /// Jumps to the head unless the clause includes the element.
    fn clause(&mut self, condition: NodeId, head: FastLabel) -> Option<()> {
        if self.in_clause {
            return self.branch(condition, false, head);
        }
        if self.may_fail_when_tried(condition) {
            return None;
        }
        self.in_clause = true;
        let done = self.branch(condition, false, head);
        self.in_clause = false;
        done
    }

    /// Whether a clause may be at fault when it is tried on unknown elements, though it is not for
    /// any element. The types of arguments and of conditionals' arms are looked at before their
    /// values, and one that is made of an unknown element may not go together with the others.
    fn may_fail_when_tried(&self, condition: NodeId) -> bool {
        let tree = self.context.tree;
        let (mut open, mut children) = (vec![(condition, false, false)], Vec::new());
        while let Some((id, matters, attempted)) = open.pop() {
            let made =
                matches!(tree.node(id), Node::Tuple(_) | Node::Object(_) | Node::For(_) | Node::Splat { .. });
            if self.info.constant(id).is_none()
                && (matters && made || attempted && !self.is_plain_attempt(id))
            {
                return true;
            }
            let matters = matters || self.looks_at_types(id);
            let attempted = attempted || self.is_attempt(id);
            tree.children(id, &mut children);
            open.extend(children.drain(..).map(|child| (child, matters, attempted)));
        }
        false
    }

    /// Whether a node is a `try` or `can`.
    fn is_attempt(&self, id: NodeId) -> bool {
        let function = self.info.function(id);
        function.is_some_and(|function| matches!(function.lazy, Some(Lazy::Try | Lazy::Can)))
    }

    /// Whether a part of an attempt gives something unknown for an unknown element. Anything else,
    /// such as a call that passes by unknown arguments, may succeed where it is at fault for every
    /// element, and the attempt then gives something else.
    fn is_plain_attempt(&self, id: NodeId) -> bool {
        use BinaryOp::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        match self.context.tree.node(id) {
            Node::Traversal { .. } | Node::RelativeTraversal { .. } | Node::Index { .. } => true,
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::Parens(_) => true,
            Node::Unary { op, .. } => op == UnaryOp::Not,
            Node::Binary { op, .. } => {
                matches!(op, Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual)
            }
            _ => self.is_attempt(id),
        }
    }

    /// Whether the types of what is below a node decide whether it is at fault.
    fn looks_at_types(&self, id: NodeId) -> bool {
        match self.context.tree.node(id) {
            Node::Conditional { .. } => true,
            Node::Call(call) => self.info.function(id).is_none_or(|function| {
                // What becomes a collection has to have elements of one type.
                let gathers = |at| {
                    function
                        .parameter(at)
                        .is_some_and(|parameter| !parameter.ty.is_primitive() && !parameter.ty.is_dynamic())
                };
                let arguments = self.context.tree.call(call).args.len();
                function.lazy.is_none() && (function.static_return().is_none() || (0..arguments).any(gathers))
            }),
            _ => false,
        }
    }

    /// Adds the value of a node to the loop's result and jumps to its head.
    fn push_element(&mut self, id: NodeId, head: FastLabel) -> Option<()> {
        let id = self.context.bare(id);
        if self.info.constant(id).is_none() {
            if let Some((a, symbol)) = self.attribute_of(id) {
                self.push(FastOp::LoopPushAttribute { a, cache: InlineCache::default(), to: head, symbol });
                return Some(());
            }
            if let Node::Call(call) = self.context.tree.node(id)
                && let Some(function) = self.plain_callee(id, call)
            {
                if let [arg] = self.context.tree.list(self.context.tree.call(call).args)
                    && self.info.constant(*arg).is_none()
                    && let Some((a, symbol)) = self.attribute_of(*arg)
                {
                    let f = self.callee(function)?;
                    let cache = InlineCache::default();
                    self.push(FastOp::LoopPushCallAttribute { f, a, cache, to: head, symbol });
                    return Some(());
                }
                return self.with_window(id, call, |lowering, f, base, count| {
                    lowering.push(FastOp::LoopPushCall { f, base, count, to: head });
                    Some(())
                });
            }
        }
        self.with_operand(id, |lowering, a| {
            lowering.push(FastOp::LoopPush { a, to: head });
            Some(())
        })
    }

    /// Adds the value of a node to the loop's result under a key and jumps to its head.
    fn push_entry(&mut self, key: NodeId, value: NodeId, head: FastLabel) -> Option<()> {
        let variable = [key, value].iter().all(|id| self.info.constant(self.context.bare(*id)).is_none());
        if variable
            && let Some((of_key, key_symbol)) = self.attribute_of(self.context.bare(key))
            && let Some((a, symbol)) = self.attribute_of(self.context.bare(value))
            && of_key == a
        {
            let (key_hint, cache) = (InlineCache::default(), InlineCache::default());
            self.push(FastOp::LoopEntryAttributes { a, key_hint, cache, to: head, key_symbol, symbol });
            return Some(());
        }
        self.with_operand(key, |lowering, key| {
            lowering.with_operand(value, |lowering, a| {
                lowering.push(FastOp::LoopEntry { key, a, to: head });
                Some(())
            })
        })
    }

    /// Returns the function of a call that evaluates its arguments, without expansion.
    fn plain_callee(&self, id: NodeId, call: CallId) -> Option<&'a Arc<Function>> {
        let expand = self.context.tree.call(call).expand;
        self.function(id, call).filter(|function| !expand && function.lazy.is_none())
    }

    pub(super) fn splat(&mut self, source: NodeId, each: NodeId, d: FastReg) -> Option<()> {
        let tree = self.context.tree;
        if let Node::RelativeTraversal { source: item, steps } = tree.node(each)
            && let (Node::SplatItem, [step]) = (tree.node(item), tree.steps(steps))
            && matches!(step.kind, StepKind::Attribute(_))
        {
            let symbol = self.step_symbol(step)?;
            return self.with_operand(source, |lowering, a| {
                lowering.push(FastOp::Splat { d, a, cache: InlineCache::default(), symbol });
                Some(())
            });
        }
        self.guarded(|lowering| {
            lowering.with_operand(source, |lowering, a| {
                lowering.push(FastOp::LoopSplat { a, round: ROUND });
                Some(())
            })?;
            lowering.with_register(|lowering, item| {
                let (head, exit) = (lowering.label(), lowering.label());
                lowering.place(head)?;
                lowering.push(FastOp::LoopNext { value: item, to: exit });
                lowering.extras().items.push(item);
                let pushed = lowering.push_element(each, head);
                lowering.extras().items.pop();
                pushed?;
                lowering.count_round(head);
                lowering.place(exit)?;
                lowering.push(FastOp::LoopEnd { d });
                Some(())
            })
        })
    }
}
