//! Host functions: Rust closures that programs can call.
//!
//! Use [`function`](crate::function) to turn a closure into a [`Function`] for a table of
//! [`functions`](crate::functions). Arguments are converted to the closure's parameter types by the
//! rules of the language; an argument that does not convert is an error of the program, at that
//! argument. Unknown and marked arguments never reach a closure: the result is unknown, or carries the
//! marks. Build a [`Function`] by hand to see such arguments, to use the arena, or to compute the result
//! type from the arguments. To pass data instead of code, see [`ingest`](crate::ingest).
//!
//! # Types
//!
//! | parameter | accepts |
//! |---|---|
//! | `&str`, `String` | a string; numbers and bools are converted |
//! | `bool` | a bool, or its text |
//! | `i8` … `i64`, `u8` … `u64`, `isize`, `usize` | a whole number in that range, or its text |
//! | `f32`, `f64` | a number, rounded to the nearest float |
//! | [`Number`](crate::value::Number) | a number, exactly |
//! | `Vec<T>`, `&[T]` | a list, set or tuple whose elements convert |
//! | `BTreeMap<String, T>`, `HashMap<String, T>` | a map or object whose values convert |
//! | [`Value`] | any known value |
//! | [`Serde<T>`] | any value that deserializes to `T` |
//! | `Option<T>` | like `T`, or null |
//! | [`Optional<T>`] | like `T`, or no argument; only `Optional` and `Rest` may follow |
//! | [`Rest<T>`] | any number of further arguments; must be last |
//!
//! Results are the owned types among these, `&'static str`, [`OwnedValue`](crate::OwnedValue), or a
//! `Result` of one of them whose error implements `Display`.

mod argument;
mod parameter;
mod result;

pub use argument::{FromArgument, Serde};
pub use parameter::{CallArguments, FromArguments, Optional, Presence, Rest};
pub use result::IntoResult;

use hclvm_vm::{Accepts, Arena, CallError, Function, Parameter, Type, Value};
use smol_str::SmolStr;

/// Creates a function from a closure. `name` is used in messages; programs call it by its name in the
/// table.
///
/// ```
/// use hclvm::{Engine, function, functions};
/// use hclvm::host::Rest;
///
/// let mut table = functions::standard();
/// table.insert("repeat", function("repeat", ["text", "times"], |text: &str, times: u8| {
///     text.repeat(usize::from(times))
/// }));
/// table.insert("port", function("port", ["address"], |address: &str| match address.rsplit_once(':') {
///     Some((_, port)) => port.parse::<u16>().map_err(|error| error.to_string()),
///     None => Err(format!("{address} has no port")),
/// }));
/// table.insert("total", function("total", ["numbers"], |Rest(numbers): Rest<f64>| {
///     numbers.iter().sum::<f64>()
/// }));
///
/// let engine = Engine::builder().functions(table).build();
/// let document = engine.parse("x.hcl", r#"
///     good = "${repeat("ab", 2)} ${port("localhost:80") + 1} ${total(1, 0.5)}"
///     bad  = repeat("ab", 300)
/// "#)?;
/// let (mut session, scope) = (engine.session(), document.scope());
/// let good = document.attribute("good").expect("good is defined").program()?;
/// assert_eq!(session.run(&good, &scope)?.as_str(), Some("abab 81 1.5"));
///
/// let bad = document.attribute("bad").expect("bad is defined").program()?;
/// let error = session.run(&bad, &scope).unwrap_err().to_string();
/// assert!(error.contains("a whole number between 0 and 255 is required"), "{error}");
/// # Ok::<(), hclvm::Error>(())
/// ```
///
/// Functions are assumed to be pure: equal arguments give equal results, without side effects. A call
/// with constant arguments may then run once, at compile time, and equal calls of a rule set may be
/// shared. Declare other functions as [`Function::impure`].
///
/// The number of names is the number of parameters; anything else does not compile:
///
/// ```compile_fail
/// hclvm::function("repeat", ["text"], |text: &str, times: u8| text.repeat(usize::from(times)));
/// ```
pub fn function<Shape, const N: usize, F: HostFunction<Shape, N>>(
    name: impl Into<SmolStr>,
    parameters: [&str; N],
    body: F,
) -> Function {
    let takes = F::TAKES;
    let (most, nullable) = (F::MOST, F::NULLABLE);
    let function = Function::new(name, needed(&parameters, &takes), F::RETURNS, move |arena, args, ty| {
        if most.is_some_and(|most| args.len() > most) {
            return Err(CallError::argument(N, format!("there are at most {N} arguments")));
        }
        if !args.iter().all(|arg| arg.is_wholly_known()) {
            return Ok(Value::unknown_of(arena, ty));
        }
        body.run(arena, args)
    });
    let function = if nullable { function.refined(None) } else { function };
    match further(&parameters, &takes) {
        Some(parameter) => function.variadic(parameter),
        None => function,
    }
}

