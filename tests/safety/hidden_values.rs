//! Diagnostics of an engine that hides values: no value of a scope is in any form of them, whatever is evaluated.
//!
//! Each case runs with an engine that shows values as well, where the value has to appear, or the case would prove
//! nothing. Expressions and functions are tried in `secrets`.

use std::collections::BTreeMap;

use hclvm::policy::{Policy, PolicySpec};
use hclvm::run::columns::Column;
use hclvm::spec::Spec;
use hclvm::{Diagnostics, Engine, Error, Scope};
use serde::Deserialize;
use serde_json::{Value, json};

const NEEDLE: &str = "zq7canary";

fn engine(shows: bool) -> Engine {
    Engine::builder().values_in_diagnostics(shows).build()
}

/// Returns the values of a scope. Each part of it has the needle, as a text or as a name.
fn variables() -> Value {
    json!({
        "text": NEEDLE,
        "user": { NEEDLE: 1, "name": NEEDLE },
        "names": [NEEDLE, NEEDLE],
        "sizes": { NEEDLE: [1], "other": 1 },
    })
}

fn set(mut scope: Scope) -> Scope {
    scope.set_all_json(variables().to_string().as_str()).expect("it is an object");
    scope
}

/// Returns diagnostics in all forms.
fn forms(diagnostics: &Diagnostics) -> String {
    assert!(!diagnostics.is_empty(), "nothing is wrong");
    let list: Vec<_> = diagnostics.iter().collect();
    let json = serde_json::to_string(diagnostics).expect("they have a form in JSON");
    format!("{diagnostics} {diagnostics:?} {} {list:?} {json}", diagnostics.report())
}

fn forms_of(error: &Error) -> String {
    format!("{error} {error:?} {:?} {}", error.kind(), forms(&error.to_diagnostics("x.hcl")))
}

/// Evaluates a file as a module and as a document that is decoded.
fn file(engine: &Engine, text: &str) -> [String; 2] {
    let document = engine.parse("x.hcl", text).expect("it is well formed");
    let module = document.module().expect("it compiles");
    let mut session = engine.session();
    let scope = set(module.scope());
    let values = module.evaluate(&mut session, &scope).expect("it is within the limits");
    let decoded = document.decode::<BTreeMap<String, Value>>(&set(document.scope()));
    [forms(values.diagnostics()), forms_of(&decoded.expect_err("it is wrong"))]
}

#[test]
fn files_show_no_values() {
    let each = |rest: &str| format!("dynamic \"b\" {{\n  for_each = names\n  {rest}\n}}\n");
    for text in [
        "a = text + 1\n".to_owned(),
        "a = user.nothing\n".to_owned(),
        "a = [for name, size in sizes : name + size]\n".to_owned(),
        "a = { for name in names : name => 1 }\n".to_owned(),
        "a = parseint(text, 10)\n".to_owned(),
        "a = convert(user, map(number))\n".to_owned(),
        each("content {\n    a = b.value + 1\n  }"),
        each("labels = [convert(sizes, map(number))]\n  content {}"),
        each("labels = [sizes.nothing]\n  content {}"),
    ] {
        for (shown, hidden) in file(&engine(true), &text).iter().zip(file(&engine(false), &text)) {
            assert!(shown.contains(NEEDLE), "{text}: {shown}");
            assert!(!hidden.contains(NEEDLE), "{text}: {hidden}");
        }
    }
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "no value fits")]
struct Config {
    #[serde(default)]
    size: u8,
    #[serde(default)]
    sizes: BTreeMap<String, u8>,
    #[serde(default)]
    kind: Option<Kind>,
    #[serde(default)]
    user: Option<User>,
    #[serde(default)]
    b: BTreeMap<String, User>,
}

#[derive(Debug, Deserialize)]
enum Kind {
    Small,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "no value fits")]
struct User {
    #[serde(default)]
    name: String,
}

#[test]
fn decoding_shows_no_values() {
    let twice = "dynamic \"b\" {\n  for_each = names\n  labels = [b.value]\n  content {}\n}\n";
    for text in ["size = text", "sizes = sizes", "kind = text", "user = user", "user = text", twice] {
        let [shown, hidden] = [true, false].map(|shows| {
            let engine = engine(shows);
            let document = engine.parse("x.hcl", text).expect("it is well formed");
            forms_of(&document.decode::<Config>(&set(document.scope())).expect_err("it does not fit"))
        });
        assert!(shown.contains(NEEDLE) || text == "user = text", "{text}: {shown}");
        assert!(!hidden.contains(NEEDLE), "{text}: {hidden}");
    }
}

