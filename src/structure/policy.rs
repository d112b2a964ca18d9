//! Policies: the rules of a file decide a request.
//!
//! ```text
//! rule "own" {                        the first label names the rule
//!   priority    = 10                  optional: the least number first
//!   when        = request.user == resource.owner
//!   effect      = "allow"
//!   reason      = "owner of ${resource.id}"
//!   obligations = { audit = true }    optional: what the host has to do
//! }
//! ```
//! A [`Policy`] is [`Rules`] with an answer for every case: rules that contradict each other, no rule that applies,
//! conditions that fail or are unknown. Use [`Rules`] if the blocks decide something else.

mod branches;
mod why;

use std::collections::HashMap;
use std::sync::Arc;

use hclvm_vm::{Diagnostic, Value};
use smol_str::SmolStr;

pub use branches::{Branches, Recorder};
pub use why::{PolicyWhy, RuleWhy};

use super::module::{BlockValues, Matches, Module, RuleSpec, Rules};
use crate::diagnostics::error::{Diagnostics, Error};
use crate::run::scope::Scope;
use crate::run::session::Session;
use crate::syntax::document::Attribute;

/// Which rule decides if several apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Combining<'n> {
    /// The first one. Later rules are not evaluated.
    #[default]
    First,
    /// The first one with this effect, else the first one: `Overrides("deny")` denies whenever a rule does.
    Overrides(&'n str),
    /// The first one, and all rules are evaluated, for their obligations.
    All,
}

/// How the blocks of a file are a policy. The default is the form shown at the head of the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct PolicySpec<'n> {
    /// The type of the blocks that are rules.
    pub kind: &'n str,
    /// The attribute that is true if a rule applies. A block without it is not a rule.
    pub condition: &'n str,
    /// The attribute with the effect, which every rule has.
    pub effect: &'n str,
    /// The attribute with the reason.
    pub reason: &'n str,
    /// The attribute with what the host has to do.
    pub obligations: &'n str,
    /// Further attributes that are evaluated if a rule applies, such as the status of a response.
    /// [`Decision::rule`] has their values.
    pub outcome: &'n [&'n str],
    /// The attribute by which rules are ordered, see [`RuleSpec::priority`].
    pub priority: Option<&'n str>,
    /// Which rule decides if several apply.
    pub combining: Combining<'n>,
    /// The effect if no rule decides.
    pub default_effect: &'n str,
}

impl Default for PolicySpec<'_> {
    fn default() -> Self {
        Self {
            kind: "rule",
            condition: "when",
            effect: "effect",
            reason: "reason",
            obligations: "obligations",
            outcome: &[],
            priority: Some("priority"),
            combining: Combining::First,
            default_effect: "deny",
        }
    }
}

/// The rules of a file as a policy, see [`Module::policy`]. Immutable, cheap to clone, and shared between threads.
#[derive(Clone, Debug)]
pub struct Policy(Arc<PolicyState>);

#[derive(Debug)]
struct PolicyState {
    rules: Rules,
    /// The effects that are constants, by the numbers of blocks.
    effects: HashMap<u32, SmolStr>,
    effect: SmolStr,
    reason: SmolStr,
    obligations: SmolStr,
    overriding: Option<SmolStr>,
    only_first: bool,
    default_effect: SmolStr,
}

