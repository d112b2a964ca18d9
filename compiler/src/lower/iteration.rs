//! For expressions and splats.
//!
//! ```text
//!        collection into c
//!        ForBegin c                       ──▶ end, when it decides the result
//!        ForProbe; clause; ForProbed      ──▶ end, when the clause is faulty
//! head:  ForNext key, value               ──▶ exit
//!        clause; ForInclude               ──▶ head
//!        key; ForKey                      ──▶ head
//!        value; ForValue; Jump head
//! exit:  ForEnd d
//! end:
//! ```

use hclvm_vm::code::{Build, Label, Op, Reg};
use hclvm_vm::fault::Place;

use super::Lowering;
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
            if let Some(condition) = details.condition {
                lowering.emit(Op::ForProbe { key, value }, id, Place::Node);
                lowering.with_log(id, |lowering, log| {
                    lowering.with_value(condition, |lowering, a| {
                        lowering.emit(Op::ForProbed { d, a, log, end }, id, Place::Condition);
                    });
                });
            }
            lowering.for_body(id, details, [key, value], d);
        });
        self.emitter.place(end);
    }

    /// Registers for the loop variables, bound to their names while `body` is lowered.
    fn with_loop_variables(&mut self, details: &For, body: impl FnOnce(&mut Self, Reg, Reg)) {
        let tree = self.tree;
        self.with_register(|lowering, value| {
            let outer = lowering.bound.len();
            match details.key_name {
                Some(name) => lowering.with_register(|lowering, key| {
                    lowering.bound.push((tree.name(name).clone(), key));
                    lowering.bound.push((tree.name(details.value_name).clone(), value));
                    body(lowering, key, value);
                }),
                None => {
                    lowering.bound.push((tree.name(details.value_name).clone(), value));
                    body(lowering, Reg::NONE, value);
                }
            }
            lowering.bound.truncate(outer);
        });
    }

    fn for_body(&mut self, id: NodeId, details: &For, [key, value]: [Reg; 2], d: Reg) {
        let (head, exit) = (self.emitter.label(), self.emitter.label());
        self.emitter.place(head);
        self.emit(Op::ForNext { key, value, exit }, id, Place::Node);
        if let Some(condition) = details.condition {
            self.with_value(condition, |lowering, a| {
                lowering.emit(Op::ForInclude { a, next: head }, id, Place::Condition);
            });
        }
        if let Some(key) = details.key {
            self.with_value(key, |lowering, a| {
                lowering.emit(Op::ForKey { a, next: head }, id, Place::Key(0));
            });
        }
        self.with_value(details.value, |lowering, a| {
            lowering.emit(Op::ForValue { a }, id, Place::Key(0));
        });
        self.jump(id, head);
        self.emitter.place(exit);
        self.emit(Op::ForEnd { d }, id, Place::Node);
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
