//! The protocol of a call, which is cty's `function.Call`.
//!
//! Nulls, unknown values, values of unknown type and marks are handled here unless a parameter accepts
//! them, so that most bodies see plain values only.

use std::fmt;

use super::{Accepts, Function, RefineRule, Returns};
use crate::fault::CONCEALED;
use crate::memory::arena::Arena;
use crate::types::Type;
use crate::value::{Marks, Unknown, Value, View};

/// Bytes of a message that are written for one unit of fuel.
const BYTES_TOLD_PER_UNIT: usize = 16;

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// The argument to blame, counted from 0 over all arguments.
    pub argument: Option<usize>,
    /// A phrase without final stop, such as `argument must not be null`.
    pub message: String,
}

impl CallError {
    /// A failure of the call as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        Self { argument: None, message: message.into() }
    }

    /// The same failure of a body that saw what is marked.
    #[cold]
    fn concealed(self) -> Self {
        Self { message: CONCEALED.into(), ..self }
    }

    /// The same failure, after its words have been paid for: they may tell a long argument again, as
    /// often as `can` asks.
    #[cold]
    fn paid(self, arena: &Arena) -> Self {
        arena.spend((self.message.len() / BYTES_TOLD_PER_UNIT) as u64);
        self
    }

    /// A failure because of one argument.
    pub fn argument(index: usize, message: impl Into<String>) -> Self {
        Self { argument: Some(index), message: message.into() }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CallError {}

impl Function {
    /// Calls the function by cty's protocol. The arguments have been converted to the types of
    /// the parameters and their number has been checked.
    pub fn call<'a>(&self, arena: &'a Arena, args: &[Value<'a>]) -> Result<Value<'a>, CallError> {
        if !arena.charge(1) {
            return Ok(Value::DYNAMIC);
        }
        let prepared = self.prepare(arena, args)?;
        self.call_prepared(arena, &prepared).map_err(|error| {
            let error = error.paid(arena);
            if args.iter().any(|arg| arg.contains_marks()) { error.concealed() } else { error }
        })
    }

    fn call_prepared<'a>(&self, arena: &'a Arena, prepared: &Prepared<'a>) -> Result<Value<'a>, CallError> {
        let args = prepared.args;
        let ty = match &self.returns {
            _ if prepared.dynamic => Type::Dynamic,
            Returns::Always(ty) => *ty,
            Returns::Computed(rule) => rule(arena, args)?,
        };
        let refined = |value: Value<'a>| match self.refine {
            Some(rule) if !prepared.dynamic => refine(arena, value, args, rule),
            _ => value,
        };
        if prepared.dynamic {
            return Ok(Value::DYNAMIC.with_marks(arena, prepared.marks));
        }
        if prepared.unknown {
            return Ok(refined(Value::unknown_of(arena, ty)).with_marks(arena, prepared.marks));
        }
        let result = self.as_declared(arena, (self.body)(arena, args, ty)?)?;
        Ok(refined(result).with_marks(arena, prepared.marks))
    }

    /// The result of the body, which is of the primitive type that the function is declared to give:
    /// the fast body relies on that.
    #[inline]
    fn as_declared<'a>(&self, arena: &'a Arena, result: Value<'a>) -> Result<Value<'a>, CallError> {
        match self.returns {
            Returns::Always(ty) if ty.is_primitive() && !result.fits(ty) => declared(arena, result, ty),
            _ => Ok(result),
        }
    }

    /// Calls the function with arguments that need no conversion, no protocol and no refinement:
    /// known, unmarked, not null, and of the parameters' types already. `None` when they are not.
    pub(crate) fn call_plain<'a>(
        &self,
        arena: &'a Arena,
        args: &[Value<'a>],
    ) -> Option<Result<Value<'a>, CallError>> {
        for (index, arg) in args.iter().enumerate() {
            let wanted = self.parameter(index)?.ty;
            if !arg.is_plain() || !arg.is_wholly_known() || arg.contains_marks() || !arg.fits(wanted) {
                return None;
            }
        }
        if !arena.charge(1) {
            return None;
        }
        let ty = match &self.returns {
            Returns::Always(ty) => *ty,
            Returns::Computed(rule) => match rule(arena, args) {
                Ok(ty) => ty,
                Err(error) => return Some(Err(error.paid(arena))),
            },
        };
        let result = (self.body)(arena, args, ty).and_then(|result| self.as_declared(arena, result));
        Some(result.map_err(|error| error.paid(arena)))
    }

    fn prepare<'a>(&self, arena: &'a Arena, args: &[Value<'a>]) -> Result<Prepared<'a>, CallError> {
        let mut prepared = Prepared { args: &[], marks: Marks::NONE, dynamic: false, unknown: false };
        let mut plain = arena.list();
        for (index, arg) in args.iter().enumerate() {
            let accepts = self.parameter(index).map_or(Accepts::PLAIN, |parameter| parameter.accepts);
            let mut arg = *arg;
            if !accepts.marked && arg.contains_marks() {
                let (inner, marks) = arg.unmark_deep(arena);
                arg = inner;
                prepared.marks = prepared.marks.union(arena, marks);
            }
            if !prepared.dynamic && !accepts.null && arg.is_null() {
                return Err(CallError::argument(index, "argument must not be null"));
            }
            match arg.unmark().0.view() {
                View::Unknown(Unknown { ty: Type::Dynamic, .. }) | View::Null(Type::Dynamic)
                    if !accepts.dynamic =>
                {
                    prepared.dynamic = true;
                }
                View::Unknown(_) if !accepts.unknown => prepared.unknown = true,
                _ => {}
            }
            plain.push(arg);
        }
        prepared.args = plain.into_bump_slice();
        Ok(prepared)
    }
}
/// Arguments as the body sees them.
struct Prepared<'a> {
    args: &'a [Value<'a>],
    /// Marks taken off the arguments, put on the result.
    marks: Marks<'a>,
    /// An argument of unknown type that its parameter does not accept.
    dynamic: bool,
    /// An unknown argument that its parameter does not accept.
    unknown: bool,
}

fn refine<'a>(arena: &'a Arena, value: Value<'a>, args: &[Value<'a>], rule: RefineRule) -> Value<'a> {
    let (inner, marks) = value.unmark();
    let View::Unknown(mut unknown) = inner.view() else { return value };
    if unknown.ty.is_dynamic() {
        return value;
    }
    unknown.refinement = rule(arena, args, unknown.refinement);
    unknown.settle(arena).with_marks(arena, marks)
}

/// A result that is no plain value of a primitive type: a null, unknown or marked one.
#[cold]
fn declared<'a>(arena: &'a Arena, result: Value<'a>, ty: Type<'static>) -> Result<Value<'a>, CallError> {
    let (inner, marks) = result.unmark();
    let found = match inner.view() {
        _ if inner.fits(ty) => return Ok(result),
        // After a limit was exceeded results mean nothing.
        _ if arena.budget().exhausted().is_some() => return Ok(result),
        View::Null(Type::Dynamic) => return Ok(Value::null(arena, ty).with_marks(arena, marks)),
        View::Unknown(Unknown { ty: Type::Dynamic, .. }) => {
            return Ok(Value::unknown_of(arena, ty).with_marks(arena, marks));
        }
        View::Null(found) | View::Unknown(Unknown { ty: found, .. }) if found == ty => return Ok(result),
        _ => inner.type_of(arena),
    };
    Err(CallError::new(format!(
        "its result is of type {} where it is declared to give {}",
        found.friendly_name(),
        ty.friendly_name()
    )))
}
