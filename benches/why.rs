//! Instructions of an evaluation of each workload: plain, with coverage of its conditions, and with an explanation.
//!
//! A plain run records nothing, so explanations cost it nothing: see `instructions.rs` for its figures. Valgrind
//! counts the instructions of this program with few and with more evaluations; the figure is the difference.
//!
//! `cargo bench --bench why [-- WORKLOAD...]`

#![expect(clippy::print_stdout, reason = "the table is the output of this program")]

use std::hint::black_box;
use std::process::Command;

use hclvm_workloads::subject::Subject;

type Failure = Box<dyn std::error::Error>;

const WORKLOADS: [&str; 12] = [
    "policy-condition",
    "arithmetic",
    "fractions",
    "for-filter",
    "object-for",
    "splat",
    "template",
    "switch",
    "attribute-body",
    "flat-condition",
    "fractions-kept",
    "overflow",
];

/// What is counted.
const KINDS: [&str; 3] = ["plain", "observe", "why"];

/// The evaluations that are counted, a multiple of the number of scopes, each of which is evaluated once before. What a
/// process does besides varies by some thousand instructions, so that plain runs of a few hundred need many.
const SOME: u32 = 64;
const MANY: u32 = 6_400;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [flag, kind, workload, count] = &*arguments
        && flag == "--count"
    {
        return evaluate(kind, workload, count.parse()?);
    }
    // Cargo passes `--bench` for measurements; in a test everything runs once.
    if !std::env::args().any(|argument| argument == "--bench") {
        return KINDS.iter().try_for_each(|kind| evaluate(kind, "policy-condition", 1));
    }
    let wanted: Vec<&str> = match &*arguments {
        [] => WORKLOADS.to_vec(),
        some => some.iter().map(String::as_str).collect(),
    };
    println!(
        "{:<20} {:>12} {:>12} {:>7} {:>12} {:>7}",
        "instructions", "plain", "observe", "ratio", "why", "ratio"
    );
    for workload in wanted {
        let [plain, observe, why] = KINDS.map(|kind| instructions(kind, workload));
        let (plain, observe, why) = (plain?, observe?, why?);
        let ratio = |of: f64| format!("{:.1}", of / plain);
        println!(
            "{workload:<20} {plain:>12.0} {observe:>12.0} {:>7} {why:>12.0} {:>7}",
            ratio(observe),
            ratio(why)
        );
    }
    Ok(())
}

/// Returns the instructions of one evaluation.
fn instructions(kind: &str, workload: &str) -> Result<f64, Failure> {
    let evaluations = if kind == "plain" { MANY } else { SOME };
    let (before, all) = (counted(kind, workload, 0)?, counted(kind, workload, evaluations)?);
    Ok((all - before) / f64::from(evaluations))
}

/// Runs this program in valgrind.
fn counted(kind: &str, workload: &str, count: u32) -> Result<f64, Failure> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["--count", kind, workload, &count.to_string()])
        .output()
        .map_err(|error| format!("valgrind cannot be started: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let line = told.lines().find_map(|line| line.split_once("Collected :"));
    let (_, number) = line.ok_or_else(|| format!("valgrind failed: {told}"))?;
    Ok(number.trim().parse()?)
}

/// Evaluates a workload.
fn evaluate(kind: &str, workload: &str, count: u32) -> Result<(), Failure> {
    let Subject { programs, scopes, mut session, .. } =
        Subject::named(workload)?.ok_or_else(|| format!("there is no workload {workload}"))?;
    let turns = 0..u32::try_from(scopes.len())? + count;
    for (_, scope) in turns.zip(scopes.iter().cycle()) {
        for program in &programs {
            match kind {
                "plain" => {
                    black_box(session.run(program, scope)?);
                }
                "observe" => drop(black_box(session.observe(program, scope)?)),
                _ => drop(black_box(session.why(program, scope)?)),
            }
        }
    }
    Ok(())
}
