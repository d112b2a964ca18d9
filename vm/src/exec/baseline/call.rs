//! Function calls, argument expansion, and the functions that are instructions of their own: `try`, `can`
//! and `convert`. Other functions are values of [`Function`], which the instructions call.

use super::machine::Machine;
use crate::code::{Callee, Const, Label, Position, Reg};
use crate::fault::{Called, Fault, Place, Record};
use crate::function::{CallError, Function};
use crate::types::Type;
use crate::types::convert::{convert, convert_as_function};
use crate::value::{Marks, Value, View};

impl<'a> Machine<'_, 'a> {
    fn function(&self, f: Callee) -> &'a Function {
        let code = self.code;
        &code.functions[usize::from(f.0)]
    }

    pub(super) fn argument(&mut self, a: Reg, f: Callee, index: Position) {
        self.push_argument(self.get(a), f, usize::from(index.0), Place::Argument(index.0));
    }

    /// Converts an argument to the type of its parameter and pushes it.
    fn push_argument(&mut self, value: Value<'a>, f: Callee, index: usize, place: Place) {
        let function = self.function(f);
        let Some(parameter) = function.parameter(index) else { return };
        let value = match convert(self.arena, value, parameter.ty) {
            Ok(value) => value,
            Err(mismatch) => {
                let function = Called::Function(function);
                self.fault_of(Fault::Argument { function, index, mismatch }, place, [value]);
                self.failed(Type::Dynamic, self.all_marks([value]))
            }
        };
        self.stack.push(value);
    }

    pub(super) fn call(&mut self, d: Reg, f: Callee, count: usize, log: Reg) {
        let args = self.pop(count);
        let value = if self.faulted_since(log) { self.failed_call(args) } else { self.apply(f, args) };
        self.set(d, value);
    }

    fn apply(&mut self, f: Callee, args: &'a [Value<'a>]) -> Value<'a> {
        let function = self.function(f);
        function.call(self.arena, args).unwrap_or_else(|error| {
            // An exploration is not about this host.
            if !(self.exploring && error.is_ungranted) {
                self.blame(function, args, &error);
            }
            self.failed_call(args)
        })
    }

    fn failed_call(&mut self, args: &'a [Value<'a>]) -> Value<'a> {
        self.failed(Type::Dynamic, self.all_marks([Value::tuple(self.arena, args)]))
    }

    /// Records the fault of a failed call, at the argument that caused it if the error names one.
    fn blame(&mut self, function: &'a Function, args: &[Value<'a>], error: &CallError) {
        let message = self.arena.text(&error.message);
        let at = error.argument.filter(|index| function.parameter(*index).is_some());
        match at {
            Some(index) if args.is_empty() => {
                self.fault(Fault::Refused { function, index, message }, Place::Node);
            }
            Some(index) => {
                let place = Place::Argument(u16::try_from(index).unwrap_or(u16::MAX));
                let value = args.get(index).copied().unwrap_or(Value::UNSET);
                self.fault_of(Fault::Refused { function, index, message }, place, [value]);
            }
            None => self.fault(Fault::Call { function: &function.name, message }, Place::CallStart),
        }
    }

    pub(super) fn expand(
        &mut self,
        d: Reg,
        a: Reg,
        f: Callee,
        given: Position,
        log: Reg,
        end: Label,
    ) -> Option<Label> {
        let written = self.get(a);
        let (value, marks) = written.unmark();
        self.set(d, Value::DYNAMIC);
        if self.faulted_since(log) {
            self.failed(Type::Dynamic, self.all_marks([written]));
            return Some(end);
        }
        let len = match value.view() {
            View::Null(ty) if ty.is_dynamic() || ty.is_sequence() => {
                self.fault_of(Fault::ExpandNull, Place::Expanded, [written]);
                self.failed(Type::Dynamic, marks);
                return Some(end);
            }
            View::Unknown(unknown) if unknown.ty.is_dynamic() || unknown.ty.is_sequence() => {
                self.set(d, Value::DYNAMIC.with_marks(self.arena, marks));
                return Some(end);
            }
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => items.len(),
            _ => {
                let fault = Fault::ExpandType(value.type_of(self.arena));
                self.fault_of(fault, Place::Expanded, [written]);
                self.failed(Type::Dynamic, marks);
                return Some(end);
            }
        };
        let count = usize::from(given.0) + len;
        if self.function(f).takes(count) {
            return None;
        }
        self.wrong_count(d, f, count, marks);
        Some(end)
    }

    /// Records that a function does not take `count` arguments.
    pub(super) fn arity(&mut self, d: Reg, f: Callee, count: usize) {
        self.wrong_count(d, f, count, Marks::NONE);
    }

    /// Records that a function does not take `count` arguments, some of which were in a collection with
    /// `marks`.
    fn wrong_count(&mut self, d: Reg, f: Callee, count: usize, marks: Marks<'a>) {
        let (fault, place) = Fault::of_count(self.function(f), count);
        self.fault(fault.concealed_under(self.arena, marks), place);
        let failed = self.failed(Type::Dynamic, marks);
        self.set(d, failed);
    }

    pub(super) fn expanded_arguments(&mut self, a: Reg, f: Callee, given: Position) {
        let (items, marks) = self.expanded(a);
        for (at, item) in items.iter().enumerate() {
            if !self.arena.charge(1) {
                return;
            }
            self.push_argument(
                item.with_marks(self.arena, marks),
                f,
                usize::from(given.0) + at,
                Place::Expanded,
            );
        }
    }

    pub(super) fn call_expanded(&mut self, d: Reg, a: Reg, f: Callee, given: Position, log: Reg) {
        let (items, marks) = self.expanded(a);
        let before = self.log.len();
        self.call(d, f, usize::from(given.0) + items.len(), log);
        // The elements have the marks of the collection. Without elements, the result still depends on
        // there being none.
        if items.is_empty() && !marks.is_empty() {
            for record in &mut self.log[before..] {
                *record = record.concealed(self.arena);
            }
            if self.faulted_since(log) {
                self.failed(Type::Dynamic, marks);
            } else {
                self.set(d, self.get(d).with_marks(self.arena, marks));
            }
        }
    }

    /// Returns the elements of an expanded collection and its marks.
    fn expanded(&self, a: Reg) -> (&'a [Value<'a>], Marks<'a>) {
        let (value, marks) = self.get(a).unmark();
        (value.as_items().unwrap_or_default(), marks)
    }

    pub(super) fn try_begin(&mut self, d: Reg) {
        self.attempts.push(Marks::NONE);
        self.count(d, self.kept.len());
    }

    pub(super) fn try_take(&mut self, d: Reg, a: Reg, log: Reg, kept: Reg, done: Label) -> Option<Label> {
        let from = self.logged(log);
        if self.log.len() > from {
            let attempts = self.log.drain(from..);
            self.kept.extend(attempts);
            return None;
        }
        self.kept.truncate(self.logged(kept));
        let value = self.get(a);
        let mut marks = self.end_attempt();
        let value = if value.is_wholly_known() {
            value
        } else {
            marks = marks.union(self.arena, self.all_marks([value]));
            Value::DYNAMIC
        };
        self.set(d, value.with_marks(self.arena, marks));
        Some(done)
    }

    pub(super) fn try_fail(&mut self, d: Reg, kept: Reg) {
        let from = self.logged(kept);
        let attempts = Record::in_order(self.arena, self.arena.slice(&self.kept[from..]));
        self.kept.truncate(from);
        self.fault(Fault::NoneSucceeded(attempts), Place::CallStart);
        let marks = self.end_attempt();
        let failed = self.failed(Type::Dynamic, marks);
        self.set(d, failed);
    }

    pub(super) fn can(&mut self, d: Reg, a: Reg, log: Reg) {
        let value = self.get(a);
        let can = if self.faulted_since(log) {
            Value::FALSE
        } else if value.is_wholly_known() {
            Value::TRUE
        } else {
            Value::unknown_of(self.arena, Type::Bool)
        };
        self.log.truncate(self.logged(log));
        let marks = self.end_attempt().union(self.arena, self.all_marks([value]));
        self.set(d, can.with_marks(self.arena, marks));
    }

    pub(super) fn convert_to(&mut self, d: Reg, a: Reg, k: Const, log: Reg) {
        let View::Null(ty) = self.constant(k).view() else { return };
        let value = self.get(a);
        let converted = if self.faulted_since(log) {
            self.failed(Type::Dynamic, self.all_marks([value]))
        } else {
            convert_as_function(self.arena, value, ty).unwrap_or_else(|mismatch| {
                let fault = Fault::Argument { function: Called::Convert, index: 0, mismatch };
                self.fault_of(fault, Place::Argument(0), [value]);
                self.failed(Type::Dynamic, self.all_marks([value]))
            })
        };
        self.set(d, converted);
    }
}
