//! Destinations: where the value of a node goes. Whatever chooses between values, such as a conditional, passes its
//! destination on to them, so that an arm returns its value itself instead of jumping to a return.
//!
//! ```text
//! c ? 1 : 2          into a register              as the result
//!                    Branch c when false -> no    Branch c when false -> no
//!                    Constant r3 = 1              ReturnConstant 1
//!                    Jump -> end             no:  ReturnConstant 2
//!               no:  Constant r3 = 2
//!               end:
//! ```

use hclvm_vm::Value;
use hclvm_vm::code::fast::{FastLabel, FastOp, FastReg};

use super::FastLowering;
use crate::tree::{Node, NodeId};

/// Where a value goes.
#[derive(Clone, Copy)]
pub(super) enum Destination {
    /// Into a register. Execution continues at the next instruction.
    Register(FastReg),
    /// It is the result of the code.
    Result,
    /// It is added to the result of a loop. Execution continues at this label, the head of the loop.
    Loop(FastLabel),
}

impl<'a> FastLowering<'_, 'a> {
    /// Lowers the whole expression.
    pub(super) fn result(&mut self, root: NodeId) -> Option<()> {
        self.deliver(root, Destination::Result)
    }

    /// Lowers the truth of a condition into `d`.
    pub(super) fn truth_into(&mut self, id: NodeId, d: FastReg) -> Option<()> {
        self.truth(id, Destination::Register(d))
    }

    /// Lowers a conditional into `d`.
    pub(super) fn conditional_into(&mut self, parts: [NodeId; 3], d: FastReg) -> Option<()> {
        self.conditional(parts, Destination::Register(d))
    }

    /// Lowers the value of a node.
    pub(super) fn deliver(&mut self, id: NodeId, to: Destination) -> Option<()> {
        if let Destination::Register(d) = to {
            return self.value(id, d);
        }
        let id = self.context.bare(id);
        if let Some(value) = self.info.constant(id) {
            return self.deliver_constant(value, to);
        }
        let node = self.context.tree.node(id);
        if self.is_condition_node(id, node) {
            return self.truth(id, to);
        }
        match node {
            Node::Conditional { condition, yes, no } => {
                self.guarded(|lowering| lowering.conditional([condition, yes, no], to))
            }
            Node::JsonString { template, .. } if self.context.environment.layout.is_some() => {
                self.deliver(template, to)
            }
            _ => self.with_operand(id, |lowering, a| lowering.deliver_register(a, to)),
        }
    }

    /// Lowers a constant.
    pub(super) fn deliver_constant(&mut self, value: Value<'a>, to: Destination) -> Option<()> {
        match (to, value.as_bool()) {
            (Destination::Register(d), _) => self.constant(value, d),
            (Destination::Result, Some(truth)) => self.push(FastOp::ReturnBool { truth }),
            (Destination::Loop(to), Some(truth)) => self.push(FastOp::LoopPushBool { truth, to }),
            _ => {
                return self.with_register(|lowering, a| {
                    lowering.constant(value, a);
                    lowering.deliver_register(a, to)
                });
            }
        }
        Some(())
    }

    /// Lowers the value in a register.
    pub(super) fn deliver_register(&mut self, a: FastReg, to: Destination) -> Option<()> {
        self.push(match to {
            Destination::Register(d) => FastOp::Copy { d, a },
            Destination::Result => FastOp::Return { a },
            Destination::Loop(to) => FastOp::LoopPush { a, to },
        });
        Some(())
    }

    /// Lowers one of two alternatives, each of which delivers a value; both continue behind the second one.
    pub(super) fn alternatives(
        &mut self,
        to: Destination,
        first: impl FnOnce(&mut Self) -> Option<()>,
        second: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        first(self)?;
        let Destination::Register(_) = to else { return second(self) };
        let end = self.label();
        self.push(FastOp::Jump { to: end });
        second(self)?;
        self.place(end)
    }
}
