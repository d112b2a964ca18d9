//! `harness docs`: compares the examples of the applications' function pages with recorded results.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use hclvm::{Dialect, Engine, Layout};
use serde_json::{Value as Json, json};

use crate::corpus::sorted;
use crate::plain::plain;
use crate::tally::Tally;
use crate::{table, tv};

/// Evaluates every example that has one correct result.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (directory, show) = match arguments {
        [] => ("../shared/corpus", 0),
        [directory] => (directory.as_str(), 0),
        [directory, flag, count] if flag == "--show" => {
            (directory.as_str(), count.parse().map_err(|_| "--show needs a number")?)
        }
        _ => return Err("usage: docs DIR [--show N]".to_owned()),
    };
    let path = PathBuf::from(directory).join("doc-examples.jsonl");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for line in text.lines() {
        let row: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let (Some(expected), Some(app)) = (expected(&row), row["app"].as_str()) else { continue };
        let source = row["expr"].as_str().unwrap_or("");
        let tally = tallies
            .entry(app.to_owned())
            .or_insert_with(|| Tally::new(format!("examples of {app} with equal results"), show));
        tally.compare(source, &found(app, source)?, &expected);
    }
    for tally in tallies.values() {
        tally.print();
    }
    Ok(())
}

/// Returns the correct result: the value on which page and reference agree, or an error.
fn expected(row: &Json) -> Option<String> {
    match row["verdict"].as_str()? {
        "match" => {
            let ty: Json = serde_json::from_str(row["oracle"]["type"].as_str()?).ok()?;
            Some(format!("{} {}", sorted(&row["oracle"]["json"]), sorted(&ty)))
        }
        "error-expected" | "not-single-expr" => Some(ERROR.to_owned()),
        _ => None,
    }
}

const ERROR: &str = "an error";

fn found(app: &str, source: &str) -> Result<String, String> {
    let engine = Engine::builder().dialect(Dialect::with_functions(table::of_app(app)?)).build();
    let layout = Arc::new(Layout::new(["path", "var"]));
    let mut scope = engine.scope(&layout);
    let paths = json!({ "root": "", "module": "", "folder": "", "cwd": "" });
    scope.set("path", &paths).map_err(|error| error.to_string())?;
    scope.set("var", &json!({ "name": "Valentina" })).map_err(|error| error.to_string())?;
    let Ok(program) = engine.compile(source, &layout) else { return Ok(ERROR.to_owned()) };
    let mut session = engine.session();
    let Ok(value) = session.run(&program, &scope) else { return Ok(ERROR.to_owned()) };
    let arena = tv::arena();
    let ty = tv::type_to(value.type_of(&arena));
    Ok(match plain(value) {
        Some(json) => format!("{} {}", sorted(&json), sorted(&ty)),
        None => "not known".to_owned(),
    })
}
