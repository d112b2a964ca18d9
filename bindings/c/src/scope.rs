//! Scopes: the values of variables, by name or by slot.

use std::cell::RefCell;
use std::ptr;

use hclvm::ingest::{Builder as Target, HostValue};
use hclvm::{Error, Value};

use crate::border::{Text, borrowed, entry, free, owned};
use crate::builder::{Builder, taken};
use crate::error::ErrorHandle;
use crate::view::View;

/// Values of variables that stay from one run to the next. One thread uses it at a time.
pub struct Scope {
    scope: RefCell<hclvm::Scope>,
    /// The names of the slots.
    names: Vec<String>,
}

/// The slot of a name that the programs do not read.
pub const NO_SLOT: usize = 0xFFFF_FFFF;

impl Scope {
    pub(crate) fn new(scope: hclvm::Scope) -> Self {
        let names = scope.layout().names().iter().map(ToString::to_string).collect();
        Self { scope: RefCell::new(scope), names }
    }

    /// Calls `run` with the values. A host function that changes them meanwhile fails.
    pub(crate) fn read<R>(&self, run: impl FnOnce(&hclvm::Scope) -> Result<R, Error>) -> Result<R, Error> {
        run(&*self.scope.try_borrow().map_err(|_| in_use())?)
    }

    fn write<R>(&self, change: impl FnOnce(&mut hclvm::Scope) -> Result<R, Error>) -> Result<R, Error> {
        change(&mut *self.scope.try_borrow_mut().map_err(|_| in_use())?)
    }

    fn name(&self, slot: usize) -> Result<&str, Error> {
        let name = self.names.get(slot).map(String::as_str);
        name.ok_or_else(|| Error::host(format!("the scope has no slot {slot}")))
    }
}

/// A text of the caller.
struct HostText<'t>(&'t str);

impl HostValue for HostText<'_> {
    fn build<'a>(&self, to: Target<'a, '_>) -> Result<Value<'a>, Error> {
        to.value(self.0)
    }
}

fn in_use() -> Error {
    Error::host("the scope is in use: a host function cannot use the scope of the program that calls it")
}

/// Changes a scope of the caller. Returns false if that fails.
///
/// # Safety
/// Pointers are null or valid.
unsafe fn change(
    scope: *mut Scope,
    error: *mut *mut ErrorHandle,
    change: impl FnOnce(&Scope, &mut hclvm::Scope) -> Result<(), Error>,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        entry(error, false, || {
            let scope = borrowed(scope)?;
            scope.write(|values| change(scope, values))?;
            Ok(true)
        })
    }
}

/// Sets a variable of a scope of the caller to what `value` returns.
///
/// # Safety
/// Pointers are null or valid, and so is the text.
unsafe fn set_by_name<V: HostValue>(
    scope: *mut Scope,
    name: Text,
    error: *mut *mut ErrorHandle,
    value: impl FnOnce() -> Result<V, Error>,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe { change(scope, error, |_, values| values.set_host(name.as_str()?, &value()?)) }
}

/// Like [`set_by_name`], by slot.
///
/// # Safety
/// Pointers are null or valid.
unsafe fn set_by_slot<V: HostValue>(
    scope: *mut Scope,
    slot: usize,
    error: *mut *mut ErrorHandle,
    value: impl FnOnce() -> Result<V, Error>,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe { change(scope, error, |scope, values| values.set_host(scope.name(slot)?, &value()?)) }
}

/// Sets a variable to a bool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_bool(
    scope: *mut Scope,
    name: Text,
    value: bool,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { set_by_name(scope, name, error, || Ok(value)) }
}

/// Sets the variable of a slot to a bool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_bool_at(
    scope: *mut Scope,
    slot: usize,
    value: bool,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { set_by_slot(scope, slot, error, || Ok(value)) }
}

/// Sets a variable to a whole number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_int(
    scope: *mut Scope,
    name: Text,
    value: i64,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { set_by_name(scope, name, error, || Ok(value)) }
}

