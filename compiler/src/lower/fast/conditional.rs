//! Conditionals as values. A conditional that is a condition itself is in
//! [`condition`](super::condition), one that chooses parts of a template in
//! [`template`](super::template).

use hclvm_vm::code::fast::{FastOp, FastReg};
use hclvm_vm::{Arena, Value, convert_unified, exec};

use super::FastLowering;
use super::destination::Destination;
use crate::analysis::info::StaticType;
use crate::lower::Context;
use crate::tree::{BinaryOp, Node, NodeId, StepKind, TraversalStep};

impl FastLowering<'_, '_> {
    /// Lowers `condition ? yes : no`: only one arm is evaluated if both are constant or have one
    /// static type, else both are, because the type of the result depends on both.
    pub(super) fn conditional(&mut self, [condition, yes, no]: [NodeId; 3], to: Destination) -> Option<()> {
        if let Some(decided) = self.info.constant(condition).and_then(Value::as_bool) {
            return self.decided(decided, [yes, no], to);
        }
        if let Some(chain) = self.switch_chain([condition, yes, no]) {
            return self.switch(chain, to);
        }
        if let (Some(yes), Some(no)) = (self.info.constant(yes), self.info.constant(no)) {
            let [yes, no] = unified_constants(self.context.arena(), [yes, no])?;
            return self.choose(condition, to, |lowering, chosen| {
                lowering.deliver_constant(if chosen { yes } else { no }, to)
            });
        }
        let ty = self.info.ty(yes);
        if ty != StaticType::Dynamic && ty == self.info.ty(no) {
            return self.choose(condition, to, |lowering, chosen| {
                lowering.deliver(if chosen { yes } else { no }, to)
            });
        }
        if let Some(other) = self.null_check([condition, yes, no]) {
            // The attribute of a null is a fault, which is dropped with the type of its arm.
            return self.choose(condition, to, |lowering, chosen| {
                let is_null = chosen == (other == yes);
                if is_null { lowering.deliver(other, to) } else { lowering.chosen_of([yes, no], chosen, to) }
            });
        }
        self.with_operand(yes, |lowering, yes| {
            lowering.with_operand(no, |lowering, no| {
                lowering.choose(condition, to, |lowering, chosen| lowering.arm_of([yes, no], chosen, to))
            })
        })
    }

    /// Returns the arm that `x == null` chooses, as in `x == null ? other : x.name`, if it is as simple as `x.name`: it is
    /// lowered twice.
    fn null_check(&self, [condition, yes, no]: [NodeId; 3]) -> Option<NodeId> {
        let Context { tree, .. } = self.context;
        let Node::Binary { op, lhs, rhs } = tree.node(self.context.bare(condition)) else { return None };
        let (other, attribute) = match op {
            BinaryOp::Equal => (yes, no),
            BinaryOp::NotEqual => (no, yes),
            _ => return None,
        };
        let is_null = |id: &NodeId| matches!(tree.node(self.context.bare(*id)), Node::Null);
        let checked =
            [lhs, rhs].into_iter().find(|id| !is_null(id)).filter(|_| is_null(&lhs) || is_null(&rhs))?;
        let path = |id| match tree.node(self.context.bare(id)) {
            Node::Traversal { root, steps } => Some((tree.name(root), tree.steps(steps))),
            _ => None,
        };
        let ((root, checked), (name, steps)) = (path(checked)?, path(attribute)?);
        let same = |(one, other): (&TraversalStep, &TraversalStep)| match (one.kind, other.kind) {
            (StepKind::Attribute(one), StepKind::Attribute(other)) => tree.name(one) == tree.name(other),
            _ => false,
        };
        let leads_further =
            root == name && steps.len() > checked.len() && checked.iter().zip(steps).all(same);
        let is_simple = self.info.constant(other).is_some() || path(other).is_some();
        (leads_further && is_simple).then_some(other)
    }

    /// Lowers the chosen arm, converted to the common type of both.
    fn chosen_of(&mut self, [yes, no]: [NodeId; 2], chosen: bool, to: Destination) -> Option<()> {
        self.with_operand(yes, |lowering, yes| {
            lowering.with_operand(no, |lowering, no| lowering.arm_of([yes, no], chosen, to))
        })
    }

    /// Lowers a condition, and by `arm` the value for each truth of it.
    fn choose(
        &mut self,
        condition: NodeId,
        to: Destination,
        arm: impl Fn(&mut Self, bool) -> Option<()>,
    ) -> Option<()> {
        let other = self.label();
        self.branch(condition, false, other)?;
        self.alternatives(
            to,
            |lowering| arm(lowering, true),
            |lowering| {
                lowering.place(other)?;
                arm(lowering, false)
            },
        )
    }

    /// Lowers the chosen one of the registers of both arms, converted to their common type.
    fn arm_of(&mut self, [yes, no]: [FastReg; 2], chosen: bool, to: Destination) -> Option<()> {
        let [a, b] = if chosen { [yes, no] } else { [no, yes] };
        if let Destination::Register(d) = to {
            self.push(FastOp::Arm { d, a, b, yes: chosen });
            return Some(());
        }
        self.with_register(|lowering, d| {
            lowering.push(FastOp::Arm { d, a, b, yes: chosen });
            lowering.deliver_register(d, to)
        })
    }

    /// Lowers a conditional whose condition is constant: only the chosen arm if the type of the result does
    /// not depend on the other one. The slots of the other arm remain those of the expression, because their
    /// marks are marks of the result.
    fn decided(&mut self, chosen: bool, arms: [NodeId; 2], to: Destination) -> Option<()> {
        let [yes, no] = arms;
        let arm = if chosen { yes } else { no };
        if let (Some(yes), Some(no)) = (self.info.constant(yes), self.info.constant(no)) {
            let [yes, no] = unified_constants(self.context.arena(), [yes, no])?;
            return self.deliver_constant(if chosen { yes } else { no }, to);
        }
        let ty = self.info.ty(arm);
        let other = if chosen { no } else { yes };
        if ty != StaticType::Dynamic && ty == self.info.ty(other) {
            self.fast.omits |= self.info.constant(other).is_none();
            return self.deliver(arm, to);
        }
        self.chosen_of(arms, chosen, to)
    }
}

/// Converts constant arms to their common type. Returns `None` if they have none.
fn unified_constants<'a>(arena: &'a Arena, arms: [Value<'a>; 2]) -> Option<[Value<'a>; 2]> {
    let ty = exec::arms_type(arena, arms)?;
    if ty.is_dynamic() {
        return Some(arms);
    }
    let [yes, no] = arms;
    let converted = [
        convert_unified(arena, yes, no.type_of(arena), ty),
        convert_unified(arena, no, yes.type_of(arena), ty),
    ];
    let [Ok(yes), Ok(no)] = converted else { return None };
    Some([yes, no])
}
