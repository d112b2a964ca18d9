//! The branches of decisions: what each condition was, recorded without values, to be explained later.
//!
//! ```text
//! decide ──▶ Recorder          a copy of the scope, made by the thread that decides
//!               ╰─ record ──▶ Branches ── as text, in a log ──▶ Policy::explain ──▶ PolicyWhy
//!                  on any thread
//! ```
//! Invariant: branches depend on marked values no more than the decision does.

use std::fmt;
use std::str::FromStr;

use smol_str::SmolStr;

use super::{Cause, Decision, Policy, PolicyWhy};
use crate::diagnostics::error::Error;
use crate::run::scope::Scope;
use crate::run::session::Session;
use crate::run::why::Recorded;
use crate::structure::module::RecordedRules;

/// What the conditions of a decision were: of each rule, with [`Combining::First`](super::Combining::First) of those up to
/// the one that decided, and of the locals that they read.
/// There are no values in it. [`Policy::explain`] makes an explanation of it. Of conditions that depend on marked values it
/// has nothing but that.
///
/// Its text, which `to_string` and `parse` convert, is for logs: effect and cause, then for each rule the number of its
/// block, `*` if it decided, and in hexadecimal a byte for the whole condition and one for each condition in it, in the
/// order of [`Program::conditions`](crate::Program::conditions): `deny no-rule 0:0202 1:0101 local.same_team:0202`. The
/// bits of a byte, from the lowest: true, false, unknown, null, failed, no bool; not needed; dependent on marks.
///
/// ```
/// use hclvm::policy::{Branches, PolicySpec};
///
/// let engine = hclvm::Engine::new();
/// let module = engine.parse("policy.hcl", r#"
///     rule "team" {
///       when   = user.team == resource.team && user.active
///       effect = "allow"
///     }
/// "#)?.module()?;
/// let policy = module.policy(&PolicySpec::default())?;
/// let mut scope = module.scope();
/// scope.set_all_json(r#"{"user": {"team": "a", "active": true}, "resource": {"team": "b"}}"#)?;
/// let mut session = engine.session();
/// let recorder = policy.decide(&mut session, &scope)?.recorder();
/// // Later, perhaps on another thread:
/// let branches = recorder.record(&mut session)?.to_string();
/// assert_eq!(branches, "deny no-rule 0:02024102");
/// // Later still, from the policy and a line of a log:
/// let why = policy.explain(&branches.parse::<Branches>()?)?;
/// assert_eq!(why.to_string(), "\
/// deny, because no rule applies
/// rule \"team\" does not apply, because `user.team == resource.team` is false
/// ");
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branches {
    effect: SmolStr,
    cause: Cause,
    /// The number of the block that decided.
    decider: Option<u32>,
    rules: RecordedRules,
}

/// What is needed to record the branches of a decision later, on any thread: the policy, and a copy of the scope. Made by
/// [`Decision::recorder`].
pub struct Recorder {
    policy: Policy,
    scope: Scope,
    effect: SmolStr,
    cause: Cause,
    decider: Option<u32>,
    /// The number of the last block that is recorded: the one that decided, if those behind it were not evaluated. A rule
    /// that applies without deciding is not reported, because its condition may depend on marked values.
    last: Option<u32>,
}

/// Without values of the scope.
impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recorder({:?}, {:?})", self.effect, self.cause)
    }
}

impl Decision<'_> {
    /// Returns what is needed to record its [branches](Branches) later. This copies the values of the scope; recording
    /// takes several times as long as deciding.
    pub fn recorder(&self) -> Recorder {
        let decider = self.rule().and_then(|rule| rule.number());
        Recorder {
            policy: self.policy.clone(),
            // Not a fork: the values of the next request would get new memory, which took 2 microseconds longer than
            // this copy for the requests of `integrations/decision-log/benches/latency.rs`.
            scope: self.scope.packed(),
            effect: SmolStr::new(self.effect),
            cause: self.cause,
            decider,
            last: decider.filter(|_| self.policy.0.only_first),
        }
    }
}

impl Recorder {
    /// Returns the policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the copy of the scope, in which values that must not be shown can be marked.
    pub fn scope_mut(&mut self) -> &mut Scope {
        &mut self.scope
    }

