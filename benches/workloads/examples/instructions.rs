//! Runs a workload a given number of times, for tools that count instructions.
//!
//! `instructions policy-condition 1000`. Besides the names of [`Subject::named`] there are `compile`
//! and `json-decision`, the latter with the variants `-whole` (no projection), `-serde` and `-records`
//! (requests given as structs), and both, as in `json-decision-whole-serde`. The difference of two
//! counts excludes the cost of preparation; `benches/instructions.sh` computes it.

use std::process::ExitCode;

use hclvm::{Engine, Error};
use hclvm_workloads::subject::{Decision, Subject, compile};
use hclvm_workloads::{body, input, requests};

/// Evaluations before the counted ones, so that memory has grown and inline caches are filled.
const WARM_UP: usize = 128;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let count = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(0);
    match run(&name, count) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(name: &str, count: usize) -> Result<(), Box<dyn std::error::Error>> {
    match name {
        "compile" => {
            let (engine, text) = (Engine::standard(), body::text());
            repeat(count, |_| compile(&engine, &text).map(drop))
        }
        "json-decision-serde"
        | "json-decision-whole-serde"
        | "json-decision-whole-records"
        | "json-decision-records" => {
            let whole = name.contains("whole");
            let mut decision = if whole { Decision::of_everything()? } else { Decision::new()? };
            let requests = input::requests();
            let mut turns = requests.iter().cycle();
            repeat(WARM_UP + count, |_| {
                let Some(request) = turns.next() else { return Ok(()) };
                if name.ends_with("serde") {
                    decision.decide_by_serde(request).map(drop)
                } else {
                    decision.decide_by_records(request).map(drop)
                }
            })
        }
        "json-decision" | "json-decision-whole" => {
            let mut decision =
                if name == "json-decision" { Decision::new()? } else { Decision::of_everything()? };
            let requests = requests();
            let mut turns = requests.iter().cycle();
            repeat(WARM_UP + count, |_| {
                let request = turns.next().map_or("", String::as_str);
                decision.decide(request).map(drop)
            })
        }
        _ => {
            let mut subject = Subject::named(name)?.ok_or_else(|| format!("there is no workload {name}"))?;
            // Two rounds through the scopes; a single large scope is warm after two evaluations.
            let warm_up = WARM_UP.min(2 * subject.scopes.len());
            repeat(warm_up + count, |turn| subject.evaluate(turn))
        }
    }
}

fn repeat(
    count: usize,
    once: impl FnMut(usize) -> Result<(), Error>,
) -> Result<(), Box<dyn std::error::Error>> {
    Ok((0..count).try_for_each(once)?)
}
