//! Recorded cases as tests: one for each family and evaluator.
//!
//! A list of deviations names the cases whose result differs, with the reason. A case that differs and is
//! not listed fails its test, as does a listed case that does not differ.
#![allow(dead_code, unused_imports, reason = "each test program uses its own part of this folder")]

mod deviations;
mod family;
mod floors;
mod folder;

use std::sync::Arc;

use hclvm_harness::comparison::difference;
use hclvm_harness::conformance::{Evaluator, Runner};
use libtest_mimic::{Completion, Failed, Trial};
use serde_json::Value as Json;

pub(crate) use deviations::Deviations;
pub(crate) use family::{Family, families};
pub(crate) use floors::Floors;
pub(crate) use folder::{checkout, shared, unless_absent};

/// The path of the harness.
pub(crate) const HARNESS: &str = env!("CARGO_BIN_EXE_harness");

/// The evaluators by their names on the command line.
pub(crate) const EVALUATORS: [&str; 3] = ["full", "fast", "treewalk"];

/// Returns how many differing cases a failed test shows: `SHOW`, or a few.
pub(crate) fn shown() -> usize {
    std::env::var("SHOW").ok().and_then(|count| count.parse().ok()).unwrap_or(5)
}

/// The expectations of a collection of cases.
#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) deviations: Deviations,
    /// What the fast tier must answer; `None` if that is not judged.
    pub(crate) floors: Option<Floors>,
}

/// Creates the tests of families: one for each evaluator, and one for the cases that run nothing.
pub(crate) fn trials(families: Vec<Family>, expected: Expected) -> Vec<Trial> {
    let expected = Arc::new(expected);
    let families = families.into_iter().map(Arc::new);
    families.flat_map(|family| of_family(&family, &expected)).collect()
}

fn of_family(family: &Arc<Family>, expected: &Arc<Expected>) -> Vec<Trial> {
    let plain = [(family.name.clone(), None)];
    let run = EVALUATORS.map(|evaluator| (format!("{}::{evaluator}", family.name), Some(evaluator)));
    let mut trials = Vec::new();
    for (name, evaluator) in plain.into_iter().chain(run) {
        let asked = family.cases.iter().filter(|case| is_asked(case, evaluator)).count();
        if asked == 0 {
            continue;
        }
        let (family, expected) = (Arc::clone(family), Arc::clone(expected));
        let trial = Trial::test(name, move || judge(&family, evaluator, &expected));
        trials.push(trial.with_kind(format!("{asked} cases")));
    }
    trials
}

/// Returns true if a case belongs to the test of an evaluator, or to the one without.
fn is_asked(case: &Json, evaluator: Option<&str>) -> bool {
    let runs = matches!(case["kind"].as_str(), Some("expr" | "template" | "jsonexpr" | "config" | "json"));
    match evaluator {
        None => !runs,
        // The tree-walker evaluates expressions, not bodies by a schema or in JSON.
        Some("treewalk") => runs && case["schema"].is_null() && case["kind"] != "json",
        Some(_) => runs,
    }
}

fn judge(family: &Family, evaluator: Option<&str>, expected: &Expected) -> Result<(), Failed> {
    let machine = evaluator.unwrap_or("fast");
    let mut runner = Runner::new(Evaluator::named(machine).ok_or("no such evaluator")?);
    let (mut problems, mut total) = (Vec::new(), 0);
    for case in family.cases.iter().filter(|case| is_asked(case, evaluator)) {
        let id = case["id"].as_str().unwrap_or("");
        let difference = difference(case, &runner.answer(case)?);
        let problem = match (difference, expected.deviations.contains(id, evaluator)) {
            (Some(difference), false) => format!("{id} {}\n{difference}", case["src"]),
            (None, true) => format!("{id} is listed as a deviation, but its result is as recorded"),
            _ => continue,
        };
        total += 1;
        if problems.len() < shown() {
            problems.push(problem);
        }
    }
    if total == 0 {
        return match &expected.floors {
            Some(floors) if evaluator == Some("fast") => floors.judge(&family.name, runner.answers()),
            _ => Ok(()),
        };
    }
    Err(format!("{total} cases, the first:\n{}", problems.join("\n")).into())
}

/// Creates a test that is ignored with a reason.
pub(crate) fn ignored(name: impl Into<String>, reason: String) -> Trial {
    Trial::ignorable_test(name, move || Ok(Completion::ignored_with(reason)))
}
