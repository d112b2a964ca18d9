//! Files in the JSON syntax, through the interface of files in the native syntax.

use hclvm::schema::Schema;
use hclvm::syntax::TypeMode;
use hclvm::{Dialect, Engine, Undefined, Value};

fn engine() -> Engine {
    Engine::builder().dialect(Dialect::standard().undefined(Undefined::Error)).build()
}

#[test]
fn strings_and_property_names_are_templates() {
    let engine = engine();
    let text = r#"{"a": ["n = ${n}", "${n}", "$${n}", {"k${n}": "${upper("x")}"}]}"#
        .replace("upper(\"x\")", "upper(\\\"x\\\")");
    let document = engine.parse_json("a.json", &text).expect("it is JSON");
    let program = document.attribute("a").expect("there").program().expect("compiles");
    let mut scope = document.scope();
    scope.set("n", &5).expect("a number");
    let mut session = engine.session();
    let value = session.run(&program, &scope).expect("no errors");
    let items = value.as_items().expect("a tuple");
    assert_eq!(items[0].as_str(), Some("n = 5"));
    assert!(items[1].as_number().is_some());
    assert_eq!(items[2].as_str(), Some("${n}"));
    assert_eq!(
        items[3].as_entries().map(|entries| (entries[0].name, entries[0].value.as_str())),
        Some(("k5", Some("X")))
    );
}

#[test]
fn a_schema_distinguishes_blocks_from_attributes() {
    let engine = engine();
    let text = r#"{
      "//": "a comment",
      "name": "n",
      "rule": {"a": {"when": true}, "b": [{"when": false}, {}]}
    }"#;
    let document = engine.parse_json("a.json", text).expect("it is JSON");
    let schema = Schema::new().required("name").block("rule", &["name"]);
    let content = document.body().content(&schema).expect("it fits");
    let rules: Vec<(Vec<&str>, usize)> = content
        .blocks
        .iter()
        .map(|block| (block.labels().collect(), block.body().attributes().count()))
        .collect();
    assert_eq!(rules, [(vec!["a"], 1), (vec!["b"], 1), (vec!["b"], 0)]);
    assert_eq!(content.blocks[1].kind(), "rule");
    assert_eq!(content.blocks[1].kind_span().slice(text), "\"rule\"");
    assert_eq!(
        document.block("rule", ["b"]).map(|block| block.span().start),
        Some(content.blocks[1].span().start)
    );
}

#[test]
fn content_outside_of_the_schema_is_reported() {
    let document =
        engine().parse_json("a.json", r#"{"nme": 1, "rule": {"a": 2}, "b": {}}"#).expect("it is JSON");
    let schema = Schema::new().required("name").block("rule", &["name"]).block("b", &["x"]);
    let (_, problems) = document.body().content_lenient(&schema);
    let titles: Vec<&str> = problems.iter().map(|problem| &*problem.title).collect();
    assert_eq!(
        titles,
        [
            "Incorrect JSON value type",
            "Missing block label",
            "Missing required argument",
            "Extraneous JSON object property"
        ]
    );
    assert!(problems.to_string().contains("Did you mean \"name\"?"));
}

#[test]
fn dynamic_blocks_work_in_json() {
    let engine = engine();
    let text = r#"{"dynamic": {"port": {"for_each": ["a", "b"], "iterator": "it", "labels": ["${it.value}"],
      "content": {"number": "${it.key + base}"}}}}"#;
    let document = engine.parse_json("a.json", text).expect("it is JSON");
    let schema = Schema::new().block_with("port", &["name"], Schema::new().required("number"));
    let mut scope = document.scope();
    scope.set("base", &80).expect("a number");
    let mut session = engine.session();
    let mut expansion = session.expand(&document, &scope).expect("it expands");
    let content = expansion.content(expansion.body(), &schema).expect("within limits");
    let labels: Vec<Vec<&str>> = content.blocks.iter().map(|block| block.labels.clone()).collect();
    assert_eq!(labels, [["a"], ["b"]]);
    let inner =
        expansion.content(content.blocks[1].body, &Schema::new().required("number")).expect("within limits");
    let number = expansion.value(inner.attributes[0]).expect("within limits");
    assert_eq!(number.as_number().map(|number| number.to_string()).as_deref(), Some("81"));
    assert!(expansion.take_diagnostics().is_empty());
}

