//! Calls with arguments in registers in a row; `try` and `can` as handlers of faults.

use std::sync::Arc;

use hclvm_vm::code::Callee;
use hclvm_vm::code::fast::{FastOp, FastReg};
use hclvm_vm::{Function, Lazy, Value};

use super::FastLowering;
use crate::tree::{CallId, NodeId};

impl<'a> FastLowering<'_, 'a> {
    pub(super) fn call(&mut self, id: NodeId, call: CallId, d: FastReg) -> Option<()> {
        let tree = self.context.tree;
        let details = tree.call(call);
        let args = tree.list(details.args);
        match self.function(id, call)?.lazy {
            _ if details.expand => None,
            Some(Lazy::Try) => self.attempt(args, d),
            Some(Lazy::Can) => self.can(*args.first()?, d),
            Some(Lazy::Convert) => None,
            None => self.with_window(id, call, |lowering, f, base, count| {
                lowering.push(FastOp::Call { d, f, base, count });
                Some(())
            }),
        }
    }

    /// Returns the function of a call that has as many arguments as it takes.
    pub(super) fn function(&self, id: NodeId, call: CallId) -> Option<&'a Arc<Function>> {
        let details = self.context.tree.call(call);
        let function = self.info.function(id)?;
        (details.expand || function.takes(details.args.len())).then_some(function)
    }

    /// Lists a function, unless it is listed already.
    pub(super) fn callee(&mut self, function: &Arc<Function>) -> Option<Callee> {
        let functions = &mut self.fast.functions;
        let known = functions.iter().position(|known| Arc::ptr_eq(known, function));
        let at = known.unwrap_or_else(|| {
            functions.push(Arc::clone(function));
            functions.len() - 1
        });
        u16::try_from(at).ok().map(Callee)
    }

    /// Evaluates the arguments of a plain call into registers in a row.
    pub(super) fn with_window(
        &mut self,
        id: NodeId,
        call: CallId,
        body: impl FnOnce(&mut Self, Callee, FastReg, u8) -> Option<()>,
    ) -> Option<()> {
        let tree = self.context.tree;
        let details = tree.call(call);
        let function = self.function(id, call)?;
        if details.expand || function.lazy.is_some() {
            return None;
        }
        let args = tree.list(details.args);
        let count = u8::try_from(args.len()).ok()?;
        let f = self.callee(function)?;
        // A single argument may be where it is.
        if let [arg] = args
            && self.info.constant(self.context.bare(*arg)).is_none()
            && let Some(reg) = self.register_of(self.context.bare(*arg))
        {
            return body(self, f, reg, count);
        }
        // A row of no arguments begins at a register too.
        self.with_registers(args.len().max(1), |lowering, base| {
            lowering.fill(args.iter().copied(), base)?;
            body(lowering, f, base, count)
        })
    }

    /// `try(a, b, …)`: a fault in one attempt goes on at the next.
    fn attempt(&mut self, args: &[NodeId], d: FastReg) -> Option<()> {
        let done = self.label();
        for arg in args {
            let next = self.label();
            self.handled(Some(next), |lowering| lowering.value(*arg, d))?;
            self.push(FastOp::RequireKnown { a: d });
            self.push(FastOp::Jump { to: done });
            self.place(next)?;
        }
        // All failed: a fault of the call itself.
        self.push(FastOp::Trap {});
        self.place(done)
    }

    fn can(&mut self, arg: NodeId, d: FastReg) -> Option<()> {
        let (failed, done) = (self.label(), self.label());
        self.handled(Some(failed), |lowering| lowering.value(arg, d))?;
        self.push(FastOp::RequireKnown { a: d });
        let k = self.emitter.constant(Value::TRUE);
        self.push(FastOp::Constant { d, k });
        self.push(FastOp::Jump { to: done });
        self.place(failed)?;
        let k = self.emitter.constant(Value::FALSE);
        self.push(FastOp::Constant { d, k });
        self.place(done)
    }
}
