//! JavaScript functions that programs call.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use hclvm::functions::{Accepts, CallError, Function as EngineFunction, Parameter};
use hclvm::value::Arena;
use hclvm::{Error, Type, Value};
use hclvm_bindings_common::Nested;
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::prelude::*;

use crate::error::{Thrown, exception, refusal};
use crate::input::{Input, message};
use crate::output::to_js;

thread_local! {
    /// The functions of all engines by their numbers: functions of the engine may not hold values of JavaScript.
    static FUNCTIONS: RefCell<HashMap<u32, Function>> = RefCell::default();
    static NEXT: Cell<u32> = const { Cell::new(0) };
    /// The first exception of a host function in this evaluation, and the message that the engine got.
    static CAUGHT: RefCell<Option<(JsValue, String)>> = const { RefCell::new(None) };
}

/// The functions of an engine, which exist as long as this.
pub(crate) struct Registered(Vec<(String, u32)>);

impl Registered {
    /// Registers the functions in an object.
    pub(crate) fn new(functions: &Object) -> Thrown<Self> {
        let mut registered = Self(Vec::new());
        for entry in Object::entries(functions).iter() {
            let pair: Array = entry.unchecked_into();
            let name = pair.get(0).as_string().unwrap_or_default();
            let Ok(function) = pair.get(1).dyn_into::<Function>() else {
                return Err(refusal(format!("{name} is not a function")));
            };
            let number = NEXT.replace(NEXT.get() + 1);
            FUNCTIONS.with_borrow_mut(|all| all.insert(number, function));
            registered.0.push((name, number));
        }
        Ok(registered)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the functions with their names.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (String, EngineFunction)> {
        self.0.iter().map(|(name, number)| (name.clone(), function(name, *number)))
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        FUNCTIONS.with_borrow_mut(|all| self.0.iter().for_each(|(_, number)| drop(all.remove(number))));
    }
}

/// Returns the function that calls a JavaScript function, with any types. As many arguments are required as the function has
/// parameters without a default. It is impure: each call of a program calls it.
fn function(name: &str, number: u32) -> EngineFunction {
    let required = FUNCTIONS.with_borrow(|all| all.get(&number).map_or(0, Function::length));
    let accepting =
        |name: String| Parameter::new(name, Type::Dynamic).accepting(Accepts::PLAIN.null().dynamic());
    let needed: Vec<Parameter> = (1..=required).map(|at| accepting(format!("argument{at}"))).collect();
    EngineFunction::new(name, needed, Type::Dynamic, move |arena, args, ty| {
        if !args.iter().all(|arg| arg.is_wholly_known()) {
            return Ok(Value::unknown_of(arena, ty));
        }
        call(number, arena, args)
    })
    .impure()
    .refined(None)
    .variadic(accepting("arguments".to_owned()))
}

fn call<'a>(number: u32, arena: &'a Arena, args: &[Value<'a>]) -> Result<Value<'a>, CallError> {
    let function = FUNCTIONS.with_borrow(|all| all.get(&number).cloned());
    let function = function.ok_or_else(|| CallError::new("the function no longer exists"))?;
    let args: Result<Array, JsValue> = args.iter().map(|arg| to_js(*arg)).collect();
    match args.and_then(|args| function.apply(&JsValue::UNDEFINED, &args)) {
        Ok(result) if result.is_undefined() => Ok(Value::NULL),
        Ok(result) => Input(&result).in_arena(arena).map_err(|error| CallError::new(error.to_string())),
        Err(caught) => {
            let message = message(&caught);
            CAUGHT.with_borrow_mut(|first| {
                first.get_or_insert_with(|| (caught, message.clone()));
            });
            Err(CallError::new(message))
        }
    }
}

/// Evaluates with functions that may throw. What they throw is the `cause` of the error, unless the error conceals its
/// message because of a marked argument.
pub(crate) fn throwing<R>(run: impl FnOnce() -> Result<R, Error>) -> Thrown<R> {
    let nested = Nested::begin().ok_or_else(|| refusal(Nested::refusal()))?;
    // A function may evaluate something else: what it throws there is no cause here.
    let outer = CAUGHT.take();
    let outcome = run();
    drop(nested);
    let caught = CAUGHT.replace(outer);
    outcome.map_err(|error| {
        let thrown = exception(&error);
        if let Some((cause, _)) = caught.filter(|(_, message)| error.to_string().contains(message.as_str())) {
            // An error of this module is an object, which takes properties.
            Reflect::set(&thrown, &"cause".into(), &cause).unwrap_or_default();
        }
        thrown
    })
}
