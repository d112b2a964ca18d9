//! What every entry point does: it validates pointers and texts, and catches panics.

use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice, str};

use hclvm::Error;

use crate::error::ErrorHandle;

/// A text in UTF-8, which need not end in a null byte. The data of an absent text is null.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    /// The first byte.
    pub data: *const c_char,
    /// The number of bytes.
    pub length: usize,
}

impl Text {
    /// The absent text.
    pub(crate) const NONE: Self = Self { data: ptr::null(), length: 0 };

    /// Returns the text of a string, which has to outlive its use.
    pub(crate) fn of(text: &str) -> Self {
        Self { data: text.as_ptr().cast(), length: text.len() }
    }

    /// Returns the text of a string, absent if there is none.
    pub(crate) fn of_optional(text: Option<&str>) -> Self {
        text.map_or(Self::NONE, Self::of)
    }

    /// Returns the string. That of an absent text is empty.
    ///
    /// # Safety
    /// The data is null or points to `length` bytes that do not change while the string is in use.
    pub(crate) unsafe fn as_str<'t>(self) -> Result<&'t str, Error> {
        if self.data.is_null() {
            return if self.length == 0 {
                Ok("")
            } else {
                Err(Error::host("a text has a length but no data"))
            };
        }
        if isize::try_from(self.length).is_err() {
            return Err(Error::host("a text is longer than the memory"));
        }
        // SAFETY: the data is not null, and the caller promises the rest.
        let bytes = unsafe { slice::from_raw_parts(self.data.cast::<u8>(), self.length) };
        str::from_utf8(bytes).map_err(|error| Error::host(format!("a text is not UTF-8: {error}")))
    }

    /// Returns the string of a text that is not absent.
    ///
    /// # Safety
    /// As [`Text::as_str`].
    pub(crate) unsafe fn as_optional<'t>(self) -> Result<Option<&'t str>, Error> {
        // SAFETY: the caller's promise.
        unsafe { self.as_str() }.map(|text| (!self.data.is_null()).then_some(text))
    }
}

/// Returns what a pointer of the caller points to.
///
/// # Safety
/// The pointer is null or valid while the reference is in use.
pub(crate) unsafe fn borrowed<'p, T>(pointer: *const T) -> Result<&'p T, Error> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| Error::host("a pointer is null"))
}

/// Returns the elements of an array of the caller.
///
/// # Safety
/// The pointer is null or points to `length` elements that do not change while the slice is in use.
pub(crate) unsafe fn elements<'p, T>(pointer: *const T, length: usize) -> Result<&'p [T], Error> {
    match length {
        0 => Ok(&[]),
        _ if pointer.is_null() => Err(Error::host("an array has a length but no data")),
        // SAFETY: the pointer is not null, and the caller promises the rest.
        _ => Ok(unsafe { slice::from_raw_parts(pointer, length) }),
    }
}

/// Stores a result where the caller wants it, if it does.
///
/// # Safety
/// The pointer is null or may be written.
pub(crate) unsafe fn store<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the pointer is not null, and the caller promises the rest.
        unsafe { to.write(value) };
    }
}

/// Returns the result of `body`. If it fails or panics, stores the error and returns `otherwise`.
///
/// # Safety
/// `error` is null or may be written.
pub(crate) unsafe fn entry<T>(
    error: *mut *mut ErrorHandle,
    otherwise: T,
    body: impl FnOnce() -> Result<T, Error>,
) -> T {
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return value,
        Ok(Err(failure)) => failure,
        Err(_) => Error::host("an internal error: the engine panicked"),
    };
    if !error.is_null() {
        // SAFETY: the caller's promise.
        unsafe { store(error, owned(ErrorHandle::new(&failure))) };
    }
    otherwise
}

/// Returns the result of `body`, which cannot fail, or `otherwise` if it panics.
pub(crate) fn infallible<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// Gives a handle to the caller.
pub(crate) fn owned<T>(handle: T) -> *mut T {
    Box::into_raw(Box::new(handle))
}

/// Frees a handle.
///
/// # Safety
/// The pointer is null, or [`owned`] returned it and it is not used again.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the pointer is not null, and the caller promises the rest.
        infallible((), || drop(unsafe { Box::from_raw(handle) }));
    }
}

/// A text that the caller owns.
pub struct StringHandle(pub(crate) String);

/// Returns the text of a string, valid until it is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_string_text(string: *const StringHandle) -> Text {
    // SAFETY: the caller passes null or a valid handle.
    unsafe { string.as_ref() }.map_or(Text::NONE, |string| Text::of(&string.0))
}

/// Frees a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_string_free(string: *mut StringHandle) {
    // SAFETY: the caller passes null or a handle that it no longer uses.
    unsafe { free(string) }
}
