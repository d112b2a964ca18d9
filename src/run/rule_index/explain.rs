//! Why a condition is looked up, or is not, in words of configuration.

use std::fmt;

use hclvm_compiler::analysis::{Clause, Constant, GuardKind, Holds, Obstacle};
use hclvm_compiler::tree::NodeId;

use super::RuleIndex;
use super::key::KeyChoice;
use crate::compile::unit::NecessaryTests;

/// The most comparisons that a sentence lists.
const MOST_LISTED: usize = 6;

/// How a search by an index finds a rule. As text, it is a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Indexing {
    /// It is evaluated where one of some comparisons holds, and where that is not certain.
    Where {
        /// The comparisons. Of several with `&&`, each is looked up among the rules that the ones before it leave.
        comparisons: Vec<String>,
        /// Further conditions; the rule is also evaluated if one of them holds.
        otherwise: Vec<String>,
    },
    /// It is evaluated in every search, for this reason.
    Always(String),
}

impl fmt::Display for Indexing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always(reason) => write!(f, "always evaluated: {reason}"),
            Self::Where { comparisons, otherwise } => {
                let listed: Vec<&str> = comparisons.iter().take(MOST_LISTED).map(String::as_str).collect();
                write!(f, "evaluated if {}", listed.join(", or "))?;
                if comparisons.len() > MOST_LISTED {
                    write!(f, ", or {} more", comparisons.len() - MOST_LISTED)?;
                }
                otherwise.iter().try_for_each(|other| write!(f, ", or if {other}"))
            }
        }
    }
}

impl RuleIndex {
    /// Returns how a condition is found. `text` returns the source of a part of it.
    pub(crate) fn indexing<'t>(
        &self,
        rule: u32,
        (clauses, layout): NecessaryTests<'_>,
        text: impl Fn(NodeId) -> &'t str,
    ) -> Indexing {
        let clauses = match clauses {
            Ok(clauses) => clauses,
            Err(obstacle) => return Indexing::Always(reason(obstacle, text)),
        };
        let choice = |clause| self.keys.choice(clause, |path| self.paths.known(layout, path));
        let choices: Vec<(&Clause<'_>, KeyChoice)> =
            clauses.iter().filter_map(|clause| Some((clause, choice(clause)?))).collect();
        if choices.is_empty() {
            let reason = "what it compares with constants is computed during the evaluation";
            return Indexing::Always(reason.to_owned());
        }
        let mut comparisons = Vec::new();
        for place in self.tree.places(rule) {
            let tests = self.tree.tests(place).into_iter().map(|test| {
                let tests =
                    choices.iter().flat_map(|(clause, choice)| clause.tests.iter().zip(&choice.tests));
                let known = tests.into_iter().find(|(_, key)| **key == test);
                known.map_or_else(String::new, |(known, _)| shown(&known.path.to_string(), &known.holds))
            });
            let tests = tests.collect::<Vec<_>>().join(" && ");
            if tests.is_empty() {
                let reason = "too few rules compare what it compares for a lookup to be faster";
                return Indexing::Always(reason.to_owned());
            }
            comparisons.push(tests);
        }
        let mut otherwise = Vec::new();
        for guard in choices.iter().flat_map(|(clause, _)| &clause.guards) {
            let other = match guard.kind {
                GuardKind::Bool => "is neither true nor false",
                GuardKind::Number => "is not a number",
                GuardKind::Primitive => "is not a string, number or bool",
            };
            let other = format!("{} {other}", guard.path);
            if !otherwise.contains(&other) {
                otherwise.push(other);
            }
        }
        Indexing::Where { comparisons, otherwise }
    }
}

fn reason<'t>(obstacle: Obstacle, text: impl Fn(NodeId) -> &'t str) -> String {
    const NONE: &str = "compares no part of a variable with a constant, a prefix or a range";
    match obstacle {
        Obstacle::NoTest => format!("it {NONE}"),
        Obstacle::Alternative(node) => format!("the alternative `{}` {NONE}", text(node)),
        Obstacle::NotBool(node) => {
            format!(
                "`{}` may be neither true nor false, which is an error for all values of the other operands",
                text(node)
            )
        }
        Obstacle::MayFail(node) => {
            format!(
                "`{}` may have an error, and the errors of both operands of `&&` are reported",
                text(node)
            )
        }
    }
}

/// Returns a test as it could be written.
fn shown(path: &str, holds: &Holds<'_>) -> String {
    match holds {
        Holds::Equals(Constant::Text(text)) => format!("{path} == {}", quoted(text)),
        Holds::Equals(Constant::Number(number)) => format!("{path} == {}", number.borrow()),
        Holds::Equals(Constant::Bool(true)) => path.to_owned(),
        Holds::Equals(Constant::Bool(false)) => format!("!{path}"),
        Holds::Begins(prefix) => format!("startswith({path}, {})", quoted(prefix)),
        Holds::Between(low, high) => {
            let low = low.as_ref().map(|low| format!("{path} >= {}", low.borrow()));
            let high = high.as_ref().map(|high| format!("{path} <= {}", high.borrow()));
            low.into_iter().chain(high).collect::<Vec<_>>().join(" && ")
        }
    }
}

fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r");
    format!("\"{}\"", text.replace("${", "$${").replace("%{", "%%{"))
}
