//! Runs a case.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hclvm::diagnostics::Severity;
use hclvm::{Diagnostic, Diagnostics, OwnedValue};

use super::case::{Case, ExpectedError, Suite};
use super::decision::{DecisionParts, ExpectedDecision};
use super::observed::Covered;
use super::subject::{At, CaseValues, TestSubject};
use crate::attribute_path::PathArgument;
use crate::scopes::GivenVariables;
use hclvm_project::compare::{Difference, differences};

/// The result of a case.
pub(super) struct CaseVerdict<'s> {
    pub(super) suite: &'s Suite,
    pub(super) case: &'s Case,
    pub(super) time: Duration,
    /// Why it fails; empty if it does not.
    pub(super) failures: Vec<CaseFailure>,
    /// How long an evaluation takes, if that was asked for.
    pub(super) nanoseconds: Option<u128>,
    /// What it covers, if that was asked for.
    pub(super) covered: Covered,
}

/// A reason why a case fails.
pub(super) enum CaseFailure {
    Difference(Difference),
    /// Errors that are not expected.
    Problems(Diagnostics),
    /// Something else, as a sentence.
    Other(String),
}

impl<'s> CaseVerdict<'s> {
    /// Runs a case.
    pub(super) fn of(suite: &'s Suite, case: &'s Case, with_coverage: bool) -> Self {
        let (start, mut covered) = (Instant::now(), Covered::new());
        let failures = match &case.setting {
            Ok((subject, variables)) => {
                failures(case, subject, variables, with_coverage.then_some(&mut covered))
            }
            Err(why) => vec![CaseFailure::Other(why.clone())],
        };
        Self { suite, case, time: start.elapsed(), failures, nanoseconds: None, covered }
    }

    pub(super) fn is_success(&self) -> bool {
        self.failures.is_empty()
    }
}

fn failures(
    case: &Case,
    subject: &TestSubject,
    variables: &GivenVariables,
    mut covered: Option<&mut Covered>,
) -> Vec<CaseFailure> {
    let mut failures = Vec::new();
    if let Some(expected) = &case.decision {
        let found = subject.decide(variables, covered.as_deref_mut());
        let problems = compare_decision(expected, case, found, &mut failures);
        if case.expected.is_empty() {
            compare_errors(&case.errors, &problems, &mut failures);
            return failures;
        }
    }
    let mut paths: Vec<(PathArgument, &OwnedValue)> = Vec::new();
    for (path, value) in &case.expected {
        match path.parse() {
            Ok(path) => paths.push((path, value)),
            Err(why) => {
                failures.push(CaseFailure::Other(format!("`{path}` in `expect` is not a path: {why}.")));
            }
        }
    }
    let is_whole = !case.errors.is_empty();
    let wanted: Vec<_> = paths.iter().map(|(path, _)| subject.selection(path)).collect();
    let mut prepared = subject.prepare(variables, (!is_whole).then_some(&wanted));
    if let (Ok(prepared), Some(covered)) = (&mut prepared, covered) {
        covered.extend(prepared.observe());
    }
    let (values, problems) = match &mut prepared {
        Ok(prepared) => prepared.evaluate(),
        Err(problems) => (CaseValues::Values(Vec::new()), std::mem::take(problems)),
    };
    compare_errors(&case.errors, &problems, &mut failures);
    for (path, expected) in &paths {
        match values.at(path) {
            At::Value(found) => {
                let found = differences(&path.to_string(), expected.get(), found.get());
                failures.extend(found.into_iter().map(CaseFailure::Difference));
            }
            At::Block => {
                let why = format!("`{path}` in `expect` is a block; name its attributes.");
                failures.push(CaseFailure::Other(why));
            }
            // With errors, a value that is missing is no failure of its own.
            At::Nothing if !problems.is_empty() => {}
            At::Nothing => failures.push(CaseFailure::Other(subject.missing(path))),
        }
    }
    failures
}

/// Adds the differences of a decision. Returns its errors if they are not only those of rules that make no difference.
fn compare_decision(
    expected: &ExpectedDecision,
    case: &Case,
    found: Result<Result<DecisionParts, Vec<Diagnostics>>, String>,
    failures: &mut Vec<CaseFailure>,
) -> Vec<Diagnostics> {
    let found = match found {
        Err(why) => {
            failures.push(CaseFailure::Other(why));
            return Vec::new();
        }
        Ok(Err(problems)) => return problems,
        Ok(Ok(found)) => found,
    };
    failures.extend(expected.differences(&found).into_iter().map(CaseFailure::Difference));
    let is_expected = expected.expects_undecided();
    if found.is_undecided && !is_expected {
        let why = "The decision is undecided. If that is meant, expect `cause = \"undecided\"`.";
        failures.push(CaseFailure::Other(why.to_owned()));
    }
    let matters = !case.errors.is_empty() || found.is_undecided && !is_expected;
    if matters { found.problems.by_file() } else { Vec::new() }
}

/// Adds the errors that are not expected, and those that are not found. Each of them counts once.
fn compare_errors(expected: &[ExpectedError], problems: &[Diagnostics], failures: &mut Vec<CaseFailure>) {
    let mut missing: Vec<&ExpectedError> = expected.iter().collect();
    for list in problems {
        let mut others = Vec::new();
        for problem in list.iter().filter(|problem| problem.severity == Severity::Error) {
            match missing.iter().position(|expected| expected.is(problem, list)) {
                Some(at) => drop(missing.remove(at)),
                None => others.push(problem.clone()),
            }
        }
        if !others.is_empty() {
            failures.push(CaseFailure::Problems(Diagnostics::new(Arc::clone(list.source()), others)));
        }
    }
    failures
        .extend(missing.into_iter().map(|error| CaseFailure::Other(format!("Expected the error {error}."))));
}

impl ExpectedError {
    /// Returns true if a problem is this one.
    fn is(&self, problem: &Diagnostic, list: &Diagnostics) -> bool {
        let start = problem.subject.map(|subject| list.source().range(subject).0);
        let is_in_file = self.file.as_ref().is_none_or(|file| list.source().name().ends_with(file.as_str()));
        self.title == problem.title
            && is_in_file
            && self.line.is_none_or(|line| start.is_some_and(|start| start.line == line))
            && self.column.is_none_or(|column| start.is_some_and(|start| start.column == column))
    }
}

/// The title and the place.
impl fmt::Display for ExpectedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.title)?;
        if let Some(line) = self.line {
            write!(f, " in line {line}")?;
        }
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        self.file.as_ref().map_or(Ok(()), |file| write!(f, " of {file}"))
    }
}
