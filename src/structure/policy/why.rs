//! Why a policy decides as it does: the rule that decided, and why each rule before it does not apply.

use std::fmt;

use hclvm_vm::exec::Truth;
use serde::{Serialize, Serializer};
use smol_str::SmolStr;

use super::{Cause, Policy, PolicyState};
use crate::diagnostics::error::Error;
use crate::run::scope::Scope;
use crate::run::session::Session;
use crate::run::why::{Outcome, Why, distance};
use crate::structure::module::ExplainedRule;

/// Rules that have a line in a short explanation besides those that decide or leave open.
const NEAREST: usize = 3;

/// Rules up to which a short explanation has all.
const FEW: usize = 5;

/// Rules of a short explanation at most.
const MOST: usize = 10;

/// Why a [`Policy`] decides as it does, see [`Policy::why`]. Its `Display` form is a line with the reason, a line for each of
/// the [relevant rules](Self::relevant_rules), and the number of the others; with `{:#}`, it has all rules, each with its
/// conditions as a tree. [`PolicyWhy::reason`] and [`RuleWhy::reason`] are the lines. It implements `Serialize`.
#[derive(Clone, Debug)]
pub struct PolicyWhy {
    effect: SmolStr,
    cause: Cause,
    rules: Vec<RuleWhy>,
}

/// Why a rule applies or not.
#[derive(Clone, Debug)]
pub struct RuleWhy {
    rule: ExplainedRule,
    decides: bool,
    /// Its effect if that is a constant.
    effect: Option<SmolStr>,
    /// The first part that makes the decision undecided although the condition is true.
    open: Option<OpenPart>,
}

/// A part of a rule that cannot be determined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpenPart {
    /// The name of the attribute.
    pub(super) name: SmolStr,
    pub(super) has_failed: bool,
}

impl Policy {
    /// Decides again and explains the decision: which rule decided, and of every rule, with
    /// [`Combining::First`](super::Combining::First) of those up to it, why it applies or not. The explanation of a rule
    /// that depends on marked values has only that, unless it decided. Of a decision that is undecided because of an effect or of
    /// obligations, it names these.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("policy.hcl", r#"
    ///     locals { same_team = user.team == resource.team }
    ///     rule "team" {
    ///       when   = local.same_team && user.active
    ///       effect = "allow"
    ///     }
    ///     rule "admin" {
    ///       when   = user.admin
    ///       effect = "allow"
    ///     }
    /// "#)?.module()?;
    /// let policy = module.policy(&hclvm::policy::PolicySpec::default())?;
    /// let mut scope = module.scope();
    /// scope.set_all_json(r#"{
    ///   "user": {"team": "a", "active": true, "admin": false}, "resource": {"team": "b"}
    /// }"#)?;
    /// let why = policy.why(&mut engine.session(), &scope)?;
    /// assert_eq!(why.to_string(), "\
    /// deny, because no rule applies
    /// rule \"team\" does not apply, because `local.same_team` is false: \
    /// `user.team == resource.team` is false (user.team = \"a\", resource.team = \"b\")
    /// rule \"admin\" does not apply, because `user.admin` is false
    /// ");
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// A limit that was exceeded, and a scope that does not suit the module.
    pub fn why(&self, session: &mut Session, scope: &Scope) -> Result<PolicyWhy, Error> {
        let decision = self.decide(session, scope)?;
        let (effect, cause) = (SmolStr::new(decision.effect()), decision.cause());
        let decider = decision.rule().and_then(|rule| rule.number());
        let mut open = decision.open_parts();
        // Not a rule that applies without deciding: its condition may depend on marked values.
        let last = decider.filter(|_| self.0.only_first);
        let rules = self.0.rules.why(session, scope, last)?;
        let rules = rules.into_iter().map(|rule| {
            // Whether a rule applies that depends on marked values is not public.
            let is_public = rule.why.root().outcome != Outcome::Sensitive;
            let open = open.remove(&rule.block).filter(|_| is_public);
            RuleWhy { open, ..self.0.rule_why(rule, decider) }
        });
        Ok(PolicyWhy::new(effect, cause, rules.collect()))
    }
}

impl PolicyState {
    /// Returns the explanation of a rule of a decision that the block `decider` made.
    pub(super) fn rule_why(&self, rule: ExplainedRule, decider: Option<u32>) -> RuleWhy {
        let effect = self.known.get(&rule.block).and_then(|known| known.effect.clone());
        RuleWhy { decides: Some(rule.block) == decider, rule, effect, open: None }
    }
}

impl PolicyWhy {
    pub(super) fn new(effect: SmolStr, cause: Cause, rules: Vec<RuleWhy>) -> Self {
        Self { effect, cause, rules }
    }

    /// Returns the effect.
    pub fn effect(&self) -> &str {
        &self.effect
    }

    /// Returns why the effect is that.
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// Returns the rules that are explained, in order.
    pub fn rules(&self) -> &[RuleWhy] {
        &self.rules
    }

