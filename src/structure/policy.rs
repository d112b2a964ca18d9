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
//! parts of rules that fail or are unknown. Use [`Rules`] if the blocks decide something else.
//!
//! Invariant: a part of a rule that fails, is unknown or misspelt never makes a decision more permissive. What cannot be
//! determined counts as if it could decide otherwise.

mod branches;
mod strict;
mod why;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use hclvm_vm::Value;
use smol_str::SmolStr;

pub use branches::{Branches, Recorder};
use why::OpenPart;
pub use why::{PolicyWhy, RuleWhy};

use super::module::{BlockValues, Matches, Module, RulePart, RuleSpec, Rules};
use crate::diagnostics::error::{Diagnostics, Error};
use crate::run::projection::Projection;
use crate::run::scope::Scope;
use crate::run::session::Session;

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
    /// The attribute that is true if a rule applies.
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
    /// The effects that rules may have. A rule whose effect is computed and none of these does not decide.
    pub effects: &'n [&'n str],
    /// The effect if no rule applies.
    pub default_effect: &'n str,
    /// The effect if it cannot be determined which rule decides, or what the host has to do for it. `None` is `deny` if
    /// that is one of the [`effects`](Self::effects), else the default effect.
    pub undecided_effect: Option<&'n str>,
    /// The types of further blocks in the file, which are not rules although they look like them.
    pub other_blocks: &'n [&'n str],
    /// Accepts what is probably a mistake: rules without a condition, which are ignored; attributes and blocks in rules
    /// that have no meaning; constant effects other than [`effects`](Self::effects); blocks that look like rules of
    /// another type.
    pub lenient: bool,
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
            effects: &["allow", DENY],
            default_effect: DENY,
            undecided_effect: None,
            other_blocks: &[],
            lenient: false,
        }
    }
}

impl<'n> PolicySpec<'n> {
    /// Returns the effect of decisions that are not certain.
    fn effect_in_doubt(&self) -> &'n str {
        let deny = self.effects.contains(&DENY).then_some(DENY);
        self.undecided_effect.or(deny).unwrap_or(self.default_effect)
    }
}

/// The effect that is the default.
const DENY: &str = "deny";

/// The rules of a file as a policy, see [`Module::policy`]. Immutable, cheap to clone, and shared between threads.
#[derive(Clone)]
pub struct Policy(Arc<PolicyState>);

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Policy({} rules)", self.len())
    }
}

#[derive(Debug)]
struct PolicyState {
    rules: Rules,
    /// The static properties of rules, by the numbers of their blocks.
    known: HashMap<u32, KnownRule>,
    condition: SmolStr,
    effect: SmolStr,
    reason: SmolStr,
    obligations: SmolStr,
    outcome: Box<[SmolStr]>,
    effects: Box<[SmolStr]>,
    overriding: Option<SmolStr>,
    only_first: bool,
    default_effect: SmolStr,
    undecided_effect: SmolStr,
}

/// The properties of a rule that are known without evaluation.
#[derive(Debug, Default)]
struct KnownRule {
    /// The effect if it is a constant.
    effect: Option<SmolStr>,
    /// True if it has obligations or an outcome.
    has_duties: bool,
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
    /// A rule without an effect. Unless the specification is lenient, everything that is probably a mistake in a rule, and
    /// would make it have no effect: see [`PolicySpec::lenient`]. An overriding effect that rules cannot have. See also
    /// [`Module::rules`].
    pub fn policy(&self, spec: &PolicySpec<'_>) -> Result<Policy, Error> {
        let overriding = match spec.combining {
            Combining::Overrides(effect) => Some(effect),
            Combining::First | Combining::All => None,
        };
        if let Some(effect) = overriding
            && !spec.effects.contains(&effect)
        {
            let message = format!("the effect \"{effect}\" cannot override: rules have other effects");
            return Err(Error::value(message));
        }
        let mut session = self.document().engine().session();
        let known = strict::known_rules(self.document(), &mut session, spec)?;
        let own = [spec.effect, spec.reason, spec.obligations];
        let outcome: Vec<&str> = own.into_iter().chain(spec.outcome.iter().copied()).collect();
        let PolicySpec { kind, condition, priority, .. } = *spec;
        let rules = self.rules(&RuleSpec { kind, condition, outcome: &outcome, priority })?;
        let owned = |names: &[&str]| names.iter().map(SmolStr::new).collect();
        Ok(Policy(Arc::new(PolicyState {
            rules,
            known,
            condition: condition.into(),
            effect: spec.effect.into(),
            reason: spec.reason.into(),
            obligations: spec.obligations.into(),
            outcome: owned(spec.outcome),
            effects: owned(spec.effects),
            overriding: overriding.map(SmolStr::new),
            only_first: spec.combining == Combining::First,
            default_effect: spec.default_effect.into(),
            undecided_effect: spec.effect_in_doubt().into(),
        })))
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
    /// A rule that could have decided otherwise has an error or depends on an unknown value, or the rule that would decide
    /// has obligations that cannot be determined, so the effect is [`PolicySpec::undecided_effect`].
    /// [`Decision::failed`] and [`Decision::undecided`] name the rules, [`Decision::diagnostics`] the errors.
    Undecided,
}

/// The decision of a policy in one scope. It borrows from the session until its next run.
pub struct Decision<'s> {
    policy: &'s Policy,
    scope: &'s Scope,
    cause: Cause,
    effect: &'s str,
    /// The rule that decides, or would if the decision were certain.
    candidate: Option<BlockValues<'s>>,
    matches: Matches<'s>,
}

