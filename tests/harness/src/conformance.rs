//! `harness conformance`: reads recorded cases from standard input and writes their results to standard
//! output, one line each. The comparison with the recorded results is in tests/conformance.rs.
//!
//! A case that crashes ends the process on purpose: the caller counts it as a failure.

mod analysis;
mod content;
mod evaluate;
mod syntax;
mod treewalk;
mod typeexpr;
mod types;

use std::io::{BufRead, Write};

use hclvm::run::Tier;
use serde_json::{Map, Value as Json, json};

use crate::case::Case;

/// The fields of a result; `None` if this build does not support the case.
type Answer = Option<Map<String, Json>>;

/// The evaluator that runs the programs of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evaluator {
    /// The machine.
    Machine(Tier),
    /// The tree-walker.
    TreeWalk,
}

/// Runs the cases of standard input.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut runner = evaluate::Runner::new(evaluator(arguments)?);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        if line.trim().is_empty() {
            continue;
        }
        let case = Case::read(&line)?;
        let result = answer(&mut runner, &case)?;
        writeln!(out, "{result}").and_then(|()| out.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Returns the requested evaluator.
fn evaluator(arguments: &[String]) -> Result<Evaluator, String> {
    match arguments {
        [] => Ok(Evaluator::Machine(Tier::Best)),
        [flag, name] if flag == "--body" => match name.as_str() {
            "full" => Ok(Evaluator::Machine(Tier::Baseline)),
            "fast" => Ok(Evaluator::Machine(Tier::Best)),
            "treewalk" => Ok(Evaluator::TreeWalk),
            _ => Err(format!("there is no body {name}")),
        },
        _ => Err(format!("invalid arguments: {}", arguments.join(" "))),
    }
}

fn answer(runner: &mut evaluate::Runner, case: &Case) -> Result<Json, String> {
    let answer = match case.kind() {
        "expr" | "template" | "jsonexpr" => runner.single(case)?,
        "config" => runner.config(case)?,
        "json" => runner.json(case)?,
        "convert" => Some(types::convert(case)?),
        "tokens" => Some(syntax::tokens(case)?),
        "static" => analysis::forms(case),
        "traversal" => Some(syntax::traversal(case)),
        "typeexpr" => Some(typeexpr::typeexpr(case)?),
        "unify" => Some(types::unify(case)?),
        "variables" => analysis::variables(case),
        _ => None,
    };
    Ok(with_id(case, answer))
}

fn with_id(case: &Case, answer: Answer) -> Json {
    let mut result = Map::new();
    result.insert("id".to_owned(), json!(case.id()));
    match answer {
        Some(fields) => result.extend(fields),
        None => {
            result.insert("unsupported".to_owned(), json!(true));
        }
    }
    Json::Object(result)
}

/// Returns the fields of a JSON object.
fn fields<const N: usize>(pairs: [(&str, Json); N]) -> Map<String, Json> {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