    /// Returns the copy of the scope.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Evaluates the conditions again and records the branches. The session has to be one of the policy's engine, see
    /// [`Policy::session`].
    ///
    /// Functions that depend on more than their arguments, such as the clock, may have given other values when the
    /// decision was made. If the rule that decided does not apply now, that is an error.
    ///
    /// # Errors
    /// A limit that was exceeded.
    pub fn record(&self, session: &mut Session) -> Result<Branches, Error> {
        let Self { policy, scope, effect, cause, decider, last } = self;
        let rules = policy.0.rules.record(session, scope, *last)?;
        if decider.is_some_and(|decider| rules.is_false(decider)) {
            return Err(Error::value("the rule that decided does not apply when it is evaluated again"));
        }
        Ok(Branches { effect: effect.clone(), cause: *cause, decider: *decider, rules })
    }
}

impl Policy {
    /// Creates a session of its engine.
    pub fn session(&self) -> Session {
        self.0.rules.session()
    }

    /// Returns true if both are one policy: clones of each other.
    pub fn is(&self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&self.0, &other.0)
    }

    /// Explains a decision of this policy by what was recorded of it, like [`Policy::why`] but without values.
    ///
    /// # Errors
    /// Branches that another policy has taken, as far as that can be seen: compare a hash of the text for the rest.
    pub fn explain(&self, branches: &Branches) -> Result<PolicyWhy, Error> {
        let rules = self.0.rules.recall(&branches.rules)?;
        let rules = rules.into_iter().map(|rule| self.0.rule_why(rule, branches.decider));
        Ok(PolicyWhy::new(branches.effect.clone(), branches.cause, rules.collect()))
    }
}

impl Branches {
    /// Returns the effect of the decision.
    pub fn effect(&self) -> &str {
        &self.effect
    }

    /// Returns why the effect is that.
    pub fn cause(&self) -> Cause {
        self.cause
    }
}

impl fmt::Display for Branches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(f, &self.effect)?;
        f.write_str(match self.cause {
            Cause::Rule => " rule",
            Cause::NoRule => " no-rule",
            Cause::Undecided => " undecided",
        })?;
        for (block, recorded) in &self.rules.conditions {
            let decides = if Some(*block) == self.decider { "*" } else { "" };
            write!(f, " {block}{decides}:")?;
            write_bytes(f, recorded)?;
        }
        for (name, recorded) in &self.rules.locals {
            write!(f, " {name}:")?;
            write_bytes(f, recorded)?;
        }
        Ok(())
    }
}

fn write_bytes(f: &mut fmt::Formatter<'_>, recorded: &Recorded) -> fmt::Result {
    recorded.bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// Writes a text without blanks: bytes other than letters, digits, `-`, `_` and `.` as `%` and two digits.
fn write_escaped(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    text.bytes().try_for_each(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => write!(f, "{}", char::from(byte)),
        _ => write!(f, "%{byte:02x}"),
    })
}

impl FromStr for Branches {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        read(text).ok_or_else(|| Error::value("the text is not one of recorded branches"))
    }
}

fn read(text: &str) -> Option<Branches> {
    let mut words = text.split(' ');
    let effect = unescaped(words.next()?)?;
    let cause = match words.next()? {
        "rule" => Cause::Rule,
        "no-rule" => Cause::NoRule,
        "undecided" => Cause::Undecided,
        _ => return None,
    };
    let (mut decider, mut rules) = (None, RecordedRules::default());
    for word in words {
        let (name, digits) = word.rsplit_once(':')?;
        let recorded = Recorded::from_bytes(bytes(digits)?);
        let (number, decides) = name.strip_suffix('*').map_or((name, false), |number| (number, true));
        match number.parse() {
            Ok(block) => {
                decider = decider.or(decides.then_some(block));
                rules.conditions.push((block, recorded));
            }
            Err(_) => rules.locals.push((name.to_owned(), recorded)),
        }
    }
    Some(Branches { effect, cause, decider, rules })
}

/// Reads pairs of hexadecimal digits.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| byte(std::str::from_utf8(pair).ok()?)).collect()
}

fn byte(digits: &str) -> Option<u8> {
    let is_pair = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_pair.then(|| u8::from_str_radix(digits, 16).ok())?
}

fn unescaped(text: &str) -> Option<SmolStr> {
    let mut parts = text.split('%');
    let mut found = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        found.push(byte(digits)?);
        found.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(found).ok().map(SmolStr::from)
}
