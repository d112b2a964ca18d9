//! Strings and objects of JSON syntax, which differ from native templates and objects: a string may be
//! literal, and equal names are a fault.

use std::collections::HashSet;

use hclvm_vm::code::{Failure, Op, Reg};
use hclvm_vm::text::nfc;
use hclvm_vm::{Place, Value};

use super::BaselineLowering;
use crate::lower::emit::shape;
use crate::tree::{Node, NodeId, NodeList, TextId};

impl<'a> BaselineLowering<'a> {
    /// Lowers a string: a template, but literal text where neither variables nor functions may be used.
    pub(super) fn json_string(&mut self, id: NodeId, text: TextId, template: NodeId, d: Reg) {
        if self.context.environment.layout.is_some() || self.context.environment.functions.is_some() {
            return self.expr(template, d);
        }
        let text = nfc(self.context.arena(), self.context.arena().text(self.context.tree.text(text)));
        self.constant(id, Value::str(self.context.arena(), text), d);
    }

    /// Lowers a string that is not a valid template: a fault for each of its problems.
    pub(super) fn broken(&mut self, problems: NodeList, d: Reg) {
        let tree = self.context.tree;
        for id in tree.list(problems) {
            let Node::Problem(problem) = tree.node(*id) else { continue };
            let problem = tree.problem(problem);
            let failure = Failure::Described { title: problem.title.clone(), detail: problem.detail.clone() };
            self.fail(*id, failure, Place::Node, d);
        }
    }

    /// Lowers an object.
    pub(super) fn json_object(&mut self, id: NodeId, items: NodeList, d: Reg) {
        let tree = self.context.tree;
        let items = tree.list(items);
        match self.distinct_names(items) {
            Some(names) => {
                for item in items.chunks_exact(2) {
                    self.push(item[1], d);
                }
                let shape = self.emitter.shape(shape(&names, self.context.environment.names));
                self.emit(Op::Object { d, shape }, id, Place::Node);
            }
            None => self.computed_json_object(id, items, d),
        }
    }

    /// Returns the names of an object if all are constant and no two are equal.
    fn distinct_names(&self, items: &[NodeId]) -> Option<Vec<&'a str>> {
        let mut seen = HashSet::new();
        let name = |item: &[NodeId]| self.info.constant(item[0])?.as_str();
        items.chunks_exact(2).map(|item| name(item).filter(|name| seen.insert(*name))).collect()
    }

    /// Lowers an object with computed or equal names.
    fn computed_json_object(&mut self, id: NodeId, items: &[NodeId], d: Reg) {
        self.emit(Op::ObjectBegin {}, id, Place::Node);
        for (item, at) in items.chunks_exact(2).zip(0..) {
            self.with_value(item[0], |lowering, key| {
                lowering.with_value(item[1], |lowering, a| {
                    lowering.emit(Op::DistinctItem { key, a }, id, Place::Key(at));
                });
            });
        }
        self.emit(Op::ObjectEnd { d }, id, Place::Node);
    }
}
