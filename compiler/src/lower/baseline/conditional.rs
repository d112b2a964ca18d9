//! Conditionals.

use hclvm_vm::Place;
use hclvm_vm::code::{Op, Reg};

use super::BaselineLowering;
use crate::tree::NodeId;

impl BaselineLowering<'_> {
    /// Both arms, then the condition, then the choice: the reference's order.
    pub(super) fn conditional(&mut self, id: NodeId, [condition, yes, no]: [NodeId; 3], d: Reg) {
        let yes_log = self.take_log(id);
        self.expr(yes, d);
        let no_log = self.take_log(id);
        let b = self.take_value(no);
        let test = self.take_log(id);
        let c = self.take_value(condition);
        let [yes, no] = [yes_log.reg, no_log.reg];
        let op = Op::Conditional { d, c: c.reg, a: d, b: b.reg, yes, no, test: test.reg };
        self.emit(op, id, Place::Node);
        for lent in [c, test, b, no_log, yes_log] {
            self.give_back(lent);
        }
    }
}
