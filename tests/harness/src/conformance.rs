//! `harness conformance`: reads recorded cases from standard input and writes their results to standard
//! output, one line each. `comparison` compares the answers with the recorded results.
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

pub use evaluate::{Answers, Runner};
use hclvm::run::Tier;
use serde_json::{Map, Value as Json, json};

use crate::case::Case;

/// The fields of a result; `None` if this build does not support the case.
type Answer = Option<Map<String, Json>>;

/// The evaluator that runs the programs of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluator {
    /// The machine.
    Machine(Tier),
    /// The tree-walker.
    TreeWalk,
}

impl Evaluator {
    /// Returns the evaluator with a name of the command line.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "full" => Some(Self::Machine(Tier::Baseline)),
            "fast" => Some(Self::Machine(Tier::Best)),
            "treewalk" => Some(Self::TreeWalk),
            _ => None,
        }
    }
}

/// Runs the cases of standard input.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut runner = Runner::new(evaluator(arguments)?);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        if line.trim().is_empty() {
            continue;
        }
        let result = runner.respond(&Case::read(&line)?)?;
        writeln!(out, "{result}").and_then(|()| out.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Returns the requested evaluator.
fn evaluator(arguments: &[String]) -> Result<Evaluator, String> {
    match arguments {
        [] => Ok(Evaluator::Machine(Tier::Best)),
        [flag, name] if flag == "--body" => {
            Evaluator::named(name).ok_or_else(|| format!("there is no body {name}"))
        }
        _ => Err(format!("invalid arguments: {}", arguments.join(" "))),
    }
}

impl Runner {
    /// Answers a case, given as a line of a case file, of which the recorded result is ignored.
    ///
    /// # Errors
    /// A case that is not well formed.
    pub fn answer(&mut self, case: &Json) -> Result<Json, String> {
        self.respond(&Case::of(case)?)
    }

    fn respond(&mut self, case: &Case) -> Result<Json, String> {
        let answer = match case.kind() {
            "expr" | "template" | "jsonexpr" => self.single(case)?,
            "config" => self.config(case)?,
            "json" => self.json(case)?,
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
