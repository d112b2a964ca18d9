//! Python callables as functions that programs call.

use std::cell::RefCell;

use hclvm::functions::{Accepts, CallError, Function, Parameter};
use hclvm::value::Arena;
use hclvm::{Error, Type, Value};
use hclvm_bindings_common::Nested;
use pyo3::exceptions::{PyException, PyRecursionError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::{OrRaise, exception};
use crate::input::Input;
use crate::output::to_python;

thread_local! {
    /// What host functions raised in the evaluation of this thread, and the message that the engine got.
    static RAISED: RefCell<Option<(PyErr, String)>> = const { RefCell::new(None) };
}

/// A parameter or result, as `hclvm._signature.describe` reads it from annotations: the type, whether only whole numbers
/// are accepted, whether null is.
type Described = (String, bool, bool);
/// The names and types of parameters, how many of them are required, whether the last one takes all further arguments, and
/// the result.
type Signature = (Vec<(String, Described)>, usize, bool, Described);

/// Returns the function that calls `callable`. It is impure: each call of a program calls it.
pub(crate) fn function(py: Python<'_>, name: &str, callable: Py<PyAny>) -> PyResult<Function> {
    let described = py.import("hclvm._signature")?.call_method1("describe", (callable.bind(py),))?;
    let (parameters, required, has_rest, returns): Signature = described.extract()?;
    let made = |(name, (ty, _, null)): &(String, Described)| {
        let accepts = if *null { Accepts::PLAIN.null().dynamic() } else { Accepts::PLAIN };
        Parameter::new(name.as_str(), static_type(ty)).accepting(accepts)
    };
    let further = parameters.get(required..).unwrap_or_default().iter().map(made).reduce(common);
    let needed: Vec<Parameter> = parameters.iter().take(required).map(made).collect();
    let most = (!has_rest).then_some(parameters.len());
    let whole: Vec<bool> = parameters.iter().map(|(_, (_, whole, _))| *whole).collect();
    let result = static_type(&returns.0);
    let function = Function::new(name, needed, result, move |arena, args, ty| {
        if most.is_some_and(|most| args.len() > most) {
            return Err(CallError::new(format!("there are at most {} arguments", most.unwrap_or_default())));
        }
        if !args.iter().all(|arg| arg.is_wholly_known()) {
            return Ok(Value::unknown_of(arena, ty));
        }
        let is_whole = |at: usize| whole.get(at).or(whole.last()).copied().unwrap_or_default();
        let fraction = |(at, arg): (usize, &Value<'_>)| {
            is_whole(at) && arg.as_number().is_some_and(|number| !number.is_integer())
        };
        if let Some(at) = args.iter().enumerate().position(fraction) {
            return Err(CallError::argument(at, "a whole number is required"));
        }
        Python::attach(|py| call(py, callable.bind(py), arena, args))
    })
    .impure();
    let function = if returns.2 || result == Type::Dynamic { function.refined(None) } else { function };
    Ok(match further {
        Some(parameter) => function.variadic(parameter),
        None => function,
    })
}

/// Returns one parameter for arguments of two.
fn common(one: Parameter, other: Parameter) -> Parameter {
    let ty = if one.ty == other.ty { one.ty } else { Type::Dynamic };
    let accepts = if one.accepts.null { one.accepts } else { other.accepts };
    Parameter::new(format!("{}, {}", one.name, other.name), ty).accepting(accepts)
}

fn static_type(text: &str) -> Type<'static> {
    match text {
        "string" => Type::String,
        "bool" => Type::Bool,
        "number" => Type::Number,
        "list(string)" => Type::List(&Type::String),
        "list(bool)" => Type::List(&Type::Bool),
        "list(number)" => Type::List(&Type::Number),
        "map(string)" => Type::Map(&Type::String),
        "map(bool)" => Type::Map(&Type::Bool),
        "map(number)" => Type::Map(&Type::Number),
        _ => Type::Dynamic,
    }
}

fn call<'a>(
    py: Python<'_>,
    callable: &Bound<'_, PyAny>,
    arena: &'a Arena,
    args: &[Value<'a>],
) -> Result<Value<'a>, CallError> {
    if RAISED.with_borrow(|raised| raised.as_ref().is_some_and(|(raised, _)| ends(py, raised))) {
        return Err(CallError::new("the evaluation ends because of an exception"));
    }
    let called = || {
        let args = args.iter().map(|arg| to_python(py, *arg)).collect::<PyResult<Vec<_>>>()?;
        callable.call1(PyTuple::new(py, args)?)
    };
    match called() {
        Ok(result) => Input::new(&result).in_arena(arena).map_err(|error| CallError::new(error.to_string())),
        Err(raised) => {
            let message = raised.to_string();
            keep(py, raised, &message);
            Err(CallError::new(message))
        }
    }
}

/// Returns true if an exception ends the evaluation and those that called it: `KeyboardInterrupt` and others that are not
/// subclasses of `Exception`, and endless recursion.
fn ends(py: Python<'_>, raised: &PyErr) -> bool {
    !raised.is_instance_of::<PyException>(py) || raised.is_instance_of::<PyRecursionError>(py)
}

/// Keeps the first exception of an evaluation, or one that ends it.
fn keep(py: Python<'_>, raised: PyErr, message: &str) {
    let ends = ends(py, &raised);
    RAISED.with_borrow_mut(|kept| {
        if kept.is_none() || ends {
            *kept = Some((raised, message.to_owned()));
        }
    });
}

/// Evaluates with functions that may raise. An exception that ends the evaluation is raised as it is; another one is the
/// cause of the error, unless the error conceals its message because of a marked argument.
pub(crate) fn raising<R>(py: Python<'_>, run: impl FnOnce() -> Result<R, Error>) -> PyResult<R> {
    let nested = Nested::begin().ok_or_else(|| PyRecursionError::new_err(Nested::refusal()))?;
    // A function may evaluate something else: what is raised there is not raised here.
    let outer = RAISED.take();
    let outcome = run();
    drop(nested);
    let Some((raised, message)) = RAISED.replace(outer) else { return outcome.or_raise(py) };
    if ends(py, &raised) {
        return Err(raised);
    }
    outcome.map_err(|error| {
        let found = exception(py, &error);
        if error.to_string().contains(&message) {
            found.set_cause(py, Some(raised));
        }
        found
    })
}
