//! Ways to mark values of a scope: as a variable is set, by a path, and by a wrapper in a type of the host. That marked
//! values are in no output is tested in tests/safety/secrets.rs.

use std::collections::BTreeMap;

use hclvm::ingest::Marked;
use hclvm::value::{Arena, View};
use hclvm::{Document, Engine, Scope, Type, Value};
use serde::{Deserialize, Serialize};
use serde_json::json;

fn parse(text: &str) -> Document {
    Engine::standard().parse("x.hcl", text).expect("it parses")
}

/// Returns an attribute of an object.
fn attribute<'v>(value: Value<'v>, name: &str) -> Value<'v> {
    let View::Object(entries) = value.view() else { panic!("{value} is no object") };
    entries.iter().find(|entry| entry.name == name).expect("it is there").value
}

/// Returns the value of a variable as it is shown, with marks in place of what is marked.
fn shown(scope: &Scope, name: &str) -> String {
    scope.get(name).expect("it is set").to_string()
}

#[test]
fn a_path_leads_to_the_part_that_is_marked() {
    for (path, expected) in [
        ("v", "(marked)"),
        ("v.a", "{a = (marked), b = [{c = 3}, {c = 4}], d.e = 5}"),
        ("v[\"d.e\"]", "{a = 1, b = [{c = 3}, {c = 4}], d.e = (marked)}"),
        ("v.b", "{a = 1, b = (marked), d.e = 5}"),
        ("v.b[1]", "{a = 1, b = [{c = 3}, (marked)], d.e = 5}"),
        ("v.b.0.c", "{a = 1, b = [{c = (marked)}, {c = 4}], d.e = 5}"),
        ("v.b.*.c", "{a = 1, b = [{c = (marked)}, {c = (marked)}], d.e = 5}"),
        ("v.*", "{a = (marked), b = (marked), d.e = (marked)}"),
    ] {
        let mut scope = parse("x = v").scope();
        scope.set("v", &json!({"a": 1, "b": [{"c": 3}, {"c": 4}], "d.e": 5})).expect("it fits");
        let other = scope.fork();
        scope.mark(path, ["secret"]).expect("it is there");
        let found = shown(&scope, "v").replace("\"d.e\"", "d.e");
        assert_eq!(found, expected, "{path}");
        assert!(!other.get("v").expect("it is set").contains_marks(), "a fork has its own value");
        scope.set("v", &1).expect("it fits");
        assert_eq!(shown(&scope, "v"), "1");
    }
}

#[test]
fn marks_add_up_and_reach_into_marked_values() {
    let mut scope = parse("x = v").scope();
    scope.set("v", &json!({"a": {"b": 1}})).expect("it fits");
    scope.mark("v.a.b", ["x"]).expect("it is there");
    scope.mark("v.a", ["y"]).expect("it is there");
    scope.mark("v.a.b", ["z", "x"]).expect("it is there");
    let inner = attribute(scope.get("v").expect("it is set"), "a");
    let (inner, own) = inner.unmark();
    assert_eq!(own.names(), ["y"]);
    assert_eq!(attribute(inner, "b").unmark().1.names(), ["x", "z"]);
}

#[test]
fn collections_keep_their_types_and_unknown_values_and_sets_are_marked_as_a_whole() {
    let engine = Engine::standard();
    let document = engine
        .parse("x.hcl", "a = tomap({k = \"v\"})\nb = toset([\"v\"])\nx = [v, w, u]")
        .expect("it parses");
    let (mut session, mut scope) = (engine.session(), document.scope());
    let empty = document.scope();
    for (name, attribute) in [("v", "a"), ("w", "b")] {
        let program = document.attribute(attribute).expect("it is there").program().expect("it compiles");
        scope.set_value(name, session.run(&program, &empty).expect("it has a value")).expect("it fits");
    }
    scope.set_unknown("u");
    scope.mark("v.k", ["s"]).expect("it is there");
    scope.mark("w.0", ["s"]).expect("it is there");
    scope.mark("u.a.b", ["s"]).expect("it may be there");
    let arena = Arena::new();
    let value = |name| scope.get(name).expect("it is set");
    assert_eq!(value("v").type_of(&arena).friendly_name().to_string(), "map of string");
    assert!(!value("v").is_marked() && value("v").contains_marks());
    assert!(value("w").is_marked() && value("u").is_marked());
}

