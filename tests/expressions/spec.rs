//! Specs: bodies as one value, and the diagnostics if they do not fit.

use hclvm::Engine;
use hclvm::spec::Spec;
use serde_json::{Value as Json, json};

/// Returns the value of `text` by `spec` as JSON, and position and title of every diagnostic.
fn read(spec: &Json, text: &str) -> (Json, Vec<String>) {
    let engine = Engine::standard();
    let spec: Spec = serde_json::from_value(spec.clone()).expect("it is a spec");
    let plan = engine.plan(&spec).expect("its types and expressions are well formed");
    let document = engine.parse("t.hcl", text).expect("the text is well formed");
    let mut scope = document.scope();
    scope.set_unknown("unknown");
    let mut session = engine.session();
    let result = session.read(&plan, &document, &scope).expect("no limit");
    let place = |problem: &hclvm::Diagnostic| {
        let at = document.source().position(problem.subject.expect("every problem has a place").start);
        format!("{}:{} {}", at.line, at.column, problem.title)
    };
    let problems = result.diagnostics.iter().map(place).collect();
    let shown = hclvm::from_value(result.value).unwrap_or(json!("not known"));
    (shown, problems)
}

/// Returns the value of a text without problems.
fn value(spec: Json, text: &str) -> Json {
    let (value, problems) = read(&spec, text);
    assert_eq!(problems, [""; 0], "{text}");
    value
}

fn problems(spec: Json, text: &str) -> Vec<String> {
    read(&spec, text).1
}

fn attribute(name: &str, ty: &str) -> Json {
    json!({ "attribute": { "name": name, "type": ty } })
}

#[test]
fn attributes_are_converted_to_their_type() {
    assert_eq!(value(attribute("a", "number"), "a = \"5\"\n"), json!(5));
    assert_eq!(value(attribute("a", "list(string)"), "a = [1, true]\n"), json!(["1", "true"]));
    assert_eq!(value(attribute("a", "string"), ""), json!(null));
    let object = "object({ x = optional(number, 7), y = string })";
    assert_eq!(value(attribute("a", object), "a = { y = 1 }\n"), json!({ "x": 7, "y": "1" }));
    let required = json!({ "attribute": { "name": "a", "required": true } });
    assert_eq!(problems(required, ""), ["1:1 Missing required argument"]);
    assert_eq!(problems(attribute("a", "number"), "a = \"x\"\n"), ["1:5 Incorrect attribute value type"]);
    assert_eq!(problems(attribute("a", "number"), "a = nope\n"), ["1:5 Unknown variable"]);
    assert_eq!(problems(attribute("a", "number"), "b = 1\n"), ["1:1 Unsupported argument"]);
}

#[test]
fn objects_and_tuples_hold_the_values_of_their_parts() {
    let spec = json!({ "object": { "x": attribute("a", "any"), "y": { "literal": [1, { "z": null }] } } });
    assert_eq!(value(spec, "a = 2\n"), json!({ "x": 2, "y": [1, { "z": null }] }));
    let spec = json!({ "tuple": [attribute("a", "any"), attribute("b", "any")] });
    assert_eq!(value(spec, "b = 2\n"), json!([null, 2]));
}

#[test]
fn a_default_replaces_null() {
    let spec = json!({ "default": { "primary": attribute("a", "number"), "fallback": { "literal": 3 } } });
    assert_eq!(value(spec.clone(), ""), json!(3));
    assert_eq!(value(spec.clone(), "a = null\n"), json!(3));
    assert_eq!(value(spec, "a = 0\n"), json!(0));
}

#[test]
fn expressions_transform_values() {
    let spec = |expression: &str| json!({ "transform": { "of": attribute("a", "number"), "variable": "it", "expression": expression } });
    assert_eq!(value(spec("it * 2"), "a = 4\n"), json!(8));
    assert_eq!(problems(spec("it.x"), "a = 4\n"), ["1:5 Transform function failed"]);
    assert_eq!(problems(spec("it * 2"), "a = \"x\"\n"), ["1:5 Incorrect attribute value type"]);
    assert_eq!(read(&spec("1"), "a = \"x\"\n").0, json!("not known"));
    assert_eq!(value(spec("1"), "a = 2\n"), json!(1));
}

fn one(required: bool) -> Json {
    json!({ "block": { "type": "b", "required": required, "content": attribute("a", "number") } })
}

#[test]
fn a_block_has_the_value_of_its_body() {
    assert_eq!(value(one(false), "b {\n a = 1\n}\n"), json!(1));
    assert_eq!(value(one(false), ""), json!(null));
    assert_eq!(problems(one(true), ""), ["1:1 Missing b block"]);
    assert_eq!(problems(one(false), "b {}\nb {}\n"), ["2:1 Duplicate b block"]);
    assert_eq!(problems(one(false), "b x {}\n"), ["1:3 Extraneous label for b"]);
}

