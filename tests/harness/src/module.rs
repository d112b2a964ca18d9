//! `harness module`: evaluates a whole file in several scopes: locals, dynamic blocks, every attribute.
//!
//! ```text
//! [{"scope":title,"locals":{name:VALUE},"attrs":{name:VALUE},"blocks":[
//!     {"type":..,"labels":[..],"attrs":{..},"blocks":[..]} | {"dynamic":TYPE,"for_each":VALUE}]}]
//! ```
//!
//! Empty keys are omitted; a scope with errors has the key `"errors"`.
#![expect(clippy::print_stdout, reason = "the result is the program's output")]

use std::fs;

use hclvm::module::{BlockValues, BodyValues};
use hclvm::{Dialect, Engine, Module, Session, Undefined, Value};
use serde_json::{Map, Value as Json, json};

use crate::report::diagnostics_to;
use crate::tv::{self, value_to};
use crate::{scopes, table};

/// Evaluates the file of the first argument in each scope of the second.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (file, scopes, dialect) = match arguments {
        [file, scopes] => (file, scopes, "packer"),
        [file, scopes, flag, dialect] if flag == "--dialect" => (file, scopes, dialect.as_str()),
        _ => return Err("usage: module FILE SCOPES [--dialect packer|nomad]".to_owned()),
    };
    let engine = Engine::builder().dialect(dialect_named(dialect)?).build();
    let document = engine.parse(file, &read(file)?).map_err(|error| error.to_string())?;
    let scopes: Json = serde_json::from_str(&read(scopes)?).map_err(|error| error.to_string())?;
    let mut session = engine.session();
    let mut results = Vec::new();
    for scope in scopes.as_array().into_iter().flatten().filter_map(Json::as_object) {
        let names = scope.keys().map(String::as_str).filter(|name| *name != TITLE);
        let module = document.module_for(names).map_err(|error| error.to_string())?;
        results.push(evaluated(&module, scope, &mut session)?);
    }
    println!("{}", Json::Array(results));
    Ok(())
}

/// The key of the title of a scope.
const TITLE: &str = "$name";

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

fn dialect_named(name: &str) -> Result<Dialect, String> {
    let dialect = Dialect::with_functions(table::packer());
    match name {
        "packer" => Ok(dialect),
        "nomad" => Ok(Dialect { short_circuit: false, ..dialect.undefined(Undefined::Text) }),
        _ => Err(format!("there is no dialect {name}")),
    }
}

fn evaluated(module: &Module, variables: &Map<String, Json>, session: &mut Session) -> Result<Json, String> {
    let mut scope = module.scope();
    for (name, json) in variables.iter().filter(|(name, _)| *name != TITLE) {
        let arena = tv::arena();
        let value = scopes::value_from(&arena, json, scopes::example)?;
        scope.set_value(name, value).map_err(|error| error.to_string())?;
    }
    let values = module.evaluate(session, &scope).map_err(|error| error.to_string())?;
    let mut shown = Map::new();
    shown.insert("scope".to_owned(), variables.get(TITLE).cloned().unwrap_or_default());
    insert(&mut shown, "locals", named(values.locals()));
    body(&mut shown, values.body());
    let diagnostics = values.diagnostics();
    if !diagnostics.is_empty() {
        shown.insert("errors".to_owned(), diagnostics_to(diagnostics.source(), diagnostics.iter()));
    }
    Ok(Json::Object(shown))
}

fn named<'s>(values: impl Iterator<Item = (&'s str, Value<'s>)>) -> Json {
    Json::Object(values.map(|(name, value)| (name.to_owned(), value_to(value))).collect())
}

/// Inserts a value that is not empty.
fn insert(shown: &mut Map<String, Json>, key: &str, value: Json) {
    let is_empty = match &value {
        Json::Object(fields) => fields.is_empty(),
        Json::Array(items) => items.is_empty(),
        _ => false,
    };
    if !is_empty {
        shown.insert(key.to_owned(), value);
    }
}

fn body(shown: &mut Map<String, Json>, values: BodyValues<'_>) {
    insert(shown, "attrs", named(values.attributes()));
    insert(shown, "blocks", values.blocks().map(block).collect());
}

fn block(values: BlockValues<'_>) -> Json {
    if let Some(for_each) = values.pending() {
        return json!({ "dynamic": values.kind(), "for_each": value_to(for_each) });
    }
    let mut shown = Map::new();
    shown.insert("type".to_owned(), json!(values.kind()));
    insert(&mut shown, "labels", values.labels().collect());
    body(&mut shown, values.body());
    Json::Object(shown)
}
