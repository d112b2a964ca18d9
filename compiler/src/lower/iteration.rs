//! For expressions and splats.
//!
//! ```text
//!        collection into c
//!        ForBegin c                       ──▶ end, when it decides the result
//!        ForProbe                         makes the loop variables unknown
//! test:  clause; ForTested                ──▶ end, when it was tried and is faulty
//! take:  ForInclude                       ──▶ next, when it is false or was only tried
//!        key; ForKey                      ──▶ next
//!        value; ForValue
//! next:  ForNext key, value               ──▶ exit
//!        ForSame                          ──▶ take, when the clause gives the same as when tried
//!        Jump test
//! exit:  ForEnd d
//! end:
//! ```
//! The clause is lowered once and runs for the trial as for the elements, so that neither code
//! nor work doubles with every level of clauses in clauses. Without clause the loop is
//! `next: ForNext; key; value; Jump next`.

use hclvm_vm::code::{Build, Label, Op, Reg};
use hclvm_vm::fault::Place;

use super::{Bound, Lowering};
use crate::tree::{For, ForId, NodeId};

impl Lowering<'_, '_> {
    pub(super) fn for_expr(&mut self, id: NodeId, details: ForId, d: Reg) {
        let tree = self.tree;
        let details = tree.for_expr(details);
        let build = match (details.key, details.group) {
            (None, _) => Build::Tuple,
            (Some(_), false) => Build::Object,
            (Some(_), true) => Build::Groups,
        };
        let end = self.emitter.label();
        self.with_value(details.collection, |lowering, a| {
            lowering.emit(Op::ForBegin { build, d, a, end }, id, Place::Collection);
        });
        self.with_loop_variables(details, |lowering, key, value| {
            match details.condition {
                Some(condition) => lowering.for_included(id, details, condition, [key, value], d, end),
                None => lowering.for_all(id, details, [key, value]),
            }
            lowering.emit(Op::ForEnd { d }, id, Place::Node);
        });
        self.emitter.place(end);
    }

    /// The elements that the clause includes.
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
        self.with_log(id, |lowering, log| {
            lowering.with_value(condition, |lowering, a| {
                let read = [key, value].map(|reg| lowering.was_read(reg));
                let pure = lowering.impure_calls == impure;
                lowering.emit(Op::ForTested { d, a, log, end }, id, Place::Condition);
                lowering.emitter.place(take);
                lowering.emit(Op::ForInclude { a, next }, id, Place::Condition);
                lowering.for_element(id, details, next);
                lowering.emitter.place(next);
                lowering.emit(Op::ForNext { key, value, exit }, id, Place::Node);
                if pure {
                    let [key, value] = read;
                    lowering.emit(Op::ForSame { a, key, value, take }, id, Place::Condition);
                }
                lowering.jump(id, test);
            });
        });
        self.emitter.place(exit);
    }

    /// All elements.
    fn for_all(&mut self, id: NodeId, details: &For, [key, value]: [Reg; 2]) {
        let [next, exit] = [(); 2].map(|()| self.emitter.label());
        self.emitter.place(next);
        self.emit(Op::ForNext { key, value, exit }, id, Place::Node);
        self.for_element(id, details, next);
        self.jump(id, next);
        self.emitter.place(exit);
    }

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

    /// The register of a loop variable if anything lowered so far reads it, else `Reg::NONE`.
    fn was_read(&self, reg: Reg) -> Reg {
        let read = self.bound.iter().any(|bound| bound.reg == reg && bound.read.get());
        if read { reg } else { Reg::NONE }
    }

    /// Registers for the loop variables, bound to their names while `body` is lowered.
    fn with_loop_variables(&mut self, details: &For, body: impl FnOnce(&mut Self, Reg, Reg)) {
        let tree = self.tree;
        self.with_register(|lowering, value| {
            let outer = lowering.bound.len();
            if let Some(name) = details.key_name {
                lowering.with_register(|lowering, key| {
                    lowering.bound.push(Bound::new(tree.name(name), key));
                    lowering.bound.push(Bound::new(tree.name(details.value_name), value));
                    body(lowering, key, value);
                });
            } else {
                lowering.bound.push(Bound::new(tree.name(details.value_name), value));
                body(lowering, Reg::NONE, value);
            }
            lowering.bound.truncate(outer);
        });
    }

    fn jump(&mut self, id: NodeId, to: Label) {
        self.emit(Op::Jump { to }, id, Place::Node);
    }

    pub(super) fn splat(&mut self, id: NodeId, source: NodeId, each: NodeId, d: Reg) {
        let (next, exit, end) = (self.emitter.label(), self.emitter.label(), self.emitter.label());
        self.with_log(id, |lowering, log| {
            lowering.with_value(source, |lowering, a| {
                lowering.emit(Op::SplatBegin { d, a, log, end }, id, Place::Source);
            });
        });
        self.emitter.place(next);
        self.with_register(|lowering, item| {
            lowering.emit(Op::SplatNext { d: item, exit }, id, Place::Node);
            lowering.items.push(item);
            lowering.with_log(id, |lowering, log| {
                lowering.with_value(each, |lowering, a| {
                    lowering.emit(Op::SplatItem { a, log }, id, Place::Each);
                });
            });
            lowering.items.pop();
        });
        self.jump(id, next);
        self.emitter.place(exit);
        self.emit(Op::SplatEnd { d }, id, Place::Each);
        self.emitter.place(end);
    }

    pub(super) fn splat_item(&mut self, id: NodeId, d: Reg) {
        if let Some(a) = self.items.last().copied() {
            self.emit(Op::Copy { d, a }, id, Place::Node);
        }
    }
}
