//! `harness dialect`: modules of Packer and Nomad, a line for each.
//!
//! ```text
//! {"id","dialect","files":{name:text},"given":{..}}
//!     ─▶ {"id","locals","errors":[title],"warnings":[title],"provisioners","job","config","env"}
//! ```
//!
//! The files of a case are written to a folder of its own, because functions may read them.
#![expect(clippy::print_stdout, reason = "the results are the program's output")]

use std::fs;
use std::io::{self, BufRead};
use std::path::Path;

use hclvm::diagnostics::Severity;
use hclvm::functions::Capabilities;
use hclvm::syntax::TypeMode;
use hclvm::value::Arena;
use hclvm::{Engine, Json as Shown, OwnedValue, Value};
use hclvm_dialects::{Block, Body, File, Files, Inputs, Local, Problems, nomad, packer};
use serde_json::{Map, Value as Json, json};

use crate::scopes;

/// Answers the lines of standard input.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if !arguments.is_empty() {
        return Err("usage: dialect".to_owned());
    }
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        if !line.trim().is_empty() {
            println!("{}", answer(&line)?);
        }
    }
    Ok(())
}

/// Answers a line.
pub fn answer(line: &str) -> Result<Json, String> {
    let case: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let files = case["files"].as_object().cloned().unwrap_or_default();
    for (name, text) in &files {
        let path = folder.path().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        }
        fs::write(path, text.as_str().unwrap_or_default()).map_err(|error| error.to_string())?;
    }
    let mut shown = Map::new();
    shown.insert("id".to_owned(), case["id"].clone());
    match case["dialect"].as_str() {
        Some("packer") => template(&case, &files, folder.path(), &mut shown)?,
        Some("nomad") => job(&case, &files, folder.path(), &mut shown)?,
        other => return Err(format!("there is no dialect {other:?}")),
    }
    Ok(Json::Object(shown))
}

fn file(files: &Map<String, Json>, name: &str) -> File {
    File::new(name, files.get(name).and_then(Json::as_str).unwrap_or_default())
}

/// Returns the names of the variable files that a case gives.
fn var_files(given: &Json) -> Vec<&str> {
    given["var_files"].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
}

fn inputs(given: &Json, files: &Map<String, Json>) -> Inputs {
    let texts = |key: &str| {
        let texts = given[key].as_object().cloned().unwrap_or_default();
        texts.into_iter().map(|(name, text)| (name, text.as_str().unwrap_or_default().to_owned()))
    };
    let mut inputs = Inputs::new().environment(texts("env"));
    for name in var_files(given) {
        inputs = inputs.file(file(files, name));
    }
    for (name, text) in texts("vars") {
        inputs = inputs.argument(name, text);
    }
    inputs
}

fn granted(given: &Json, folder: &Path) -> Capabilities {
    let environment = given["env"].as_object().cloned().unwrap_or_default();
    let environment: std::collections::BTreeMap<String, String> = environment
        .into_iter()
        .map(|(name, text)| (name, text.as_str().unwrap_or_default().to_owned()))
        .collect();
    let granted = Capabilities::none().environment(environment).system_clock();
    if given["allow_fs"] == json!(false) { granted } else { granted.directory(folder) }
}

fn template(
    case: &Json,
    files: &Map<String, Json>,
    folder: &Path,
    shown: &mut Map<String, Json>,
) -> Result<(), String> {
    let given = &case["given"];
    let settings = packer::Settings::new()
        .granted(granted(given, folder))
        .directory(std::env::current_dir().unwrap_or_default())
        .warn_undeclared(given["warn_undeclared"] == json!(true));
    let found =
        Files::of(&packer::Packer, folder.to_string_lossy(), files.keys().map(|name| file(files, name)));
    let Some(module) = prepared(settings.prepare(&found), shown) else { return Ok(()) };
    let (data, builder) = (data(given)?, builder(given)?);
    let host = packer::Host { data: &data, builder: &builder };
    let evaluation = module.evaluate_with(&inputs(given, files), host);
    titles(evaluation.problems(), shown);
    shown.insert("locals".to_owned(), locals(evaluation.locals()));
    let mut provisioners = Vec::new();
    for build in evaluation.content().builds() {
        for source in build.sources() {
            for provisioner in source.provisioners().iter().filter(|one| one.kind() == "shell-local") {
                let inline = provisioner.body().attribute("inline").map_or(Json::Null, value);
                let source = format!("{}.{}", source.kind(), source.name());
                provisioners.push(json!({"build": build.name(), "source": source, "inline": inline}));
            }
        }
    }
    shown.insert("provisioners".to_owned(), provisioners.into());
    Ok(())
}