#[test]
fn several_blocks_become_a_collection() {
    let many = |kind: &str, ty: &str| json!({ kind: { "type": "b", "content": attribute("a", ty) } });
    let text = "b { a = 2 }\nb { a = \"x\" }\nb { a = 2 }\n";
    assert_eq!(value(many("block_list", "any"), text), json!(["2", "x", "2"]));
    assert_eq!(value(many("block_tuple", "any"), text), json!([2, "x", 2]));
    assert_eq!(value(many("block_set", "any"), text), json!(["2", "x"]));
    assert_eq!(value(many("block_list", "string"), ""), json!([]));
    let text = "b { a = [] }\nb { a = {} }\n";
    assert_eq!(problems(many("block_list", "any"), text), ["1:9 Unconsistent argument types in b blocks"]);
    let text = "dynamic b {\n for_each = [1, 2]\n content {\n a = b.value\n }\n}\n";
    assert_eq!(value(many("block_list", "any"), text), json!([1, 2]));
    assert_eq!(value(many("block_list", "any"), &text.replace("[1, 2]", "unknown")), json!("not known"));
}

#[test]
fn blocks_are_counted() {
    let spec = json!({ "block_list": { "type": "b", "min": 1, "max": 2, "content": attribute("a", "any") } });
    assert_eq!(problems(spec.clone(), ""), ["1:1 Insufficient b blocks"]);
    assert_eq!(problems(spec.clone(), "b { a = 1 }\nb { a = 1 }\nb { a = 1 }\n"), ["3:9 Too many b blocks"]);
    assert_eq!(value(spec.clone(), "b { a = 1 }\n"), json!([1]));
    assert_eq!(value(spec, "b { a = 1 }\nb { a = 1 }\n"), json!([1, 1]));
    let spec = json!({ "block_list": { "type": "b", "max": 1, "content": attribute("a", "any") } });
    assert_eq!(value(spec.clone(), ""), json!([]));
    assert_eq!(problems(spec, "b {}\nb {}\nb {}\n"), ["2:3 Too many b blocks"]);
    let spec = json!({ "block_list": { "type": "b", "min": 2, "content": attribute("a", "any") } });
    assert_eq!(problems(spec.clone(), "b {}\n"), ["1:1 Insufficient b blocks"]);
    assert_eq!(value(spec, "b {}\nb {}\nb {}\n"), json!([null, null, null]));
}

#[test]
fn labels_become_keys_or_values() {
    let content = json!({ "object": {
        "a": attribute("a", "number"),
        "name": { "label": { "index": 0, "name": "name" } },
    } });
    let list = json!({ "block_list": { "type": "b", "content": content } });
    assert_eq!(value(list.clone(), "b x { a = 1 }\n"), json!([{ "a": 1, "name": "x" }]));
    assert_eq!(problems(list, "b {}\n"), ["1:3 Missing name for b"]);
    let map = json!({ "block_map": { "type": "b", "labels": ["kind"], "content": content } });
    assert_eq!(value(map.clone(), "b k x { a = 1 }\n"), json!({ "k": { "a": 1, "name": "x" } }));
    assert_eq!(problems(map, "b k x {}\nb k y {}\n"), ["2:1 Duplicate b block"]);
    let keyed =
        |kind: &str| json!({ kind: { "type": "b", "labels": ["p", "q"], "content": attribute("a", "any") } });
    let text = "b x y { a = 1 }\nb x z { a = 2 }\nb w y { a = \"3\" }\n";
    assert_eq!(value(keyed("block_object"), text), json!({ "w": { "y": "3" }, "x": { "y": 1, "z": 2 } }));
    assert_eq!(value(keyed("block_map"), text), json!({ "w": { "y": "3" }, "x": { "y": "1", "z": "2" } }));
    assert_eq!(problems(keyed("block_map"), "b x y {}\nb x y {}\n"), ["2:1 Duplicate b block"]);
}

#[test]
fn a_block_of_attributes_is_a_map() {
    let spec = json!({ "block_attributes": { "type": "b", "element": "string", "required": true } });
    assert_eq!(value(spec.clone(), "b {\n x = 1\n y = \"z\"\n}\n"), json!({ "x": "1", "y": "z" }));
    assert_eq!(value(spec.clone(), "b {}\n"), json!({}));
    assert_eq!(problems(spec.clone(), ""), ["1:1 Missing b block"]);
    assert_eq!(problems(spec.clone(), "b {}\nb {}\n"), ["2:1 Duplicate b block"]);
    assert_eq!(problems(spec.clone(), "b {\n x = []\n}\n"), ["2:6 Invalid attribute value"]);
    assert_eq!(problems(spec, "b {\n c {}\n}\n"), ["2:2 Unexpected \"c\" block"]);
}

#[test]
fn invalid_specs_are_rejected_before_use() {
    let engine = Engine::standard();
    let refused = |spec: Json| {
        let spec: Spec = serde_json::from_value(spec).expect("it is a spec");
        engine.plan(&spec).expect_err("it is wrong").to_string()
    };
    assert!(refused(attribute("a", "list(")).contains("1:"), "a type that does not parse");
    assert!(refused(attribute("a", "lost(string)")).contains("Invalid type specification"));
    let keyless = json!({ "block_map": { "type": "b", "labels": [], "content": attribute("a", "any") } });
    assert!(refused(keyless).contains("label"));
}
