//! JavaScript values as values of the engine. A scope takes in only the properties of an object that programs read.

use std::cell::RefCell;
use std::collections::HashMap;

use hclvm::ingest::{Builder, HostObject, HostValue};
use hclvm::syntax::TypeMode;
use hclvm::value::{Arena, Number, copy, marks_from};
use hclvm::{Engine, Error, Value};
use js_sys::{Array, BigInt, JsString, Object};
use wasm_bindgen::prelude::*;

use crate::error::Thrown;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    #[wasm_bindgen(js_name = kindOf, catch)]
    fn kind_of(value: &JsValue) -> Thrown<u8>;

    #[wasm_bindgen(js_name = ownProperty, catch)]
    fn own_property(object: &JsValue, name: &JsString) -> Thrown<JsValue>;

    /// A value with marks.
    pub(crate) type Marked;

    #[wasm_bindgen(constructor, variadic)]
    pub(crate) fn new(content: &JsValue, marks: &Array) -> Marked;

    #[wasm_bindgen(method, getter, catch)]
    fn marks(this: &Marked) -> Thrown<Array>;

    #[wasm_bindgen(method, catch)]
    fn reveal(this: &Marked) -> Thrown<JsValue>;

    /// A value that is not known.
    pub(crate) type Unknown;

    #[wasm_bindgen(constructor)]
    pub(crate) fn new(ty: &str) -> Unknown;

    #[wasm_bindgen(method, getter, js_name = type, catch)]
    fn ty(this: &Unknown) -> Thrown<String>;

    /// A value that is converted to a type.
    type Typed;

    #[wasm_bindgen(method, getter, catch)]
    fn value(this: &Typed) -> Thrown<JsValue>;

    #[wasm_bindgen(method, getter, js_name = type, catch)]
    fn ty(this: &Typed) -> Thrown<String>;
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = Object, js_name = fromEntries, catch)]
    fn from_entries(map: &JsValue) -> Thrown<Object>;

    #[wasm_bindgen(js_namespace = Object, js_name = keys, catch)]
    fn own_keys(object: &JsValue) -> Thrown<Array>;
}

/// The kinds of values, by the numbers that `kindOf` returns.
const KINDS: [Kind; 12] = [
    Kind::Text,
    Kind::Number,
    Kind::True,
    Kind::False,
    Kind::BigInt,
    Kind::Null,
    Kind::Object,
    Kind::Array,
    Kind::Marked,
    Kind::Unknown,
    Kind::Typed,
    Kind::Map,
];

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    True,
    False,
    BigInt,
    Null,
    Object,
    Array,
    Marked,
    Unknown,
    Typed,
    Map,
}

/// A JavaScript value that becomes a value of the engine.
pub(crate) struct Input<'v>(pub(crate) &'v JsValue);

impl Input<'_> {
    /// Builds the whole value in an arena.
    pub(crate) fn in_arena<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Error> {
        self.build(Builder::whole_in(arena))
    }
}

impl HostValue for Input<'_> {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        let value = self.0;
        let kind = KINDS.get(usize::from(kind_of(value).or_fail()?));
        match kind {
            Some(Kind::Text) => to.value(&value.as_string().unwrap_or_default()),
            Some(Kind::Number) => number(value.unchecked_into_f64(), to),
            Some(Kind::True) => to.value(&true),
            Some(Kind::False) => to.value(&false),
            Some(Kind::BigInt) => integer(value.unchecked_ref(), to),
            Some(Kind::Null) => Ok(Value::NULL),
            Some(Kind::Object) => Properties::new(value).build(to),
            Some(Kind::Array) => {
                let items = value.unchecked_ref::<Array>().to_vec();
                to.value(&items.iter().map(Input).collect::<Vec<_>>())
            }
            Some(Kind::Marked) => marked(value.unchecked_ref(), to),
            Some(Kind::Unknown) => unknown(value.unchecked_ref(), to.arena()),
            Some(Kind::Typed) => typed(value.unchecked_ref(), to.arena()),
            Some(Kind::Map) => {
                let entries = from_entries(value).or_fail()?;
                Properties::new(&entries).build(to)
            }
            None => {
                let kind = value.js_typeof().as_string().unwrap_or_default();
                Err(Error::host(format!("a value of this kind ({kind}) has no value in HCL")))
            }
        }
    }
}

