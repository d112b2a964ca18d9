//! The harness: one program with the protocols of recorded results. Its tests compare the answers.
//!
//! ```text
//! harness conformance [--body full|fast|treewalk]      case lines in, result lines out
//! harness differential [--cases N] [--seed S]           both evaluators on generated expressions
//! harness corpus [DIR] [--show N]                      agreement with recorded real files
//! harness docs [DIR] [--show N]                        agreement with examples of reference pages
//! harness module FILE SCOPES [--dialect packer|nomad]   a whole file in each of several scopes
//! harness probe KIND [--scope FILE] [--stack SIZE]      one input in, its outcome out
//! ```

mod case;
mod conformance;
mod corpus;
mod differential;
mod docs;
mod module;
mod notation;
mod plain;
mod probe;
mod report;
mod scopes;
mod table;
mod tally;
mod tv;

use std::process::ExitCode;

const USAGE: &str = "usage:
  harness conformance [--body full|fast|treewalk]
  harness differential [--cases N] [--seed S] [--case I] [--show N]
  harness corpus [DIR] [--show N]
  harness docs [DIR] [--show N]
  harness module FILE SCOPES [--dialect packer|nomad]
  harness probe expr|template|traversal|config|json|dyn|locals [--scope FILE] [--stack SIZE]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) =
        arguments.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    let outcome = match command {
        "docs" => docs::run(rest),
        "module" => module::run(rest),
        "probe" => probe::run(rest),
        "corpus" => corpus::run(rest),
        "differential" => differential::run(rest),
        "conformance" => conformance::run(rest),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
