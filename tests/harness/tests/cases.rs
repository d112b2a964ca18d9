//! The recorded cases of the checkout give their recorded results: in the baseline tier, in the fast tier
//! and in the tree-walker. `harness select` chose them from those that tests/conformance.rs runs.

mod judge;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

const DEVIATIONS: &str = include_str!("deviations.txt");
const FLOORS: &str = include_str!("fast_answers.txt");

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let families = judge::families(&judge::checkout());
    let total: usize = families.iter().map(|family| family.cases.len()).sum();
    let mut trials = judge::trials(families, expected());
    trials.push(Trial::test("the_cases_are_there", move || {
        if total >= 2_900 { Ok(()) } else { Err(format!("{total} cases are too few").into()) }
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn expected() -> judge::Expected {
    let deviations = judge::Deviations::read(DEVIATIONS);
    judge::Expected { deviations, floors: Some(judge::Floors::read(FLOORS, 0)) }
}
