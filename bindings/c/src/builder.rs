//! Values that C builds part by part, for scopes and as results of host functions.

use std::collections::BTreeMap;

use hclvm::ingest::{Builder as Target, HostObject, HostValue};
use hclvm::{Error, OwnedValue, Value};

use crate::border::{Text, borrowed, free, infallible, owned};
use crate::view::View;

/// The most lists and objects in one another.
const DEEPEST: usize = 128;

/// A value that is built part by part: a single value, or a list or object between `begin` and `end`.
///
/// A mistake, such as a value without a key in an object, is reported when the value is used.
pub struct Builder {
    open: Vec<Open>,
    done: Option<Part>,
    problem: Option<String>,
}

/// A list or object that is not complete.
enum Open {
    List(Vec<Part>),
    Object(BTreeMap<String, Part>, Option<String>),
}

/// A part of a value.
pub(crate) enum Part {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    Value(OwnedValue),
    List(Vec<Part>),
    Object(BTreeMap<String, Part>),
}

impl HostValue for Part {
    fn build<'a>(&self, to: Target<'a, '_>) -> Result<Value<'a>, Error> {
        match self {
            Self::Null => Ok(Value::NULL),
            Self::Bool(value) => to.value(value),
            Self::Int(value) => to.value(value),
            Self::Double(value) => to.value(value),
            Self::Text(text) => to.value(text),
            Self::Value(value) => Ok(hclvm::value::copy(to.arena(), value.get())),
            Self::List(parts) => to.value(parts),
            Self::Object(entries) => to.object(&Entries(entries)),
        }
    }
}

/// The entries of an object. The last of equal names wins.
struct Entries<'p>(&'p BTreeMap<String, Part>);

impl HostObject for Entries<'_> {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        self.0.keys().for_each(|name| visit(name));
    }

    fn attribute<'a>(&self, name: &str, to: Target<'a, '_>) -> Result<Option<Value<'a>>, Error> {
        self.0.get(name).map(|part| part.build(to)).transpose()
    }
}

impl Builder {
    pub(crate) const fn new() -> Self {
        Self { open: Vec::new(), done: None, problem: None }
    }

    /// Takes the value, so that another one may be built.
    pub(crate) fn take(&mut self) -> Result<Part, String> {
        let Self { open, done, problem } = std::mem::replace(self, Self::new());
        match (problem, done) {
            (Some(problem), _) => Err(problem),
            (None, Some(done)) if open.is_empty() => Ok(done),
            (None, _) => Err("a value that is built is not complete".to_owned()),
        }
    }

    fn fail(&mut self, problem: impl Into<String>) {
        self.problem.get_or_insert(problem.into());
    }

    fn begin(&mut self, open: Open) {
        if self.open.len() >= DEEPEST {
            self.fail(format!("a value that is built has more than {DEEPEST} levels"));
        } else {
            self.open.push(open);
        }
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::List(parts)) => self.add(Part::List(parts)),
            Some(Open::Object(entries, None)) => self.add(Part::Object(entries)),
            Some(Open::Object(..)) => self.fail("a key of an object has no value"),
            None => self.fail("there is no list or object to end"),
        }
    }

    fn key(&mut self, name: &str) {
        match self.open.last_mut() {
            Some(Open::Object(_, key @ None)) => *key = Some(name.to_owned()),
            _ => self.fail(format!("the key \"{name}\" is not in an object or follows another key")),
        }
    }

    fn add(&mut self, part: Part) {
        match self.open.last_mut() {
            Some(Open::List(parts)) => parts.push(part),
            Some(Open::Object(entries, key)) => match key.take() {
                Some(key) => drop(entries.insert(key, part)),
                None => self.fail("a value in an object has no key"),
            },
            None if self.done.is_none() => self.done = Some(part),
            None => self.fail("there are two values"),
        }
    }
}

