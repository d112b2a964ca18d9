//! Conditionals as values. A conditional that is a condition itself is in
//! [`condition`](super::condition), one that chooses parts of a template in
//! [`template`](super::template).

use hclvm_vm::code::fast::{FastOp, FastReg};
use hclvm_vm::{Arena, Value, convert_unified, exec};

use super::FastLowering;
use crate::analysis::info::StaticType;
use crate::tree::NodeId;

impl FastLowering<'_, '_> {
    /// Lowers `condition ? yes : no`: only one arm is evaluated if both are constant or have one
    /// static type, else both are, because the type of the result depends on both.
    pub(super) fn conditional(&mut self, [condition, yes, no]: [NodeId; 3], d: FastReg) -> Option<()> {
        if let Some(decided) = self.info.constant(condition).and_then(Value::as_bool) {
            return self.decided(decided, [yes, no], d);
        }
        if let Some(chain) = self.switch_chain([condition, yes, no]) {
            return self.switch(chain, d);
        }
        let (other, end) = (self.label(), self.label());
        if let (Some(yes), Some(no)) = (self.info.constant(yes), self.info.constant(no)) {
            let [yes, no] = unified_constants(self.context.arena(), [yes, no])?;
            self.branch(condition, false, other)?;
            self.constant_and_jump(yes, d, end);
            self.place(other)?;
            self.constant(no, d);
            return self.place(end);
        }
        let ty = self.info.ty(yes);
        if ty != StaticType::Dynamic && ty == self.info.ty(no) {
            self.branch(condition, false, other)?;
            self.value(yes, d)?;
            self.push(FastOp::Jump { to: end });
            self.place(other)?;
            self.value(no, d)?;
            return self.place(end);
        }
        self.with_operand(yes, |lowering, a| {
            lowering.with_operand(no, |lowering, b| {
                lowering.branch(condition, false, other)?;
                lowering.push(FastOp::Arm { d, a, b, yes: true });
                lowering.push(FastOp::Jump { to: end });
                lowering.place(other)?;
                lowering.push(FastOp::Arm { d, a: b, b: a, yes: false });
                lowering.place(end)
            })
        })
    }

    /// Lowers a conditional whose condition is constant: only the chosen arm if the type of the result does
    /// not depend on the other one. The slots of the other arm remain those of the expression, because their
    /// marks are marks of the result.
    fn decided(&mut self, chosen: bool, arms: [NodeId; 2], d: FastReg) -> Option<()> {
        let [yes, no] = arms;
        let arm = if chosen { yes } else { no };
        if let (Some(yes), Some(no)) = (self.info.constant(yes), self.info.constant(no)) {
            let [yes, no] = unified_constants(self.context.arena(), [yes, no])?;
            self.constant(if chosen { yes } else { no }, d);
            return Some(());
        }
        let ty = self.info.ty(arm);
        let other = if chosen { no } else { yes };
        if ty != StaticType::Dynamic && ty == self.info.ty(other) {
            self.fast.omits |= self.info.constant(other).is_none();
            return self.value(arm, d);
        }
        self.with_operand(yes, |lowering, yes| {
            lowering.with_operand(no, |lowering, no| {
                let [a, b] = if chosen { [yes, no] } else { [no, yes] };
                lowering.push(FastOp::Arm { d, a, b, yes: chosen });
                Some(())
            })
        })
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
