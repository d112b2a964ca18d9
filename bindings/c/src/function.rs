//! Functions of C that programs call.

use std::ffi::c_void;

use hclvm::functions::{Accepts, CallError, Parameter};
use hclvm::ingest::{Builder as Target, HostValue};
use hclvm::{Error, Value};

use crate::border::{Text, elements};
use crate::builder::Builder;
use crate::view::View;

/// A function of the host: builds the result of known, unmarked arguments, which are valid during the call. On failure it
/// calls `hclvm_builder_fail`. It may be called by several threads at once, must return normally, and may use the engine,
/// but not the session and the scope that call it.
pub type Call = Option<
    unsafe extern "C" fn(data: *mut c_void, arguments: *const View, count: usize, result: *mut Builder),
>;

/// The type that arguments are converted to.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum Type {
    /// Any type.
    Any = 0,
    /// A bool.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
}

/// A function that programs can call.
#[repr(C)]
pub struct Function {
    /// The name in programs.
    pub name: Text,
    /// The function.
    pub call: Call,
    /// The first argument of each call.
    pub data: *mut c_void,
    /// The types of the parameters.
    pub parameters: *const Type,
    /// The number of parameters.
    pub parameter_count: usize,
    /// True if any number of arguments may follow, which have the last type.
    pub is_variadic: bool,
    /// The type of the result.
    pub result: Type,
}

impl Type {
    fn in_hcl(self) -> hclvm::Type<'static> {
        match self {
            Self::Any => hclvm::Type::Dynamic,
            Self::Bool => hclvm::Type::Bool,
            Self::Number => hclvm::Type::Number,
            Self::String => hclvm::Type::String,
        }
    }
}

/// The pointer with which a function is called.
struct Data(*mut c_void);

// SAFETY: the pointer is only passed back to the function, which the documentation of `Call` allows several threads to call.
unsafe impl Send for Data {}
// SAFETY: see `Send`.
unsafe impl Sync for Data {}

impl Data {
    /// Returns the pointer. A method, so that closures capture the whole of it.
    fn pointer(&self) -> *mut c_void {
        self.0
    }
}

impl Function {
    /// Returns its name and the function of the engine.
    ///
    /// # Safety
    /// All pointers are null or valid, and what `call` and `data` point to is valid as long as the engine.
    pub(crate) unsafe fn made(&self) -> Result<(String, hclvm::functions::Function), Error> {
        // SAFETY: the caller's promise.
        let (name, types) =
            unsafe { (self.name.as_str()?, elements(self.parameters, self.parameter_count)?) };
        let call = self.call.ok_or_else(|| Error::host(format!("the function \"{name}\" has no code")))?;
        let parameter = |(at, ty): (usize, &Type)| {
            let accepts = match ty {
                Type::Any => Accepts::PLAIN.null().dynamic(),
                _ => Accepts::PLAIN,
            };
            Parameter::new(format!("argument{}", at + 1), ty.in_hcl()).accepting(accepts)
        };
        let mut parameters: Vec<Parameter> = types.iter().enumerate().map(parameter).collect();
        let rest = if self.is_variadic { parameters.pop() } else { None };
        let data = Data(self.data);
        let made = hclvm::functions::Function::new(
            name,
            parameters,
            self.result.in_hcl(),
            move |arena, args, ty| {
                if !args.iter().all(|arg| arg.is_wholly_known()) {
                    return Ok(Value::unknown_of(arena, ty));
                }
                let views: Vec<View> = args.iter().map(|arg| View::of(*arg)).collect();
                let mut result = Builder::new();
                // SAFETY: the caller promises that the function may be called; the views and the builder are valid during it.
                unsafe { call(data.pointer(), views.as_ptr(), views.len(), &raw mut result) };
                let part = result.take().map_err(CallError::new)?;
                part.build(Target::whole_in(arena)).map_err(|error| CallError::new(error.to_string()))
            },
        );
        let made = made.impure().refined(None);
        let made = match rest {
            Some(rest) => made.variadic(rest),
            None => made,
        };
        Ok((name.to_owned(), made))
    }
}
