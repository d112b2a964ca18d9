//! For expressions.
//!
//! ```text
//!        collection into c
//!        ForBegin c                       ──▶ end, if it decides the result
//!        ForProbe                         makes the loop variables unknown
//! test:  clause; ForTested                ──▶ end, if the trial failed
//! take:  ForInclude                       ──▶ next, if it is false or this is the trial
//!        key; ForKey                      ──▶ next
//!        value; ForValue
//! next:  ForNext key, value               ──▶ exit
//!        ForSame                          ──▶ take, if the clause has the value of the trial
//!        Jump test
//! exit:  ForEnd d
//! end:
//! ```
//! The clause is lowered once and runs for the trial and for each element, so that neither code
//! nor work doubles with each level of nested clauses. Without a clause the loop is
//! `next: ForNext; key; value; Jump next`.

use hclvm_vm::Place;
use hclvm_vm::code::{Label, Op, Reg};

use super::{BaselineLowering, BoundName};
use crate::lower::operator;
use crate::tree::{For, ForId, NodeId};

impl BaselineLowering<'_> {
    /// Lowers a for expression.
    pub(super) fn for_expr(&mut self, id: NodeId, details: ForId, d: Reg) {
        let tree = self.context.tree;
        let details = tree.for_expr(details);
        let build = operator::build(details);
        let end = self.emitter.label();
        self.with_value(details.collection, |lowering, a| {
            lowering.emit(Op::ForBegin { build, d, a, end }, id, Place::Collection);
        });
        let outer = self.bound.len();
        let value = self.emitter.borrow();
        let key = self.bind_loop_variables(details, value);
        match details.condition {
            Some(condition) => self.for_included(id, details, condition, [key, value], d, end),
            None => self.for_all(id, details, [key, value]),
        }
        self.emit(Op::ForEnd { d }, id, Place::Node);
        if details.key_name.is_some() {
            self.emitter.give_back(key);
        }
        self.emitter.give_back(value);
        self.bound.truncate(outer);
        self.emitter.place(end);
    }

    /// Lowers the loop over the elements that the clause includes.
    fn for_included(
        &mut self,
        id: NodeId,
        details: &For,
        condition: NodeId,
        [key, value]: [Reg; 2],
        d: Reg,
        end: Label,
    ) {
        let [test, take, next, exit] = [(); 4].map(|()| self.emitter.label());
        self.emit(Op::ForProbe { key, value }, id, Place::Node);
        self.emitter.place(test);
        let impure = self.impure_calls;
        let log = self.take_log(id);
        let tested = self.take_value(condition);
        let a = tested.reg;
        let read = [key, value].map(|reg| self.was_read(reg));
        let pure = self.impure_calls == impure;
        self.emit(Op::ForTested { d, a, log: log.reg, end }, id, Place::Condition);
        self.emitter.place(take);
        self.emit(Op::ForInclude { a, next }, id, Place::Condition);
        self.for_element(id, details, next);
        self.emitter.place(next);
        self.emit(Op::ForNext { key, value, exit }, id, Place::Node);
        if pure {
            let [key, value] = read;
            self.emit(Op::ForSame { a, key, value, take }, id, Place::Condition);
        }
        self.jump(id, test);
        self.give_back(tested);
        self.give_back(log);
        self.emitter.place(exit);
    }

    /// Lowers the loop over all elements.
    fn for_all(&mut self, id: NodeId, details: &For, [key, value]: [Reg; 2]) {
        let [next, exit] = [(); 2].map(|()| self.emitter.label());
        self.emitter.place(next);
        self.emit(Op::ForNext { key, value, exit }, id, Place::Node);
        self.for_element(id, details, next);
        self.jump(id, next);
        self.emitter.place(exit);
    }

    /// Lowers key and value of an element.
    fn for_element(&mut self, id: NodeId, details: &For, next: Label) {
        if let Some(key) = details.key {
            self.with_value(key, |lowering, a| {
                lowering.emit(Op::ForKey { a, next }, id, Place::Key(0));
            });
        }
        self.with_value(details.value, |lowering, a| {
            lowering.emit(Op::ForValue { a }, id, Place::Key(0));
        });
    }

    /// Returns the register of a loop variable if an instruction so far reads it, else `Reg::NONE`.
    fn was_read(&self, reg: Reg) -> Reg {
        let read = self.bound.iter().any(|bound| bound.reg == reg && bound.read.get());
        if read { reg } else { Reg::NONE }
    }

    /// Binds the names of the loop variables to registers: `value`, and a borrowed one for the key if it
    /// has a name, which is returned.
    fn bind_loop_variables(&mut self, details: &For, value: Reg) -> Reg {
        let tree = self.context.tree;
        let key = match details.key_name {
            Some(name) => {
                let key = self.emitter.borrow();
                self.bound.push(BoundName::new(tree.name(name), key));
                key
            }
            None => Reg::NONE,
        };
        self.bound.push(BoundName::new(tree.name(details.value_name), value));
        key
    }

    /// Emits a jump.
    pub(super) fn jump(&mut self, id: NodeId, to: Label) {
        self.emit(Op::Jump { to }, id, Place::Node);
    }
}