/// The arguments that a parameter of a closure accepts.
#[derive(Clone, Copy, Debug)]
pub struct Takes {
    /// Whether an argument is required.
    pub presence: Presence,
    /// The type that arguments are converted to.
    pub ty: Type<'static>,
    /// True if null is accepted.
    pub null: bool,
}

impl Takes {
    const fn of<A: FromArguments>() -> Self {
        Self { presence: A::PRESENCE, ty: A::TYPE, null: A::NULL }
    }

    /// Returns the declared parameter. One that accepts null also accepts null of unknown type.
    fn parameter(self, name: &str) -> Parameter {
        let accepts = if self.null { Accepts::PLAIN.null().dynamic() } else { Accepts::PLAIN };
        Parameter::new(name, self.ty).accepting(accepts)
    }
}

fn needed(names: &[&str], takes: &[Takes]) -> Vec<Parameter> {
    let needed = names.iter().zip(takes).filter(|(_, takes)| takes.presence == Presence::Needed);
    needed.map(|(name, takes)| takes.parameter(name)).collect()
}

/// Returns the variadic parameter that represents all parameters that may be missing.
fn further(names: &[&str], takes: &[Takes]) -> Option<Parameter> {
    let first = takes.iter().position(|takes| takes.presence != Presence::Needed)?;
    let (names, takes) = (names.get(first..)?, takes.get(first..)?);
    let one = *takes.first()?;
    let ty = if takes.iter().all(|takes| takes.ty == one.ty) { one.ty } else { Type::Dynamic };
    let null = takes.iter().any(|takes| takes.null);
    Some(Takes { ty, null, ..one }.parameter(&names.join(", ")))
}

/// Implemented for closures and functions of up to six parameters that implement [`FromArguments`] and
/// whose result implements [`IntoResult`]. `Shape` is the type of a pointer to the function, which the
/// compiler infers.
#[diagnostic::on_unimplemented(
    message = "programs cannot call `{Self}` with {N} named parameters",
    note = "there is one name for each parameter, up to six; \
            parameters are annotated with types that are `FromArguments`, results are `IntoResult`"
)]
pub trait HostFunction<Shape, const N: usize>: Send + Sync + 'static {
    /// The arguments that each parameter accepts.
    const TAKES: [Takes; N];
    /// The maximal number of arguments; `None` if there is no limit.
    const MOST: Option<usize>;
    /// The type of its results.
    const RETURNS: Type<'static>;
    /// True if results may be null.
    const NULLABLE: bool;

    /// Calls it.
    ///
    /// # Errors
    /// An argument that does not fit its parameter, or the closure's own error.
    fn run<'a>(&self, arena: &'a Arena, args: &[Value<'a>]) -> Result<Value<'a>, CallError>;
}

impl<F, R> HostFunction<fn() -> R, 0> for F
where
    F: Send + Sync + 'static + Fn() -> R,
    R: IntoResult,
{
    const TAKES: [Takes; 0] = [];
    const MOST: Option<usize> = Some(0);
    const RETURNS: Type<'static> = R::TYPE;
    const NULLABLE: bool = R::NULL;

    fn run<'a>(&self, arena: &'a Arena, _: &[Value<'a>]) -> Result<Value<'a>, CallError> {
        self().into_result(arena)
    }
}

/// Implements [`HostFunction`] for closures with at least one parameter.
macro_rules! closures {
    ($count:literal: $($parameter:ident)*) => {
        impl<F, R, $($parameter),*> HostFunction<fn($($parameter),*) -> R, $count> for F
        where
            F: Send + Sync + 'static,
            F: Fn($($parameter),*) -> R,
            F: for<'a> Fn($($parameter::Of<'a>),*) -> R,
            R: IntoResult,
            $($parameter: FromArguments,)*
        {
            const TAKES: [Takes; $count] = {
                let takes = [$(Takes::of::<$parameter>()),*];
                parameter::check_order(&takes);
                takes
            };
            const MOST: Option<usize> = parameter::most(&Self::TAKES);
            const RETURNS: Type<'static> = R::TYPE;
            const NULLABLE: bool = R::NULL;

            fn run<'a>(&self, arena: &'a Arena, args: &[Value<'a>]) -> Result<Value<'a>, CallError> {
                // A function of its own, so that `'a` is the lifetime of this call; inferred from the
                // closure's type, it would have to outlive all calls.
                fn at<'a, R, $($parameter: FromArguments),*>(
                    body: impl Fn($($parameter::Of<'a>),*) -> R,
                    args: &mut CallArguments<'_, 'a>,
                ) -> Result<R, CallError> {
                    Ok(body($($parameter::take(args)?),*))
                }
                at::<R, $($parameter),*>(self, &mut CallArguments::new(arena, args))?.into_result(arena)
            }
        }
    };
}

closures!(1: A);
closures!(2: A B);
closures!(3: A B C);
closures!(4: A B C D);
closures!(5: A B C D E);
closures!(6: A B C D E G);
