//! Modules as applications read them: small texts, and the values or the titles of problems they give.

mod bad_input;
mod bodies;
mod builds;
mod checks;
mod data;
mod files;
mod inputs;
mod locals;
mod messages;
mod nomad_bodies;
mod nomad_schema;
mod nomad_text;
mod plugins;
mod secrets;
mod structure;
mod validation;
mod values;
mod variables;
mod versions;
mod watched;
mod why;
mod withheld;

use std::collections::BTreeMap;

use hclvm::Json;
use hclvm::Value;
use hclvm::diagnostics::Severity;
use hclvm::functions::Capabilities;
use hclvm_dialects::{Block, Body, File, Files, Inputs, Problems, nomad, packer};

/// Returns the files of a template: names and texts.
fn template(files: &[(&str, &str)]) -> Files {
    Files::of(&packer::Packer, "images", files.iter().map(|(name, text)| File::new(*name, *text)))
}

/// Evaluates a template of several files.
fn packer_files(files: &[(&str, &str)], inputs: &Inputs) -> Result<packer::Evaluation, Problems> {
    let granted =
        Capabilities::none().environment(BTreeMap::from([("HOME".to_owned(), "/home/me".to_owned())]));
    let module = packer::Settings::new().granted(granted).prepare(&template(files))?;
    Ok(module.evaluate(inputs))
}

/// Evaluates a template of one file.
fn evaluated(text: &str, inputs: &Inputs) -> packer::Evaluation {
    packer_files(&[("main.pkr.hcl", text)], inputs).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Evaluates a job.
fn job(text: &str, inputs: &Inputs) -> nomad::Evaluation {
    let file = File::new("web.nomad.hcl", text);
    let module = nomad::Settings::new().prepare(&file).unwrap_or_else(|problems| panic!("{problems:?}"));
    module.evaluate(inputs)
}

/// Returns the titles of the errors of a template without inputs.
fn errors(text: &str) -> Vec<String> {
    errors_with(text, &Inputs::new())
}

fn errors_with(text: &str, inputs: &Inputs) -> Vec<String> {
    titles(evaluated(text, inputs).problems())
}

fn job_errors(text: &str, inputs: &Inputs) -> Vec<String> {
    titles(job(text, inputs).problems())
}

fn titles(problems: &Problems) -> Vec<String> {
    problems.titles(Severity::Error).into_iter().map(str::to_owned).collect()
}

/// Returns a value as JSON; unknown values by their type.
fn json(value: Value<'_>) -> String {
    serde_json::to_string(&Json(value).lenient()).expect("a value")
}

/// Returns a local value of a template without problems as JSON.
fn local(text: &str, inputs: &Inputs, name: &str) -> String {
    let evaluation = evaluated(text, inputs);
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    json(evaluation.local(name).expect("the local has a value"))
}

/// Returns the attributes of a body as text, blocks in braces.
fn shown(body: &Body) -> String {
    let attributes = body.attributes().map(|(name, value)| format!("{name}={}", json(value)));
    let blocks = body.blocks().iter().map(|block| {
        let labels: Vec<&str> = block.labels().collect();
        let header = std::iter::once(block.kind()).chain(labels).collect::<Vec<_>>().join(" ");
        format!("{header} {{{}}}", shown(block.body()))
    });
    attributes.chain(blocks).collect::<Vec<_>>().join(", ")
}

/// Returns the task of a job with one.
fn task(text: &str) -> Body {
    let text = format!("job \"j\" {{\n group \"g\" {{\n task \"t\" {{\n{text}\n}}\n}}\n}}\n");
    let evaluation = job(&text, &Inputs::new());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let find = |body: &Body, kind: &str| body.blocks_of(kind).next().map(Block::body).cloned();
    let group = evaluation.content().job().and_then(|job| find(job.body(), "group")).expect("a group");
    find(&group, "task").expect("a task")
}

/// Returns the titles of the errors of a task.
fn task_errors(text: &str) -> Vec<String> {
    let text = format!("job \"j\" {{\n group \"g\" {{\n task \"t\" {{\n{text}\n}}\n}}\n}}\n");
    job_errors(&text, &Inputs::new())
}
