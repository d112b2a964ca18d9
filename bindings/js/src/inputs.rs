//! The variables of an evaluation: a scope that the caller keeps, or an object that is copied for one evaluation.

use std::cell::Cell;

use hclvm::Scope as EngineScope;
use js_sys::Object;
use wasm_bindgen::prelude::*;

use crate::error::{OrThrow, Thrown};
use crate::input::{Input, property};

/// What an evaluation reads.
pub(crate) struct Inputs {
    names: Vec<String>,
    /// A scope without values, which is forked for others.
    empty: EngineScope,
    scope: Cell<Option<EngineScope>>,
}

impl Inputs {
    /// Creates the inputs of programs that read the variables `names` of scopes like `empty`.
    pub(crate) fn new<'n>(empty: EngineScope, names: impl IntoIterator<Item = &'n str>) -> Self {
        // Names with a dot are slots of attributes, which no caller sets.
        let names = names.into_iter().filter(|name| !name.contains('.')).map(str::to_owned).collect();
        Self { names, empty, scope: Cell::new(None) }
    }

    /// Returns the names of the variables.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Creates a scope without values.
    pub(crate) fn scope(&self) -> Scope {
        Scope(self.empty.fork())
    }

    /// Calls `run` with a scope that has the variables in an object. Those that are not read are ignored.
    pub(crate) fn with<R>(&self, values: &JsValue, run: impl FnOnce(&EngineScope) -> Thrown<R>) -> Thrown<R> {
        // A host function may run the same program again: that run finds no scope here and makes one.
        let mut scope = self.scope.take().unwrap_or_else(|| self.empty.fork());
        let outcome = self.fill(&mut scope, values).and_then(|()| run(&scope));
        self.scope.set(Some(scope));
        outcome
    }

    fn fill(&self, scope: &mut EngineScope, values: &JsValue) -> Thrown<()> {
        for name in &self.names {
            let value =
                if values.is_undefined() { JsValue::UNDEFINED } else { property(values, name).or_throw()? };
            if value.is_undefined() {
                scope.unset(name);
            } else {
                scope.set_host(name, &Input(&value)).or_throw()?;
            }
        }
        Ok(())
    }
}

/// Values of variables that stay from one evaluation to the next. A scope takes in only the parts of a value that the
/// programs read for which it was made.
#[wasm_bindgen(skip_typescript)]
pub struct Scope(pub(crate) EngineScope);

#[wasm_bindgen]
impl Scope {
    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: &JsValue) -> Thrown<()> {
        if value.is_undefined() {
            self.0.unset(name);
            return Ok(());
        }
        self.0.set_host(name, &Input(value)).or_throw()
    }

    /// Removes the value of a variable.
    pub fn delete(&mut self, name: &str) {
        self.0.unset(name);
    }

    /// True if a variable has a value.
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    /// Sets the variables in an object. Those that no program reads are ignored.
    pub fn update(&mut self, values: &Object) -> Thrown<()> {
        for name in Object::keys(values).iter().filter_map(|key| key.as_string()) {
            if self.0.has(&name) {
                let value = property(values, &name).or_throw()?;
                self.set(&name, &value)?;
            }
        }
        Ok(())
    }

    /// Sets a variable to the value of a JSON text, with exact numbers.
    #[wasm_bindgen(js_name = setJson)]
    pub fn set_json(&mut self, name: &str, text: &str) -> Thrown<()> {
        self.0.set_json(name, text).or_throw()
    }

    /// Sets the variables that are members of a JSON object. Those that no program reads are ignored.
    #[wasm_bindgen(js_name = updateJson)]
    pub fn update_json(&mut self, text: &str) -> Thrown<()> {
        self.0.set_all_json(text).or_throw()
    }

    /// Makes all variables without a value unknown.
    #[wasm_bindgen(js_name = setRestUnknown)]
    pub fn set_rest_unknown(&mut self) {
        self.0.set_rest_unknown();
    }

    /// Returns a scope with the same values, which may then differ. No value is copied.
    pub fn fork(&self) -> Self {
        Self(self.0.fork())
    }
}