/// Returns a module, or shows the titles of its syntax errors.
fn prepared<M>(found: Result<M, Problems>, shown: &mut Map<String, Json>) -> Option<M> {
    found.map_err(|problems| titles(&problems, shown)).ok()
}

/// Returns the outputs of data sources that a case gives, as values or as types.
fn data(given: &Json) -> Result<packer::GivenData, String> {
    let engine = Engine::new();
    let mut data = packer::GivenData::new();
    for (path, output) in given["data"].as_object().into_iter().flatten() {
        let (kind, name) = path.split_once('.').unwrap_or((path, ""));
        let arena = Arena::new();
        data.set(kind, name, scopes::value_from(&arena, output, scopes::example)?);
    }
    for (path, ty) in given["data_types"].as_object().into_iter().flatten() {
        let (kind, name) = path.split_once('.').unwrap_or((path, ""));
        let constraint = engine.type_constraint(ty.as_str().unwrap_or_default(), TypeMode::Constraint);
        let constraint = constraint.map_err(|error| error.to_string())?;
        data.set(kind, name, Value::unknown_of(&Arena::new(), constraint.ty()));
    }
    Ok(data)
}

fn builder(given: &Json) -> Result<Vec<(String, OwnedValue)>, String> {
    let values = given["build_values"].as_object().into_iter().flatten();
    let read = |(name, json): (&String, &Json)| {
        let arena = Arena::new();
        Ok((name.clone(), OwnedValue::new(scopes::value_from(&arena, json, scopes::example)?)))
    };
    values.map(read).collect()
}

fn job(
    case: &Json,
    files: &Map<String, Json>,
    folder: &Path,
    shown: &mut Map<String, Json>,
) -> Result<(), String> {
    let given = &case["given"];
    let settings =
        nomad::Settings::new().granted(granted(given, folder)).strict(given["strict"] != json!(false));
    let is_job = |name: &&String| name.contains(".nomad");
    let others = var_files(given);
    let name = files.keys().find(is_job).or(files.keys().find(|name| !others.contains(&name.as_str())));
    let name = name.ok_or("the case has no file")?;
    let Some(module) = prepared(settings.prepare(&file(files, name)), shown) else { return Ok(()) };
    let evaluation = module.evaluate(&inputs(given, files));
    titles(evaluation.problems(), shown);
    shown.insert("locals".to_owned(), locals(evaluation.locals()));
    if let Some(job) = evaluation.content().job() {
        shown.insert("job".to_owned(), body(job.body()));
        let task = tasks(job).into_iter().next();
        for kind in ["config", "env"] {
            let block = task.and_then(|task| task.body().blocks_of(kind).next());
            shown.insert(kind.to_owned(), block.map_or(json!({}), |block| body(block.body())));
        }
    }
    Ok(())
}

/// Returns the tasks in a block, at any depth.
fn tasks(block: &Block) -> Vec<&Block> {
    let own = if block.kind() == "task" { Some(block) } else { None };
    own.into_iter().chain(block.body().blocks().iter().flat_map(tasks)).collect()
}

fn titles(problems: &Problems, shown: &mut Map<String, Json>) {
    shown.insert("errors".to_owned(), problems.titles(Severity::Error).into());
    shown.insert("warnings".to_owned(), problems.titles(Severity::Warning).into());
}

fn value(value: Value<'_>) -> Json {
    serde_json::to_value(Shown(value).lenient()).unwrap_or_default()
}

fn locals(locals: &[Local]) -> Json {
    Json::Object(locals.iter().map(|local| (local.name().to_owned(), value(local.value()))).collect())
}

/// Returns a body as an object: blocks by their types and labels, several of one place as a list.
fn body(evaluated: &Body) -> Json {
    let mut shown: Map<String, Json> =
        evaluated.attributes().map(|(name, one)| (name.to_owned(), value(one))).collect();
    for block in evaluated.blocks() {
        let mut place = &mut shown;
        let mut keys: Vec<&str> = std::iter::once(block.kind()).chain(block.labels()).collect();
        let last = keys.pop().unwrap_or_default();
        for key in keys {
            let entry = place.entry(key).or_insert_with(|| json!({}));
            if !entry.is_object() {
                *entry = json!({});
            }
            place = entry.as_object_mut().expect("it is made an object above");
        }
        let content = body(block.body());
        match place.get_mut(last) {
            None => {
                place.insert(last.to_owned(), content);
            }
            Some(Json::Array(blocks)) => blocks.push(content),
            Some(first) => *first = json!([first.take(), content]),
        }
    }
    Json::Object(shown)
}
