//! `Document::check`: what is found without values, what with declared variables, and what is not reported
//! because some value makes it right.

use hclvm::check::Declared;
use hclvm::syntax::TypeMode;
use hclvm::{Dialect, Engine};

/// The details of all problems of a file, each after the text that it marks.
fn problems(text: &str, declared: &Declared) -> Vec<String> {
    let document = Engine::standard().parse("x.hcl", text).expect("the text parses");
    let found = document.check(declared);
    let marked = |one: &hclvm::Diagnostic| one.subject.map_or("", |subject| subject.slice(text)).to_owned();
    found.iter().map(|one| format!("{}: {}", marked(one), one.title)).collect()
}

fn without_values(text: &str) -> Vec<String> {
    problems(text, &Declared::anything())
}

fn typed(variables: &[(&str, &str)]) -> Declared {
    let engine = Engine::standard();
    variables.iter().fold(Declared::new(), |declared, (name, ty)| {
        let constraint = engine.type_constraint(ty, TypeMode::WithDefaults).expect("a type");
        declared.variable(name, &constraint)
    })
}

#[test]
fn calls_and_operands_are_checked_without_values() {
    for (text, wanted) in [
        ("x = upper(a, b)", "b: Too many function arguments"),
        ("x = a ? upper(a, 2) : 3", "2: Too many function arguments"),
        ("x = a && upper(b, 2)", "2: Too many function arguments"),
        ("x = [for one in a : lower(one, 2)]", "2: Too many function arguments"),
        ("x = { for k, v in a : k => abs(v, 2) }", "2: Too many function arguments"),
        ("x = [for one in a : one if substr(one)]", "): Not enough function arguments"),
        ("x = [for one in [1, 2] : abs(one, 2) if a]", "2: Too many function arguments"),
        ("x = [1] + a", "[1]: Invalid operand"),
        ("x = a ? [1] : { b = 1 }", "[1] : { b = 1 }: Inconsistent conditional result types"),
        ("x = [a] ? 1 : 2", "[a]: Incorrect condition type"),
        ("x = \"a ${[a]} b\"", "[a]: Invalid template interpolation value"),
    ] {
        assert_eq!(without_values(text), [wanted], "{text}");
    }
}

#[test]
fn locals_are_checked_without_values() {
    let locals = "locals {\n  age = \"ten\"\n  user = { name = a.name }\n}\n";
    for (text, wanted) in [
        ("x = local.age + 1", "local.age: Invalid operand"),
        ("x = local.usr", ".usr: Unsupported attribute"),
        ("x = local.user.nmae", ".nmae: Unsupported attribute"),
        ("x = a ? local.user.nmae : 1", ".nmae: Unsupported attribute"),
    ] {
        assert_eq!(without_values(&format!("{locals}{text}")), [wanted], "{text}");
    }
    let cycle = without_values("locals {\n  a = local.b\n  b = local.a\n}\nx = local.a + upper(1, 2)\n");
    assert_eq!(cycle, ["a: Dependency cycle", "2: Too many function arguments"]);
}

#[test]
fn blocks_are_checked_as_deep_as_they_are() {
    let nested = "a {\n  b {\n    c \"d\" {\n      x = upper(1, 2)\n    }\n  }\n}\n";
    assert_eq!(without_values(nested), ["2: Too many function arguments"]);
}

#[test]
fn the_content_of_dynamic_blocks_is_checked_for_known_and_unknown_elements() {
    let dynamic = |each: &str, value: &str| {
        let text =
            format!("dynamic \"port\" {{\n  for_each = {each}\n  content {{\n    x = {value}\n  }}\n}}\n");
        without_values(&text)
    };
    assert_eq!(dynamic("a", "port.vlue"), [".vlue: Unsupported attribute"]);
    assert_eq!(dynamic("[{ b = 1 }, { b = 2 }]", "port.value.c"), [".c: Unsupported attribute"]);
    assert_eq!(dynamic("{ b = 1 }", "port.key + 1"), ["port.key: Invalid operand"]);
    assert_eq!(dynamic("7", "1"), ["7: Invalid dynamic for_each value"]);
    assert!(dynamic("a", "port.value.c").is_empty());
}

#[test]
fn what_some_value_makes_right_is_not_told() {
    for text in [
        "x = a.b.c + 1",
        "x = try(local.missing, 1)",
        "x = can(a.b.c)",
        "locals {\n  off = null\n}\nx = local.off == null ? 1 : local.off.size",
        "x = [for one in [] : one.b]",
        "x = [for one in a : one.b if one.c != null]",
        "x = { for one in a : one.name => one }",
        "x = \"${a} and ${a.b}\"",
        "x = a[*].b",
        "x = a.b ? \"text\" : 1",
        "x = !a && -b > 1",
    ] {
        assert_eq!(without_values(text), [""; 0], "{text}");
    }
}

#[test]
fn undeclared_variables_are_told_wherever_they_decide() {
    let declared = typed(&[("user", "object({ role = string })")]);
    for text in [
        "x = user.role == \"admin\" || resource.public",
        "x = resource.public || user.role == \"admin\"",
        "x = user.role == \"a\" ? resource : 1",
        "x = [for one in user.role == \"a\" ? [1] : [2] : resource]",
    ] {
        assert_eq!(problems(text, &declared), ["resource: Unknown variable"], "{text}");
    }
    assert!(problems("x = try(resource.public, false)", &declared).is_empty());
}

