//! Functions as programs see them: parameters, return type, body.
//!
//! A [`Function`] describes itself; [`call`] has the protocol by which it is called, and a
//! [`FunctionTable`] resolves the names that programs use.

mod call;
mod parameter;
mod prepared;
mod table;

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::memory::arena::Arena;
use crate::number::Rounding;
use crate::types::Type;
use crate::value::{Refinement, Value};

pub use call::CallError;
pub use parameter::{Accepts, Parameter};
use prepared::{PreparationOrigin, Preparing};
pub use table::FunctionTable;

/// Computes the return type of a call from its arguments.
pub type TypeRule = dyn for<'a> Fn(&'a Arena, &[Value<'a>]) -> Result<Type<'a>, CallError> + Send + Sync;

/// Computes the result of a call from its arguments and its return type.
pub type FunctionBody =
    dyn for<'a> Fn(&'a Arena, &[Value<'a>], Type<'a>) -> Result<Value<'a>, CallError> + Send + Sync;

/// Refines an unknown result by what the arguments show about it.
pub type RefineRule = for<'a> fn(&'a Arena, &[Value<'a>], Refinement<'a>) -> Refinement<'a>;

/// A shortcut for plain arguments, which skips the protocol of calls. Returns `None` to decline.
pub type Inline = for<'a> fn(&'a Arena, &[Value<'a>]) -> Option<Value<'a>>;

/// The return type of a function.
#[derive(Clone)]
pub enum Returns {
    /// One type for all calls. If it is primitive, a call may be skipped where its result cannot matter,
    /// so such results have no marks but those of arguments; a function that marks its results has a
    /// computed type.
    Always(Type<'static>),
    /// A type that depends on the arguments.
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

/// Functions with instructions of their own, because they do not evaluate their arguments like other
/// functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lazy {
    /// Returns the first argument that evaluates without an error.
    Try,
    /// Returns true if its argument evaluates without an error.
    Can,
    /// Converts a value to the type that its second argument describes.
    Convert,
}

/// What a function of a text computes, if it does nothing else: the columnar tier computes it for many rows at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextOperation {
    /// Whether the text begins with the second argument.
    Begins,
    /// Whether it ends with the second argument.
    Ends,
    /// Whether the second argument is a part of it.
    Contains,
    /// The text in lower case.
    Lower,
    /// The text in upper case.
    Upper,
    /// The number of its characters, if it is a text.
    Length,
}

/// What a function does, for compilers that know more than to call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    /// It has instructions of its own.
    Lazy(Lazy),
    /// It rounds its argument, a number: an interval around the argument may determine the result.
    Rounds(Rounding),
    /// It returns whether its first argument, a sequence, contains the second one: a search in constants may become a
    /// lookup.
    Searches,
    /// It computes this of a text. A test for a constant prefix may become a lookup.
    OfText(TextOperation),
}

/// A function that programs can call.
#[derive(Clone)]
pub struct Function {
    /// Its name. A table sets it to the name that programs use.
    pub name: SmolStr,
    /// The parameters that require an argument.
    pub parameters: Vec<Parameter>,
    /// The parameter of any number of further arguments.
    pub variadic: Option<Parameter>,
    /// The return type.
    pub returns: Returns,
    /// The refinement of results. The rule is applied to unknown results; if it sets `not_null`, known
    /// results are also never null.
    pub refine: Option<RefineRule>,
    /// The body.
    pub body: Arc<FunctionBody>,
    /// A shortcut for arguments that are plain values of the parameters' types. Where it declines, the
    /// protocol is followed, which must give an equal result.
    pub inline: Option<Inline>,
    /// True if equal arguments always give equal results and the function has no side effects.
    pub pure: bool,
    /// True if fuel bounds the time of each call. Before a call of any other function the evaluation queries its
    /// interrupt. Not for shortcuts ([`Function::inline`]), which have to be quick.
    pub metered: bool,
    /// The operation that the function performs, if the compiler has an instruction for it.
    pub intrinsic: Option<Intrinsic>,
    /// How the function prepares for constant arguments; see [`Function::preparing`].
    preparing: Option<Arc<Preparing>>,
    /// What the function was prepared from; see [`Function::origin`].
    origin: Option<Box<PreparationOrigin>>,
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

/// The refinement of most functions: results are not null.
pub fn not_null<'a>(_: &'a Arena, _: &[Value<'a>], mut refinement: Refinement<'a>) -> Refinement<'a> {
    refinement.not_null = true;
    refinement
}

impl Function {
    /// Creates a pure function whose results are never null and always of type `returns`.
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
            metered: false,
            intrinsic: None,
            preparing: None,
            origin: None,
        }
    }

    /// Adds a parameter for any number of further arguments.
    pub fn variadic(mut self, parameter: Parameter) -> Self {
        self.variadic = Some(parameter);
        self
    }

    /// Sets a return type that depends on the arguments.
    pub fn typed<F>(mut self, rule: F) -> Self
    where
        F: for<'a> Fn(&'a Arena, &[Value<'a>]) -> Result<Type<'a>, CallError> + Send + Sync + 'static,
    {
        self.returns = Returns::Computed(Arc::new(rule));
        self
    }

    /// Sets the refinement of unknown results; `None` promises nothing.
    pub fn refined(mut self, rule: Option<RefineRule>) -> Self {
        self.refine = rule;
        self
    }

    /// Sets a shortcut for plain arguments.
    pub fn inline(mut self, inline: Inline) -> Self {
        self.inline = Some(inline);
        self
    }

    /// Declares what the function does, which is nothing else.
    pub fn intrinsic(mut self, intrinsic: Intrinsic) -> Self {
        self.intrinsic = Some(intrinsic);
        self
    }

    /// Returns the kind of a function with instructions of its own.
    pub const fn lazy_kind(&self) -> Option<Lazy> {
        if let Some(Intrinsic::Lazy(lazy)) = self.intrinsic { Some(lazy) } else { None }
    }

    /// Returns true if the function has instructions of its own.
    pub const fn is_lazy(&self) -> bool {
        matches!(self.intrinsic, Some(Intrinsic::Lazy(_)))
    }

    /// Returns true if the function searches its first argument for the second one.
    pub const fn searches(&self) -> bool {
        matches!(self.intrinsic, Some(Intrinsic::Searches))
    }

    /// Returns what the function computes of a text.
    pub const fn text_operation(&self) -> Option<TextOperation> {
        if let Some(Intrinsic::OfText(operation)) = self.intrinsic { Some(operation) } else { None }
    }

    /// Returns true if the function returns whether its first argument, a text, begins with the second one.
    pub fn begins(&self) -> bool {
        self.text_operation() == Some(TextOperation::Begins)
    }

    /// Declares that the function depends on more than its arguments.
    pub fn impure(mut self) -> Self {
        self.pure = false;
        self
    }

    /// Declares that the function charges fuel for its work, and waits for nothing outside of the evaluation.
    pub fn metered(mut self) -> Self {
        self.metered = true;
        self
    }

    /// Creates a function with instructions of its own. It is called like any other if its arguments are
    /// the elements of an expanded argument, which are evaluated already.
    pub fn lazy(name: impl Into<SmolStr>, lazy: Lazy) -> Self {
        let all = Accepts::PLAIN.null().unknown().dynamic().marked();
        let any = |name: &str| Parameter::new(name, Type::Dynamic).accepting(all);
        let function = Self::new(name, [], Type::Dynamic, move |arena, args, _| match (lazy, args.first()) {
            (Lazy::Try, Some(value)) if value.is_wholly_known() => Ok(*value),
            (Lazy::Try, Some(value)) => Ok(Value::DYNAMIC.with_marks(arena, value.all_marks(arena))),
            (Lazy::Can, Some(value)) => {
                let can =
                    if value.is_wholly_known() { Value::TRUE } else { Value::unknown_of(arena, Type::Bool) };
                Ok(can.with_marks(arena, value.all_marks(arena)))
            }
            (Lazy::Try, None) => Err(CallError::new("there is no expression that succeeds")),
            _ => Err(CallError::new("its arguments have to be written in the call")),
        })
        .refined(None);
        let function = match lazy {
            Lazy::Try => function.variadic(any("expressions")),
            Lazy::Can => Self { parameters: vec![any("expression")], ..function },
            Lazy::Convert => Self { parameters: vec![any("value"), any("type")], ..function },
        };
        function.intrinsic(Intrinsic::Lazy(lazy))
    }

    /// Returns the parameter of argument `index`.
    pub fn parameter(&self, index: usize) -> Option<&Parameter> {
        self.parameters.get(index).or(self.variadic.as_ref())
    }

    /// Returns true if the function can be called with `count` arguments.
    pub fn takes(&self, count: usize) -> bool {
        let needs = self.parameters.len();
        count == needs || count > needs && self.variadic.is_some()
    }

    /// Returns its name with its parameters as they are written in messages: `format(format, args...)`.
    pub fn signature(&self) -> String {
        let names = self.parameters.iter().map(|parameter| parameter.name.to_string());
        let rest = self.variadic.iter().map(|parameter| format!("{}...", parameter.name));
        format!("{}({})", self.name, names.chain(rest).collect::<Vec<_>>().join(", "))
    }

    /// Returns a name that it has with its parameters, their types and that of the result, if it is always the same:
    /// `join(separator: string, lists...: list of string) -> string`.
    pub fn typed_signature(&self, name: &str) -> String {
        let of_type = |ty: Type<'_>| match ty {
            Type::Dynamic => "any".to_owned(),
            other => other.constraint_name().to_string(),
        };
        let show = |parameter: &Parameter, more: &str| {
            let null = if parameter.accepts.null { " or null" } else { "" };
            format!("{}{more}: {}{null}", parameter.name, of_type(parameter.ty))
        };
        let needed = self.parameters.iter().map(|parameter| show(parameter, ""));
        let rest = self.variadic.iter().map(|parameter| show(parameter, "..."));
        let parameters: Vec<String> = needed.chain(rest).collect();
        let returns = match self.static_return() {
            Some(Type::Dynamic) | None => String::new(),
            Some(ty) => format!(" -> {}", of_type(ty)),
        };
        format!("{name}({}){returns}", parameters.join(", "))
    }

    /// Returns the return type if it does not depend on the arguments.
    pub fn static_return(&self) -> Option<Type<'static>> {
        match self.returns {
            Returns::Always(ty) => Some(ty),
            Returns::Computed(_) => None,
        }
    }
}