/// Returns a number as its shortest decimal text has it, as if it came from JSON.
fn number<'a>(number: f64, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
    if let Some(whole) = Number::from_f64(number).and_then(|number| number.borrow().to_i64()) {
        return Ok(Value::number(to.arena(), Number::full(whole)));
    }
    match number.is_finite().then(|| Number::parse_text(&format!("{number:e}"))).flatten() {
        Some(parsed) => Ok(Value::number(to.arena(), parsed)),
        None => to.value(&number),
    }
}

fn integer<'a>(integer: &BigInt, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
    // Hexadecimal digits, which take no more than linear time.
    let text = integer.to_string(16).or_fail()?;
    let parsed = Number::parse_integer(&String::from(text), 16);
    Ok(Value::number(to.arena(), parsed.ok_or_else(|| Error::host("a bigint is too large"))?))
}

fn marked<'a>(marked: &Marked, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
    let content = marked.reveal().or_fail()?;
    let marks = marked.marks().or_fail()?;
    let (value, arena) = (Input(&content).build(to)?, to.arena());
    let names: Vec<&str> =
        marks.iter().filter_map(|mark| mark.as_string()).map(|mark| arena.text(&mark)).collect();
    Ok(value.with_marks(arena, marks_from(arena, &names)))
}

fn unknown<'a>(unknown: &Unknown, arena: &'a Arena) -> Result<Value<'a>, Error> {
    let text = unknown.ty().or_fail()?;
    let constraint = Engine::standard().type_constraint(&text, TypeMode::Constraint)?;
    let inner = Arena::new();
    Ok(copy(arena, Value::unknown_of(&inner, constraint.ty())))
}

fn typed<'a>(typed: &Typed, arena: &'a Arena) -> Result<Value<'a>, Error> {
    let (text, value) = (typed.ty().or_fail()?, typed.value());
    let constraint = Engine::standard().type_constraint(&text, TypeMode::WithDefaults)?;
    let (inner, value) = (Arena::new(), value.or_fail()?);
    let converted = constraint.convert(&inner, Input(&value).in_arena(&inner)?);
    Ok(copy(arena, converted.map_err(|mismatch| Error::host(mismatch.to_string()))?))
}

/// An object whose properties are requested by name.
struct Properties<'v> {
    object: &'v JsValue,
    /// The value of the name that is visited, so that it is not looked up.
    visited: RefCell<Option<JsValue>>,
}

impl<'v> Properties<'v> {
    fn new(object: &'v JsValue) -> Self {
        Self { object, visited: RefCell::new(None) }
    }

    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        to.object(self)
    }
}

impl HostObject for Properties<'_> {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        for key in own_keys(self.object).unwrap_or_default().iter() {
            let value = own_property(self.object, key.unchecked_ref());
            *self.visited.borrow_mut() = value.ok();
            visit(&key.as_string().unwrap_or_default());
        }
    }

    fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error> {
        let value = match self.visited.take() {
            Some(value) => value,
            None => own_property(self.object, &cached(name)).or_fail()?,
        };
        if value.is_undefined() { Ok(None) } else { Input(&value).build(to).map(Some) }
    }
}

/// The most names that are kept as JavaScript strings.
const CACHED: usize = 1 << 12;

/// Returns a name as a JavaScript string, which is not decoded again for each object.
fn cached(name: &str) -> JsString {
    thread_local! {
        static NAMES: RefCell<HashMap<String, JsString>> = RefCell::default();
    }
    NAMES.with_borrow_mut(|names| {
        if let Some(known) = names.get(name) {
            return known.clone();
        }
        if names.len() >= CACHED {
            names.clear();
        }
        names.entry(name.to_owned()).or_insert_with(|| JsString::from(name)).clone()
    })
}

/// Returns the property of an object, `undefined` if the object itself has none.
pub(crate) fn property(object: &JsValue, name: &str) -> Result<JsValue, Error> {
    own_property(object, &cached(name)).or_fail()
}

/// Results of JavaScript as results of the engine.
trait OrFail<T> {
    /// Returns the value, or an error with the message of what JavaScript threw.
    fn or_fail(self) -> Result<T, Error>;
}

impl<T, E: AsRef<JsValue>> OrFail<T> for Result<T, E> {
    fn or_fail(self) -> Result<T, Error> {
        self.map_err(|thrown| Error::host(message(thrown.as_ref())))
    }
}

/// Returns the message of what JavaScript threw.
pub(crate) fn message(thrown: &JsValue) -> String {
    match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => thrown.as_string().unwrap_or_else(|| "an exception without a message".to_owned()),
    }
}
