//! Function calls, checked in this order: function, expanded argument, number of arguments, arguments, call. `try`,
//! `can` and `convert` are in `lazy`.

use hclvm_compiler::tree::{Call, NodeId};
use hclvm_vm::code::Failure;
use hclvm_vm::{CallError, Called, Fault, Function, Lazy, Marks, Place, Record, Value, convert, nearest};
use smol_str::SmolStr;

use crate::access::position;
use crate::names::Names;
use crate::walk::{Found, Walk};

/// An argument: written in the call, or an element of the expanded one.
#[derive(Clone, Copy)]
pub(crate) enum Argument<'a> {
    Written(NodeId),
    Expanded(Value<'a>),
}

impl<'a> Argument<'a> {
    /// Returns the value of an element of the expanded argument.
    pub(crate) fn expanded(&self) -> Option<Value<'a>> {
        if let Self::Expanded(value) = self { Some(*value) } else { None }
    }
}

impl<'a> Walk<'_, 'a> {
    pub(crate) fn call(&self, id: NodeId, call: &'a Call, names: Names<'_, 'a>) -> Found<'a> {
        let failed = |fault, place| (Value::DYNAMIC, vec![self.record(fault, id, place)]);
        let Some(table) = self.walker.environment.functions else {
            return failed(self.failure(id, || Failure::FunctionsNotAllowed), Place::Node);
        };
        let Some(function) = table.get(&call.name) else {
            let fault = self.failure(id, || {
                let suggestion = nearest(&call.name, table.names().map(SmolStr::as_str)).map(SmolStr::from);
                Failure::UnknownFunction { name: call.name.clone(), suggestion }
            });
            return failed(fault, Place::FunctionName);
        };
        let mut args: Vec<Argument<'a>> =
            self.tree().list(call.args).iter().map(|arg| Argument::Written(*arg)).collect();
        let last = args.last().copied();
        let mut marks = Marks::NONE;
        if call.expand
            && let Some(Argument::Written(last)) = last
        {
            args.pop();
            marks = match self.expand(id, last, names, &mut args) {
                Ok(marks) => marks,
                Err(result) => return result,
            };
        }
        if let Some((fault, place)) = arity(function, args.len()) {
            let fault = fault.concealed_under(self.arena, marks);
            return (Value::DYNAMIC, vec![self.record_under(marks, fault, id, place)]);
        }
        match function.lazy_kind() {
            Some(Lazy::Try) => self.try_call(id, function, &args, call.expand.then_some(marks), names),
            Some(Lazy::Can) => self.can_call(args[0], names),
            Some(Lazy::Convert) => self.convert_call(id, [args[0], args[1]], names),
            None if args.iter().any(|arg| matches!(arg, Argument::Expanded(_))) => {
                self.plain_call(id, (function, &call.name), &args, Marks::NONE, names)
            }
            None => self.plain_call(id, (function, &call.name), &args, marks, names),
        }
    }

    /// Adds the elements of the expanded argument and returns its marks. A value that cannot be expanded ends the call with
    /// that value; nothing else is evaluated.
    fn expand(
        &self,
        id: NodeId,
        last: NodeId,
        names: Names<'_, 'a>,
        args: &mut Vec<Argument<'a>>,
    ) -> Result<Marks<'a>, Found<'a>> {
        let (value, mut faults) = self.expr(last, names);
        let all = self.note_all(&[value]);
        if !faults.is_empty() {
            self.give_up(&mut faults, all);
            return Err((Value::DYNAMIC, faults));
        }
        let (plain, marks) = value.unmark();
        let ty = plain.type_of(self.arena);
        let fault = match plain.as_items() {
            Some(items) => {
                args.extend(items.iter().map(|item| Argument::Expanded(item.with_marks(self.arena, marks))));
                return Ok(marks);
            }
            None if !ty.is_dynamic() && !ty.is_sequence() => Some(Fault::ExpandType(ty)),
            None => plain.is_null().then_some(Fault::ExpandNull),
        };
        let unknown =
            if fault.is_none() { Value::DYNAMIC.with_marks(self.arena, marks) } else { Value::DYNAMIC };
        faults.extend(fault.map(|fault| self.record_under(marks, fault, id, Place::Expanded)));
        Err((unknown, faults))
    }

    pub(crate) fn argument(&self, argument: Argument<'a>, names: Names<'_, 'a>) -> Found<'a> {
        match argument {
            Argument::Written(node) => self.expr(node, names),
            Argument::Expanded(value) => (value, Vec::new()),
        }
    }

    fn plain_call(
        &self,
        id: NodeId,
        (function, name): (&'a Function, &'a str),
        args: &[Argument<'a>],
        // Of an expanded argument without elements; other marks are on the elements.
        marks: Marks<'a>,
        names: Names<'_, 'a>,
    ) -> Found<'a> {
        let (mut values, mut faults) = (Vec::with_capacity(args.len()), Vec::new());
        let mut all = marks;
        for (at, arg) in args.iter().enumerate() {
            let (value, own) = self.argument(*arg, names);
            faults.extend(own);
            let Some(parameter) = function.parameter(at) else { continue };
            let own = self.note_all(&[value]);
            all = all.union(self.arena, own);
            match convert(self.arena, value, parameter.ty) {
                Ok(value) => values.push(value),
                Err(mismatch) => {
                    let function = Called::Function(function);
                    let fault = Fault::Argument { function, index: at, mismatch };
                    faults.push(self.record_under(own, fault, id, Place::Argument(position(at))));
                }
            }
        }
        if !faults.is_empty() {
            self.give_up(&mut faults, all);
            return (Value::DYNAMIC, faults);
        }
        match function.call(self.arena, &values) {
            Ok(value) => (value.with_marks(self.arena, marks), faults),
            Err(error) => {
                let mut refused = self.refused(id, function, name, args.len(), &error);
                refused.fault = refused.fault.concealed_under(self.arena, marks);
                (Value::DYNAMIC, vec![refused.with_marks(self.arena, all)])
            }
        }
    }

    /// Returns a failed call, attributed to the argument of a parameter or to the call as a whole.
    pub(crate) fn refused(
        &self,
        id: NodeId,
        function: &'a Function,
        name: &'a str,
        given: usize,
        error: &CallError,
    ) -> Record<'a> {
        let message = self.arena.text(&error.message);
        let blamed =
            error.argument.filter(|at| function.parameter(*at).or(function.parameters.last()).is_some());
        match blamed {
            None => self.record(Fault::Call { function: name, message }, id, Place::CallStart),
            Some(at) => {
                let fault = Fault::Refused { function, index: at, message };
                let place =
                    given.checked_sub(1).map_or(Place::Node, |last| Place::Argument(position(at.min(last))));
                self.record(fault, id, place)
            }
        }
    }
}

/// Returns the fault in the number of arguments, if there is one, and its place.
fn arity(function: &Function, given: usize) -> Option<(Fault<'_>, Place)> {
    let needs = function.parameters.len();
    if given < needs {
        return Some((Fault::TooFew { function, count: Some(given) }, Place::CloseParen));
    }
    if given > needs && function.variadic.is_none() {
        return Some((Fault::TooMany { function }, Place::Argument(position(needs))));
    }
    None
}