#[test]
fn literals_of_other_languages_are_no_variables_unless_declared() {
    for (text, wanted) in
        [("x = a == nil", "nil: Unknown variable"), ("x = a && True", "True: Unknown variable")]
    {
        assert_eq!(without_values(text), [wanted], "{text}");
    }
    let document = Engine::standard().parse("x.hcl", "x = a == nil").expect("the text parses");
    let found = document.check(&Declared::anything()).to_string();
    assert!(found.ends_with("Did you mean \"null\"?"), "{found}");
    assert!(document.check(&Declared::anything().name("nil")).is_empty());
}

#[test]
fn declared_types_are_checked() {
    let declared = typed(&[
        ("user", "object({ role = string, age = optional(number, 1), tags = map(bool) })"),
        ("roles", "list(object({ name = string }))"),
    ]);
    for (text, wanted) in [
        ("x = user.nmae", ".nmae: Unsupported attribute"),
        ("x = roles[0].nmae", ".nmae: Unsupported attribute"),
        ("x = [for r in roles : r.nmae]", ".nmae: Unsupported attribute"),
        ("x = roles[*].nmae", ".nmae: Unsupported attribute"),
        ("x = roles.name", ".name: Unsupported attribute"),
        ("x = [for k, v in user.tags : v + 1]", "v: Invalid operand"),
        ("x = \"${roles}, and more\"", "roles: Invalid template interpolation value"),
        ("x = user.tags ? 1 : 2", "user.tags: Incorrect condition type"),
        ("x = upper(roles)", "roles: Invalid function argument"),
    ] {
        assert_eq!(problems(text, &declared), [wanted], "{text}");
    }
    let right = "x = user.age + length(roles[*].name)\ny = [for k, v in user.tags : k if v]\n";
    assert_eq!(problems(right, &declared), [""; 0]);
}

#[test]
fn samples_declare_lists_of_any_length_and_all_attributes_of_their_elements() {
    let sample = serde_json::json!({"rules": [{"name": "a"}, {"port": 80}], "note": null, "tags": []});
    let declared = Declared::new().sample("config", &sample).expect("a sample");
    let right =
        "x = config.rules[9].name\ny = config.rules[0].port + 1\nz = config.note.any + config.tags[3]\n";
    assert_eq!(problems(right, &declared), [""; 0]);
    assert_eq!(problems("x = config.rules[0].size", &declared), [".size: Unsupported attribute"]);
    let joined = declared.sample("config", &serde_json::json!({"rules": [{"size": 1}]})).expect("a sample");
    assert_eq!(problems("x = config.rules[0].size + config.rules[0].port", &joined), [""; 0]);
}

#[test]
fn a_scope_declares_the_variables_it_has() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "x = user.name\ny = usr.name\n").expect("the text parses");
    let mut scope = document.scope();
    scope.set_json("user", r#"{"name": "a"}"#).expect("JSON");
    let found = document.check(&Declared::of_scope(&scope));
    assert_eq!(found.iter().map(|one| &*one.title).collect::<Vec<_>>(), ["Unknown variable"]);
}

#[test]
fn a_schema_tells_what_is_not_a_type() {
    let engine = Engine::standard();
    let schema = engine.parse("types.hcl", "user = object({ name = strin })\nrule {}\n").expect("it parses");
    let error = Declared::of_schema(&schema).expect_err("no types");
    assert_eq!(error.diagnostics().map(hclvm::Diagnostics::len), Some(2));
}

#[test]
fn names_outside_of_the_declaration_follow_the_dialect() {
    let engine = Engine::builder().dialect(Dialect::nomad(&hclvm::functions::Capabilities::none())).build();
    let document = engine.parse("x.hcl", "x = \"${attr.kernel.name}\"").expect("the text parses");
    assert!(document.check(&Declared::new()).is_empty());
}

#[test]
fn documents_in_json_are_checked() {
    let engine = Engine::standard();
    let text = r#"{"locals": {"age": "${[1]}"}, "x": "${local.age + 1}", "y": {"z": "${upper(1, 2)}"}}"#;
    let document = engine.parse_json("x.hcl.json", text).expect("the text parses");
    let titles: Vec<_> =
        document.check(&Declared::anything()).iter().map(|one| one.title.to_string()).collect();
    assert_eq!(titles, ["Invalid operand", "Too many function arguments"]);
}

#[test]
fn functions_that_the_host_has_not_granted_have_unknown_results() {
    let engine = Engine::builder().dialect(Dialect::packer(&hclvm::functions::Capabilities::none())).build();
    let document = engine.parse("x.hcl", "x = upper(env(\"HOME\"))\ny = env()\n").expect("the text parses");
    assert_eq!(document.check(&Declared::anything()).len(), 1);
}

#[test]
fn problems_are_told_once_and_in_the_order_of_the_text() {
    let text = "x = [for n in [1, 2, 3] : n.a]\nlocals {\n  b = upper(1, 2)\n}\ny = nosuch(1)\n";
    let wanted =
        [".a: Unsupported attribute", "2: Too many function arguments", "nosuch: Call to unknown function"];
    assert_eq!(without_values(text), wanted);
}
