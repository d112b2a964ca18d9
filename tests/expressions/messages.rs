//! What evaluation errors show beside their sentence: the values of the variables, the operands, the blocks
//! around them and the changes that would help.

use hclvm::{Diagnostic, Engine, Error};
use serde_json::json;

/// Returns the diagnostics of a file that is evaluated with the variables of `scope`.
fn found(text: &str, scope: &serde_json::Value) -> Vec<Diagnostic> {
    let engine = Engine::standard();
    let module = engine.parse("x.hcl", text).and_then(|document| document.module()).expect("it compiles");
    let mut variables = module.scope();
    variables.set_all_json(scope.to_string().as_str()).expect("it is an object");
    let mut session = engine.session();
    let values = module.evaluate(&mut session, &variables).expect("it is within the limits");
    values.diagnostics().iter().cloned().collect()
}

/// Returns the values that the only diagnostic of an expression shows.
fn values(expression: &str, scope: &serde_json::Value) -> Vec<String> {
    let found = found(&format!("x = {expression}"), scope);
    assert_eq!(found.len(), 1, "{expression}: {found:?}");
    let additions = found[0].additions.clone().unwrap_or_default();
    additions.values.into_iter().map(|value| format!("{} is {}", value.path, value.shown)).collect()
}

/// Returns the labels of the only diagnostic of an expression, each with its part of the text.
fn labels(expression: &str, scope: &serde_json::Value) -> Vec<String> {
    let text = format!("x = {expression}");
    let found = found(&text, scope);
    assert_eq!(found.len(), 1, "{expression}: {found:?}");
    let additions = found[0].additions.clone().unwrap_or_default();
    additions.labels.iter().map(|label| format!("{}: {}", label.span.slice(&text), label.text)).collect()
}

#[test]
fn faults_about_calls_of_sensitive_show_no_values() {
    let scope = json!({ "user": { "token": "hunter2" }, "n": "one" });
    let engine = Engine::new();
    let report = |expression: &str| {
        let document = engine.parse("x.hcl", &format!("x = {expression}")).expect("it is correct");
        let mut variables = document.scope();
        variables.set_all_json(scope.to_string().as_str()).expect("it is an object");
        let program = document.attribute("x").expect("there").program().expect("it compiles");
        let error = engine.session().run(&program, &variables).map(drop).expect_err("it fails");
        format!("{error:?}")
    };
    for expression in [
        "sensitive(user.token) + 1",
        "sensitive(user.token + 1)",
        "sensitive(user.tokn)",
        "upper([sensitive(user.token), user.token])",
        "\"${sensitive(user.token)}\" + n",
    ] {
        assert!(!report(expression).contains("hunter2"), "{}", report(expression));
    }
    // Other parts of the expression do.
    assert!(report("[sensitive(1), n + 1]").contains("n is \"one\""));
}

#[test]
fn the_elements_of_a_list_are_proposed_as_arguments() {
    for (expression, is_proposed) in [
        ("max(list)", true),
        ("min(1, [2, 3])", true),
        ("max([\"x\"])", false),
        ("max([])", false),
        ("max([1], 2)", false),
        ("format([\"%s\"])", false),
    ] {
        let found = found(&format!("x = {expression}"), &json!({ "list": [1, 2] }));
        let mut changes =
            found.iter().filter_map(|one| one.additions.as_ref()).flat_map(|one| &one.replacements);
        assert_eq!(changes.any(|change| change.text == "..."), is_proposed, "{expression}: {found:?}");
    }
}

