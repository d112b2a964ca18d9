//! What evaluation errors say about the text that was found, about types that differ, and about names that look like
//! others. Values and changes beside the sentences are tested in tests/expressions/messages.rs.

use hclvm::{Dialect, Engine};
use serde_json::json;

/// Returns the details of the diagnostics of a file that is evaluated with the variables of `scope`.
fn details(text: &str, scope: &serde_json::Value) -> Vec<String> {
    let engine = Engine::new();
    let module = engine.parse("x.hcl", text).and_then(|document| document.module()).expect("it compiles");
    let mut variables = module.scope();
    variables.set_all_json(scope.to_string().as_str()).expect("it is an object");
    let mut session = engine.session();
    let values = module.evaluate(&mut session, &variables).expect("it is within the limits");
    values.diagnostics().iter().map(|one| one.detail.to_string()).collect()
}

/// Returns the details of an expression.
fn of(expression: &str, scope: &serde_json::Value) -> String {
    details(&format!("x = {expression}"), scope).join("\n")
}

/// Returns the titles and details of the syntax errors of a file.
fn syntax(text: &str) -> String {
    let (_, found) = Engine::new().parse_lenient("x.hcl", text);
    found.iter().map(|one| format!("{}: {}", one.title, one.detail)).collect::<Vec<_>>().join("\n")
}

#[test]
fn results_of_conditionals_differ_in_a_part_that_is_named() {
    for (expression, difference) in [
        (
            "true ? {a = 1, b = 2} : {a = 1, b = []}",
            "\"b\" is number in the true result and tuple in the false result.",
        ),
        (
            "true ? {x = {y = {z = 1}}} : {x = {y = {z = []}}}",
            "\"x.y.z\" is number in the true result and tuple in the false result.",
        ),
        ("true ? {a = {x = 1}} : {a = {y = []}}", "\"a.x\" is only in the true result."),
        ("true ? {a = []} : {a = [], y = 1}", "\"y\" is only in the false result."),
        (
            "true ? [] : [{a = \"s\"}, {d = [\"l\"]}]",
            "The true result has length 0, the false result length 2.",
        ),
        (
            "true ? {a = [1, {}]} : {a = [1]}",
            "\"a\" has length 2 in the true result and length 1 in the false result.",
        ),
        (
            "true ? [1, {a = 1}] : [1, {a = []}]",
            "\"[1].a\" is number in the true result and tuple in the false result.",
        ),
        (
            "true ? tolist([{a = 1}]) : tolist([{a = {}}])",
            "\"[*].a\" is number in the true result and object in the false result.",
        ),
    ] {
        let found = of(expression, &json!({}));
        assert!(found.ends_with(&format!("must have a common type. {difference}")), "{expression}: {found}");
    }
    let whole = of("true ? 1 : []", &json!({}));
    assert!(whole.ends_with("both results of a conditional must have a common type."), "{whole}");
}

#[test]
fn of_marked_results_no_part_is_named() {
    let engine = Engine::new();
    let document = engine.parse("x.hcl", "x = true ? {a = 1} : v\ny = v.n + 1").expect("it parses");
    let (mut session, mut scope) = (engine.session(), document.scope());
    scope.set_marked("v", &json!({"zq7name": [], "n": "zq7text"}), ["sensitive"]).expect("it fits");
    for name in ["x", "y"] {
        let program = document.attribute(name).expect("it is there").program().expect("it compiles");
        let error = session.run(&program, &scope).expect_err("it fails");
        assert!(!format!("{error:?}").contains("zq7"), "{error:?}");
    }
}

#[test]
fn the_text_that_is_no_number_is_shown() {
    let scope = json!({ "s": "12 apples", "e": "", "b": "yes", "l": ["1", "x"] });
    for (expression, expected) in [
        ("s + 1", "Unsuitable left operand: expected a number, found the string \"12 apples\"."),
        ("1 - e", "Unsuitable right operand: expected a number, found an empty string."),
        ("!b", "Unsuitable unary operand: expected a bool, found the string \"yes\"."),
        ("b ? 1 : 2", "expected a bool, found the string \"yes\"."),
        ("tonumber(s)", "expected a number, found the string \"12 apples\"."),
        ("substr(\"abc\", s, 1)", "expected a number, found the string \"12 apples\"."),
        ("max(1, s)", "expected a number, found the string \"12 apples\"."),
        ("[1][s]", "expected a number, found the string \"12 apples\"."),
    ] {
        let found = of(expression, &scope);
        assert!(found.contains(expected), "{expression}: {found}");
    }
    let long = of("s + 1", &json!({ "s": "é".repeat(100) }));
    assert!(long.contains(&format!("found the string \"{}\"…", "é".repeat(60))), "{long}");

    let hiding = Engine::builder().values_in_diagnostics(false).build();
    let document = hiding.parse("x.hcl", "x = s + 1").expect("it parses");
    let mut scope = document.scope();
    scope.set("s", "12 apples").expect("it fits");
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let error = hiding.session().run(&program, &scope).expect_err("it is no number").to_string();
    assert!(error.contains("expected a number, found a string that does not denote one"), "{error}");
}

