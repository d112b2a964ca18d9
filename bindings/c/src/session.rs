//! Sessions: the memory of one thread, and what runs in it.

use std::cell::RefCell;
use std::ptr;

use hclvm::Error;
use hclvm_bindings_common::Nested;

use crate::border::{StringHandle, borrowed, entry, free, owned};
use crate::document::{Document, Program};
use crate::engine::Engine;
use crate::error::ErrorHandle;
use crate::scope::Scope;
use crate::view::View;

/// The memory that runs reuse. One thread uses it at a time.
pub struct Session {
    session: RefCell<hclvm::Session>,
    /// The views of the obligations of the last decision.
    pub(crate) obligations: RefCell<Vec<View>>,
}

impl Session {
    /// Calls `run` with the session. A host function that uses the session that calls it fails.
    pub(crate) fn with<R>(
        &self,
        run: impl FnOnce(&mut hclvm::Session) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let session = self.session.try_borrow_mut();
        let message = "the session is in use: a host function needs its own";
        let mut session = session.map_err(|_| Error::host(message))?;
        let _nested = Nested::begin().ok_or_else(|| Error::host(Nested::refusal()))?;
        run(&mut session)
    }
}

/// Returns a session of an engine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_session_new(
    engine: *const Engine,
    error: *mut *mut ErrorHandle,
) -> *mut Session {
    // SAFETY: the caller passes null or valid pointers.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let session = RefCell::new(borrowed(engine)?.0.session());
            Ok(owned(Session { session, obligations: RefCell::default() }))
        })
    }
}

/// Runs a program. Returns a view of the result, which is valid until the session is used again, and as long as the program
/// exists and the scope is not changed; no value on failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_session_run(
    session: *mut Session,
    program: *const Program,
    scope: *const Scope,
    error: *mut *mut ErrorHandle,
) -> View {
    // SAFETY: the caller passes null or valid pointers.
    unsafe {
        entry(error, View::NONE, || {
            let (session, program, scope) = (borrowed(session)?, borrowed(program)?, borrowed(scope)?);
            session.with(|session| scope.read(|scope| session.run(&program.program, scope).map(View::of)))
        })
    }
}

/// Explains which conditions of a program decide its result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_session_why(
    session: *mut Session,
    program: *const Program,
    scope: *const Scope,
    error: *mut *mut ErrorHandle,
) -> *mut StringHandle {
    // SAFETY: the caller passes null or valid pointers.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let (session, program, scope) = (borrowed(session)?, borrowed(program)?, borrowed(scope)?);
            let why = session.with(|session| scope.read(|scope| session.why(&program.program, scope)))?;
            Ok(owned(StringHandle(why.to_string())))
        })
    }
}

/// Evaluates a document as a whole, with its locals and dynamic blocks. Returns JSON in the shape of HCL's JSON syntax; a
/// number that is neither whole nor a float is the nearest float.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_session_evaluate(
    session: *mut Session,
    document: *const Document,
    scope: *const Scope,
    error: *mut *mut ErrorHandle,
) -> *mut StringHandle {
    // SAFETY: the caller passes null or valid pointers.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let (session, document, scope) = (borrowed(session)?, borrowed(document)?, borrowed(scope)?);
            let module = document.0.module()?;
            let json = session.with(|session| {
                scope.read(|scope| {
                    let values = module.evaluate(session, scope)?;
                    if values.diagnostics().has_errors() {
                        return Err(values.into_diagnostics().into());
                    }
                    serde_json::to_string(&values).map_err(|error| Error::host(error.to_string()))
                })
            })?;
            Ok(owned(StringHandle(json)))
        })
    }
}

/// Frees a session. Views of its results become invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_session_free(session: *mut Session) {
    // SAFETY: the caller passes null or a handle that it no longer uses.
    unsafe { free(session) }
}