/// Calls `change` with a builder of the caller, if it has one.
///
/// # Safety
/// The pointer is null or a valid handle that no other thread uses.
unsafe fn change(builder: *mut Builder, change: impl FnOnce(&mut Builder)) {
    // SAFETY: the caller's promise.
    if let Some(builder) = unsafe { builder.as_mut() } {
        infallible((), || change(builder));
    }
}

/// Returns a builder without a value.
#[unsafe(no_mangle)]
pub extern "C" fn hclvm_builder_new() -> *mut Builder {
    owned(Builder::new())
}

/// Frees a builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_free(builder: *mut Builder) {
    // SAFETY: the caller passes null or a handle that it no longer uses.
    unsafe { free(builder) }
}

/// Adds null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_null(builder: *mut Builder) {
    // SAFETY: the caller passes null or a valid handle.
    unsafe { change(builder, |builder| builder.add(Part::Null)) }
}

/// Adds a bool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_bool(builder: *mut Builder, value: bool) {
    // SAFETY: the caller passes null or a valid handle.
    unsafe { change(builder, |builder| builder.add(Part::Bool(value))) }
}

/// Adds a whole number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_int(builder: *mut Builder, value: i64) {
    // SAFETY: the caller passes null or a valid handle.
    unsafe { change(builder, |builder| builder.add(Part::Int(value))) }
}

/// Adds a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_double(builder: *mut Builder, value: f64) {
    // SAFETY: the caller passes null or a valid handle.
    unsafe { change(builder, |builder| builder.add(Part::Double(value))) }
}

/// Adds a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_text(builder: *mut Builder, text: Text) {
    // SAFETY: the caller passes null or a valid handle, and a valid text.
    unsafe {
        change(builder, |builder| match text.as_str() {
            Ok(text) => builder.add(Part::Text(text.to_owned())),
            Err(error) => builder.fail(error.to_string()),
        });
    }
}

/// Adds a copy of a value, with its type and marks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_value(builder: *mut Builder, value: View) {
    // SAFETY: the caller passes null or a valid handle, and a valid view.
    unsafe {
        change(builder, |builder| match value.value() {
            Some(value) => builder.add(Part::Value(OwnedValue::new(value))),
            None => builder.fail("there is no value"),
        });
    }
}

/// Begins a list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_begin_list(builder: *mut Builder) {
    // SAFETY: the caller passes null or a valid handle.
    unsafe { change(builder, |builder| builder.begin(Open::List(Vec::new()))) }
}

/// Begins an object, in which a key precedes each value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_begin_object(builder: *mut Builder) {
    // SAFETY: the caller passes null or a valid handle.
    unsafe { change(builder, |builder| builder.begin(Open::Object(BTreeMap::new(), None))) }
}

/// Adds the key of the next value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_key(builder: *mut Builder, name: Text) {
    // SAFETY: the caller passes null or a valid handle, and a valid text.
    unsafe {
        change(builder, |builder| match name.as_str() {
            Ok(name) => builder.key(name),
            Err(error) => builder.fail(error.to_string()),
        });
    }
}

/// Ends the innermost list or object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_end(builder: *mut Builder) {
    // SAFETY: the caller passes null or a valid handle.
    unsafe { change(builder, Builder::end) }
}

/// Makes the value an error: of a host function, its reason.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_builder_fail(builder: *mut Builder, reason: Text) {
    // SAFETY: the caller passes null or a valid handle, and a valid text.
    unsafe {
        change(builder, |builder| builder.fail(reason.as_str().unwrap_or("the reason is not UTF-8")));
    }
}

/// Takes the value out of a builder of the caller.
///
/// # Safety
/// The pointer is null or a valid handle that no other thread uses.
pub(crate) unsafe fn taken(builder: *mut Builder) -> Result<Part, Error> {
    // SAFETY: the caller's promise.
    unsafe { borrowed(builder)? };
    // SAFETY: it is not null, and the caller promises the rest.
    unsafe { &mut *builder }.take().map_err(Error::host)
}