#[test]
fn what_is_not_there_cannot_be_marked() {
    let mut scope = parse("x = [v, w, n]").scope();
    scope.set("v", &json!({"token": "t-17", "list": [1]})).expect("it fits");
    scope.set("n", &()).expect("it fits");
    let mut error = |path: &str| scope.mark(path, ["s"]).expect_err("it is not there").to_string();
    for (path, expected) in [
        ("v.tokn", "v.tokn cannot be marked: there is no attribute \"tokn\"; did you mean \"token\"?"),
        ("v.token.x", "v.token.x cannot be marked: there is no attribute \"x\""),
        ("v.list[1]", "v.list[1] cannot be marked: there is no element 1"),
        ("v.token.*", "v.token.* cannot be marked: there are no elements"),
        ("n.x", "n.x cannot be marked: there is no attribute \"x\""),
        ("w", "w cannot be marked: \"w\" has no value"),
        ("u", "there is no variable \"u\" that a program reads"),
        ("*.x", "*.x cannot be marked: the first name is that of a variable"),
        ("v..x", "v..x cannot be marked: a name is empty"),
    ] {
        assert_eq!(error(path), expected);
    }
    assert!(!scope.get("v").expect("it is still set").contains_marks());
    scope.mark("v", ["s"]).expect("it is there");
    let error = scope.mark("v.tokn", ["s"]).expect_err("it is not there").to_string();
    assert_eq!(error, "v.tokn cannot be marked: there is no attribute \"tokn\"");
}

