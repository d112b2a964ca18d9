//! Runs a case.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hclvm::diagnostics::Severity;
use hclvm::module::Values;
use hclvm::{Diagnostic, Diagnostics, OwnedValue};

use super::case::{Case, ExpectedError, Suite};
use super::compare::{Difference, differences};
use super::subject::Subject;
use crate::attribute_path::{AttributePath, Found};
use crate::bindings::Bindings;
use crate::report::diagnostics_of;
use crate::scopes::Variables;

/// The result of a case.
pub(super) struct Verdict<'s> {
    pub(super) suite: &'s Suite,
    pub(super) case: &'s Case,
    pub(super) time: Duration,
    /// Why it fails; empty if it does not.
    pub(super) failures: Vec<Failure>,
}

/// A reason why a case fails.
pub(super) enum Failure {
    Difference(Difference),
    /// Errors that are not expected.
    Problems(Diagnostics),
    /// Something else, as a sentence.
    Other(String),
}

impl<'s> Verdict<'s> {
    /// Runs a case.
    pub(super) fn of(suite: &'s Suite, case: &'s Case) -> Self {
        let start = Instant::now();
        let failures = match &case.setting {
            Ok((subject, variables)) => failures(case, subject, variables),
            Err(why) => vec![Failure::Other(why.clone())],
        };
        Self { suite, case, time: start.elapsed(), failures }
    }

    pub(super) fn is_success(&self) -> bool {
        self.failures.is_empty()
    }
}

fn failures(case: &Case, subject: &Subject, variables: &Variables) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut paths: Vec<(AttributePath, &OwnedValue)> = Vec::new();
    for (path, value) in case.expected.iter().flatten() {
        match path.parse() {
            Ok(path) => paths.push((path, value)),
            Err(why) => failures.push(Failure::Other(format!("`{path}` in `expect` is not a path: {why}."))),
        }
    }
    let mut bindings = Bindings::default();
    if let Err(error) = bindings.add(variables) {
        failures.push(Failure::Problems(diagnostics_of(&error, &subject.path)));
        return failures;
    }
    let is_whole = case.expected.is_none() || !case.errors.is_empty();
    let wanted: Vec<_> = paths.iter().map(|(path, _)| path.selection().clone()).collect();
    let mut prepared = subject.prepare(&bindings, (!is_whole).then_some(&wanted));
    let (values, problems) = match &mut prepared {
        Ok(prepared) => prepared.evaluate(),
        Err(problems) => (Vec::new(), std::mem::take(problems)),
    };
    let has_problems = !problems.is_empty();
    compare_errors(&case.errors, &problems, &mut failures);
    for (path, expected) in &paths {
        failures.extend(compare(path, expected, &values, subject, has_problems));
    }
    failures
}

/// Returns the failures of an expected value. With errors, a value that is missing is no failure of its own.
fn compare(
    path: &AttributePath,
    expected: &OwnedValue,
    values: &[Values<'_>],
    subject: &Subject,
    has_problems: bool,
) -> Vec<Failure> {
    match path.find(values) {
        Some(Found::Value(found)) => {
            let found = differences(&path.to_string(), expected.get(), found);
            found.into_iter().map(Failure::Difference).collect()
        }
        Some(Found::Blocks(_) | Found::Locals(_)) => {
            vec![Failure::Other(format!("`{path}` in `expect` is a block; name its attributes."))]
        }
        None if has_problems => Vec::new(),
        None => vec![Failure::Other(path.missing(&subject.path, subject.documents()))],
    }
}

/// Adds the errors that are not expected, and those that are not found. Each of them counts once.
fn compare_errors(expected: &[ExpectedError], problems: &[Diagnostics], failures: &mut Vec<Failure>) {
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
            failures.push(Failure::Problems(Diagnostics::new(Arc::clone(list.source()), others)));
        }
    }
    failures.extend(missing.into_iter().map(|error| Failure::Other(format!("Expected the error {error}."))));
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
