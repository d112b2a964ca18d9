//! Recorded cases on standard input, results on standard output, a line each.
//!
//! A case that crashes takes the process down on purpose: whoever feeds the cases counts that.

mod evaluate;
mod syntax;
mod treewalk;
mod types;

use std::io::{BufRead, Write};

use serde_json::{Map, Value as Json, json};

use crate::case::Case;

/// The keys of a result; `None` for what this build cannot do.
type Answer = Option<Map<String, Json>>;

/// Runs the cases of standard input.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let body = body(arguments)?;
    let mut runner = evaluate::Runner::default();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        if line.trim().is_empty() {
            continue;
        }
        let case = Case::read(&line)?;
        let result = answer(&mut runner, body, &case)?;
        writeln!(out, "{result}").and_then(|()| out.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Which evaluator runs expressions and templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    /// The machine.
    Full,
    /// The plain evaluator.
    TreeWalk,
}

/// The evaluator that is asked for.
fn body(arguments: &[String]) -> Result<Body, String> {
    match arguments {
        [] => Ok(Body::Full),
        [flag, name] if flag == "--body" && name == "full" => Ok(Body::Full),
        [flag, name] if flag == "--body" && name == "treewalk" => Ok(Body::TreeWalk),
        [flag, name] if flag == "--body" => Err(format!("no body is called {name}")),
        _ => Err(format!("not understood: {}", arguments.join(" "))),
    }
}

fn answer(runner: &mut evaluate::Runner, body: Body, case: &Case) -> Result<Json, String> {
    let answer = match case.kind() {
        "expr" | "template" if body == Body::TreeWalk => treewalk::single(case)?,
        "expr" | "template" => runner.single(case)?,
        "config" => runner.config(case)?,
        "convert" => Some(types::convert(case)?),
        "tokens" => Some(syntax::tokens(case)?),
        "traversal" => Some(syntax::traversal(case)),
        "unify" => Some(types::unify(case)?),
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

/// The fields of a JSON object.
fn fields<const N: usize>(pairs: [(&str, Json); N]) -> Map<String, Json> {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
