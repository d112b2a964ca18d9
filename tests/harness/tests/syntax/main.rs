//! Tokens, syntax trees and their diagnostics are those recorded: for the cases of the checkout, for all
//! cases of ../shared/conformance, and for the files of ../shared/corpus.

mod corpus;
mod further;
#[path = "../judge/mod.rs"]
mod judge;
mod parse_errors;
mod recorded;
mod subjects;
mod tokens;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// A comparison of all cases of some kinds.
type Test = fn(&[Value]) -> Result<(), Failed>;

const TESTS: [(&str, Test); 5] = [
    ("token_streams", tokens::token_streams_are_those_recorded),
    ("syntax_diagnostics", parse_errors::syntax_diagnostics_are_those_recorded),
    ("traversals", parse_errors::traversals_are_those_recorded),
    ("subjects_of_errors", subjects::evaluation_errors_are_at_ranges_of_nodes),
    ("literal_strings", subjects::literal_strings_read_as_recorded),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = trials("cases", &judge::checkout());
    match judge::shared("conformance") {
        Ok(directory) => trials.extend(self::trials("conformance", &directory)),
        Err(reason) => {
            let names = TESTS.iter().map(|(name, _)| format!("conformance::{name}"));
            trials.extend(names.map(|name| judge::ignored(name, reason.clone())));
        }
    }
    trials.push(judge::unless_absent("corpus", "corpus", corpus::files_are_diagnosed_as_recorded));
    trials.push(judge::unless_absent(
        "one_mistake",
        "corpus",
        further::one_mistake_has_no_further_diagnostics,
    ));
    trials.push(judge::unless_absent("two_mistakes", "corpus", further::two_mistakes_are_told));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Creates the tests over the cases of a directory.
fn trials(name: &str, directory: &Path) -> Vec<Trial> {
    let families = judge::families(directory).into_iter();
    let cases: Arc<[Value]> = families.flat_map(|family| family.cases).collect();
    let tests = TESTS.into_iter().map(|(test, compare)| {
        let cases = Arc::clone(&cases);
        Trial::test(format!("{name}::{test}"), move || compare(&cases))
    });
    tests.collect()
}
