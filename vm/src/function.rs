//! Functions as programs see them: parameters, return type, body.
//!
//! A [`Function`] describes itself; [`call`] has the protocol by which it is called, and a
//! [`FunctionTable`] resolves the names that programs use.

mod call;
mod parameter;
mod table;

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::memory::arena::Arena;
use crate::types::Type;
use crate::value::{Refinement, Value};

pub use call::CallError;
pub use parameter::{Accepts, Parameter};
pub use table::FunctionTable;

/// Computes the type that a call returns from its arguments.
pub type TypeRule = dyn for<'a> Fn(&'a Arena, &[Value<'a>]) -> Result<Type<'a>, CallError> + Send + Sync;

/// Computes the result of a call from its arguments and the type computed before.
pub type FunctionBody =
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
    pub body: Arc<FunctionBody>,
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
}