impl Module {
    /// Returns the rules of the file as a policy.
    ///
    /// ```
    /// use hclvm::policy::{Combining, PolicySpec};
    ///
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("policy.hcl", r#"
    ///     rule "own" {
    ///       when   = request.user == resource.owner
    ///       effect = "allow"
    ///       reason = "owner of ${resource.id}"
    ///     }
    ///     rule "locked" {
    ///       when   = resource.locked
    ///       effect = "deny"
    ///     }
    /// "#)?.module()?;
    /// let spec = PolicySpec { combining: Combining::Overrides("deny"), ..PolicySpec::default() };
    /// let policy = module.policy(&spec)?;
    ///
    /// let mut scope = module.scope();
    /// scope.set_all_json(r#"{
    ///   "request": {"user": "ann"}, "resource": {"id": "r-1", "owner": "ann", "locked": false}
    /// }"#)?;
    /// let mut session = engine.session();
    /// let decision = policy.decide(&mut session, &scope)?;
    /// assert_eq!((decision.effect(), decision.name()), ("allow", Some("own")));
    /// assert_eq!(decision.reason(), Some("owner of r-1"));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// A rule without an effect. See also [`Module::rules`].
    pub fn policy(&self, spec: &PolicySpec<'_>) -> Result<Policy, Error> {
        let own = [spec.effect, spec.reason, spec.obligations];
        let outcome: Vec<&str> = own.into_iter().chain(spec.outcome.iter().copied()).collect();
        let PolicySpec { kind, condition, priority, .. } = *spec;
        let rules = self.rules(&RuleSpec { kind, condition, outcome: &outcome, priority })?;
        let mut effects = HashMap::new();
        let mut problems = Vec::new();
        let mut session = self.document().engine().session();
        for block in self.document().body().blocks_of(kind) {
            if block.attribute(condition).is_none() {
                continue;
            }
            let Some(effect) = block.attribute(spec.effect) else {
                let detail =
                    format!("A rule has an effect: write `{} = \"allow\"` or another text.", spec.effect);
                problems.push(Diagnostic::error("Missing effect", detail, block.header_span()));
                continue;
            };
            if let (Some(number), Some(text)) = (block.index(), self.constant_text(&mut session, effect)?) {
                effects.insert(number, text);
            }
        }
        if !problems.is_empty() {
            return Err(self.document().file().diagnostics(problems).into());
        }
        Ok(Policy(Arc::new(PolicyState {
            rules,
            effects,
            effect: spec.effect.into(),
            reason: spec.reason.into(),
            obligations: spec.obligations.into(),
            overriding: match spec.combining {
                Combining::Overrides(effect) => Some(effect.into()),
                Combining::First | Combining::All => None,
            },
            only_first: spec.combining == Combining::First,
            default_effect: spec.default_effect.into(),
        })))
    }

    /// Returns the text that an attribute has in every scope, if there is one.
    fn constant_text(
        &self,
        session: &mut Session,
        attribute: Attribute<'_>,
    ) -> Result<Option<SmolStr>, Error> {
        let program = attribute.program()?;
        if !program.referenced_paths().is_empty() {
            return Ok(None);
        }
        let scope = self.scope();
        let value = session.run(&program, &scope).ok();
        Ok(value.and_then(Value::as_str).map(SmolStr::new))
    }
}

/// Why a decision has its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A rule applies.
    Rule,
    /// No rule applies, so the effect is the default.
    NoRule,
    /// A rule that could have decided otherwise has an error or depends on an unknown value, so the effect is the
    /// default. [`Decision::diagnostics`] and [`Decision::undecided`] tell which.
    Undecided,
}

/// The decision of a policy in one scope. It borrows from the session until its next run.
#[derive(Debug)]
pub struct Decision<'s> {
    policy: &'s Policy,
    scope: &'s Scope,
    cause: Cause,
    effect: &'s str,
    rule: Option<BlockValues<'s>>,
    matches: Matches<'s>,
}

impl Policy {
    /// Returns the number of rules.
    pub fn len(&self) -> usize {
        self.0.rules.len()
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.0.rules.is_empty()
    }

