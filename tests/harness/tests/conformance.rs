//! Every case of ../shared/conformance gives its recorded result: in the baseline tier, in the fast tier and
//! in the tree-walker. A part of them is in the checkout and run by tests/expressions/cases.rs.

mod judge;

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

use hclvm_harness::select;
use libtest_mimic::{Arguments, Failed};
use serde_json::Value as Json;

const DEVIATIONS: &str = include_str!("deviations.txt");
const FLOORS: &str = include_str!("fast_answers.txt");

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = match judge::shared("conformance") {
        Ok(directory) => judge::trials(judge::families(&directory), expected()),
        Err(reason) => judge::EVALUATORS.map(|name| judge::ignored(name, reason.clone())).into(),
    };
    trials.push(judge::unless_absent("the_cases_of_the_checkout_are_as_recorded", "conformance", same_rows));
    trials.push(judge::unless_absent("every_deviation_is_a_case", "conformance", known_ids));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Returns all cases of a directory by id.
fn by_id(directory: &Path) -> HashMap<String, Json> {
    let cases = judge::families(directory).into_iter().flat_map(|family| family.cases);
    cases.map(|case| (case["id"].as_str().unwrap_or("").to_owned(), case)).collect()
}

fn same_rows(directory: &Path) -> Result<(), Failed> {
    let recorded = by_id(directory);
    for (id, case) in by_id(&judge::checkout()) {
        let row = recorded.get(&id).map(select::row);
        if row.as_ref() != Some(&case) {
            return Err(format!("{id} is {case}, recorded {row:?}").into());
        }
    }
    Ok(())
}

fn known_ids(directory: &Path) -> Result<(), Failed> {
    let recorded = by_id(directory);
    let deviations = judge::Deviations::read(DEVIATIONS);
    match deviations.ids().find(|id| !recorded.contains_key(*id)) {
        Some(unknown) => Err(format!("there is no case {unknown}").into()),
        None => Ok(()),
    }
}

fn expected() -> judge::Expected {
    let deviations = judge::Deviations::read(DEVIATIONS);
    judge::Expected { deviations, floors: Some(judge::Floors::read(FLOORS, 1)) }
}