/// Without values of the scope.
impl fmt::Debug for Decision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Decision({:?}, {:?}, {:?})", self.effect, self.cause, self.name())
    }
}

impl Policy {
    /// Returns the number of rules.
    pub fn len(&self) -> usize {
        self.0.rules.len()
    }

    /// Returns what the module of the policy reads: a scope made from it copies only these parts of requests. See
    /// [`Module::projection`].
    pub fn projection(&self) -> Projection {
        self.0.rules.projection()
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.0.rules.is_empty()
    }

    /// Decides for the values of a scope.
    ///
    /// An error in a rule is no error here: the decision is undecided unless the rule makes no difference, as one with the
    /// same effect and without obligations, or one behind a first match.
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
        let applying = matches.applying();
        let overrides = |rule: &&BlockValues<'s>| {
            state.overriding.is_some() && state.effect_of(&matches, **rule) == state.overriding.as_deref()
        };
        let candidate = applying.iter().find(overrides).or_else(|| applying.first()).copied();
        let effect = match candidate {
            Some(rule) => state.effect_of(&matches, rule),
            None => Some(&*state.default_effect),
        };
        let certain = effect.filter(|effect| state.is_certain(&matches, candidate, effect));
        let (cause, effect) = match certain {
            None => (Cause::Undecided, &*state.undecided_effect),
            Some(effect) if candidate.is_some() => (Cause::Rule, effect),
            Some(effect) => (Cause::NoRule, effect),
        };
        Decision { policy: self, scope, cause, effect, candidate, matches }
    }
}

impl PolicyState {
    /// Returns the effect of a rule that applies, if it is one that rules may have.
    fn effect_of<'s>(&self, matches: &Matches<'s>, rule: BlockValues<'s>) -> Option<&'s str> {
        let RulePart::Known(effect) = matches.part(rule, &self.effect) else { return None };
        let effect = effect.unmark().0.as_str()?;
        (self.effects.is_empty() || self.effects.iter().any(|known| known == effect)).then_some(effect)
    }

    /// Returns true if no rule that fails or is unknown could change the effect that `decider` gives, or what the host has
    /// to do for it.
    fn is_certain(&self, matches: &Matches<'_>, decider: Option<BlockValues<'_>>, effect: &str) -> bool {
        let is_final = decider.is_some() && self.overriding.as_deref() == Some(effect);
        // Nothing has to be done for the effect of decisions in doubt.
        let duties_matter = effect != &*self.undecided_effect;
        let could_differ = |known: Option<&str>, has_duties: bool| {
            (!is_final && known != Some(effect))
                || (duties_matter && has_duties && known.is_none_or(|known| known == effect))
        };
        let open = matches.undecided().iter().chain(matches.failed());
        let mut conditions = open.filter(|rule| !self.applies(**rule)).map(|rule| self.known_of(*rule));
        if conditions.any(|known| could_differ(known.effect.as_deref(), known.has_duties)) {
            return false;
        }
        matches.applying().iter().all(|rule| match self.effect_of(matches, *rule) {
            None => !could_differ(None, self.known_of(*rule).has_duties),
            Some(own) if own != effect || !duties_matter => true,
            Some(_) => self.open_duty(matches, *rule, decider).is_none(),
        })
    }

