//! `try`, `can` and `convert`, which evaluate their arguments in their own way. Other calls are in `call`.

use hclvm_compiler::tree::NodeId;
use hclvm_compiler::typeexpr::{TypeMode, TypeProblem, not_a_type, type_of_expression};
use hclvm_vm::code::Failure;
use hclvm_vm::{Called, Fault, Function, Marks, Place, Record, Type, Value, convert_as_function};

use crate::call::Argument;
use crate::names::Names;
use crate::walk::{Found, Walk};

impl<'a> Walk<'_, 'a> {
    /// Evaluates `try`: the first argument without faults, unknown as a whole if any part of it is. An
    /// expanded argument without elements, given by its marks, counts as one more failure.
    pub(crate) fn try_call(
        &self,
        id: NodeId,
        function: &'a Function,
        args: &[Argument<'a>],
        expanded: Option<Marks<'a>>,
        names: Names<'_, 'a>,
    ) -> Found<'a> {
        let around = self.read.replace(Marks::NONE);
        let (value, attempts) = self.attempt_each(id, function, args, expanded, names);
        let marks = self.read.replace(around);
        self.note(marks);
        match value {
            Some(value) if value.is_wholly_known() => (value.with_marks(self.arena, marks), Vec::new()),
            Some(value) => {
                let marks = marks.union(self.arena, value.all_marks(self.arena));
                (Value::DYNAMIC.with_marks(self.arena, marks), Vec::new())
            }
            None => {
                let fault = Fault::NoneSucceeded(self.arena.slice(&attempts));
                (Value::DYNAMIC, vec![self.record_under(marks, fault, id, Place::CallStart)])
            }
        }
    }

    /// Returns the value of the first argument without faults, or the faults of all.
    fn attempt_each(
        &self,
        id: NodeId,
        function: &'a Function,
        args: &[Argument<'a>],
        expanded: Option<Marks<'a>>,
        names: Names<'_, 'a>,
    ) -> (Option<Value<'a>>, Vec<Record<'a>>) {
        let mut attempts = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            // All elements of an expanded argument are passed at once.
            for value in args[at..].iter().map_while(Argument::expanded) {
                self.note_all(&[value]);
            }
            let (value, faults) = self.argument(*arg, names);
            if faults.is_empty() {
                return (Some(value), faults);
            }
            attempts.extend(faults);
        }
        self.note(expanded.unwrap_or(Marks::NONE));
        if let Some(marks) = expanded
            && let Err(error) = function.call(self.arena, &[])
        {
            let mut refused = self.refused(id, function, &function.name, 0, &error);
            refused.fault = refused.fault.concealed_under(self.arena, marks);
            attempts.push(refused);
        }
        (None, attempts)
    }

    /// Evaluates `can`: true if there are no faults, unknown if any part of the value is.
    pub(crate) fn can_call(&self, arg: Argument<'a>, names: Names<'_, 'a>) -> Found<'a> {
        let around = self.read.replace(Marks::NONE);
        let (value, faults) = self.argument(arg, names);
        let marks = self.read.replace(around);
        self.note(marks);
        let can = if !faults.is_empty() {
            Value::bool(false)
        } else if value.is_wholly_known() {
            Value::bool(true)
        } else {
            Value::unknown_of(self.arena, Type::Bool)
        };
        (can.with_marks(self.arena, marks.union(self.arena, value.all_marks(self.arena))), Vec::new())
    }

    /// Evaluates `convert`: converts the first argument to the type described by the second.
    pub(crate) fn convert_call(
        &self,
        id: NodeId,
        [value, ty]: [Argument<'a>; 2],
        names: Names<'_, 'a>,
    ) -> Found<'a> {
        let (value, mut faults) = self.argument(value, names);
        let marks = value.all_marks(self.arena);
        let Argument::Written(ty) = ty else {
            let TypeProblem { title, detail, .. } = not_a_type(id);
            let fault = self.failure(id, || Failure::Described { title, detail });
            faults.push(self.record(fault, id, Place::Expanded));
            return (Value::DYNAMIC, faults);
        };
        let ty = match type_of_expression(self.tree(), ty, TypeMode::Constraint, self.arena) {
            Ok(found) => found.ty,
            Err(problems) => {
                for TypeProblem { node, place, title, detail, .. } in problems {
                    let fault = self.failure(node, || Failure::Described { title, detail });
                    faults.push(self.record(fault, node, place));
                }
                return (Value::DYNAMIC, faults);
            }
        };
        self.note(marks);
        if !faults.is_empty() {
            self.give_up(&mut faults, marks);
            return (Value::DYNAMIC, faults);
        }
        convert_as_function(self.arena, value, ty).map_or_else(
            |mismatch| {
                let fault = Fault::Argument { function: Called::Convert, index: 0, mismatch };
                (Value::DYNAMIC, vec![self.record_under(marks, fault, id, Place::Argument(0))])
            },
            |value| (value, Vec::new()),
        )
    }
}
