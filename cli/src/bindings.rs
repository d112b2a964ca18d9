//! Variables as values, by name. `scopes` reads them as JSON; an `Evaluator` needs no values of its own, because
//! each of its scopes is used once.

use std::collections::BTreeMap;

use hclvm::value::Arena;
use hclvm::{Error, ErrorKind, OwnedValue, Scope, Value};
use serde_json::Value as Json;

use crate::scopes::GivenVariables;
use hclvm_project::notation;

/// The values of variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings(BTreeMap<String, OwnedValue>);

impl Bindings {
    /// Sets a variable.
    pub(crate) fn set(&mut self, name: &str, value: Value<'_>) {
        self.0.insert(name.to_owned(), OwnedValue::new(value));
    }

    /// Sets a variable to the value that JSON denotes.
    pub(crate) fn set_json(&mut self, name: &str, json: &Json) -> Result<(), Error> {
        let arena = Arena::new();
        let value = notation::value(&arena, json)
            .map_err(|error| ErrorKind::Value(format!("variable \"{name}\": {error}")))?;
        self.set(name, value);
        Ok(())
    }

    /// Sets all variables of a scope.
    pub(crate) fn add(&mut self, variables: &GivenVariables) -> Result<(), Error> {
        variables.values.iter().try_for_each(|(name, json)| self.set_json(name, json))
    }

    /// Returns the value of a variable.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'_>> {
        self.0.get(name).map(OwnedValue::get)
    }

    /// Iterates over the variables, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Value<'_>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.get()))
    }

    /// Gives a scope the values of the variables that it has.
    pub(crate) fn fill(&self, scope: &mut Scope) -> Result<(), Error> {
        self.iter().try_for_each(|(name, value)| scope.set_value(name, value))
    }
}