/// Sets the variable of a slot to a whole number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_int_at(
    scope: *mut Scope,
    slot: usize,
    value: i64,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { set_by_slot(scope, slot, error, || Ok(value)) }
}

/// Sets a variable to a number. Not-a-number is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_double(
    scope: *mut Scope,
    name: Text,
    value: f64,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { set_by_name(scope, name, error, || Ok(value)) }
}

/// Sets the variable of a slot to a number. Not-a-number is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_double_at(
    scope: *mut Scope,
    slot: usize,
    value: f64,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { set_by_slot(scope, slot, error, || Ok(value)) }
}

/// Sets a variable to a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_text(
    scope: *mut Scope,
    name: Text,
    value: Text,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { set_by_name(scope, name, error, || value.as_str().map(HostText)) }
}

/// Sets the variable of a slot to a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_text_at(
    scope: *mut Scope,
    slot: usize,
    value: Text,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { set_by_slot(scope, slot, error, || value.as_str().map(HostText)) }
}

/// Sets a variable to what a builder has, which is empty after it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_built(
    scope: *mut Scope,
    name: Text,
    value: *mut Builder,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { set_by_name(scope, name, error, || taken(value)) }
}

/// Sets the variable of a slot to what a builder has, which is empty after it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_built_at(
    scope: *mut Scope,
    slot: usize,
    value: *mut Builder,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { set_by_slot(scope, slot, error, || taken(value)) }
}

/// Sets a variable to a copy of a value, with its type and marks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_value(
    scope: *mut Scope,
    name: Text,
    value: View,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers, texts and views.
    unsafe {
        change(scope, error, |_, values| {
            let value = value.value().ok_or_else(|| Error::host("there is no value"))?;
            values.set_value(name.as_str()?, value)
        })
    }
}

/// Sets a variable to the value of a JSON text, with exact numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_json(
    scope: *mut Scope,
    name: Text,
    text: Text,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { change(scope, error, |_, values| values.set_json(name.as_str()?, text.as_str()?)) }
}

/// Makes a variable, or a part of it such as `user.token`, a secret with a mark.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_mark(
    scope: *mut Scope,
    path: Text,
    mark: Text,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe { change(scope, error, |_, values| values.mark(path.as_str()?, [mark.as_str()?])) }
}

/// Makes a variable unknown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_set_unknown(
    scope: *mut Scope,
    name: Text,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe {
        change(scope, error, |_, values| {
            values.set_unknown(name.as_str()?);
            Ok(())
        })
    }
}

/// Removes the value of a variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_unset(
    scope: *mut Scope,
    name: Text,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe {
        change(scope, error, |_, values| {
            values.unset(name.as_str()?);
            Ok(())
        })
    }
}

/// Returns the slot of a variable for the setters that take one, or `HCLVM_NO_SLOT` if no program reads it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_slot(scope: *const Scope, name: Text) -> usize {
    // SAFETY: the caller passes null or a valid handle, and a valid text.
    unsafe {
        entry(ptr::null_mut(), NO_SLOT, || {
            let name = name.as_str()?;
            Ok(borrowed(scope)?.names.iter().position(|known| known == name).unwrap_or(NO_SLOT))
        })
    }
}

/// Returns a scope with the same values, which may then differ, for another thread. No value is copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_fork(scope: *const Scope, error: *mut *mut ErrorHandle) -> *mut Scope {
    // SAFETY: the caller passes null or a valid handle.
    unsafe {
        entry(error, ptr::null_mut(), || borrowed(scope)?.read(|scope| Ok(owned(Scope::new(scope.fork())))))
    }
}

/// Frees a scope. Views of results that were computed with it become invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_scope_free(scope: *mut Scope) {
    // SAFETY: the caller passes null or a handle that it no longer uses.
    unsafe { free(scope) }
}
