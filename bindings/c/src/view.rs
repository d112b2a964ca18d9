//! Values as views of 16 bytes, which C passes by value.

use std::ffi::c_void;
use std::mem::transmute;
use std::ptr;

use hclvm::show::type_text;
use hclvm::value::{Arena, Entry, View as Parts};
use hclvm::{Json, OwnedValue, Value};

use crate::border::{StringHandle, Text, entry, infallible, owned, store};
use crate::error::ErrorHandle;

/// A view of a value, valid as long as the value: see README.md. All zeros is the absence of a value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    words: [*const c_void; 2],
}

/// The kind of a value.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// No value.
    None = 0,
    /// Null.
    Null,
    /// True or false.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// A tuple.
    Tuple,
    /// A list.
    List,
    /// A set.
    Set,
    /// An object.
    Object,
    /// A map.
    Map,
    /// A value that is not known.
    Unknown,
    /// A secret or otherwise marked value. Only `hclvm_value_reveal` returns its content.
    Marked,
}

impl View {
    /// No value.
    pub(crate) const NONE: Self = Self { words: [ptr::null(); 2] };

    /// Returns a view of a value, which has no lifetime: the documentation of each function that returns one says how long it
    /// is valid.
    pub(crate) fn of(value: Value<'_>) -> Self {
        // SAFETY: `Option<Value>` has 16 bytes, all of them initialized, and a word of `View` may have any content. Both
        // words are pointers here, so that the one that is a pointer in the value stays usable.
        unsafe { transmute::<Option<Value<'_>>, Self>(Some(value)) }
    }

    /// Returns the value.
    ///
    /// # Safety
    /// The view is [`View::NONE`] or one of a value that is still valid.
    pub(crate) unsafe fn value<'v>(self) -> Option<Value<'v>> {
        // SAFETY: [`View::of`] made it of an `Option<Value>`, or it is all zeros. The head of a value is never zero, so that
        // `None` is any view whose head is.
        unsafe { transmute::<Self, Option<Value<'v>>>(self) }
    }

    unsafe fn parts<'v>(self) -> Option<Parts<'v>> {
        // SAFETY: the caller's promise.
        unsafe { self.value() }.map(Value::view)
    }

    unsafe fn entries<'v>(self) -> &'v [Entry<'v>] {
        // SAFETY: the caller's promise.
        unsafe { self.value() }.and_then(Value::as_entries).unwrap_or_default()
    }

    unsafe fn items<'v>(self) -> &'v [Value<'v>] {
        // SAFETY: the caller's promise.
        unsafe { self.value() }.and_then(Value::as_items).unwrap_or_default()
    }
}

/// Returns the kind of a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_kind(value: View) -> Kind {
    // SAFETY: the caller passes a valid view.
    match unsafe { value.parts() } {
        None | Some(Parts::Unset) => Kind::None,
        Some(Parts::Null(_)) => Kind::Null,
        Some(Parts::Bool(_)) => Kind::Bool,
        Some(Parts::Number(_)) => Kind::Number,
        Some(Parts::String(_)) => Kind::String,
        Some(Parts::Tuple(_)) => Kind::Tuple,
        Some(Parts::List(..)) => Kind::List,
        Some(Parts::Set(..)) => Kind::Set,
        Some(Parts::Object(_)) => Kind::Object,
        Some(Parts::Map(..)) => Kind::Map,
        Some(Parts::Unknown(_)) => Kind::Unknown,
        Some(Parts::Marked(..)) => Kind::Marked,
    }
}

/// Stores a bool. Returns false if the value is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_bool(value: View, to: *mut bool) -> bool {
    // SAFETY: the caller passes a valid view, and null or memory for the result.
    unsafe { value.value().and_then(Value::as_bool).map(|found| store(to, found)).is_some() }
}

/// Stores a whole number of 64 bits. Returns false if the value is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_int(value: View, to: *mut i64) -> bool {
    // SAFETY: the caller passes a valid view, and null or memory for the result.
    unsafe { value.value().and_then(Value::as_i64).map(|found| store(to, found)).is_some() }
}

/// Stores the nearest float to a number. Returns false if the value is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_double(value: View, to: *mut f64) -> bool {
    // SAFETY: the caller passes a valid view, and null or memory for the result.
    unsafe { value.value().and_then(Value::as_f64).map(|found| store(to, found)).is_some() }
}

/// Stores the text of a string, which may contain null bytes. Returns false if the value is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_text(value: View, to: *mut Text) -> bool {
    // SAFETY: the caller passes a valid view, and null or memory for the result.
    unsafe { value.value().and_then(Value::as_str).map(|found| store(to, Text::of(found))).is_some() }
}

/// Returns the number of elements of a list, set, tuple, map or object, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_length(value: View) -> usize {
    // SAFETY: the caller passes a valid view.
    unsafe { value.items().len() + value.entries().len() }
}

/// Returns an element by its number; those of maps and objects are sorted by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_at(value: View, index: usize) -> View {
    // SAFETY: the caller passes a valid view.
    let (items, entries) = unsafe { (value.items(), value.entries()) };
    let found = items.get(index).copied().or_else(|| entries.get(index).map(|entry| entry.value));
    found.map_or(View::NONE, View::of)
}

/// Returns the name of an element of a map or object by its number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_key(value: View, index: usize) -> Text {
    // SAFETY: the caller passes a valid view.
    Text::of_optional(unsafe { value.entries() }.get(index).map(|entry| entry.name))
}

/// Returns an element of a map or object by its name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_get(value: View, name: Text) -> View {
    // SAFETY: the caller passes a valid view and text.
    let (entries, name) = unsafe { (value.entries(), name.as_str()) };
    let found = name.ok().and_then(|name| hclvm::value::find(entries, name));
    found.map_or(View::NONE, |entry| View::of(entry.value))
}

/// Returns the content of a marked value; any other value as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_reveal(value: View) -> View {
    // SAFETY: the caller passes a valid view.
    unsafe { value.value() }.map_or(View::NONE, |value| View::of(value.unmark().0))
}

/// Returns a mark of a marked value by its number, absent if there are fewer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_mark(value: View, index: usize) -> Text {
    // SAFETY: the caller passes a valid view.
    let marks = unsafe { value.value() }.map(|value| value.unmark().1);
    Text::of_optional(marks.and_then(|marks| marks.names().get(index).copied()))
}

/// Returns the type of a value as a type constraint, such as `list(string)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_type(value: View) -> *mut StringHandle {
    infallible(ptr::null_mut(), || {
        let arena = Arena::new();
        // SAFETY: the caller passes a valid view.
        let Some(value) = (unsafe { value.value() }) else { return ptr::null_mut() };
        let copy = OwnedValue::new(value);
        let text = type_text(copy.get().type_of(&arena)).unwrap_or_else(|| "any".to_owned());
        owned(StringHandle(text))
    })
}

/// Returns the JSON text of a value, with exact numbers. Marked and unknown values have none, which is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_value_json(value: View, error: *mut *mut ErrorHandle) -> *mut StringHandle {
    // SAFETY: the caller passes a valid view, and null or memory for an error.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let value = value.value().ok_or_else(|| hclvm::Error::host("there is no value"))?;
            Json(value).to_text().map(|text| owned(StringHandle(text)))
        })
    }
}
