//! Programs: compiled expressions.

use std::rc::Rc;

use hclvm::analysis::Line;
use hclvm::{Error, Json, Session};
use js_sys::Object;
use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::engine::EngineState;
use crate::error::{OrThrow, Thrown, listed, parse_json};
use crate::inputs::{Inputs, Scope};
use crate::output::{object, to_js, type_of};

/// A compiled expression. Immutable.
#[wasm_bindgen(skip_typescript)]
pub struct Program {
    engine: Rc<EngineState>,
    program: hclvm::Program,
    inputs: Inputs,
}

impl Program {
    /// Creates a program whose scopes take in only the parts of values that it reads.
    pub(crate) fn new(engine: &Rc<EngineState>, program: hclvm::Program) -> Thrown<Self> {
        let empty = engine.engine.projection([&program]).or_throw()?.scope();
        Ok(Self::with_scope(engine, program, empty))
    }

    /// Creates a program with scopes like `empty`.
    pub(crate) fn with_scope(engine: &Rc<EngineState>, program: hclvm::Program, empty: hclvm::Scope) -> Self {
        let layout = program.own_layout();
        let mut names: Vec<&str> = layout.names().iter().map(AsRef::as_ref).collect();
        names.sort_unstable();
        let inputs = Inputs::new(empty, names);
        Self { engine: Rc::clone(engine), program, inputs }
    }

    fn run(&self, scope: &hclvm::Scope) -> Thrown<JsValue> {
        self.engine.with_session(|session| session.run(&self.program, scope).map(to_js))?
    }

    fn evaluate(&self, scope: &hclvm::Scope) -> Thrown<Object> {
        self.engine.with_session(|session| self.evaluated(session, scope))?
    }

    /// Returns the value with its type and its JSON, which is partial if there are errors, and the diagnostics.
    fn evaluated(&self, session: &mut Session, scope: &hclvm::Scope) -> Result<Thrown<Object>, Error> {
        let evaluation = session.evaluate(&self.program, scope)?;
        let value = evaluation.value;
        Ok(object([
            ("value", to_js(value)),
            ("type", Ok(type_of(value).into())),
            // Marked and unknown values have none.
            ("json", Ok(Json(value).to_text().ok().into())),
            ("diagnostics", listed([&evaluation.diagnostics])),
        ]))
    }

    fn why(&self, scope: &hclvm::Scope) -> Thrown<String> {
        self.engine.with_session(|session| Ok(session.why(&self.program, scope)?.to_string()))
    }
}

#[wasm_bindgen]
impl Program {
    /// Evaluates the expression with the variables of a scope.
    #[wasm_bindgen(js_name = runIn)]
    pub fn run_in(&self, scope: &Scope) -> Thrown<JsValue> {
        self.run(&scope.0)
    }

    /// Evaluates the expression with the variables in an object.
    #[wasm_bindgen(js_name = runWith)]
    pub fn run_with(&self, values: &JsValue) -> Thrown<JsValue> {
        self.inputs.with(values, |scope| self.run(scope))
    }

    /// Evaluates like `run`, with the exact type, and with diagnostics instead of an exception.
    #[wasm_bindgen(js_name = evaluateIn)]
    pub fn evaluate_in(&self, scope: &Scope) -> Thrown<Object> {
        self.evaluate(&scope.0)
    }

    /// See [`Program::evaluate_in`].
    #[wasm_bindgen(js_name = evaluateWith)]
    pub fn evaluate_with(&self, values: &JsValue) -> Thrown<Object> {
        self.inputs.with(values, |scope| self.evaluate(scope))
    }

    /// Explains which conditions decide the result.
    #[wasm_bindgen(js_name = whyIn)]
    pub fn why_in(&self, scope: &Scope) -> Thrown<String> {
        self.why(&scope.0)
    }

    /// See [`Program::why_in`].
    #[wasm_bindgen(js_name = whyWith)]
    pub fn why_with(&self, values: &JsValue) -> Thrown<String> {
        self.inputs.with(values, |scope| self.why(scope))
    }

    /// Returns a scope for values that stay from one run to the next.
    pub fn scope(&self) -> Scope {
        self.inputs.scope()
    }

    /// The names of the variables that it reads.
    #[wasm_bindgen(getter)]
    pub fn variables(&self) -> Vec<String> {
        self.inputs.names().to_vec()
    }

    /// Returns the code of both tiers, and the variables that are in registers when that of the fast tier begins.
    pub fn listing(&self) -> Thrown<JsValue> {
        let row = |line: Line| json!({ "at": line.at, "name": line.name, "operands": line.operands });
        let registers = self.program.fast_registers();
        let listing = json!({
            "registers": registers.map(|(at, name)| json!({ "register": at, "variable": name })).collect::<Vec<_>>(),
            "fast": self.program.fast_listing().map(row).collect::<Vec<_>>(),
            "baseline": self.program.listing().or_throw()?.map(row).collect::<Vec<_>>(),
        });
        parse_json(&listing.to_string())
    }
}
