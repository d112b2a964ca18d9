//! `try`, `can` and `convert`, which evaluate their arguments in their own way. Other calls are in `call`.

use hclvm_compiler::tree::NodeId;
use hclvm_compiler::typeexpr::{TypeMode, TypeProblem, not_a_type, type_of_expression};
use hclvm_vm::code::Failure;
use hclvm_vm::{Called, Fault, Function, Marks, Place, Type, Value, convert_as_function};

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
        let mut attempts = Vec::new();
        for arg in args {
            let (value, faults) = self.argument(*arg, names);
            if faults.is_empty() {
                let value = if value.is_wholly_known() { value } else { Value::DYNAMIC };
                return (value, faults);
            }
            attempts.extend(faults);
        }
        if let Some(marks) = expanded
            && let Err(error) = function.call(self.arena, &[])
        {
            let mut refused = self.refused(id, function, &function.name, 0, &error);
            refused.fault = refused.fault.concealed_under(self.arena, marks);
            attempts.push(refused);
        }
        let fault = Fault::NoneSucceeded(self.arena.slice(&attempts));
        (Value::DYNAMIC, vec![self.record(fault, id, Place::CallStart)])
    }

    /// Evaluates `can`: true if there are no faults, unknown if any part of the value is.
    pub(crate) fn can_call(&self, arg: Argument<'a>, names: Names<'_, 'a>) -> Found<'a> {
        let (value, faults) = self.argument(arg, names);
        let can = if !faults.is_empty() {
            Value::bool(false)
        } else if value.is_wholly_known() {
            Value::bool(true)
        } else {
            Value::unknown_of(self.arena, Type::Bool)
        };
        (can, Vec::new())
    }

    /// Evaluates `convert`: converts the first argument to the type described by the second.
    pub(crate) fn convert_call(
        &self,
        id: NodeId,
        [value, ty]: [Argument<'a>; 2],
        names: Names<'_, 'a>,
    ) -> Found<'a> {
        let (value, mut faults) = self.argument(value, names);
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
        if !faults.is_empty() {
            return (Value::DYNAMIC, faults);
        }
        convert_as_function(self.arena, value, ty).map_or_else(
            |mismatch| {
                let fault = Fault::Argument { function: Called::Convert, index: 0, mismatch };
                (Value::DYNAMIC, vec![self.record(fault, id, Place::Argument(0))])
            },
            |value| (value, Vec::new()),
        )
    }
}
