//! Parameters of closures: a required one, an optional one, or all further arguments. The types of single
//! arguments are in `argument`.

use hclvm_vm::{Arena, CallError, Type, Value, convert};

use super::Takes;
use super::argument::FromArgument;

/// The number of arguments that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Exactly one.
    Needed,
    /// At most one.
    Optional,
    /// Any number.
    Rest,
}

/// A parameter that a call may leave out, together with all that follow.
///
/// ```
/// use hclvm::function;
/// use hclvm::host::Optional;
/// let port = function("port", ["service", "otherwise"], |service: &str, Optional(otherwise): Optional<u16>| {
///     match service {
///         "https" => Ok(443),
///         _ => otherwise.ok_or("this service is not known"),
///     }
/// });
/// assert!(port.takes(1) && port.takes(2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Optional<T>(pub Option<T>);

/// A parameter that takes all further arguments.
///
/// ```
/// use hclvm::function;
/// use hclvm::host::Rest;
/// let path = function("path", ["root", "parts"], |root: &str, Rest(parts): Rest<&str>| {
///     format!("{root}/{}", parts.join("/"))
/// });
/// assert!(path.takes(1) && path.takes(9));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rest<T>(pub Vec<T>);

/// The arguments of a call, taken in order.
#[derive(Debug)]
pub struct CallArguments<'v, 'a> {
    arena: &'a Arena,
    all: &'v [Value<'a>],
    next: usize,
}

impl<'v, 'a> CallArguments<'v, 'a> {
    pub(super) fn new(arena: &'a Arena, all: &'v [Value<'a>]) -> Self {
        Self { arena, all, next: 0 }
    }

    fn is_empty(&self) -> bool {
        self.next >= self.all.len()
    }

    /// Takes the next argument, which has the parameter's type.
    fn next<T: FromArgument>(&mut self) -> Result<T::Of<'a>, CallError> {
        let (index, value) = self.step();
        T::from_argument(self.arena, value).map_err(|message| CallError::argument(index, message))
    }

    /// Takes the next argument and converts it: the declared variadic parameter may represent parameters
    /// of different types.
    fn next_converted<T: FromArgument>(&mut self) -> Result<T::Of<'a>, CallError> {
        let (index, value) = self.step();
        let blame = |message| CallError::argument(index, message);
        let value = convert(self.arena, value, T::TYPE).map_err(|error| blame(error.to_string()))?;
        T::from_argument(self.arena, value).map_err(blame)
    }

    fn step(&mut self) -> (usize, Value<'a>) {
        let index = self.next;
        self.next += 1;
        (index, self.all.get(index).copied().unwrap_or(Value::NULL))
    }
}

/// A parameter of a closure: a type that is [`FromArgument`], [`Optional`] or [`Rest`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a function that programs call",
    note = "implement `FromArgument` for it, or take a `Value` or a `Serde<…>`"
)]
pub trait FromArguments {
    /// The number of arguments.
    const PRESENCE: Presence;
    /// The type that arguments are converted to.
    const TYPE: Type<'static>;
    /// True if null is accepted.
    const NULL: bool;
    /// The type with the lifetime of a call.
    type Of<'a>: 'a;

    /// Takes its arguments.
    ///
    /// # Errors
    /// The errors of [`FromArgument::from_argument`], with the index of the argument.
    fn take<'a>(args: &mut CallArguments<'_, 'a>) -> Result<Self::Of<'a>, CallError>;
}

impl<T: FromArgument> FromArguments for T {
    const PRESENCE: Presence = Presence::Needed;
    const TYPE: Type<'static> = T::TYPE;
    const NULL: bool = T::NULL;
    type Of<'a> = T::Of<'a>;

    fn take<'a>(args: &mut CallArguments<'_, 'a>) -> Result<Self::Of<'a>, CallError> {
        args.next::<T>()
    }
}

impl<T: FromArgument> FromArguments for Optional<T> {
    const PRESENCE: Presence = Presence::Optional;
    const TYPE: Type<'static> = T::TYPE;
    const NULL: bool = T::NULL;
    type Of<'a> = Optional<T::Of<'a>>;

    fn take<'a>(args: &mut CallArguments<'_, 'a>) -> Result<Self::Of<'a>, CallError> {
        if args.is_empty() { Ok(Optional(None)) } else { Ok(Optional(Some(args.next_converted::<T>()?))) }
    }
}

impl<T: FromArgument> FromArguments for Rest<T> {
    const PRESENCE: Presence = Presence::Rest;
    const TYPE: Type<'static> = T::TYPE;
    const NULL: bool = T::NULL;
    type Of<'a> = Rest<T::Of<'a>>;

    fn take<'a>(args: &mut CallArguments<'_, 'a>) -> Result<Self::Of<'a>, CallError> {
        let mut rest = Vec::with_capacity(args.all.len().saturating_sub(args.next));
        while !args.is_empty() {
            rest.push(args.next_converted::<T>()?);
        }
        Ok(Rest(rest))
    }
}

/// Rejects, at compile time, parameters whose arguments could not be distinguished.
pub(super) const fn check_order(takes: &[Takes]) {
    let mut at = 1;
    while at < takes.len() {
        let (before, this) = (takes[at - 1].presence, takes[at].presence);
        assert!(!matches!(before, Presence::Rest), "nothing can follow a Rest");
        assert!(
            !(matches!(before, Presence::Optional) && matches!(this, Presence::Needed)),
            "a needed parameter cannot follow an Optional one"
        );
        at += 1;
    }
}

/// Returns the maximal number of arguments; `None` if there is no limit.
pub(super) const fn most(takes: &[Takes]) -> Option<usize> {
    match takes.last() {
        Some(Takes { presence: Presence::Rest, .. }) => None,
        _ => Some(takes.len()),
    }
}
