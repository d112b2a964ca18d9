//! Modules: whole files, evaluated with their locals and dynamic blocks.

use std::rc::Rc;

use hclvm::Diagnostics;
use wasm_bindgen::prelude::*;

use crate::engine::EngineState;
use crate::error::{OrThrow, Thrown, exception};
use crate::inputs::{Inputs, Scope};
use crate::structure;

/// A file that is evaluated as a whole. Immutable.
#[wasm_bindgen(skip_typescript)]
pub struct Module {
    engine: Rc<EngineState>,
    module: hclvm::Module,
    inputs: Inputs,
}

impl Module {
    pub(crate) fn new(engine: &Rc<EngineState>, module: hclvm::Module) -> Self {
        let inputs = Inputs::new(module.projection().scope(), module.variables());
        Self { engine: Rc::clone(engine), module, inputs }
    }

    fn evaluate(&self, scope: &hclvm::Scope) -> Thrown<JsValue> {
        self.engine.with_session(|session| {
            let values = self.module.evaluate(session, scope)?;
            Ok(throw_errors(values.diagnostics()).and_then(|()| structure::evaluated(values.body())))
        })?
    }
}

#[wasm_bindgen]
impl Module {
    /// Evaluates the file with the variables of a scope.
    #[wasm_bindgen(js_name = evaluateIn)]
    pub fn evaluate_in(&self, scope: &Scope) -> Thrown<JsValue> {
        self.evaluate(&scope.0)
    }

    /// Evaluates the file with the variables in an object.
    #[wasm_bindgen(js_name = evaluateWith)]
    pub fn evaluate_with(&self, values: &JsValue) -> Thrown<JsValue> {
        self.inputs.with(values, |scope| self.evaluate(scope))
    }

    /// Returns the module with the values of some variables built in.
    pub fn specialize(&self, values: &JsValue) -> Thrown<Module> {
        let special = self.inputs.with(values, |scope| self.module.specialize(scope).or_throw())?;
        Ok(Self::new(&self.engine, special))
    }

    /// Returns a scope for values that stay from one evaluation to the next.
    pub fn scope(&self) -> Scope {
        self.inputs.scope()
    }

    /// The names of the variables that it reads.
    #[wasm_bindgen(getter)]
    pub fn variables(&self) -> Vec<String> {
        self.inputs.names().to_vec()
    }
}

/// Throws an exception if one of the diagnostics is an error.
fn throw_errors(diagnostics: &Diagnostics) -> Thrown<()> {
    if diagnostics.has_errors() { Err(exception(&diagnostics.clone().into())) } else { Ok(()) }
}
