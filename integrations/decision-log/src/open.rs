//! The rules that a decision left open, as JSON: those that failed or are unknown, and their errors.
//!
//! ```json
//! {"rules":[{"rule":"pin","is":"failed"}],"errors":[{"at":"policy.hcl:2:12-2:25","error":"invalid-operand"}]}
//! ```
//! Invariant: it has no values. The titles and details of errors may, so it has their codes.

use std::fmt::Write;

use hclvm::module::BlockValues;
use hclvm::policy::{Cause, Decision};

use crate::entry::{append_place, quote};
use crate::mask::separate;

/// Rules and errors that are listed, each.
const MOST: usize = 16;

/// Returns what a decision left open; `None` if that is nothing.
pub(crate) fn open(decision: &Decision<'_>) -> Option<String> {
    let (failed, unknown) = (decision.failed(), decision.undecided());
    let is_decided = failed.is_empty() && unknown.is_empty() && decision.cause() != Cause::Undecided;
    if is_decided && decision.diagnostics().is_empty() {
        return None;
    }
    Some(describe(decision))
}

// Out of line: decisions are made to be decided.
#[cold]
fn describe(decision: &Decision<'_>) -> String {
    let (failed, unknown) = (decision.failed(), decision.undecided());
    // If none has a condition that is open, a rule applies whose effect is.
    let applying = if failed.is_empty() && unknown.is_empty() { decision.applying() } else { &[] };
    let mut out = "{\"rules\":[".to_owned();
    let rules = [("failed", failed), ("unknown", unknown), ("applies", applying)];
    let rules = rules.into_iter().flat_map(|(is, rules)| rules.iter().map(move |rule| (is, *rule)));
    let left = list(rules, &mut out, |(is, rule), out| append_rule(rule, is, out));
    out.push(']');
    if left > 0 {
        // Writing to a string cannot fail.
        let _ = write!(out, ",\"more_rules\":{left}");
    }
    let diagnostics = decision.diagnostics();
    if !diagnostics.is_empty() {
        out.push_str(",\"errors\":[");
        // Evaluations have no warnings.
        let left = list(diagnostics.iter(), &mut out, |error, out| {
            out.push('{');
            if let Some(span) = error.subject {
                append_place(diagnostics.source(), span, out);
                out.push(',');
            }
            out.push_str("\"error\":");
            quote(error.code().name(), out);
            out.push('}');
        });
        out.push(']');
        if left > 0 {
            let _ = write!(out, ",\"more_errors\":{left}");
        }
    }
    out.push('}');
    out
}

/// Appends the first items, separated. Returns the number of the others.
fn list<T>(items: impl Iterator<Item = T>, out: &mut String, append: impl Fn(T, &mut String)) -> usize {
    let mut left = 0;
    for (at, item) in items.enumerate() {
        if at < MOST {
            separate(out);
            append(item, out);
        } else {
            left += 1;
        }
    }
    left
}

fn append_rule(rule: BlockValues<'_>, is: &str, out: &mut String) {
    out.push_str("{\"rule\":");
    match rule.labels().next() {
        Some(name) => quote(name, out),
        None => out.push_str("null"),
    }
    out.push_str(",\"is\":");
    quote(is, out);
    out.push('}');
}
