//! Policies: rules that allow or deny.

use std::rc::Rc;

use hclvm::policy::{Cause, Combining, Decision, PolicySpec};
use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

use crate::engine::EngineState;
use crate::error::{OrThrow, Thrown, listed};
use crate::input::property;
use crate::inputs::{Inputs, Scope};
use crate::output::{object, to_js};

/// The rules of a file as a policy. Immutable.
#[wasm_bindgen(skip_typescript)]
pub struct Policy {
    engine: Rc<EngineState>,
    policy: hclvm::policy::Policy,
    inputs: Inputs,
}

impl Policy {
    /// Reads the rules of a document. The options are members of an object.
    pub(crate) fn new(
        engine: &Rc<EngineState>,
        document: &hclvm::Document,
        options: &Object,
    ) -> Thrown<Self> {
        let text = |name| property(options, name).map(|value| value.as_string()).or_throw();
        let effects = property(options, "effects").or_throw()?;
        let effects: Vec<String> = if effects.is_undefined() {
            Vec::new()
        } else {
            Array::from(&effects).iter().filter_map(|effect| effect.as_string()).collect()
        };
        let effects: Vec<&str> = effects.iter().map(String::as_str).collect();
        let (kind, condition, effect) = (text("kind")?, text("condition")?, text("effect")?);
        let (reason, default_effect, overrides) =
            (text("reason")?, text("defaultEffect")?, text("overrides")?);
        let usual = PolicySpec::default();
        let spec = PolicySpec {
            kind: kind.as_deref().unwrap_or(usual.kind),
            condition: condition.as_deref().unwrap_or(usual.condition),
            effect: effect.as_deref().unwrap_or(usual.effect),
            reason: reason.as_deref().unwrap_or(usual.reason),
            effects: if effects.is_empty() { usual.effects } else { &effects },
            default_effect: default_effect.as_deref().unwrap_or(usual.default_effect),
            combining: overrides.as_deref().map_or(Combining::First, Combining::Overrides),
            lenient: property(options, "lenient").or_throw()?.is_truthy(),
            ..usual
        };
        let module = document.module().or_throw()?;
        let policy = module.policy(&spec).or_throw()?;
        let inputs = Inputs::new(policy.projection().scope(), module.variables());
        Ok(Self { engine: Rc::clone(engine), policy, inputs })
    }

    fn decide(&self, scope: &hclvm::Scope) -> Thrown<Object> {
        self.engine
            .with_session(|session| self.policy.decide(session, scope).map(|decision| decided(&decision)))?
    }

    fn why(&self, scope: &hclvm::Scope) -> Thrown<String> {
        self.engine.with_session(|session| Ok(self.policy.why(session, scope)?.to_string()))
    }
}

#[wasm_bindgen]
impl Policy {
    /// Decides with the variables of a scope.
    #[wasm_bindgen(js_name = decideIn)]
    pub fn decide_in(&self, scope: &Scope) -> Thrown<Object> {
        self.decide(&scope.0)
    }

    /// Decides with the variables in an object.
    #[wasm_bindgen(js_name = decideWith)]
    pub fn decide_with(&self, values: &JsValue) -> Thrown<Object> {
        self.inputs.with(values, |scope| self.decide(scope))
    }

    /// Explains which rule decides and why.
    #[wasm_bindgen(js_name = whyIn)]
    pub fn why_in(&self, scope: &Scope) -> Thrown<String> {
        self.why(&scope.0)
    }

    /// See [`Policy::why_in`].
    #[wasm_bindgen(js_name = whyWith)]
    pub fn why_with(&self, values: &JsValue) -> Thrown<String> {
        self.inputs.with(values, |scope| self.why(scope))
    }

    /// Returns a scope for values that stay from one decision to the next.
    pub fn scope(&self) -> Scope {
        self.inputs.scope()
    }

    /// The number of rules.
    #[wasm_bindgen(getter)]
    pub fn size(&self) -> usize {
        self.policy.len()
    }
}

/// Returns a decision as an object.
fn decided(decision: &Decision<'_>) -> Thrown<Object> {
    let obligations: Result<Array, JsValue> = decision
        .obligations()
        .map(|(rule, value)| {
            let name = rule.labels().next().map(str::to_owned);
            to_js(value).map(|value| JsValue::from(Array::of2(&name.into(), &value)))
        })
        .collect();
    let optional = |text: Option<&str>| JsValue::from(text.map(str::to_owned));
    let cause = match decision.cause() {
        Cause::Rule => "rule",
        Cause::NoRule => "no_rule",
        _ => "undecided",
    };
    object([
        ("effect", Ok(decision.effect().into())),
        ("cause", Ok(cause.into())),
        ("rule", Ok(optional(decision.name()))),
        ("reason", Ok(optional(decision.reason()))),
        ("obligations", obligations.map(JsValue::from)),
        ("diagnostics", listed([decision.diagnostics()])),
    ])
}