#[test]
fn reading_by_a_spec_shows_no_values() {
    let b = "dynamic \"b\" {\n  for_each = names\n  labels = [b.value]\n  content {\n    v = b.key == 0 ? 1 : null\n  }\n}\n";
    let attribute = |ty: &str| json!({ "attribute": { "name": "a", "type": ty } });
    let map = json!({ "block_map": { "type": "b", "labels": ["name"], "content": attribute("any") } });
    let transform = json!({ "transform": { "of": attribute("any"), "variable": "it", "expression": "parseint(it, 10)" } });
    for (text, spec) in [
        ("a = sizes", attribute("map(number)")),
        ("a = { for name in [text] : name => [] }", attribute("map(number)")),
        ("a = text", transform),
        (&b.replace("v =", "a ="), map),
    ] {
        let spec: Spec = serde_json::from_value(spec).expect("a spec");
        let [shown, hidden] = [true, false].map(|shows| {
            // The plan may be of an engine that shows values.
            let (plan, engine) = (engine(true).plan(&spec).expect("a plan"), engine(shows));
            let document = engine.parse("x.hcl", text).expect("it is well formed");
            let (mut session, scope) = (engine.session(), set(document.scope()));
            forms(&session.read(&plan, &document, &scope).expect("it is within the limits").diagnostics)
        });
        assert!(shown.contains(NEEDLE), "{text}: {shown}");
        assert!(!hidden.contains(NEEDLE), "{text}: {hidden}");
    }
}

#[test]
fn decisions_columns_and_names_show_no_values() {
    let [shown, hidden] = [true, false].map(|shows| {
        let engine = engine(shows);
        let mut session = engine.session();

        let text = "rule \"a\" {\n  when   = user.nothing\n  effect = \"deny\"\n}\n";
        let module = engine.parse("x.hcl", text).and_then(|document| document.module()).expect("it compiles");
        let policy: Policy = module.policy(&PolicySpec::default()).expect("a policy");
        let scope = set(module.scope());
        let decision = policy.decide(&mut session, &scope).expect("it is within the limits");
        let decided = forms(decision.diagnostics());

        let document = engine.parse("x.hcl", "a = text + 1\nb = zq7canari").expect("it is well formed");
        let program = |name| document.attribute(name).expect("it is there").program().expect("it compiles");
        let scope = document.scope();
        let mut columns = scope.columns(1);
        columns.set("text", Column::from(&[NEEDLE])).expect("a row");
        let output = session.run_columns(&program("a"), &columns).expect("it is within the limits");
        let row = forms_of(output.failures().first().map(|(_, error)| error).expect("it fails"));

        // A variable that no program reads is named by the request.
        let mut scope = document.scope();
        let named = json!({ NEEDLE: 1 });
        scope.set_all_json(named.to_string().as_str()).expect("it is an object");
        let name = forms_of(&session.run(&program("b"), &scope).map(drop).expect_err("it has no value"));

        [decided, row, name]
    });
    for (shown, hidden) in shown.iter().zip(hidden) {
        assert!(shown.contains(NEEDLE), "{shown}");
        assert!(!hidden.contains(NEEDLE), "{hidden}");
    }
}

#[test]
fn places_types_and_checks_remain() {
    let engine = engine(false);
    let document = engine.parse("x.hcl", "a = user.nmae\n").expect("it is well formed");
    let program = document.attribute("a").expect("it is there").program().expect("it compiles");
    let error = engine.session().run(&program, &set(document.scope())).map(drop).expect_err("it is missing");
    assert_eq!(error.to_string(), "x.hcl:1:9: Unsupported attribute: This object has no attribute \"nmae\".");

    let types = engine.parse("types.hcl", "user = object({ name = string })\n").expect("it is well formed");
    let declared = hclvm::check::Declared::of_schema(&types).expect("types");
    assert!(document.check(&declared).to_string().contains("Did you mean \"name\"?"));
}