#[test]
fn parts_that_a_projection_leaves_out_need_no_mark() {
    let mut scope = parse("x = v.a.b + v.list[0]\ny = [for e in w : e.k]").projection().scope();
    scope
        .set_all_json(r#"{"v": {"a": {"b": 1, "c": 2}, "d": 3, "list": [1]}, "w": [{"k": 1, "l": 2}]}"#)
        .expect("JSON");
    for path in ["v.a.c", "v.d", "w.0.l", "w.*.l"] {
        scope.mark(path, ["s"]).expect("it is not taken in");
    }
    assert!(!scope.get("v").expect("it is set").contains_marks());
    scope.mark("v.a.b", ["s"]).expect("it is there");
    scope.mark("w.*.k", ["s"]).expect("it is there");
    assert_eq!(
        (shown(&scope, "v"), shown(&scope, "w")),
        ("{a = {b = (marked)}, list = [1]}".into(), "[{k = (marked)}]".into())
    );
}

#[derive(Serialize)]
struct User {
    name: &'static str,
    token: Marked<String>,
    more: Vec<Marked<u8>>,
    none: Option<Marked<String>>,
    keys: BTreeMap<&'static str, Marked<Keys>>,
}

#[derive(Serialize)]
struct Keys {
    a: u8,
    inner: Marked<u8>,
}

fn user() -> User {
    let keys = Keys { a: 1, inner: Marked::new(2, &["inner"]) };
    User {
        name: "ann",
        token: Marked::sensitive("t-17".to_owned()),
        more: vec![Marked::new(7, &["z", "y"]), Marked::sensitive(8)],
        none: None,
        keys: BTreeMap::from([("k", Marked::new(keys, &["outer"]))]),
    }
}

#[test]
fn wrapped_fields_are_marked_when_a_struct_is_set() {
    for document in [parse("x = u"), parse("x = [u.token, u.more, u.none, u.keys, u.name]")] {
        for mut scope in [document.scope(), document.projection().scope()] {
            scope.set("u", &user()).expect("it fits");
            assert_eq!(
                shown(&scope, "u"),
                "{keys = {k = (marked)}, more = [(marked), (marked)], name = \"ann\", none = null, token = (marked)}"
            );
            let keys = attribute(attribute(scope.get("u").expect("it is set"), "keys"), "k");
            assert_eq!(keys.unmark().0.to_string(), "{a = 1, inner = (marked)}");
            let View::Tuple(more) = attribute(scope.get("u").expect("it is set"), "more").view() else {
                panic!("a list")
            };
            assert_eq!(more[0].unmark().1.names(), ["y", "z"]);
            let token = attribute(scope.get("u").expect("it is set"), "token");
            assert_eq!(token.unmark().0.as_str(), Some("t-17"));
        }
    }
}

#[test]
fn other_serializers_get_no_wrapped_value() {
    let expected = json!({
        "name": "ann",
        "token": {"$marked": ["sensitive"]},
        "more": [{"$marked": ["z", "y"]}, {"$marked": ["sensitive"]}],
        "none": null,
        "keys": {"k": {"$marked": ["outer"]}},
    });
    assert_eq!(serde_json::to_value(user()).expect("it has JSON"), expected);
    // A type that writes JSON while it is set.
    struct Writes;
    impl Serialize for Writes {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let text =
                serde_json::to_string(&Marked::sensitive("t-17")).map_err(serde::ser::Error::custom)?;
            serializer.serialize_str(&text)
        }
    }
    let mut scope = parse("x = v").scope();
    scope.set("v", &[Marked::sensitive(Writes)]).expect("it fits");
    let View::Tuple([written]) = scope.get("v").expect("it is set").view() else { panic!("one element") };
    assert_eq!(written.unmark().0.as_str(), Some(r#"{"$marked":["sensitive"]}"#));
    assert_eq!(format!("{:?}", user().token), r#"Marked { marks: ["sensitive"], .. }"#);
}

#[test]
fn a_wrapper_whose_content_fails_or_panics_is_closed() {
    struct Panics;
    impl Serialize for Panics {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            panic!("no value")
        }
    }
    let mut scope = parse("x = v").scope();
    scope.set("v", &Marked::sensitive(f64::NAN)).expect_err("it is no number");
    let panicked =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scope.set("v", &Marked::sensitive(Panics))));
    assert!(panicked.is_err());
    let json = serde_json::to_string(&Marked::sensitive("t-17")).expect("it has JSON");
    assert_eq!(json, r#"{"$marked":["sensitive"]}"#);
}

#[test]
fn wrapped_fields_of_records_are_marked_and_wrappers_are_deserialized() {
    struct Account {
        id: u32,
        token: Marked<String>,
    }
    hclvm::record!(Account { id, token });
    let mut scope = parse("x = a").scope();
    scope.set_object("a", &Account { id: 1, token: Marked::sensitive("t".into()) }).expect("it fits");
    assert_eq!(shown(&scope, "a"), "{id = 1, token = (marked)}");

    #[derive(Deserialize)]
    struct Request {
        token: Marked<String>,
    }
    let request: Request = serde_json::from_str(r#"{"token": "t-17"}"#).expect("it fits");
    assert_eq!((request.token.expose().as_str(), request.token.marks()), ("t-17", &["sensitive"][..]));
    assert_eq!(request.token.into_exposed(), "t-17");
}

#[test]
fn a_variable_is_marked_as_it_is_set() {
    let document = parse("x = \"${password}!\"\ny = password + 1");
    let mut scope = document.projection().scope();
    let password = String::from("zq7canary");
    scope.set_marked("password", &password, ["sensitive"]).expect("it fits");
    let mut session = document.engine().session();
    let x = document.attribute("x").expect("it is there").program().expect("it compiles");
    assert_eq!(session.run(&x, &scope).expect("it has a value").to_string(), "(marked)");
    let y = document.attribute("y").expect("it is there").program().expect("it compiles");
    let error = session.run(&y, &scope).expect_err("a text is no number");
    let diagnostics = error.diagnostics().expect("it is about the text");
    let json = serde_json::to_string(diagnostics).expect("it has JSON");
    for text in [error.to_string(), format!("{error:?}"), diagnostics.report().to_string(), json] {
        assert!(!text.contains("zq7canary"), "{text}");
    }
    let marks = vec!["b", "a"];
    scope.set_marked("password", &json!({"n": [1]}), &marks).expect("it fits");
    assert_eq!(scope.get("password").expect("it is set").unmark().1.names(), ["a", "b"]);
    let error = scope.set_marked("pasword", "x", ["s"]).expect_err("there is no such variable");
    assert!(error.to_string().contains("did you mean \"password\"?"), "{error}");
}

#[test]
fn texts_are_copied_in_normal_form() {
    let mut scope = parse("x = v").scope();
    let decomposed = String::from("e\u{301}t");
    scope.build("v", |arena| Ok(Value::text(arena, &decomposed))).expect("it fits");
    drop(decomposed);
    assert_eq!(scope.get("v").and_then(|v| v.as_str()), Some("\u{e9}t"));
}

#[test]
fn expressions_mark_values_as_in_opentofu() {
    for engine in [Engine::new(), Engine::builder().dialect(hclvm::Dialect::opentofu()).build()] {
        let document = engine
            .parse(
                "x.hcl",
                "a = issensitive(v)\nb = issensitive(nonsensitive(v))\nc = \"${v}${sensitive(\"x\")}\"\nd = issensitive(\"plain\")",
            )
            .expect("it parses");
        let (mut session, mut scope) = (engine.session(), document.scope());
        scope.set_marked("v", "zq7canary", ["sensitive"]).expect("it fits");
        let mut value = |name: &str| {
            let program = document.attribute(name).expect("it is there").program().expect("it compiles");
            session.run(&program, &scope).expect("it has a value").to_string()
        };
        assert_eq!(["a", "b", "c", "d"].map(&mut value), ["true", "false", "(marked)", "false"]);
    }
}

#[test]
fn marks_do_not_change_types() {
    let mut scope = parse("x = v").scope();
    scope.set_marked("v", &7, ["s"]).expect("it fits");
    let arena = Arena::new();
    assert!(matches!(scope.get("v").expect("it is set").type_of(&arena), Type::Number));
}
