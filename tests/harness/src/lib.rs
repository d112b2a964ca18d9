//! The harness: one program with the protocols of recorded results. Its tests compare the answers.
//!
//! ```text
//! harness conformance [--body full|fast|treewalk]      case lines in, result lines out
//! harness differential [--cases N] [--seed S]           both evaluators on generated expressions
//! harness dialect                                  modules of Packer and Nomad in, their values out
//! harness corpus [DIR] [--show N]                      agreement with recorded real files
//! harness docs [DIR] [--show N]                        agreement with examples of reference pages
//! harness module FILE SCOPES [--dialect packer|nomad]   a whole file in each of several scopes
//! harness probe KIND [--scope FILE] [--stack SIZE]      one input in, its outcome out
//! harness select DIR OUT [--cases N]                   a selection of recorded cases, for the checkout
//! ```

mod case;
pub mod comparison;
pub mod conformance;
mod corpus;
pub mod dialect;
mod differential;
mod docs;
mod module;
mod notation;
mod plain;
mod probe;
mod report;
mod scopes;
pub mod select;
mod table;
mod tally;
mod tv;

const USAGE: &str = "usage:
  harness conformance [--body full|fast|treewalk]
  harness differential [--cases N] [--seed S] [--case I] [--show N]
  harness corpus [DIR] [--show N]
  harness docs [DIR] [--show N]
  harness dialect
  harness module FILE SCOPES [--dialect packer|nomad]
  harness probe expr|template|traversal|config|json|dyn|locals [--scope FILE] [--stack SIZE]
  harness select DIR OUT [--cases N]";

/// Runs a command: its name and its arguments.
///
/// # Errors
/// A sentence for standard error.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let (command, rest) =
        arguments.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    match command {
        "docs" => docs::run(rest),
        "module" => module::run(rest),
        "probe" => probe::run(rest),
        "corpus" => corpus::run(rest),
        "dialect" => dialect::run(rest),
        "differential" => differential::run(rest),
        "conformance" => conformance::run(rest),
        "select" => select::run(rest),
        _ => Err(USAGE.to_owned()),
    }
}
