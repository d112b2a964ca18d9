//! A workload evaluated a given number of times, for tools that count instructions.
//!
//! `instructions W1 1000`; W9 compiles and W10 reads requests: `W10-whole` all of them instead of
//! what the decision refers to, `W10-serde` and `W10-records` out of structs, `W10-whole-serde` and
//! `W10-whole-records` all of them. The difference of two counts is free of what preparing costs:
//! see `benches/instructions.sh`.

use std::process::ExitCode;

use hclvm::{Engine, Error};
use hclvm_workloads::subject::{Decision, Subject, compile};
use hclvm_workloads::{body, input, requests};

/// Evaluations before those that count, so that memory has grown and hints are set.
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
        "W9" => {
            let (engine, text) = (Engine::standard(), body::text());
            repeat(count, |_| compile(&engine, &text).map(drop))
        }
        "W10-serde" | "W10-whole-serde" | "W10-whole-records" | "W10-records" => {
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
        "W10" | "W10-whole" => {
            let mut decision = if name == "W10" { Decision::new()? } else { Decision::of_everything()? };
            let requests = requests();
            let mut turns = requests.iter().cycle();
            repeat(WARM_UP + count, |_| {
                let request = turns.next().map_or("", String::as_str);
                decision.decide(request).map(drop)
            })
        }
        _ => {
            let mut subject = Subject::named(name)?.ok_or("no workload has this name")?;
            // Twice through the scopes; those of one large scope are ready after two evaluations.
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
