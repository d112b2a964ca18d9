//! Calls: functions of the table, expansion of the last argument, and the functions that are
//! instructions (`try`, `can` and `convert`).

use std::sync::Arc;

use hclvm_vm::code::{Callee, Count, Failure, Label, Op, Position, Reg};
use hclvm_vm::{Function, Lazy, Place, Value, cast, function_meant, nearest_of_many};
use smol_str::SmolStr;

use super::emit::Emitter;
use super::{BaselineLowering, ScratchReg};
use crate::tree::{CallId, NodeId};
use crate::typeexpr::{TypeMode, TypeProblem, not_a_type, type_of_expression};

/// Functions of a table that are compared with an unknown name: code may have any number of such names, and a file may
/// define any number of functions.
const MOST_COMPARED: usize = 1_000;

/// The attempts of one `try`: the register with the number of failed attempts kept before it, and the
/// label to continue at after success.
struct Attempts {
    kept: Reg,
    done: Label,
}

impl BaselineLowering<'_> {
    /// Lowers a call.
    pub(super) fn call(&mut self, id: NodeId, call: CallId, d: Reg) {
        let tree = self.context.tree;
        let call = tree.call(call);
        let Some(function) = self.info.function(id) else {
            return self.unknown_function(id, &call.name, d);
        };
        self.impure_calls += usize::from(!function.pure);
        let args = tree.list(call.args);
        if call.expand
            && let Some((last, given)) = args.split_last()
        {
            return self.call_expanded(id, function, given, *last, d);
        }
        if !function.takes(args.len()) {
            return self.arity(id, function, args.len(), d);
        }
        match function.lazy_kind() {
            Some(Lazy::Try) => self.try_call(id, args, d),
            Some(Lazy::Can) => self.can_call(id, args[0], d),
            Some(Lazy::Convert) => self.convert_call(id, [args[0], args[1]], d),
            None => self.plain_call(id, function, args, d),
        }
    }

    fn arity(&mut self, id: NodeId, function: &Arc<Function>, count: usize, d: Reg) {
        let f = self.emitter.function(function);
        self.emit(Op::Arity { d, f, count: Count(cast::length(count)) }, id, Place::Node);
    }

    fn unknown_function(&mut self, id: NodeId, name: &SmolStr, d: Reg) {
        let Some(table) = self.context.environment.functions else {
            return self.fail(id, Failure::FunctionsNotAllowed, Place::Node, d);
        };
        let is_compared = table.len() <= MOST_COMPARED;
        let known = table.names().map(SmolStr::as_str).filter(|_| is_compared);
        let meant = function_meant(name).filter(|meant| table.get(meant).is_some());
        let suggestion = meant.or_else(|| nearest_of_many(name, known)).map(SmolStr::from);
        let failure = Failure::UnknownFunction { name: name.clone(), suggestion };
        self.fail(id, failure, Place::FunctionName, d);
    }

    /// Emits a failure that is recorded when reached.
    pub(super) fn fail(&mut self, id: NodeId, failure: Failure, place: Place, d: Reg) {
        let failure = self.emitter.failure(failure);
        self.emit(Op::Fail { d, failure }, id, place);
    }

    fn plain_call(&mut self, id: NodeId, function: &Arc<Function>, args: &[NodeId], d: Reg) {
        let f = self.emitter.function(function);
        let log = self.take_log(id);
        self.arguments(id, f, args, d);
        let count = Count(cast::length(args.len()));
        self.emit(Op::Call { d, f, count, log: log.reg }, id, Place::CallStart);
        self.give_back(log);
    }

    /// Lowers, converts and pushes arguments.
    fn arguments(&mut self, id: NodeId, f: Callee, args: &[NodeId], d: Reg) {
        for (at, arg) in args.iter().enumerate() {
            let index: Position = Emitter::position(at);
            let a = self.value_in(*arg, d);
            self.emit(Op::Argument { a, f, index }, id, Place::Argument(index.0));
        }
    }

    /// Lowers a call with an expanded argument, which is evaluated first, and alone if it is unusable.
    fn call_expanded(
        &mut self,
        id: NodeId,
        function: &Arc<Function>,
        given: &[NodeId],
        last: NodeId,
        d: Reg,
    ) {
        let f = self.emitter.function(function);
        let position = Emitter::position(given.len());
        let end = self.emitter.label();
        self.with_log(id, |lowering, log| {
            lowering.with_value(last, |lowering, a| {
                lowering.emit(Op::Expand { d, a, f, given: position, log, end }, id, Place::Expanded);
                match (function.lazy_kind(), given) {
                    (Some(Lazy::Try), _) => lowering.try_in_turn(id, given, d, |lowering, attempts| {
                        let since = lowering.take_log(id);
                        lowering.call_with_elements(id, f, a, 0, log, d);
                        lowering.attempted(id, attempts, d, since);
                    }),
                    // `can` takes one argument: the expanded one has no elements.
                    (Some(Lazy::Can), [one]) => lowering.can_call(id, *one, d),
                    (Some(Lazy::Convert), [value, ty]) => lowering.convert_call(id, [*value, *ty], d),
                    // An expanded argument has values, none of which is a type expression.
                    (Some(Lazy::Convert), _) => {
                        lowering.each_for_faults(given, d);
                        let TypeProblem { title, detail, .. } = not_a_type(last);
                        lowering.fail(id, Failure::Described { title, detail }, Place::Expanded, d);
                    }
                    _ => {
                        lowering.arguments(id, f, given, d);
                        lowering.call_with_elements(id, f, a, position.0, log, d);
                    }
                }
            });
        });
        self.emitter.place(end);
    }

    /// Pushes the elements of `a` as arguments after `given` others, and calls.
    fn call_with_elements(&mut self, id: NodeId, f: Callee, a: Reg, given: u16, log: Reg, d: Reg) {
        let given = Position(given);
        self.emit(Op::ExpandedArguments { a, f, given }, id, Place::Expanded);
        self.emit(Op::CallExpanded { d, a, f, given, log }, id, Place::CallStart);
    }

    /// Lowers arguments of which only the faults count.
    fn each_for_faults(&mut self, args: &[NodeId], d: Reg) {
        for arg in args {
            self.expr(*arg, d);
        }
    }

    fn try_call(&mut self, id: NodeId, args: &[NodeId], d: Reg) {
        self.try_in_turn(id, args, d, |_, _| ());
    }

    /// Lowers attempts, first the arguments and then those that `more` emits.
    fn try_in_turn(&mut self, id: NodeId, args: &[NodeId], d: Reg, more: impl FnOnce(&mut Self, &Attempts)) {
        let done = self.emitter.label();
        let kept = self.emitter.borrow();
        self.emit(Op::TryBegin { d: kept }, id, Place::Node);
        let attempts = Attempts { kept, done };
        for arg in args {
            let log = self.take_log(id);
            self.expr(*arg, d);
            self.attempted(id, &attempts, d, log);
        }
        more(self, &attempts);
        self.emit(Op::TryFail { d, kept }, id, Place::CallStart);
        self.emitter.give_back(kept);
        self.emitter.place(done);
    }

    /// Ends an attempt that was evaluated into `d` since `log`.
    fn attempted(&mut self, id: NodeId, attempts: &Attempts, d: Reg, log: ScratchReg) {
        let Attempts { kept, done } = *attempts;
        self.emit(Op::TryTake { d, a: d, log: log.reg, kept, done }, id, Place::Node);
        self.give_back(log);
    }

    fn can_call(&mut self, id: NodeId, arg: NodeId, d: Reg) {
        let kept = self.emitter.borrow();
        self.emit(Op::TryBegin { d: kept }, id, Place::Node);
        let log = self.take_log(id);
        self.expr(arg, d);
        self.emit(Op::Can { d, a: d, log: log.reg }, id, Place::Node);
        self.give_back(log);
        self.emitter.give_back(kept);
    }

    /// Lowers `convert(value, type)`. The type is read at compile time; each problem of a bad type
    /// expression is a fault, after those of the value.
    fn convert_call(&mut self, id: NodeId, [value, ty]: [NodeId; 2], d: Reg) {
        match type_of_expression(self.context.tree, ty, TypeMode::Constraint, self.context.arena()) {
            Ok(found) => self.with_log(id, |lowering, log| {
                lowering.expr(value, d);
                let k = lowering.emitter.constant(Value::null(lowering.context.arena(), found.ty));
                lowering.emit(Op::Convert { d, a: d, k, log }, id, Place::Argument(0));
            }),
            Err(problems) => {
                self.expr(value, d);
                for TypeProblem { node, place, title, detail, .. } in problems {
                    self.fail(node, Failure::Described { title, detail }, place, d);
                }
            }
        }
    }
}
