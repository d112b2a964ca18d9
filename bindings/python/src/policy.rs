//! Policies: rules that allow or deny.

use std::sync::Arc;

use hclvm::policy::{Cause, Combining, PolicySpec};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::engine::EngineState;
use crate::error::{Diagnostic, OrRaise, listed};
use crate::inputs::{Inputs, Scope};
use crate::output::to_python;

/// How the blocks of a file are a policy.
pub(crate) struct Spec<'n> {
    pub(crate) kind: &'n str,
    pub(crate) condition: &'n str,
    pub(crate) effect: &'n str,
    pub(crate) reason: &'n str,
    pub(crate) effects: Option<Vec<String>>,
    pub(crate) default_effect: &'n str,
    pub(crate) overrides: Option<&'n str>,
    pub(crate) lenient: bool,
}

/// The rules of a file as a policy. Immutable, and shared by threads.
#[pyclass(frozen, module = "hclvm")]
pub(crate) struct Policy {
    engine: Arc<EngineState>,
    policy: hclvm::policy::Policy,
    inputs: Inputs,
}

impl Policy {
    pub(crate) fn new(
        py: Python<'_>,
        engine: &Arc<EngineState>,
        document: &hclvm::Document,
        spec: &Spec<'_>,
    ) -> PyResult<Self> {
        let named: Option<Vec<&str>> =
            spec.effects.as_ref().map(|effects| effects.iter().map(String::as_str).collect());
        let usual = PolicySpec::default();
        let spec = PolicySpec {
            kind: spec.kind,
            condition: spec.condition,
            effect: spec.effect,
            reason: spec.reason,
            effects: named.as_deref().unwrap_or(usual.effects),
            default_effect: spec.default_effect,
            combining: spec.overrides.map_or(Combining::First, Combining::Overrides),
            lenient: spec.lenient,
            ..usual
        };
        let module = document.module().or_raise(py)?;
        let policy = module.policy(&spec).or_raise(py)?;
        let inputs = Inputs::new(py, policy.projection().scope(), module.variables());
        Ok(Self { engine: Arc::clone(engine), policy, inputs })
    }
}

#[pymethods]
impl Policy {
    /// Decides with the variables of a scope or a mapping.
    #[pyo3(signature = (values = None, /))]
    fn decide(&self, py: Python<'_>, values: Option<&Bound<'_, PyAny>>) -> PyResult<Decision> {
        self.inputs.with(py, values, |scope| {
            self.engine.with_session(py, |session| {
                let decision = self.policy.decide(session, scope)?;
                Ok(Decision::of(py, &decision))
            })?
        })
    }

    /// Explains which rule decides and why.
    #[pyo3(signature = (values = None, /))]
    fn why(&self, py: Python<'_>, values: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        self.inputs.with(py, values, |scope| {
            self.engine.with_session(py, |session| Ok(self.policy.why(session, scope)?.to_string()))
        })
    }

    /// Returns a scope for values that stay from one decision to the next.
    fn scope(&self) -> Scope {
        self.inputs.scope()
    }

    fn __len__(&self) -> usize {
        self.policy.len()
    }
}

/// A decision. Compare its `effect`: a decision itself has no truth value.
#[pyclass(frozen, get_all, module = "hclvm")]
pub(crate) struct Decision {
    /// The effect of the rule that decided, the default, or the one for decisions in doubt.
    effect: String,
    /// `rule`, `no_rule` or `undecided`.
    cause: &'static str,
    /// The first label of the rule that decided.
    rule: Option<String>,
    /// The reason of the rule, if it is a text that is not marked.
    reason: Option<String>,
    /// What the host has to do, with the name of each rule.
    obligations: Vec<(Option<String>, Py<PyAny>)>,
    /// The errors and warnings of the rules that were evaluated.
    diagnostics: Vec<Diagnostic>,
}

impl Decision {
    fn of(py: Python<'_>, decision: &hclvm::policy::Decision<'_>) -> PyResult<Self> {
        let obligation = |(rule, value): (hclvm::module::BlockValues<'_>, hclvm::Value<'_>)| {
            Ok((rule.labels().next().map(str::to_owned), to_python(py, value)?.unbind()))
        };
        Ok(Self {
            effect: decision.effect().to_owned(),
            cause: match decision.cause() {
                Cause::Rule => "rule",
                Cause::NoRule => "no_rule",
                _ => "undecided",
            },
            rule: decision.name().map(str::to_owned),
            reason: decision.reason().map(str::to_owned),
            obligations: decision.obligations().map(obligation).collect::<PyResult<_>>()?,
            diagnostics: listed(decision.diagnostics()),
        })
    }
}

#[pymethods]
impl Decision {
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("compare the effect of a decision, which has no truth value"))
    }

    fn __repr__(&self) -> String {
        let rule = self.rule.as_ref().map(|rule| format!(", rule {rule:?}"));
        format!("Decision({}{})", self.effect, rule.unwrap_or_default())
    }
}
