//! An explanation as text: a line with the reason, then the conditions as a tree.

use std::fmt;

use hclvm_vm::exec::Truth;

use super::build::EXAMPLES;
use super::{Explained, Outcome, Why};

/// Conditions named in a reason; the tree marks the others by their outcomes.
const MOST_NAMED: usize = 4;

/// Paths named of an unknown result.
const MOST_PATHS: usize = 6;

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.reason())?;
        write_tree(f, &self.root)
    }
}

impl Why {
    /// Returns the reason in a sentence without a full stop, such as ``false, because `user.admin` is false``.
    pub fn reason(&self) -> String {
        if let Some(error) = self.diagnostics.iter().next().filter(|_| self.diagnostics.has_errors()) {
            let detail = error.detail.trim_end_matches('.');
            return format!("no result: {}: {detail}", error.title);
        }
        if self.root.outcome == Outcome::Sensitive {
            return "the result depends on sensitive values".to_owned();
        }
        let because = because(&self.deciding());
        if self.root.outcome == Outcome::Once(Truth::Unknown) {
            let paths: Vec<String> =
                self.waits_for.iter().take(MOST_PATHS).map(|path| format!("`{path}`")).collect();
            return match (&*paths, because) {
                ([], None) => "unknown".to_owned(),
                ([], Some(because)) => format!("unknown, because {because}"),
                (paths, _) => format!("unknown: it waits for {}", listed(paths)),
            };
        }
        match because {
            Some(because) => format!("{}, because {because}", self.result),
            None if !self.has_values => self.result.clone(),
            None if self.root.values.is_empty() => {
                format!("{}, for all values of the variables", self.result)
            }
            None => format!("{}, from {}", self.result, values(&self.root)),
        }
    }
}

impl Why {
    /// Writes the conditions, a line for each.
    pub(crate) fn write_tree(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tree(f, &self.root)
    }
}

/// Returns what the deciding conditions were: `` `a` and `b` are false ``.
fn because(deciding: &[&Explained]) -> Option<String> {
    let mut groups: Vec<(String, Vec<&Explained>)> = Vec::new();
    for condition in deciding.iter().take(MOST_NAMED) {
        let was = phrase(condition.outcome);
        match groups.iter_mut().find(|(known, _)| *known == was) {
            Some((_, group)) => group.push(condition),
            None => groups.push((was, vec![condition])),
        }
    }
    let mut clauses = Vec::new();
    for (was, group) in groups {
        let names: Vec<String> = group.iter().map(|condition| format!("`{}`", condition.text)).collect();
        let verb = if names.len() == 1 { "is" } else { "are" };
        let mut clause = format!("{} {verb} {was}", listed(&names));
        if let [condition] = &*group {
            match condition.definition().map(definition_reason) {
                Some(Some(reason)) => clause = format!("{clause}: {reason}"),
                _ if !condition.values.is_empty() && !is_told(condition) => {
                    clause = format!("{clause} ({})", values(condition));
                }
                _ => {}
            }
        }
        clauses.push(clause);
    }
    let more = deciding.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        clauses.push(format!("{more} more {}", if more == 1 { "condition" } else { "conditions" }));
    }
    (!clauses.is_empty()).then(|| listed(&clauses))
}

/// Returns why a local is what it is.
fn definition_reason(definition: &Explained) -> Option<String> {
    let mut found = Vec::new();
    let mut open = vec![definition];
    while let Some(condition) = open.pop() {
        if condition.decides {
            found.push(condition);
        } else {
            open.extend(condition.parts.iter().rev());
        }
    }
    because(&found)
}

/// Returns true if the only value of a condition is itself: `user.admin` is false because it is false.
fn is_told(condition: &Explained) -> bool {
    matches!(&*condition.values, [one] if one.path == condition.text)
}

