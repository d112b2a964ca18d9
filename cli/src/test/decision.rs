//! Decisions that cases expect: `expect_decision` with an effect, a rule, a reason, obligations, a cause.

use std::sync::OnceLock;

use hclvm::ingest::Ingest;
use hclvm::module::{AttributePath, BodyValues};
use hclvm::policy::{Cause, Policy, PolicySpec, RuleWhy};
use hclvm::value::Arena;
use hclvm::{Diagnostics, Error, Module, OwnedValue, Scope, Session, Value};

use super::observed::{Covered, observe};
use crate::policy::PolicySettings;
use hclvm_project::compare::{Difference, differences};

/// The attributes of a block `expect_decision`.
pub(super) const PARTS: [&str; 5] = ["effect", "rule", "reason", "obligations", "cause"];

/// What a case expects of a decision: values by the names of [`PARTS`].
pub(super) struct ExpectedDecision(Vec<(&'static str, OwnedValue)>);

impl ExpectedDecision {
    /// # Errors
    /// A sentence about a block that expects nothing.
    pub(super) fn of(body: BodyValues<'_>) -> Result<Self, String> {
        let part = |name: &'static str| Some((name, OwnedValue::new(body.attribute(name)?)));
        let parts: Vec<_> = PARTS.into_iter().filter_map(part).collect();
        if parts.is_empty() {
            return Err(format!("`expect_decision` expects nothing. Set one of {}.", PARTS.join(", ")));
        }
        Ok(Self(parts))
    }

    /// Returns true if the decision is expected to be undecided.
    pub(super) fn expects_undecided(&self) -> bool {
        self.0.iter().any(|(name, value)| *name == "cause" && value.get().as_str() == Some(UNDECIDED))
    }

    /// Returns the differences of a decision.
    pub(super) fn differences(&self, found: &DecisionParts) -> Vec<Difference> {
        let of = |(name, expected): &(&'static str, OwnedValue)| {
            let found = found.parts.iter().find(|(known, _)| known == name);
            let found = found.map_or(Value::NULL, |(_, value)| value.get());
            differences(&format!("decision.{name}"), expected.get(), found)
        };
        self.0.iter().flat_map(of).collect()
    }
}

const UNDECIDED: &str = "undecided";

/// A decision in the form in which cases expect it.
pub(super) struct DecisionParts {
    parts: Vec<(&'static str, OwnedValue)>,
    pub(super) is_undecided: bool,
    pub(super) problems: Diagnostics,
}

/// The rules of a file, compiled when a case decides by them.
pub(super) struct FileRules {
    settings: Result<PolicySettings, String>,
    policy: OnceLock<Result<Policy, Error>>,
}

impl FileRules {
    /// `settings` may be the sentence that the settings of the project are wrong.
    pub(super) fn new(settings: Result<PolicySettings, String>) -> Self {
        Self { settings, policy: OnceLock::new() }
    }

    /// Returns the name of the attribute that makes a block a rule.
    pub(super) fn condition(&self) -> &str {
        self.settings.as_ref().map_or(PolicySpec::default().condition, PolicySettings::condition)
    }

    /// Decides by the rules of `module` in a scope. With `covered`, adds what the decision covers.
    ///
    /// # Errors
    /// The problems of the rules, or a limit; a sentence about settings.
    pub(super) fn decide(
        &self,
        module: &Module,
        session: &mut Session,
        scope: &Scope,
        covered: Option<&mut Covered>,
    ) -> Result<Result<DecisionParts, Error>, String> {
        let settings = self.settings.as_ref().map_err(Clone::clone)?;
        let policy = self.policy.get_or_init(|| settings.with_spec(|spec| module.policy(spec)));
        let policy = match policy {
            Ok(policy) => policy,
            Err(error) => return Ok(Err(error.clone())),
        };
        let parts = parts(policy, session, scope);
        if let (Ok(_), Some(covered)) = (&parts, covered) {
            // What cannot be evaluated within the limits is not covered.
            covered.extend(evaluated(settings, policy, module, session, scope).unwrap_or_default());
        }
        Ok(parts)
    }
}

fn parts(policy: &Policy, session: &mut Session, scope: &Scope) -> Result<DecisionParts, Error> {
    let decision = policy.decide(session, scope)?;
    let arena = Arena::new();
    let cause = match decision.cause() {
        Cause::Rule => "rule",
        Cause::NoRule => "no rule",
        _ => UNDECIDED,
    };
    let obligations: Vec<Value<'_>> =
        decision.obligations().map(|(_, value)| value).filter(|value| !value.is_null()).collect();
    let obligations = Value::tuple(&arena, arena.slice(&obligations));
    let text = |text: Option<&str>| -> Result<OwnedValue, Error> {
        Ok(OwnedValue::new(text.map_or(Ok(Value::NULL), |text| text.ingest(&arena))?))
    };
    let parts = vec![
        ("effect", text(Some(decision.effect()))?),
        ("rule", text(decision.name())?),
        ("reason", text(decision.reason())?),
        ("obligations", OwnedValue::new(obligations)),
        ("cause", text(Some(cause))?),
    ];
    let is_undecided = decision.cause() == Cause::Undecided;
    Ok(DecisionParts { parts, is_undecided, problems: decision.diagnostics().clone() })
}

/// Returns what a decision covers: the conditions of the rules up to the one that decides, and the other attributes of
/// those that apply.
fn evaluated(
    settings: &PolicySettings,
    policy: &Policy,
    module: &Module,
    session: &mut Session,
    scope: &Scope,
) -> Result<Covered, Error> {
    let why = policy.why(session, scope)?;
    let path = |rule: &RuleWhy, attribute: &str| -> AttributePath {
        let names = std::iter::once(settings.rule_type()).chain(rule.labels());
        names.chain([attribute]).collect()
    };
    let applies = |rule: &RuleWhy| rule.decides() || rule.condition().root().outcome.as_bool() == Some(true);
    let mut paths = Vec::new();
    for rule in why.rules() {
        paths.push(path(rule, settings.condition()));
        if applies(rule) {
            paths.extend(settings.parts().map(|name| path(rule, name)));
        }
    }
    let module = module.select(&paths)?;
    let mut selected = module.scope();
    for name in module.variables() {
        if let Some(value) = scope.get(name) {
            selected.set_value(name, value)?;
        }
    }
    observe(&module, session, &selected)
}
