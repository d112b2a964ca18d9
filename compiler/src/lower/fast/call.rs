//! Calls, whose arguments are in consecutive registers; `try` and `can` as fault handlers.

use std::sync::Arc;

use hclvm_vm::code::Callee;
use hclvm_vm::code::fast::{FastOp, FastReg};
use hclvm_vm::{Function, Lazy, Value};

use super::FastLowering;
use crate::tree::{CallId, NodeId};

impl<'a> FastLowering<'_, 'a> {
    /// Lowers a call. `convert`, and expansion of an argument of what is not a plain function, have no fast form.
    pub(super) fn call(&mut self, id: NodeId, call: CallId, d: FastReg) -> Option<()> {
        let details = self.context.tree.call(call);
        let args = self.context.tree.list(details.args);
        match self.function(id, call)?.lazy_kind() {
            None if details.expand => self.call_expanded(id, args, d),
            _ if details.expand => None,
            Some(Lazy::Try) => self.attempt(args, d),
            Some(Lazy::Can) => self.can(*args.first()?, d),
            Some(Lazy::Convert) => None,
            None => {
                if let [arg] = args
                    && let Some(function) = self.plain_function(id, call)
                    && let Some((rounding, parts)) = self.rounded_parts(function, *arg)
                {
                    return self.round(rounding, &parts, d);
                }
                self.with_window(id, call, |lowering, f, base, count| {
                    lowering.push(FastOp::Call { d, f, base, count });
                    Some(())
                })
            }
        }
    }

    /// Lowers `f(a, list...)`.
    fn call_expanded(&mut self, id: NodeId, args: &[NodeId], d: FastReg) -> Option<()> {
        let f = self.callee(self.info.function(id)?)?;
        let count = u8::try_from(args.len()).ok()?;
        let (expanded, given) = args.split_last()?;
        self.with_registers(args.len(), |lowering, base| {
            // The collection comes first: if it is unknown, faults of the other arguments do not count.
            let a = FastReg(base.0 + (count - 1));
            lowering.value(*expanded, a)?;
            lowering.push(FastOp::RequireKnown { a });
            lowering.fill(given.iter().copied(), base)?;
            lowering.push(FastOp::CallExpanded { d, f, base, count });
            Some(())
        })
    }

    /// Returns the function of a call if it takes that many arguments.
    fn function(&self, id: NodeId, call: CallId) -> Option<&'a Arc<Function>> {
        let details = self.context.tree.call(call);
        let function = self.info.function(id)?;
        (details.expand || function.takes(details.args.len())).then_some(function)
    }

    /// Returns the function of a call if it evaluates its arguments and none is expanded.
    pub(super) fn plain_function(&self, id: NodeId, call: CallId) -> Option<&'a Arc<Function>> {
        let expand = self.context.tree.call(call).expand;
        self.function(id, call).filter(|function| !expand && !function.is_lazy())
    }

    /// Returns the form of a function for the constant texts among its arguments, if it has one.
    fn prepared(&self, function: &Arc<Function>, args: &[NodeId]) -> Option<Arc<Function>> {
        let text = |arg: &NodeId| self.info.constant(self.context.bare(*arg))?.as_str();
        let texts: Vec<Option<&str>> = args.iter().map(text).collect();
        function.prepared(&texts)
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

    /// Lowers the arguments of a plain call into consecutive registers. `body` gets the function, the
    /// first register and the count.
    pub(super) fn with_window(
        &mut self,
        id: NodeId,
        call: CallId,
        body: impl FnOnce(&mut Self, Callee, FastReg, u8) -> Option<()>,
    ) -> Option<()> {
        let function = self.plain_function(id, call)?;
        let args = self.context.tree.list(self.context.tree.call(call).args);
        let count = u8::try_from(args.len()).ok()?;
        let prepared = if function.prepares() { self.prepared(function, args) } else { None };
        let f = self.callee(prepared.as_ref().unwrap_or(function))?;
        // A single argument is passed where it is.
        if let [arg] = args
            && self.info.constant(self.context.bare(*arg)).is_none()
            && let Some(reg) = self.register_of(self.context.bare(*arg))
        {
            return body(self, f, reg, count);
        }
        self.with_registers(args.len(), |lowering, base| {
            lowering.fill(args.iter().copied(), base)?;
            body(lowering, f, base, count)
        })
    }

    /// Lowers `try(a, b, …)`: a fault in an attempt continues with the next one.
    fn attempt(&mut self, args: &[NodeId], d: FastReg) -> Option<()> {
        let done = self.label();
        for arg in args {
            let next = self.label();
            self.handled(Some(next), |lowering| lowering.value(*arg, d))?;
            self.push(FastOp::RequireKnown { a: d });
            self.push(FastOp::Jump { to: done });
            self.place(next)?;
        }
        // All attempts failed, which is a fault of the call.
        self.fault(d);
        self.place(done)
    }

    /// Lowers `can(arg)`.
    fn can(&mut self, arg: NodeId, d: FastReg) -> Option<()> {
        let (failed, done) = (self.label(), self.label());
        self.handled(Some(failed), |lowering| lowering.value(arg, d))?;
        self.push(FastOp::RequireKnown { a: d });
        self.constant(Value::TRUE, d);
        self.push(FastOp::Jump { to: done });
        self.place(failed)?;
        self.constant(Value::FALSE, d);
        self.place(done)
    }
}