#[test]
fn splats_over_maps_have_their_values_proposed() {
    let map = json!({ "m": { "a": { "id": 1 }, "b": { "id": 2 } }, "one": { "id": 1 } });
    for expression in ["m[*].name", "m.*.name"] {
        let found = of(expression, &map);
        assert!(
            found.ends_with("A splat iterates over a list: for each value of this map, write values(m)."),
            "{found}"
        );
    }
    assert!(!of("one[*].name", &map).contains("values("), "its values are no objects");
    assert!(!of("m.c", &map).contains("values("), "there is no splat");
}

#[test]
fn variables_of_other_tools_and_blocks_get_advice() {
    let scope = json!({});
    let found = details("variable \"region\" {\n  default = 1\n}\nx = var.region\n", &scope);
    assert_eq!(
        found,
        [
            "The variable \"var\" has no value in this scope. Blocks of type \"variable\" declare nothing here: the host sets variables, and an expression reads them by their names alone, without `var.`."
        ]
    );
    assert!(of("var.region", &scope).ends_with(
        "The host sets variables, and an expression reads them by their names alone, without `var.`."
    ));
    let found = details("tags {\n  env = \"prod\"\n}\nx = tags.env\n", &scope);
    assert_eq!(
        found,
        [
            "The variable \"tags\" has no value in this scope. Blocks of type \"tags\" are not variables. Put a value that several expressions read into a block \"locals\", and read it as `local.NAME`."
        ]
    );
    assert!(!of("tags.env", &scope).contains("Blocks"), "there is no such block");
}

#[test]
fn functions_of_json_templates_are_named_in_hcl() {
    for (call, hcl) in [
        ("strftime(\"%Y\")", "`legacy_strftime(format)`"),
        ("isotime()", "`legacy_isotime(format)`"),
        ("clean_resource_name(\"a b\")", "`regex_replace(name,"),
        ("user(\"x\")", "`var.NAME`"),
        ("template_dir()", "`path.root`"),
        ("pwd()", "`path.cwd`"),
    ] {
        let engine =
            Engine::builder().dialect(Dialect::packer(&hclvm::functions::Capabilities::none())).build();
        let error = engine.eval(call, &()).expect_err("there is no such function").to_string();
        assert!(error.contains(&format!("Packer's JSON templates have it; in HCL, write {hcl}")), "{error}");
    }
}

#[test]
fn characters_that_are_not_seen_are_named() {
    let found = of("m.type", &json!({ "m": { "\u{feff}type": 1 } }));
    assert!(
        found.ends_with(
            "Did you mean \"\\u{feff}type\"? It has the invisible character U+FEFF (byte order mark)."
        ),
        "{found}"
    );
    let found = of("m.user", &json!({ "m": { "us\u{435}r": 1 } }));
    assert!(found.ends_with("Its \"\u{435}\" is U+0435, a letter of another script."), "{found}");
    let found = of("m.us\u{435}r", &json!({ "m": { "user": 1 } }));
    assert!(
        found.ends_with("The \"\u{435}\" that is written is U+0435, a letter of another script."),
        "{found}"
    );

    let found = syntax("a\u{a0}= 1\n");
    assert!(
        found.contains("It is U+00A0 (no-break space), which looks like a blank: write a blank."),
        "{found}"
    );
    assert!(found.contains("found U+00A0 (no-break space)."), "{found}");
    let found = syntax("a = \u{200b}1\n");
    assert!(found.contains("It is U+200B (zero width space), which is not seen: remove it."), "{found}");
}

#[test]
fn texts_for_other_languages_are_escaped() {
    for text in
        ["x = \"%{http_code}\"\n", "x = \"%{F %H:%M}t\"\n", "x = \"%{?dist}\"\n", "x = \"%{ http }\"\n"]
    {
        let found = syntax(text);
        assert!(found.contains("write `%%{` for a literal `%{`."), "{text}: {found}");
    }
    let near = syntax("x = \"%{ ednif }\"\n");
    assert!(near.contains("Did you mean `endif`?") && !near.contains("%%{"), "{near}");
    assert!(syntax("a = 1;\n").contains("HCL has no semicolons."));
}

#[test]
fn comments_that_end_early_are_named() {
    let sentence = "The comment that begins on line 1 ends at its first `*/`, which may be in quotes or behind another `/*`.";
    for text in ["/*\nx = \"*/\"\n*/\n", "/* a /* b */ c */\nz = 1\n"] {
        let found = syntax(text);
        assert_eq!(found.matches(sentence).count(), 1, "{text}: {found}");
    }
    for text in ["/* a */ c */\nz = 1\n", "/* a /* b */\nz = = 1\n", "/* \"a\" */ c d\n"] {
        assert!(!syntax(text).contains("The comment"), "{text}");
    }
}