    /// Returns the rules that matter most: the one that decided, those that are not decided, and of the others that were
    /// evaluated the three that nearly applied, with the fewest [false conditions](RuleWhy::false_conditions). Rules that
    /// always have the effect of the decision are the last of these, because they would not have changed it. Of five rules or
    /// fewer it returns all, in order.
    pub fn relevant_rules(&self) -> Vec<&RuleWhy> {
        if self.rules.len() <= FEW {
            return self.rules.iter().collect();
        }
        let is_first = |rule: &&RuleWhy| rule.decides || rule.is_open();
        let (first, mut others): (Vec<&RuleWhy>, Vec<&RuleWhy>) = self.rules.iter().partition(is_first);
        // Stable: among equals, the first one of the policy is the first.
        others.retain(|rule| rule.false_conditions().is_some_and(|count| count > 0));
        others.sort_by_key(|rule| (rule.effect.as_ref() == Some(&self.effect), rule.false_conditions()));
        let first = first.into_iter().take(MOST - NEAREST);
        first.chain(others.into_iter().take(NEAREST)).collect()
    }

    /// Returns the rule that decided.
    pub fn rule(&self) -> Option<&RuleWhy> {
        self.rules.iter().find(|rule| rule.decides)
    }

    /// Returns the reason in a sentence without a full stop.
    pub fn reason(&self) -> String {
        let effect = &self.effect;
        match (self.cause, self.rule()) {
            (Cause::Rule, Some(rule)) => format!("{effect}, because {} applies", rule.title()),
            (Cause::Undecided, _) => {
                let mut open = self.rules.iter().filter(|rule| rule.is_open()).map(RuleWhy::title);
                match (open.next(), open.next()) {
                    (Some(one), None) => format!("{effect}, because {one} is not decided"),
                    (Some(_), Some(_)) => format!("{effect}, because several rules are not decided"),
                    (None, _) => format!("{effect}, because no rule decides"),
                }
            }
            _ => format!("{effect}, because no rule applies"),
        }
    }
}

impl RuleWhy {
    /// Returns its first label.
    pub fn name(&self) -> Option<&str> {
        self.rule.labels.first().map(String::as_str)
    }

    /// Iterates over its labels.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.rule.labels.iter().map(String::as_str)
    }

    /// Returns true if it is the rule that decided.
    pub fn decides(&self) -> bool {
        self.decides
    }

    /// Returns why its condition is what it is.
    pub fn condition(&self) -> &Why {
        &self.rule.why
    }

    /// Returns the least number of conditions that would have to be true for the rule to apply: 0 if it applies, 1 if it
    /// nearly does. `None` if its condition is neither true nor false, or depends on marked values.
    pub fn false_conditions(&self) -> Option<usize> {
        let root = self.rule.why.root();
        root.outcome.as_bool().map(|_| distance(root))
    }

    /// Returns why it applies or not, in a sentence without a full stop.
    pub fn reason(&self) -> String {
        let (title, why) = (self.title(), &self.rule.why);
        if let Some(open) = &self.open {
            let name = &open.name;
            let problem = if open.has_failed { "has an error" } else { "is unknown or unsuitable" };
            return format!("{title} applies, but its `{name}` {problem}");
        }
        let reason = why.reason();
        let because = reason.split_once(", because ").map(|(_, because)| because);
        match (why.root().outcome.as_bool(), because) {
            (Some(applies), because) => {
                let applies = if applies { "applies" } else { "does not apply" };
                because.map_or_else(
                    || format!("{title} {applies}"),
                    |because| format!("{title} {applies}, because {because}"),
                )
            }
            (None, _) if why.root().outcome == Outcome::Sensitive => {
                let subject = if self.decides { " applies; its condition" } else { "" };
                format!("{title}{subject} depends on sensitive values")
            }
            (None, _) => format!("{title} is not decided: {reason}"),
        }
    }

    fn title(&self) -> String {
        match self.name() {
            Some(name) => format!("rule \"{name}\""),
            None => "a rule".to_owned(),
        }
    }

    fn is_open(&self) -> bool {
        let outcome = self.rule.why.root().outcome;
        self.open.is_some()
            || matches!(outcome, Outcome::Once(truth) if !matches!(truth, Truth::True | Truth::False))
    }
}

impl fmt::Display for PolicyWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.reason())?;
        if f.alternate() {
            return self.rules.iter().try_for_each(|rule| {
                writeln!(f, "{}", rule.reason())?;
                rule.rule.why.write_tree(f)
            });
        }
        let relevant = self.relevant_rules();
        relevant.iter().try_for_each(|rule| writeln!(f, "{}", rule.reason()))?;
        match self.rules.len() - relevant.len() {
            0 => Ok(()),
            1 => writeln!(f, "and 1 more rule"),
            others => writeln!(f, "and {others} more rules"),
        }
    }
}

#[derive(Serialize)]
struct SerializedPolicyWhy<'w> {
    effect: &'w str,
    cause: &'static str,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'w str>,
    rules: &'w [RuleWhy],
}

#[derive(Serialize)]
struct SerializedRule<'w> {
    labels: &'w [String],
    decides: bool,
    reason: String,
    condition: &'w Why,
}

impl Serialize for PolicyWhy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cause = match self.cause {
            Cause::Rule => "rule",
            Cause::NoRule => "no rule",
            Cause::Undecided => "undecided",
        };
        let (reason, rule) = (self.reason(), self.rule().and_then(RuleWhy::name));
        SerializedPolicyWhy { effect: &self.effect, cause, reason, rule, rules: &self.rules }
            .serialize(serializer)
    }
}

impl Serialize for RuleWhy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RuleWhy { rule, decides, .. } = self;
        let (labels, condition) = (&*rule.labels, &rule.why);
        SerializedRule { labels, decides: *decides, reason: self.reason(), condition }.serialize(serializer)
    }
}