    /// Returns the first of the obligations and outcome attributes of a rule that applies that cannot be determined. Of the
    /// outcomes, only that of `decider` matters.
    fn open_duty(
        &self,
        matches: &Matches<'_>,
        rule: BlockValues<'_>,
        decider: Option<BlockValues<'_>>,
    ) -> Option<&str> {
        let decides = decider.and_then(|decider| decider.number()) == rule.number();
        let outcome = self.outcome.iter().filter(|_| decides);
        let mut names = std::iter::once(&self.obligations).chain(outcome);
        let is_open =
            |name: &&SmolStr| matches!(matches.part(rule, name), RulePart::Failed | RulePart::Unknown);
        names.find(is_open).map(SmolStr::as_str)
    }

    /// Returns true if the condition of a rule is true.
    fn applies(&self, rule: BlockValues<'_>) -> bool {
        let condition = rule.attribute(&self.condition);
        condition.and_then(|condition| condition.unmark().0.as_bool()) == Some(true)
    }

    fn known_of(&self, rule: BlockValues<'_>) -> &KnownRule {
        static UNKNOWN: KnownRule = KnownRule { effect: None, has_duties: true };
        rule.number().and_then(|number| self.known.get(&number)).unwrap_or(&UNKNOWN)
    }
}

impl<'s> Decision<'s> {
    /// Returns the effect: that of the rule that decided, the default if none applies, or that of decisions in doubt.
    pub fn effect(&self) -> &'s str {
        self.effect
    }

    /// Returns why the effect is that.
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// Returns the rule that decided, with its attributes.
    pub fn rule(&self) -> Option<BlockValues<'s>> {
        self.candidate.filter(|_| self.cause == Cause::Rule)
    }

    /// Returns the first label of the rule that decided.
    pub fn name(&self) -> Option<&'s str> {
        self.rule().and_then(|rule| rule.labels().next())
    }

    /// Returns the reason of the rule that decided, if it is a text that is not marked. A reason with an error is `None`,
    /// and the rule is among the [failed](Self::failed) ones.
    pub fn reason(&self) -> Option<&'s str> {
        self.rule()?.attribute(&self.policy.0.reason)?.as_str()
    }

    /// Iterates over the obligations of the rules that apply and have the effect of the decision, each with its rule:
    /// of the first one only with [`Combining::First`]. A decision that no rule made has none. Obligations of an
    /// [undecided effect](PolicySpec::undecided_effect) may be unknown.
    pub fn obligations(&self) -> impl Iterator<Item = (BlockValues<'s>, Value<'s>)> {
        let (policy, effect) = (&*self.policy.0, self.rule().map(|_| self.effect));
        let agrees = move |rule: &&BlockValues<'s>| {
            effect.is_some() && policy.effect_of(&self.matches, **rule) == effect
        };
        let of = |rule: &BlockValues<'s>| Some((*rule, rule.attribute(&policy.obligations)?));
        self.matches.applying().iter().filter(agrees).filter_map(of)
    }

    /// Returns the parts because of which rules that apply leave the decision undecided, by the numbers of their blocks.
    fn open_parts(&self) -> HashMap<u32, OpenPart> {
        let (state, matches) = (&*self.policy.0, &self.matches);
        let mut parts = HashMap::new();
        if self.cause != Cause::Undecided {
            return parts;
        }
        for rule in matches.applying() {
            let effect = Some(&*state.effect).filter(|_| state.effect_of(matches, *rule).is_none());
            let name = effect.or_else(|| state.open_duty(matches, *rule, self.candidate));
            if let (Some(number), Some(name)) = (rule.number(), name) {
                let has_failed = matches!(matches.part(*rule, name), RulePart::Failed);
                parts.insert(number, OpenPart { name: name.into(), has_failed });
            }
        }
        parts
    }

    /// Returns all rules that apply, in order: at most one with [`Combining::First`].
    pub fn applying(&self) -> &'s [BlockValues<'s>] {
        self.matches.applying()
    }

    /// Returns the rules that depend on unknown values, in order: in their condition, or, if they apply, in another part.
    pub fn undecided(&self) -> &'s [BlockValues<'s>] {
        self.matches.undecided()
    }

    /// Returns the rules with errors, in order: in their condition, or, if they apply, in another part. An error in the
    /// reason does not change the decision.
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