    /// Decides for the values of a scope.
    ///
    /// An error in a rule is no error here: the decision has the default effect unless the rule makes no difference,
    /// as one with the same effect, or one behind a first match.
    ///
    /// # Errors
    /// A limit that was exceeded, and a scope that does not suit the module.
    pub fn decide<'s>(&'s self, session: &'s mut Session, scope: &'s Scope) -> Result<Decision<'s>, Error> {
        let policy = &*self.0;
        let matches = if policy.only_first {
            policy.rules.first_match(session, scope)?
        } else {
            policy.rules.all_matches(session, scope)?
        };
        Ok(self.decision(scope, matches))
    }

    fn decision<'s>(&'s self, scope: &'s Scope, matches: Matches<'s>) -> Decision<'s> {
        let state = &*self.0;
        let overriding = state.overriding.as_deref();
        let applying = matches.applying();
        let overrides =
            |rule: &&BlockValues<'s>| overriding.is_some() && state.effect_of(**rule) == overriding;
        let rule = applying.iter().find(overrides).or_else(|| applying.first()).copied();
        let effect = rule.and_then(|rule| state.effect_of(rule));
        let is_final = effect.is_some() && effect == overriding;
        // The effect of the rule, or the default if none applies: a rule with that effect changes nothing.
        let stays = effect.unwrap_or(&state.default_effect);
        let could_differ = |rule: &BlockValues<'_>| {
            let known = rule.number().and_then(|number| state.effects.get(&number));
            known.is_none_or(|known| known != stays)
        };
        let open = matches.undecided().iter().chain(matches.failed());
        // An applying rule whose effect is not a text has none.
        let is_open =
            (rule.is_some() && effect.is_none()) || (!is_final && open.into_iter().any(could_differ));
        let (cause, rule, effect) = match (is_open, rule, effect) {
            (true, ..) => (Cause::Undecided, None, None),
            (false, Some(rule), Some(effect)) => (Cause::Rule, Some(rule), Some(effect)),
            (false, ..) => (Cause::NoRule, None, None),
        };
        let effect = effect.unwrap_or(&state.default_effect);
        Decision { policy: self, scope, cause, effect, rule, matches }
    }
}

impl PolicyState {
    /// Returns the effect of a rule that applies, if it is a text.
    fn effect_of<'s>(&self, rule: BlockValues<'s>) -> Option<&'s str> {
        rule.attribute(&self.effect).and_then(|effect| effect.unmark().0.as_str())
    }
}

impl<'s> Decision<'s> {
    /// Returns the effect: that of the rule that decided, or the default.
    pub fn effect(&self) -> &'s str {
        self.effect
    }

    /// Returns why the effect is that.
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// Returns the rule that decided, with its attributes.
    pub fn rule(&self) -> Option<BlockValues<'s>> {
        self.rule
    }

    /// Returns the first label of the rule that decided.
    pub fn name(&self) -> Option<&'s str> {
        self.rule.and_then(|rule| rule.labels().next())
    }

    /// Returns the reason of the rule that decided, if it is a text that is not marked.
    pub fn reason(&self) -> Option<&'s str> {
        self.rule?.attribute(&self.policy.0.reason)?.as_str()
    }

    /// Iterates over the obligations of the rules that apply and have the effect of the decision, each with its rule:
    /// of the first one only with [`Combining::First`].
    pub fn obligations(&self) -> impl Iterator<Item = (BlockValues<'s>, Value<'s>)> {
        let (policy, effect) = (&*self.policy.0, self.rule.map(|_| self.effect));
        let agrees = move |rule: &&BlockValues<'s>| effect.is_some() && policy.effect_of(**rule) == effect;
        let of = |rule: &BlockValues<'s>| Some((*rule, rule.attribute(&policy.obligations)?));
        self.matches.applying().iter().filter(agrees).filter_map(of)
    }

    /// Returns all rules that apply, in order: at most one with [`Combining::First`].
    pub fn applying(&self) -> &'s [BlockValues<'s>] {
        self.matches.applying()
    }

    /// Returns the rules whose condition is unknown, in order.
    pub fn undecided(&self) -> &'s [BlockValues<'s>] {
        self.matches.undecided()
    }

    /// Returns the rules whose condition has errors, in order.
    pub fn failed(&self) -> &'s [BlockValues<'s>] {
        self.matches.failed()
    }

    /// Returns the units of work that the decision spent; see [`Limits::fuel`](crate::Limits).
    pub fn fuel(&self) -> u64 {
        self.matches.fuel()
    }

    /// Returns the errors and warnings of the rules that were evaluated.
    pub fn diagnostics(&self) -> &Diagnostics {
        self.matches.diagnostics()
    }
}
