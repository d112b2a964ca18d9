//! Conditionals. Both arms are evaluated, because the type of the result depends on both; the fast
//! tier evaluates one if static types allow.

use hclvm_vm::Place;
use hclvm_vm::code::{Op, Reg};

use super::BaselineLowering;
use crate::tree::NodeId;

impl BaselineLowering<'_> {
    /// Lowers `condition ? yes : no`: both arms, then the condition, then the choice, which is the order
    /// in which the reference reports faults.
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
        for scratch in [c, test, b, no_log, yes_log] {
            self.give_back(scratch);
        }
    }
}
