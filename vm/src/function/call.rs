//! The protocol of a call, which is cty's `function.Call`.
//!
//! Nulls, unknown values, values of unknown type and marks are handled here unless a parameter accepts
//! them, so that most bodies see plain values only.

use std::fmt;

use super::{Accepts, Function, RefineRule, Returns};
use crate::fault::CONCEALED;
use crate::memory::arena::Arena;
use crate::types::Type;
use crate::types::convert::convert;
use crate::value::{Marks, Unknown, Value, View};

/// The number of bytes of a message that one unit of fuel pays for.
const BYTES_TOLD_PER_UNIT: usize = 16;

/// The reason why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// The index of the argument at fault, if the failure is due to one.
    pub argument: Option<usize>,
    /// A phrase without a final full stop, for example `argument must not be null`.
    pub message: String,
    /// True if the call failed only for want of what this host has not granted: another host may.
    pub is_ungranted: bool,
}

impl CallError {
    /// Returns a failure of the call as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        Self { argument: None, message: message.into(), is_ungranted: false }
    }

    /// Returns the failure of a call that needs what the host has not granted.
    pub fn ungranted(message: impl Into<String>) -> Self {
        Self { is_ungranted: true, ..Self::new(message) }
    }

    /// Returns the failure of a call that had marked arguments, without its message. Cold, like `paid`:
    /// most calls succeed.
    #[cold]
    fn concealed(self) -> Self {
        Self { message: CONCEALED.into(), ..self }
    }

    /// Charges for the message: it may repeat a long argument, and `can` may discard it any number of
    /// times.
    // Most calls succeed.
    #[cold]
    fn paid(self, arena: &Arena) -> Self {
        arena.spend((self.message.len() / BYTES_TOLD_PER_UNIT) as u64);
        self
    }

    /// Returns a failure that is due to one argument.
    pub fn argument(index: usize, message: impl Into<String>) -> Self {
        Self { argument: Some(index), ..Self::new(message) }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CallError {}

impl Function {
    /// Calls the function by cty's protocol. The arguments must have been converted to the types of the
    /// parameters, and their number checked.
    ///
    /// # Errors
    ///
    /// The failure of the function; without its message if an argument is marked.
    pub fn call<'a>(&self, arena: &'a Arena, args: &[Value<'a>]) -> Result<Value<'a>, CallError> {
        if !arena.charge(1) {
            return Ok(Value::DYNAMIC);
        }
        // Plain arguments need no protocol.
        let plain = |arg: &Value<'a>| arg.is_plain() && arg.is_wholly_known() && !arg.contains_marks();
        let prepared =
            if args.iter().all(plain) { PreparedArguments::of(args) } else { self.prepare(arena, args)? };
        self.call_prepared(arena, &prepared).map_err(|error| {
            let error = error.paid(arena);
            if args.iter().any(|arg| arg.contains_marks()) { error.concealed() } else { error }
        })
    }

    fn call_prepared<'a>(
        &self,
        arena: &'a Arena,
        prepared: &PreparedArguments<'_, 'a>,
    ) -> Result<Value<'a>, CallError> {
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
        if !self.may_begin(arena) {
            return Ok(Value::DYNAMIC);
        }
        let result = self.as_declared(arena, (self.body)(arena, args, ty)?, args)?;
        Ok(refined(result).with_marks(arena, prepared.marks))
    }

    /// Queries the interrupt before a call whose time no fuel bounds. Returns false if the evaluation has to end.
    #[inline]
    fn may_begin(&self, arena: &Arena) -> bool {
        self.metered || arena.budget().poll()
    }

    /// Checks that a result has the primitive type that the function declares, and no marks of its own.
    /// The fast tier relies on both.
    #[inline]
    fn as_declared<'a>(
        &self,
        arena: &'a Arena,
        result: Value<'a>,
        args: &[Value<'a>],
    ) -> Result<Value<'a>, CallError> {
        match self.returns {
            Returns::Always(ty) if ty.is_primitive() && !result.fits(ty) => declared(arena, result, ty, args),
            _ => Ok(result),
        }
    }

    /// Calls the function with arguments that need no protocol: known, unmarked and not null. Returns `None`
    /// for others, and if one does not convert to the type of its parameter.
    pub(crate) fn call_plain<'a>(
        &self,
        arena: &'a Arena,
        args: &[Value<'a>],
    ) -> Option<Result<Value<'a>, CallError>> {
        let mut all_fit = true;
        for (index, arg) in args.iter().enumerate() {
            let wanted = self.parameter(index)?.ty;
            if !arg.is_plain() || !arg.is_wholly_known() || arg.contains_marks() {
                return None;
            }
            all_fit &= arg.fits(wanted);
        }
        if all_fit {
            self.call_fitting(arena, args)
        } else {
            self.call_fitting(arena, self.converted(arena, args)?)
        }
    }

    /// Converts known and unmarked arguments. `None` if one does not convert.
    // Out of line, so that calls without conversions have a small frame.
    #[inline(never)]
    fn converted<'a>(&self, arena: &'a Arena, args: &[Value<'a>]) -> Option<&'a [Value<'a>]> {
        let mut converted = arena.list_with(args.len());
        for (index, arg) in args.iter().enumerate() {
            converted.push(convert(arena, *arg, self.parameter(index)?.ty).ok()?);
        }
        Some(converted.into_bump_slice())
    }

    /// Calls the function with known, unmarked values of its parameters' types, which are not null.
    fn call_fitting<'a>(&self, arena: &'a Arena, args: &[Value<'a>]) -> Option<Result<Value<'a>, CallError>> {
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
        if !self.may_begin(arena) {
            return None;
        }
        let result = (self.body)(arena, args, ty).and_then(|result| self.as_declared(arena, result, args));
        Some(result.map_err(|error| error.paid(arena)))
    }

    fn prepare<'a>(
        &self,
        arena: &'a Arena,
        args: &[Value<'a>],
    ) -> Result<PreparedArguments<'a, 'a>, CallError> {
        let mut prepared = PreparedArguments::of(&[]);
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
        // The body, which would look at the marks that it accepts, is not called.
        if prepared.dynamic || prepared.unknown {
            let accepted = plain.iter().map(|arg| arg.all_marks(arena));
            prepared.marks = accepted.fold(prepared.marks, |marks, more| marks.union(arena, more));
        }
        prepared.args = plain.into_bump_slice();
        Ok(prepared)
    }
}
/// Arguments in the form in which the body gets them.
struct PreparedArguments<'p, 'a> {
    args: &'p [Value<'a>],
    /// The marks removed from the arguments, which are added to the result.
    marks: Marks<'a>,
    /// True if an argument of unknown type is not accepted by its parameter.
    dynamic: bool,
    /// True if an unknown argument is not accepted by its parameter.
    unknown: bool,
}

impl<'p, 'a> PreparedArguments<'p, 'a> {
    /// Returns arguments that are plain.
    const fn of(args: &'p [Value<'a>]) -> Self {
        Self { args, marks: Marks::NONE, dynamic: false, unknown: false }
    }
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

/// Checks a result that is not a plain value of the declared type. Cold: nearly all functions return
/// plain values.
#[cold]
fn declared<'a>(
    arena: &'a Arena,
    result: Value<'a>,
    ty: Type<'static>,
    args: &[Value<'a>],
) -> Result<Value<'a>, CallError> {
    let (inner, marks) = result.unmark();
    if result.is_marked() && !args.iter().any(|arg| arg.contains_marks()) {
        return Err(CallError::new(
            "its result is marked, and only functions with a computed type may mark their results",
        ));
    }
    let found = match inner.view() {
        _ if inner.fits(ty) => return Ok(result),
        // Results are meaningless after a limit was exceeded.
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