fn phrase(outcome: Outcome) -> String {
    match outcome {
        Outcome::Once(truth) => word(truth).to_owned(),
        Outcome::Each(counts) => {
            let all: u64 = counts.iter().sum();
            let [yes, no, ..] = counts;
            match (yes, no) {
                (yes, _) if yes == all => format!("true for all {all} elements"),
                (_, no) if no == all => format!("false for all {all} elements"),
                (0, no) => format!("false for {no} of {all} elements"),
                (yes, _) => format!("true for {yes} of {all} elements"),
            }
        }
        Outcome::Some(were) => {
            let elements = if were.iter().filter(|was| **was).count() == 1 { "all" } else { "some" };
            let words = outcomes(were).map(|truth| format!("{} for {elements} elements", word(truth)));
            listed(&words.collect::<Vec<_>>())
        }
        Outcome::Sensitive => "sensitive".to_owned(),
        Outcome::Never => "not evaluated".to_owned(),
    }
}

/// Returns what a condition was for elements.
pub(super) fn outcomes(were: [bool; 6]) -> impl Iterator<Item = Truth> {
    Truth::ALL.into_iter().zip(were).filter(|(_, was)| *was).map(|(truth, _)| truth)
}

impl Explained {
    /// Returns the result of an expression of which only the outcome is known.
    pub(super) fn result(&self) -> String {
        match self.outcome {
            Outcome::Once(Truth::Other) => "a value".to_owned(),
            outcome => phrase(outcome),
        }
    }
}

fn word(truth: Truth) -> &'static str {
    match truth {
        Truth::True => "true",
        Truth::False => "false",
        Truth::Unknown => "unknown",
        Truth::Null => "null",
        Truth::Failed => "an error",
        _ => "not a bool",
    }
}

/// Returns the outcome in a tree.
fn short(condition: &Explained) -> String {
    match condition.outcome {
        Outcome::Once(Truth::Failed) => "error".to_owned(),
        Outcome::Once(Truth::Other) if !condition.is_condition => "value".to_owned(),
        Outcome::Once(truth) => word(truth).to_owned(),
        Outcome::Each(counts) => {
            let counts = Truth::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0);
            let counts: Vec<String> =
                counts.map(|(truth, count)| format!("{} {count}×", word(truth))).collect();
            counts.join(", ")
        }
        Outcome::Some(were) => outcomes(were).map(word).collect::<Vec<_>>().join(", "),
        Outcome::Sensitive => "(sensitive)".to_owned(),
        Outcome::Never => "(not evaluated)".to_owned(),
    }
}

/// Returns the values that a condition reads; in a loop with what it was for them.
fn values(condition: &Explained) -> String {
    let all = condition.values.iter().map(|one| format!("{} = {}", one.path, one.shown));
    let all = all.collect::<Vec<_>>().join(", ");
    match condition.outcome {
        Outcome::Each(counts) => match EXAMPLES.into_iter().find(|truth| counts[*truth as usize] > 0) {
            Some(truth) => format!("{} for {all}", word(truth)),
            None => all,
        },
        _ => all,
    }
}

fn listed(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Writes a condition and its parts, a line for each.
fn write_tree(f: &mut fmt::Formatter<'_>, root: &Explained) -> fmt::Result {
    // The prefix of a line, and whether the condition is the last of its siblings.
    let mut open: Vec<(&Explained, String, bool)> = vec![(root, String::new(), true)];
    while let Some((condition, prefix, is_last)) = open.pop() {
        let branch = if is_last { "└─ " } else { "├─ " };
        writeln!(f, "{prefix}{branch}{}", ConditionLine(condition))?;
        let prefix = prefix + if is_last { "   " } else { "│  " };
        let last = condition.parts.len().saturating_sub(1);
        let parts = condition.parts.iter().enumerate().rev();
        open.extend(parts.map(|(at, part)| (part, prefix.clone(), at == last)));
    }
    Ok(())
}

/// A condition without its parts.
struct ConditionLine<'w>(&'w Explained);

impl fmt::Display for ConditionLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let condition = self.0;
        write!(f, "{}  ", short(condition))?;
        match &condition.name {
            Some(name) => write!(f, "{name} = {}", condition.text)?,
            None => f.write_str(&condition.text)?,
        }
        if !condition.values.is_empty() && !is_told(condition) {
            write!(f, "  ({})", values(condition))?;
        }
        if !condition.needed {
            f.write_str("  not needed")?;
        }
        Ok(())
    }
}