#[test]
fn an_invalid_template_fails_its_attribute_only() {
    let engine = engine();
    let document = engine.parse_json("a.json", r#"{"a": ["${x", 1], "b": 2}"#).expect("it is JSON");
    let mut session = engine.session();
    let scope = document.scope();
    let broken = document.attribute("a").expect("there").program().expect("compiles");
    let problem = session.run(&broken, &scope).expect_err("the string is no template");
    let problem = problem.diagnostics().and_then(|list| list.iter().next().cloned()).expect("a diagnostic");
    assert_eq!(problem.title, "Unclosed template interpolation sequence");
    let fine = document.attribute("b").expect("there").program().expect("compiles");
    assert!(session.run(&fine, &scope).is_ok());
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let engine = engine();
    let document = engine.parse_json("a.json", "\u{feff}{\"a\": 1,\n \"b\": }").expect_err("no value");
    assert!(document.to_string().starts_with("a.json:2:7"), "{document}");
    let document = engine.parse_json("a.json", "\u{feff}{\"a\": 1}").expect("it is JSON");
    let place = document.attribute("a").expect("there").name_span();
    assert_eq!((place.start, document.source().position(place.start).column), (4, 2));
    assert!(
        engine.parse_json("a.json", "\u{feff}\u{feff}{}").is_err()
            && engine.parse_json("a.json", " \u{feff}{}").is_err()
    );
    // The JSON of scopes.
    let document = engine.parse("a.hcl", "x = n + m.k\n").expect("no errors");
    for mut scope in [document.scope(), document.projection().scope()] {
        for text in ["\u{feff}{\"n\": 1, \"m\": {\"k\": 2}}", "\u{feff} {\"m\": {\"k\": 2}, \"n\": 1}"] {
            scope.set_all_json(text).expect("it is JSON");
            scope.set_json("m", "\u{feff}{\"k\": 4, \"l\": 1}".as_bytes()).expect("it is JSON");
            let program = document.attribute("x").expect("there").program().expect("compiles");
            assert_eq!(engine.session().run(&program, &scope).expect("no errors").as_i64(), Some(5));
        }
        let error = scope.set_all_json(&b"\xff\xfe{\0}\0"[..]).expect_err("UTF-16");
        assert!(error.to_string().contains("the bytes are UTF-16, not UTF-8"), "{error}");
    }
}

#[test]
fn a_file_without_a_schema_is_an_object_of_attributes() {
    let engine = engine();
    let titles = |text: &str| -> Vec<String> {
        let document = engine.parse_json("a.json", text).expect("it is JSON");
        let found = match document.module() {
            Ok(_) => Vec::new(),
            Err(error) => error.diagnostics().into_iter().flatten().cloned().collect(),
        };
        let checked = document.check(&hclvm::check::Declared::anything());
        assert_eq!(found.len(), checked.iter().filter(|one| one.is_error()).count(), "{text}: {checked}");
        found.iter().map(|one| one.title.to_string()).collect()
    };
    assert_eq!(titles(r#"[{"a": 1}, {"b": 2}]"#), ["Incorrect JSON value type"]);
    assert_eq!(titles(r#"{"a": 1, "b": {}, "a": 2, "b": {}}"#), ["Duplicate attribute definition"; 2]);
    assert_eq!(titles(r#"{"locals": [1, {}]}"#), ["Incorrect JSON value type"]);
    assert_eq!(titles(r#"{"//": 1, "a": 1, "//": 2, "locals": {}, "locals": {"x": 1}}"#), [""; 0]);
    assert!(engine.parse_json("a.json", r#"[{"a": 1}]"#).expect("it is JSON").body().rule_set().is_err());
    // A schema reads the objects of an array as one.
    let document = engine.parse_json("a.json", r#"[{"a": 1}, {"b": 2}]"#).expect("it is JSON");
    let content = document.body().content(&Schema::new().required("a").required("b")).expect("it fits");
    assert_eq!(content.attributes.len(), 2);
    assert!(document.decode::<std::collections::BTreeMap<String, u8>>(&document.scope()).is_err());
    // The value of a module has the locals once.
    let document =
        engine.parse_json("a.json", r#"{"locals": {"x": 1}, "a": "${local.x}"}"#).expect("it is JSON");
    let module = document.module().expect("no errors");
    let (mut session, scope) = (engine.session(), module.scope());
    let values = module.evaluate(&mut session, &scope).expect("within limits");
    assert_eq!(values.body().attributes().map(|(name, _)| name).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn reports_contain_no_control_characters() {
    let engine = engine();
    for text in ["{é}", "{\"a\": é", "\"", "{\"a\": \"\n\"}", "{\"é\": \"${é.ü}", "\t\r\n[é"] {
        let error = engine.parse_json("a.json", text).expect_err("it is no JSON");
        assert!(error.to_string().contains("a.json:"), "{text}");
        let report = error.diagnostics().expect("diagnostics").report().to_string();
        assert!(report.contains("a.json"), "{text}");
    }
}

#[test]
fn types_can_be_declared_in_either_syntax() {
    let engine = engine();
    let native = engine.parse("a.hcl", "type = list(object({a = optional(number)}))").expect("it parses");
    let json =
        engine.parse_json("a.json", r#"{"type": "list(object({a = optional(number)}))"}"#).expect("JSON");
    for document in [native, json] {
        let attribute = document.attribute("type").expect("there");
        let constraint = attribute.type_constraint(TypeMode::Constraint).expect("a type");
        assert_eq!(constraint.to_string(), "list(object({a=number}))");
        let arena = hclvm::value::Arena::new();
        let given = Value::tuple(&arena, arena.slice(&[Value::object(&arena, &[])]));
        let converted = constraint.convert(&arena, given).expect("it fits");
        assert!(converted.as_items().is_some_and(|items| items.len() == 1));
    }
    let wrong = engine.type_constraint("list(strin)", TypeMode::Exact).expect_err("no such type");
    assert_eq!(wrong.diagnostics().map(hclvm::Diagnostics::len), Some(1));
}

#[test]
fn references_of_a_document_are_found() {
    let engine = engine();
    let document = engine
        .parse(
            "a.hcl",
            "a = user.role == \"x\"\nb {\n  c = upper(user.name) + [for local in xs : local.y][0]\n}\n",
        )
        .expect("it parses");
    let used: Vec<String> = document.variables().iter().map(ToString::to_string).collect();
    assert_eq!(used, ["user.role", "user.name", "xs"]);
    assert_eq!(document.required_functions(), ["upper"]);
    let paths = document.referenced_paths();
    assert_eq!(paths["user"].names().collect::<Vec<_>>(), ["name", "role"]);
    assert!(paths["xs"].is_whole());
}

#[test]
fn an_updated_json_document_is_parsed_as_json() {
    let document = engine().parse_json("a.json", r#"{"a": "${x}", "b": 1}"#).expect("it is JSON");
    for attribute in document.body().attributes() {
        attribute.program().expect("compiles");
    }
    let (updated, update) = document.update(r#"{"b": 2, "a": "${x}"}"#).expect("it is JSON");
    assert_eq!((update.changed[0].path(), update.compiled, update.unchanged), ("b", 1, 1));
    assert!(updated.is_json());
}
