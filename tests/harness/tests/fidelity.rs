//! Every case of ../shared/fidelity gives its recorded result: cases for single causes of differences
//! (`h6/<cause>/…`), and fresh ones that were recorded after those of tests/conformance.rs.
//!
//! `fidelity.txt` lists those that differ. A fix removes its entries.

mod judge;

use std::process::ExitCode;

use libtest_mimic::Arguments;

const DEVIATIONS: &str = include_str!("fidelity.txt");

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = match judge::shared("fidelity") {
        Ok(directory) => judge::trials(judge::families(&directory), expected()),
        Err(reason) => judge::EVALUATORS.map(|name| judge::ignored(name, reason.clone())).into(),
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn expected() -> judge::Expected {
    let deviations = judge::Deviations::read(DEVIATIONS);
    judge::Expected { deviations, floors: None }
}
