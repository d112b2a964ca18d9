//! Functions as programs see them: parameters, return type, body, and the protocol of a call.
//!
//! The protocol is cty's `function.Call`: nulls, unknowns, unknown types and marks are dealt
//! with here unless a parameter accepts them, so that most bodies only see plain values.

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::fault::CONCEALED;
use crate::memory::arena::Arena;
use crate::memory::hash::HashMap;
use crate::types::Type;
use crate::value::{Marks, Refinement, Unknown, Value, View};

/// What a parameter takes besides plain values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepts {
    /// Null values.
    pub null: bool,
    /// Unknown values.
    pub unknown: bool,
    /// Values of unknown type.
    pub dynamic: bool,
    /// Marked values, at any depth.
    pub marked: bool,
}

impl Accepts {
    /// Plain values only.
    pub const PLAIN: Self = Self { null: false, unknown: false, dynamic: false, marked: false };

    /// Also nulls.
    pub const fn null(mut self) -> Self {
        self.null = true;
        self
    }

    /// Also unknown values.
    pub const fn unknown(mut self) -> Self {
        self.unknown = true;
        self
    }

    /// Also values of unknown type.
    pub const fn dynamic(mut self) -> Self {
        self.dynamic = true;
        self
    }

    /// Also marked values.
    pub const fn marked(mut self) -> Self {
        self.marked = true;
        self
    }
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name in messages.
    pub name: SmolStr,
    /// The type arguments are converted to; `Dynamic` takes any.
    pub ty: Type<'static>,
    /// What it takes besides plain values.
    pub accepts: Accepts,
}

impl Parameter {
    /// A parameter of plain values.
    pub fn new(name: impl Into<SmolStr>, ty: Type<'static>) -> Self {
        Self { name: name.into(), ty, accepts: Accepts::PLAIN }
    }

    /// The same parameter, accepting more.
    pub fn accepting(mut self, accepts: Accepts) -> Self {
        self.accepts = accepts;
        self
    }
}

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

/// Computes the type that a call returns from its arguments.
pub type TypeRule = dyn for<'a> Fn(&'a Arena, &[Value<'a>]) -> Result<Type<'a>, CallError> + Send + Sync;

/// Computes the result of a call from its arguments and the type computed before.
pub type Body =
    dyn for<'a> Fn(&'a Arena, &[Value<'a>], Type<'a>) -> Result<Value<'a>, CallError> + Send + Sync;

/// Adds what is certain about an unknown result, given the arguments.
pub type RefineRule = for<'a> fn(&'a Arena, &[Value<'a>], Refinement<'a>) -> Refinement<'a>;

/// A body for plain arguments that skips the protocol of calls.
pub type Inline = for<'a> fn(&'a Arena, &[Value<'a>]) -> Option<Value<'a>>;

/// How the return type is known.
#[derive(Clone)]
pub enum Returns {
    /// Always the same.
    Always(Type<'static>),
    /// Depends on the arguments.
    Computed(Arc<TypeRule>),
}

impl fmt::Debug for Returns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always(ty) => write!(f, "Always({ty:?})"),
            Self::Computed(_) => f.write_str("Computed"),
        }
    }
}

/// Functions that the instruction set itself knows because they do not evaluate their
/// arguments like others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lazy {
    /// The first argument that evaluates without error.
    Try,
    /// Whether its argument evaluates without error.
    Can,
    /// Converts a value to the type its second argument describes.
    Convert,
}

/// A function that programs can call.
#[derive(Clone)]
pub struct Function {
    /// Its name; a table gives it the name that programs use.
    pub name: SmolStr,
    /// Parameters that need an argument.
    pub parameters: Vec<Parameter>,
    /// The parameter for any number of further arguments.
    pub variadic: Option<Parameter>,
    /// The return type.
    pub returns: Returns,
    /// What is certain about results: the rule is applied to unknown ones, and `not_null`
    /// results of it are promised for known ones too.
    pub refine: Option<RefineRule>,
    /// The body.
    pub body: Arc<Body>,
    /// A shorter way for arguments that are plain values of the expected types already; `None`
    /// leaves the call to the protocol, which must give the same.
    pub inline: Option<Inline>,
    /// Whether equal arguments always give equal results and nothing else is touched.
    pub pure: bool,
    /// Set for the functions the instruction set knows.
    pub lazy: Option<Lazy>,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name)
            .field("parameters", &self.parameters)
            .field("variadic", &self.variadic)
            .field("pure", &self.pure)
            .finish_non_exhaustive()
    }
}

/// The refinement of most functions: the result is not null.
pub fn not_null<'a>(_: &'a Arena, _: &[Value<'a>], mut refinement: Refinement<'a>) -> Refinement<'a> {
    refinement.not_null = true;
    refinement
}

