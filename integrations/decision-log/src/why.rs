//! What explains a decision, as JSON. The thread that writes makes it from a copy of the scope.
//!
//! ```json
//! {"branches":"deny no-rule 0:0202","rules":[{"rule":"own","at":"policy.hcl:2:12-2:29","is":"false",
//!   "because":[{"at":"policy.hcl:2:12-2:29","is":"false"}]}],"others":45}
//! ```
//! `rules` are those that matter most, `others` is the number of the others; `branches` has all.
//! Invariant: what depends on masked values is reported no more than what depends on marked ones, because masked values are
//! marked before the conditions are evaluated again.

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hclvm::policy::{Policy, Recorder, RuleWhy};
use hclvm::why::{Explained, Outcome, Truth, Why};
use hclvm::{Error, Session};

use crate::entry::{append_place, quote};
use crate::hide::hide;
use crate::mask::{Mask, separate};

/// How much is logged of why a decision was made, see [`Builder::explain`](crate::Builder::explain).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Explain {
    /// The [branches](hclvm::policy::Branches) of the decision: a byte for each condition of the rules that were
    /// evaluated, from which [`Policy::explain`] makes an explanation later.
    Branches,
    /// Also, for the [rules that matter most](hclvm::policy::PolicyWhy::relevant_rules), what their conditions were and
    /// because of which conditions, each with its place in the file. The entry has at most ten of them and the number of
    /// the others, whatever the number of rules.
    Conditions,
}

/// Conditions that are listed of a rule; its branches have all.
const MOST_CONDITIONS: usize = 8;

/// What is logged in place of an explanation while so much waits that decisions would be dropped.
pub(crate) const LATE: &str = "{\"$omitted\":\"too many decisions wait\"}";

/// Explains decisions.
pub(crate) struct Explainer {
    explain: Explain,
    /// The session of the last policy.
    session: Option<(Policy, Session)>,
}

impl Explainer {
    pub(crate) fn new(explain: Explain) -> Self {
        Self { explain, session: None }
    }

    /// Appends what explains a decision. A function of the host that panics is explained by that.
    pub(crate) fn append(&mut self, mut recorder: Recorder, masks: &[Mask], out: &mut String) {
        let attempt = AssertUnwindSafe(|| self.try_append(&mut recorder, masks, out));
        let omitted = match catch_unwind(attempt) {
            Ok(Ok(())) => return,
            Ok(Err(error)) => first_line(&error),
            Err(_) => {
                self.session = None;
                "a function panicked".to_owned()
            }
        };
        out.push_str("{\"$omitted\":");
        quote(&omitted, out);
        out.push('}');
    }

    fn try_append(&mut self, recorder: &mut Recorder, masks: &[Mask], out: &mut String) -> Result<(), Error> {
        hide(recorder.scope_mut(), masks)?;
        let policy = recorder.policy().clone();
        if self.session.as_ref().is_none_or(|(known, _)| !known.is(&policy)) {
            self.session = Some((policy.clone(), policy.session()));
        }
        let Some((_, session)) = &mut self.session else { return Ok(()) };
        let branches = recorder.record(session)?;
        let why = match self.explain {
            Explain::Branches => None,
            Explain::Conditions => Some(policy.explain(&branches)?),
        };
        out.push_str("{\"branches\":");
        quote(&branches.to_string(), out);
        if let Some(why) = why {
            out.push_str(",\"rules\":[");
            let relevant = why.relevant_rules();
            for rule in &relevant {
                separate(out);
                append_rule(rule, out);
            }
            out.push(']');
            let others = why.rules().len() - relevant.len();
            if others > 0 {
                // Writing to a string cannot fail.
                let _ = write!(out, ",\"others\":{others}");
            }
        }
        out.push('}');
        Ok(())
    }
}

/// Returns an error without its source lines, in which there may be values.
fn first_line(error: &Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

fn append_rule(rule: &RuleWhy, out: &mut String) {
    out.push_str("{\"rule\":");
    match rule.name() {
        Some(name) => quote(name, out),
        None => out.push_str("null"),
    }
    out.push(',');
    let why = rule.condition();
    append_condition(why, why.root(), out);
    if rule.decides() {
        out.push_str(",\"decides\":true");
    }
    let mut because = Vec::new();
    deciding(why.root(), &mut because);
    if !because.is_empty() {
        out.push_str(",\"because\":[");
        for condition in because {
            separate(out);
            out.push('{');
            append_condition(why, condition, out);
            out.push('}');
        }
        out.push(']');
    }
    out.push('}');
}

/// Collects the conditions that decide. In place of a local, those that decide its value. Recursion is bounded by the
/// depth of the explanation.
fn deciding<'w>(condition: &'w Explained, found: &mut Vec<&'w Explained>) {
    if found.len() == MOST_CONDITIONS {
        return;
    }
    let is_local = condition.parts.iter().any(|part| part.name.as_deref() == Some(&condition.text));
    if condition.decides && !is_local {
        found.push(condition);
    } else {
        condition.parts.iter().for_each(|part| deciding(part, found));
    }
}

/// Appends the place and the outcome of a condition.
fn append_condition(why: &Why, condition: &Explained, out: &mut String) {
    append_place(why.source(), condition.span, out);
    out.push_str(",\"is\":");
    match condition.outcome {
        Outcome::Once(truth) => quote(truth.word(), out),
        Outcome::Some(were) => {
            out.push('[');
            for (truth, _) in Truth::ALL.into_iter().zip(were).filter(|(_, was)| *was) {
                separate(out);
                quote(truth.word(), out);
            }
            out.push(']');
        }
        Outcome::Sensitive => out.push_str("\"sensitive\""),
        _ => out.push_str("\"never\""),
    }
    if !condition.needed {
        // Writing to a string cannot fail.
        let _ = write!(out, ",\"needed\":false");
    }
}
