//! The examples of the repository give their expected results.
//!
//! The expected files hold what this test collects: variables with the place of each value, locals, and the bodies
//! of builds or of the job. `UPDATE=1` writes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hclvm::{Engine, Json, Value};
use hclvm_dialects::{Body, File, Files, Inputs, Local, Variable, nomad, packer};
use serde_json::{Map, Value as Data, json};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)
}

fn data(value: Value<'_>) -> Data {
    serde_json::to_value(Json(value).lenient()).expect("a value")
}

fn variables(variables: &[Variable]) -> Data {
    let one = |variable: &Variable| {
        let origin = variable.origin().map(ToString::to_string);
        (variable.name().to_owned(), json!({"value": data(variable.value()), "from": origin}))
    };
    Data::Object(variables.iter().map(one).collect())
}

fn locals(locals: &[Local]) -> Data {
    Data::Object(locals.iter().map(|one| (one.name().to_owned(), data(one.value()))).collect())
}

/// Returns a body as an object; its blocks are a list of their headers and bodies.
fn body(body: &Body) -> Data {
    let attributes = body.attributes().map(|(name, value)| (name.to_owned(), data(value)));
    let mut shown: Map<String, Data> = attributes.collect();
    let blocks = body.blocks().iter().map(|block| {
        let header: Vec<&str> = std::iter::once(block.kind()).chain(block.labels()).collect();
        json!({"block": header.join(" "), "body": self::body(block.body())})
    });
    let blocks: Vec<Data> = blocks.collect();
    if !blocks.is_empty() {
        shown.insert("blocks".to_owned(), blocks.into());
    }
    Data::Object(shown)
}

fn step(step: &packer::Provisioner) -> Data {
    json!({"type": step.kind(), "arguments": body(step.arguments()), "body": body(step.body())})
}

fn source(source: &packer::Source) -> Data {
    let sequences: Vec<Vec<Data>> =
        source.post_processors().iter().map(|one| one.iter().map(step).collect()).collect();
    json!({
        "source": format!("{}.{}", source.kind(), source.name()),
        "body": body(source.body()),
        "provisioners": source.provisioners().iter().map(step).collect::<Vec<_>>(),
        "post-processors": sequences,
    })
}

/// Compares with the expected file, or writes it.
fn check(path: &Path, found: &Data) {
    if std::env::var_os("UPDATE").is_some() {
        let text = serde_json::to_string_pretty(found).expect("JSON") + "\n";
        fs::write(path, text).expect("the file can be written");
    }
    let expected = fs::read(path).expect("the expected results");
    // As values: the order of members depends on features of serde_json that the build turns on.
    assert_eq!(*found, serde_json::from_slice::<Data>(&expected).expect("JSON"));
}

#[test]
fn a_template_gives_its_expected_results() {
    let folder = folder("packer");
    let engine = Engine::new();
    let mut outputs = packer::GivenData::new();
    let given: Map<String, Data> =
        serde_json::from_slice(&fs::read(folder.join("data.json")).expect("a file")).expect("JSON");
    for (kind, sources) in &given {
        for (name, output) in sources.as_object().expect("outputs by name") {
            // A JSON object is also an expression.
            let program =
                engine.compile(output.to_string().as_str(), &Arc::default()).expect("an expression");
            let scope = engine.scope(program.layout());
            outputs.set(kind, name, engine.session().run(&program, &scope).expect("a value"));
        }
    }
    let files = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        File::new(name, fs::read(path).expect("a file"))
    };
    let files = Files::of(&packer::Packer, "examples/packer", files.map(read));
    let module = packer::Settings::new().prepare(&files).expect("no syntax errors");
    let host = packer::Host { data: &outputs, ..packer::Host::default() };
    let inputs = Inputs::new().environment([("PKR_VAR_deploy_key", "secret")]);
    let evaluation = module.evaluate_with(&inputs, host);
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let builds: Vec<Data> = evaluation
        .content()
        .builds()
        .iter()
        .map(|build| json!({"name": build.name(), "sources": build.sources().iter().map(source).collect::<Vec<_>>()}))
        .collect();
    let found = json!({
        "variables": variables(evaluation.variables()),
        "locals": locals(evaluation.locals()),
        "builds": builds,
        "secrets": evaluation.secrets(),
    });
    check(&folder.join("expected.json"), &found);
}

#[test]
fn a_job_gives_its_expected_results() {
    let folder = folder("nomad");
    let read = |name: &str| File::new(name, fs::read(folder.join(name)).expect("a file"));
    let module = nomad::Settings::new().prepare(&read("web.nomad.hcl")).expect("no syntax errors");
    let evaluation = module.evaluate(&Inputs::new().file(read("production.hcl")).argument("count", "3"));
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let texts: Vec<String> = evaluation
        .content()
        .runtime_texts()
        .iter()
        .map(|one| format!("{}: {}", one.position().1.line, one.reference()))
        .collect();
    let found = json!({
        "variables": variables(evaluation.variables()),
        "locals": locals(evaluation.locals()),
        "job": evaluation.content().job().map(|job| body(job.body())),
        "runtime texts": texts,
    });
    check(&folder.join("expected.json"), &found);
}

#[test]
fn a_wrong_value_is_told_where_it_is() {
    let folder = folder("packer");
    let files = Files::read(&packer::Packer, &folder).expect("a template");
    let module = packer::Settings::new().prepare(&files).expect("no syntax errors");
    let evaluation = module.evaluate(&Inputs::new().file(File::new("asia.hcl", "region = \"ap-east-1\"\n")));
    let told = evaluation.problems().to_string();
    assert!(told.starts_with("asia.hcl:1:10: Invalid value for varfile variable"), "{told}");
}