impl Function {
    /// A pure function whose results are never null and always of type `returns`.
    pub fn new<F>(
        name: impl Into<SmolStr>,
        parameters: impl Into<Vec<Parameter>>,
        returns: Type<'static>,
        body: F,
    ) -> Self
    where
        F: for<'a> Fn(&'a Arena, &[Value<'a>], Type<'a>) -> Result<Value<'a>, CallError>
            + Send
            + Sync
            + 'static,
    {
        Self {
            name: name.into(),
            parameters: parameters.into(),
            variadic: None,
            returns: Returns::Always(returns),
            refine: Some(not_null),
            body: Arc::new(body),
            inline: None,
            pure: true,
            lazy: None,
        }
    }

    /// The same function with any number of further arguments.
    pub fn variadic(mut self, parameter: Parameter) -> Self {
        self.variadic = Some(parameter);
        self
    }

    /// The same function with a return type that depends on the arguments.
    pub fn typed<F>(mut self, rule: F) -> Self
    where
        F: for<'a> Fn(&'a Arena, &[Value<'a>]) -> Result<Type<'a>, CallError> + Send + Sync + 'static,
    {
        self.returns = Returns::Computed(Arc::new(rule));
        self
    }

    /// The same function with another refinement of unknown results; `None` promises nothing.
    pub fn refined(mut self, rule: Option<RefineRule>) -> Self {
        self.refine = rule;
        self
    }

    /// The same function with a shorter way for plain arguments.
    pub fn inline(mut self, inline: Inline) -> Self {
        self.inline = Some(inline);
        self
    }

    /// The same function, declared to depend on more than its arguments.
    pub fn impure(mut self) -> Self {
        self.pure = false;
        self
    }

    /// A function the instruction set knows. It is called like any other with the elements of
    /// an expanded argument, which are values already.
    pub fn lazy(name: impl Into<SmolStr>, lazy: Lazy) -> Self {
        let all = Accepts::PLAIN.null().unknown().dynamic().marked();
        let any = |name: &str| Parameter::new(name, Type::Dynamic).accepting(all);
        let function = Self::new(name, [], Type::Dynamic, move |arena, args, _| match (lazy, args.first()) {
            (Lazy::Try, Some(value)) if value.is_wholly_known() => Ok(*value),
            (Lazy::Try, Some(_)) => Ok(Value::DYNAMIC),
            (Lazy::Can, Some(value)) if value.is_wholly_known() => Ok(Value::TRUE),
            (Lazy::Can, Some(_)) => Ok(Value::unknown_of(arena, Type::Bool)),
            (Lazy::Try, None) => Err(CallError::new("there is no expression that succeeds")),
            _ => Err(CallError::new("its arguments have to be written in the call")),
        })
        .refined(None);
        let function = match lazy {
            Lazy::Try => function.variadic(any("expressions")),
            Lazy::Can => Self { parameters: vec![any("expression")], ..function },
            Lazy::Convert => Self { parameters: vec![any("value"), any("type")], ..function },
        };
        Self { lazy: Some(lazy), ..function }
    }

    /// The parameter that argument `index` belongs to.
    pub fn parameter(&self, index: usize) -> Option<&Parameter> {
        self.parameters.get(index).or(self.variadic.as_ref())
    }

    /// Whether it can be called with that many arguments.
    pub fn takes(&self, count: usize) -> bool {
        let needs = self.parameters.len();
        count == needs || count > needs && self.variadic.is_some()
    }

    /// The return type, when it is always the same.
    pub fn static_return(&self) -> Option<Type<'static>> {
        match self.returns {
            Returns::Always(ty) => Some(ty),
            Returns::Computed(_) => None,
        }
    }

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

/// Functions by the name that programs use, namespaces included (`ns::name`).
#[derive(Clone, Debug, Default)]
pub struct FunctionTable {
    functions: HashMap<SmolStr, Arc<Function>>,
}

impl FunctionTable {
    /// A table without functions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces the function called `name` by programs. In this table, and so in
    /// messages, that is its name.
    pub fn insert(&mut self, name: impl Into<SmolStr>, function: impl Into<Arc<Function>>) {
        let (name, mut function) = (name.into(), function.into());
        if function.name != name {
            Arc::make_mut(&mut function).name = name.clone();
        }
        self.functions.insert(name, function);
    }

    /// Removes a function.
    pub fn remove(&mut self, name: &str) -> Option<Arc<Function>> {
        self.functions.remove(name)
    }

    /// The function called `name`.
    pub fn get(&self, name: &str) -> Option<&Arc<Function>> {
        self.functions.get(name)
    }

    /// The names, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &SmolStr> {
        self.functions.keys()
    }

    /// Number of functions.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }
}