#[test]
fn the_variables_of_the_failed_part_have_their_values() {
    let scope = json!({ "age": "ten", "n": 1, "user": { "id": 1, "name": "Ann" }, "list": [{ "a": 1 }] });
    for (expression, told) in [
        ("age + n", vec![r#"age is "ten""#, "n is 1"]),
        ("[n, age + 1]", vec![r#"age is "ten""#]),
        ("user.nmae", vec![r#"user is {id = 1, name = "Ann"}"#]),
        ("list[n - 1].b", vec!["list is [{a = 1}]", "n is 1"]),
        ("list[n]", vec!["list is [{a = 1}]", "n is 1"]),
        ("list[0].b", vec!["list[0] is {a = 1}"]),
        ("upper(list)", vec!["list is [{a = 1}]"]),
        ("age ? n : 2", vec![r#"age is "ten""#]),
        ("true ? n : list", vec!["n is 1", "list is [{a = 1}]"]),
        ("\"a${user}\"", vec![r#"user is {id = 1, name = "Ann"}"#]),
        ("user[age]", vec![r#"user is {id = 1, name = "Ann"}"#, r#"age is "ten""#]),
        ("upper(age) + 1", vec![r#"age is "ten""#]),
        ("parseint(age, 10)", vec![r#"age is "ten""#]),
        ("1 + null", vec![]),
    ] {
        assert_eq!(values(expression, &scope), told, "{expression}");
    }
}

#[test]
fn variables_of_loops_have_the_values_of_the_element() {
    let scope = json!({ "users": [{ "id": 1, "tags": ["a"] }, { "id": "x", "tags": ["b", "c"] }], "id": 7 });
    for (expression, told) in [
        ("[for u in users : u.id + 1]", vec![r#"u.id is "x""#]),
        ("[for i, u in users : i > 0 ? u.name : \"\"]", vec![r#"u is {id = "x", tags = ["b", "c"]}"#]),
        ("[for u in users : [for t in u.tags : \"${t}${u.id + 1}\"]]", vec![r#"u.id is "x""#]),
        ("[for id in [\"q\"] : id + 1]", vec![r#"id is "q""#]),
    ] {
        let found = found(&format!("x = {expression}"), &scope);
        let additions = found[0].additions.clone().unwrap_or_default();
        let values: Vec<String> =
            additions.values.into_iter().map(|value| format!("{} is {}", value.path, value.shown)).collect();
        assert_eq!(values, told, "{expression}");
    }
}

#[test]
fn large_values_are_described() {
    let object: serde_json::Map<_, _> = (0..20).map(|at| (format!("attribute{at}"), json!(at))).collect();
    let scope = json!({
        "s": "long ".repeat(100),
        "l": (0..100).collect::<Vec<_>>(),
        "o": object,
        "q": "a\n\"${x}",
        "e": {},
    });
    for (expression, told) in [
        ("s + 1", format!("s is \"{}…\" (500 characters)", "long ".repeat(8))),
        ("l + 1", "l is tuple with 100 elements".to_owned()),
        (
            "o + 1",
            "o is object with the attributes attribute0, attribute1, attribute10, attribute11, attribute12, \
             attribute13, attribute14, attribute15, … (20 in all)"
                .to_owned(),
        ),
        ("q + 1", r#"q is "a\n\"$${x}""#.to_owned()),
        ("e + 1", "e is {}".to_owned()),
    ] {
        assert_eq!(values(expression, &scope), [told], "{expression}");
    }
}

#[test]
fn both_operands_are_labelled() {
    let scope = json!({ "age": "ten", "n": 1, "list": [1] });
    for (expression, told) in [
        ("age + n", vec!["age: a string", "n: a number"]),
        ("\"ten\" + 1", vec!["\"ten\": a string", "1: a number"]),
        ("1 < upper(age)", vec!["1: a number", "upper(age): a string: \"TEN\""]),
        ("n && true", vec!["n: a number", "true: a bool"]),
        ("null + n", vec!["null: null", "n: a number"]),
        ("true ? n : list", vec!["n: a number", "list: a tuple"]),
        ("!n", vec![]),
    ] {
        assert_eq!(labels(expression, &scope), told, "{expression}");
    }
}

#[test]
fn the_blocks_around_are_told_from_the_outermost() {
    let text = "y = 1 + \"a\"\nrule \"allow\" \"owner\" {\n  limits {\n    x = 1 + \"a\"\n  }\n}\n";
    let blocks: Vec<Vec<String>> =
        found(text, &json!({})).iter().map(|it| it.additions.clone().unwrap_or_default().blocks).collect();
    assert_eq!(blocks, [vec![], vec!["rule \"allow\" \"owner\"".to_owned(), "limits".to_owned()]]);
}

#[test]
fn the_blocks_around_a_syntax_error_are_told() {
    let blocks = |error: Error| {
        let found = error.diagnostics().and_then(|found| found.iter().next()).cloned();
        found.and_then(|first| first.additions).unwrap_or_default().blocks
    };
    let error = Engine::standard().parse("x.hcl", "rule \"a\" {\n  x = (1 2)\n}\n").expect_err("it is wrong");
    assert_eq!(blocks(error), ["rule \"a\""]);
}

#[test]
fn a_variable_without_a_value_is_compared_with_the_others() {
    let found = found("x = usr.name\ny = user.name", &json!({ "user": { "name": "Ann" } }));
    assert_eq!(found[0].detail, "The variable \"usr\" has no value in this scope. Did you mean \"user\"?");
    let replacement = &found[0].additions.as_ref().expect("it has a replacement").replacements[0];
    assert_eq!((replacement.span.start, replacement.text.as_str()), (4, "user"));
}

#[test]
fn values_in_iterators_of_marked_collections_are_not_told() {
    let engine = Engine::standard();
    let text = "dynamic \"rule\" {\n  for_each = secret\n  content {\n    x = rule.value + open\n  }\n}\n";
    let module = engine.parse("x.hcl", text).and_then(|document| document.module()).expect("it compiles");
    let mut scope = module.scope();
    scope.set("open", "zq7open").expect("it is small");
    scope
        .build("secret", |arena| {
            let text = hclvm::Value::str(arena, "zq7canary");
            let list = hclvm::Value::tuple(arena, arena.slice(&[text]));
            Ok(list.with_marks(arena, hclvm::value::marks_from(arena, &["sensitive"])))
        })
        .expect("it is small");
    let mut session = engine.session();
    let values = module.evaluate(&mut session, &scope).expect("it is within the limits");
    let told: Vec<_> = values.diagnostics().iter().collect();
    assert!(!told.is_empty() && !format!("{told:?}").contains("zq7canary"), "{told:?}");
}

#[test]
fn calls_that_cannot_succeed_are_known_before_they_run() {
    let engine = Engine::standard();
    let known = |text: &str| {
        let program =
            engine.compile(text, &std::sync::Arc::new(hclvm::Layout::new(["x"]))).expect("it compiles");
        program.known_problems().iter().map(|one| one.detail.to_string()).collect::<Vec<_>>()
    };
    for (text, told) in [
        ("upper(x, x)", "The function \"upper\" takes only 1 argument: upper(str)."),
        (
            "true ? x : substr(x)",
            "The function \"substr\" is missing its argument \"offset\": substr(str, offset, length).",
        ),
        (
            "[for y in x : substr(y, \"a\", 1)]",
            "Argument 2, \"offset\", of substr(str, offset, length) does not fit: expected a number, found a \
             string that does not denote one.",
        ),
    ] {
        assert_eq!(known(text), [told], "{text}");
    }
    assert_eq!(known("[substr(x, \"1\", 2), upper(7), max(x...), try(x, \"a\")]"), [""; 0]);
}

/// Returns the text of a file after the first change that its first diagnostic proposes.
fn changed(expression: &str, scope: &serde_json::Value) -> Option<String> {
    let text = format!("x = {expression}");
    let found = found(&text, scope);
    let change = found[0].additions.as_ref()?.replacements.first()?.clone();
    let (before, after) = (&text[..change.span.start as usize], &text[change.span.end as usize..]);
    Some(format!("{before}{}{after}", change.text)[4..].to_owned())
}

#[test]
fn changes_that_are_exact_are_proposed() {
    let scope = json!({
        "age": "ten", "n": 1, "list": ["a", 1], "users": [{ "name": "A" }, { "name": "B" }], "t": "True",
        "user": { "name": "Ann", "a b": 1 }, "none": null,
    });
    for (expression, wanted) in [
        ("user.nmae", Some("user.name")),
        ("user[\"nmae\"]", Some("user[\"name\"]")),
        ("users[0].nam", Some("users[0].name")),
        ("user[\"ab\"]", None),
        ("uper(age)", Some("upper(age)")),
        ("usr.name", Some("user.name")),
        ("\"a ${list}\"", Some("\"a ${join(\", \", list)}\"")),
        ("\"a ${users}\"", None),
        ("upper(list)", Some("upper(join(\", \", list))")),
        ("age + \"-\"", Some("\"${age}-\"")),
        ("age + n", None),
        ("list + users", Some("concat(list, users)")),
        ("user + {}", Some("merge(user, {})")),
        ("!n", Some("n == 0")),
        ("n && true", Some("n != 0 && true")),
        ("list ? 1 : 2", Some("length(list) > 0 ? 1 : 2")),
        ("\"True\" ? 1 : 2", Some("true ? 1 : 2")),
        ("t ? 1 : 2", Some("lower(t) ? 1 : 2")),
        ("[for i in n : i]", Some("[for i in range(n) : i]")),
        ("users.name", Some("users[*].name")),
        ("sort(age)", Some("sort([age])")),
        ("none + 1", None),
        ("none.a", None),
        ("list.length", Some("length(list)")),
        ("age.toUpperCase", Some("upper(age)")),
        ("n.nothing", None),
        ("list[-1]", Some("list[length(list) - 1]")),
        ("\"%s!\" % n", Some("format(\"%s!\", n)")),
        ("0 < n < 10", Some("0 < n && n < 10")),
        ("age < \"b\"", None),
        ("join(list, \"-\")", Some("join(\"-\", list)")),
        ("contains(age, list)", Some("contains(list, age)")),
        ("concat(age, \"b\")", Some("\"${age}b\"")),
        ("len(list)", Some("length(list)")),
        ("sprintf(\"%s\", n)", Some("format(\"%s\", n)")),
        ("abc(n)", None),
        ("age == \"a\" || \"b\"", Some("age == \"a\" || age == \"b\"")),
        ("age == \"a\" || age == \"b\" || \"c\"", Some("age == \"a\" || age == \"b\" || age == \"c\"")),
    ] {
        let found = changed(expression, &scope);
        assert_eq!(found.as_deref(), wanted, "{expression}");
        if let Some(text) = found.filter(|_| wanted != Some("users[0].name")) {
            let told = self::found(&format!("x = {text}"), &scope);
            assert!(told.is_empty(), "{text}: {told:?}");
        }
    }
}

#[test]
fn defaults_are_proposed_for_null() {
    let scope = json!({ "none": null });
    for (expression, wanted) in [
        ("none + 1", "write coalesce(none, 0), or another default."),
        ("none ? 1 : 2", "write coalesce(none, false), or another default."),
        ("[for x in none : x]", "write coalesce(none, []), or another default."),
        ("none.a.b", "write try(none.a.b, null), or another default."),
        ("upper(none)", "write coalesce(none, \"\"), or another default."),
        ("\"${none}!\"", "write coalesce(none, \"\"), or another default."),
    ] {
        let found = found(&format!("x = {expression}"), &scope);
        assert!(found[0].detail.ends_with(wanted), "{expression}: {}", found[0].detail);
    }
}

#[test]
fn functions_that_the_engine_lacks_are_not_proposed() {
    let engine = Engine::builder().functions(hclvm::functions::FunctionTable::default()).build();
    let document = engine.parse("x.hcl", "x = \"a ${list}\"\ny = none + 1").expect("it is well formed");
    let module = document.module().expect("it compiles");
    let mut scope = module.scope();
    scope.set("list", &["a"]).expect("it is small");
    scope.set("none", &()).expect("it is small");
    let mut session = engine.session();
    let values = module.evaluate(&mut session, &scope).expect("it is within the limits");
    let details: Vec<_> = values.diagnostics().iter().map(|one| one.detail.to_string()).collect();
    assert!(!details[0].contains("join"), "{details:?}");
    assert!(details[1].ends_with("write none == null ? 0 : none, or another default."), "{details:?}");
}

#[test]
fn a_variable_without_a_value_is_compared_with_those_that_no_program_reads() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "x = usr.name").expect("it is well formed");
    let expected = "The variable \"usr\" has no value in this scope. Did you mean \"user\"?";
    let variables = r#"{ "user": { "name": "Ann" } }"#;

    let module = document.module().expect("it compiles");
    let mut scope = module.scope();
    scope.set_all_json(variables).expect("it is JSON");
    let mut session = engine.session();
    let values = module.evaluate(&mut session, &scope).expect("it is within the limits");
    assert_eq!(values.diagnostics().iter().next().expect("it is wrong").detail, expected);

    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let mut scope = document.scope();
    scope.set_all_json(variables).expect("it is JSON");
    let error = session.run(&program, &scope).map(drop).expect_err("it is wrong");
    assert!(error.to_string().ends_with(expected), "{error}");
}
