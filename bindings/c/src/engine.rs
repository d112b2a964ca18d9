//! Engines.

use std::ptr;
use std::time::Duration;

use hclvm::functions::{Capabilities, FunctionTable};
use hclvm::{Error, Limits, Undefined};
use hclvm_bindings_common::compiled;
use hclvm_dialects::registry::NamedDialect;

use crate::border::{StringHandle, Text, borrowed, elements, entry, free, owned};
use crate::document::{Document, Program};
use crate::error::ErrorHandle;
use crate::function::Function;

/// The language, its functions and limits. Immutable, and shared by threads.
pub struct Engine(pub(crate) hclvm::Engine);

/// The settings of an engine. All zeros are the defaults.
#[repr(C)]
pub struct Options {
    /// The name of the dialect, such as `standard` or `nomad`. Absent for `default`.
    pub dialect: Text,
    /// Functions of the host.
    pub functions: *const Function,
    /// The number of functions.
    pub function_count: usize,
    /// The seconds that an evaluation may take; 0 for no limit.
    pub timeout: f64,
    /// True for the limits of trusted texts.
    pub is_trusted: bool,
    /// True if variables without a value are unknown rather than errors.
    pub undefined_is_unknown: bool,
}

impl Options {
    /// Returns the engine with these settings.
    ///
    /// # Safety
    /// All pointers are null or valid.
    unsafe fn engine(&self) -> Result<hclvm::Engine, Error> {
        // SAFETY: the caller's promise.
        let name = unsafe { self.dialect.as_optional()? }.unwrap_or("default");
        let named = NamedDialect::named(name).map_err(Error::host)?;
        let mut dialect = named.dialect(&Capabilities::none());
        // SAFETY: the caller's promise.
        for function in unsafe { elements(self.functions, self.function_count)? } {
            // SAFETY: the caller's promise.
            let (name, function) = unsafe { function.made()? };
            dialect.functions.get_or_insert_with(FunctionTable::new).insert(name, function);
        }
        if self.undefined_is_unknown {
            dialect.undefined = Undefined::Unknown;
        }
        let mut limits = if self.is_trusted { Limits::trusted() } else { Limits::untrusted() };
        if self.timeout != 0.0 {
            let time = Duration::try_from_secs_f64(self.timeout);
            limits.time =
                Some(time.map_err(|error| Error::host(format!("the timeout is not a duration: {error}")))?);
        }
        Ok(hclvm::Engine::builder().dialect(dialect).limits(limits).build())
    }
}

/// Returns an engine with these settings, or the default ones if they are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_engine_new(
    options: *const Options,
    error: *mut *mut ErrorHandle,
) -> *mut Engine {
    // SAFETY: the caller passes null or valid settings, and null or memory for an error.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let engine = match options.as_ref() {
                Some(options) => options.engine()?,
                None => hclvm::Engine::new(),
            };
            Ok(owned(Engine(engine)))
        })
    }
}

/// Frees an engine. What was made by it may still be used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_engine_free(engine: *mut Engine) {
    // SAFETY: the caller passes null or a handle that it no longer uses.
    unsafe { free(engine) }
}

/// Parses a file's text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_engine_parse(
    engine: *const Engine,
    name: Text,
    text: Text,
    error: *mut *mut ErrorHandle,
) -> *mut Document {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let document = borrowed(engine)?.0.parse(name.as_str()?, text.as_str()?)?;
            Ok(owned(Document(document)))
        })
    }
}

/// Compiles an expression.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_engine_compile(
    engine: *const Engine,
    text: Text,
    error: *mut *mut ErrorHandle,
) -> *mut Program {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let (engine, text) = (&borrowed(engine)?.0, text.as_str()?);
            let program = compiled(|layout| engine.compile(text, layout))?;
            Ok(owned(Program { program, engine: engine.clone() }))
        })
    }
}

/// Formats a file's text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_engine_format(
    engine: *const Engine,
    name: Text,
    text: Text,
    error: *mut *mut ErrorHandle,
) -> *mut StringHandle {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let formatted = borrowed(engine)?.0.format(name.as_str()?, text.as_str()?)?;
            Ok(owned(StringHandle(formatted)))
        })
    }
}
