//! Values of the host in, results out: through serde, as JSON, and as HCL text.

mod json_in;
mod text_out;
mod values_in;
mod values_out;

use hclvm::{Engine, Error, Json, OwnedValue, Scope};
use serde::{Deserialize, Serialize};

/// Evaluates an expression in which `set` sets `x`.
fn value(expression: &str, set: impl FnOnce(&mut Scope) -> Result<(), Error>) -> Result<OwnedValue, Error> {
    value_in(&Engine::standard(), expression, set)
}

fn value_in(
    engine: &Engine,
    expression: &str,
    set: impl FnOnce(&mut Scope) -> Result<(), Error>,
) -> Result<OwnedValue, Error> {
    let document = engine.parse("test.hcl", &format!("result = {expression}\n"))?;
    let program = document.attribute("result").expect("the attribute was parsed").program()?;
    let mut scope = document.scope();
    set(&mut scope)?;
    Ok(OwnedValue::new(engine.session().run(&program, &scope)?))
}

/// Returns `x`, set from a value of the host, as JSON.
fn ingested<T: Serialize + ?Sized>(x: &T) -> String {
    let value = value("x", |scope| scope.set("x", x)).expect("the value can be set");
    json(&value)
}

fn refused<T: Serialize + ?Sized>(x: &T) -> String {
    value("x", |scope| scope.set("x", x)).expect_err("the value must be refused").to_string()
}

/// Returns the exact JSON of a value.
fn json(value: &OwnedValue) -> String {
    let text = Json(value.get()).to_text().expect("the value has JSON");
    let through_serde = serde_json::to_string(&Json(value.get())).map_err(|error| error.to_string());
    let exact = serde_json::from_str::<serde_json::Value>("1e400").is_ok();
    if exact && !cfg!(feature = "exact-json") {
        // Another crate enabled `arbitrary_precision` of serde_json; without `exact-json` it gets floats.
        assert!(through_serde.is_ok(), "{text}");
    } else if exact {
        assert_eq!(through_serde.as_deref(), Ok(text.as_str()));
    } else {
        // The difference is in how serde_json parses the text.
        let tree = serde_json::from_str(&text).map(|tree: serde_json::Value| tree.to_string());
        let read = through_serde.map(|text| serde_json::from_str::<serde_json::Value>(&text));
        assert_eq!(read.ok().and_then(|tree| tree.ok()).map(|tree| tree.to_string()), tree.ok(), "{text}");
    }
    text
}

fn from_json(text: &str) -> Result<OwnedValue, Error> {
    value("x", |scope| scope.set_json("x", text.as_bytes()))
}

/// Evaluates an expression without variables.
fn made(expression: &str) -> OwnedValue {
    value(expression, |_| Ok(())).expect("the expression has a value")
}

fn is_true(expression: &str, set: impl FnOnce(&mut Scope) -> Result<(), Error>) -> bool {
    value(expression, set).expect("the expression has a value").get().as_bool() == Some(true)
}

fn decoded<T: for<'v> Deserialize<'v>>(expression: &str) -> Result<T, String> {
    hclvm::from_value(made(expression).get()).map_err(|error| error.to_string())
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
enum Shape {
    Point,
    Circle(f64),
    Line(i64, i64),
    Box { width: u32, height: u32 },
}

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Meters(u32);

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Nothing;

impl Ord for Meters {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Meters {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Meters {}
/// A map that serializes its entries in the given order, including repeated keys.
struct Pairs<K, V>(Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Pairs<K, V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// `[[[…]]]`, or nested newtype structs, serialized without building a tree.
struct Nested {
    levels: usize,
    wrapped: bool,
}

impl Serialize for Nested {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(levels) = self.levels.checked_sub(1) else { return serializer.serialize_unit() };
        let inner = Self { levels, wrapped: self.wrapped };
        if self.wrapped { serializer.serialize_some(&inner) } else { serializer.collect_seq([inner]) }
    }
}
