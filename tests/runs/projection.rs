//! A projected scope, which keeps only what programs read, gives the results of a whole one.

mod agreement;
mod predictions;
mod wholes;

use std::collections::BTreeMap;

use hclvm::{Document, Engine, ErrorKind, Limits, Scope};
use serde::Serialize;

fn document(text: &str) -> Document {
    Engine::standard().parse("x.hcl", text).expect("it parses")
}

#[test]
fn values_that_are_not_read_are_absent() {
    let document = document("x = v.a.b + v.c");
    let mut scope = document.projection().scope();
    scope.set_all_json(r#"{"v": {"a": {"z": 0, "b": 1, "y": [{}]}, "b": "long", "c": 2}}"#).expect("JSON");
    assert_eq!(format!("{:?}", scope.get("v").expect("it is set")), r"{a = {b = 1}, c = 2}");
}

#[test]
fn of_elements_only_what_is_read_is_present() {
    let elements = r#"{"v": [{"a": 1, "b": 2}, {"c": {"d": 3, "e": 4}}, 5, [{"a": 6}]]}"#;
    for (text, held) in [
        ("[for x in v : x.a]", "[{a = 1}, {}, 5, [{a = 6}]]"),
        ("[for x in v : x.a if can(x.c.d)]", "[{a = 1}, {c = {d = 3}}, 5, [{a = 6}]]"),
        ("v[*].c.e", "[{}, {c = {e = 4}}, 5, [{a = 6}]]"),
        ("[for x in v : [for y in x : y.b]]", "[{a = 1, b = 2}, {c = {d = 3, e = 4}}, 5, [{}]]"),
        ("[for x in v : 1]", "[{}, {}, 5, [{a = 6}]]"),
        ("[for x in v : x]", "[{a = 1, b = 2}, {c = {d = 3, e = 4}}, 5, [{a = 6}]]"),
        ("[for x in v : x.a if v[0].b == 2]", "[{a = 1, b = 2}, {c = {d = 3, e = 4}}, 5, [{a = 6}]]"),
    ] {
        let mut scope = document(&format!("x = {text}")).projection().scope();
        scope.set_all_json(elements).expect("JSON");
        assert_eq!(format!("{:?}", scope.get("v").expect("it is set")), held, "{text}");
    }
    let mut scope = document("x = [for x in v : x.a]").projection().scope();
    scope.set_all_json(r#"{"v": {"k": {"a": 1, "b": 2}}}"#).expect("JSON");
    assert_eq!(
        format!("{:?}", scope.get("v").expect("it is set")),
        "{k = {a = 1, b = 2}}",
        "an object is whole"
    );
}

/// A type that fails to serialize.
struct Untouchable;

impl Serialize for Untouchable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("it was looked at"))
    }
}

#[derive(Serialize)]
enum Kind {
    Tagged { a: u8, b: u8 },
}

#[derive(Serialize)]
struct Account {
    name: &'static str,
    history: Untouchable,
    kind: Kind,
    home: BTreeMap<&'static str, Result<u8, Untouchable>>,
    #[serde(rename = "e\u{301}t\u{e9}")]
    summer: u8,
    tags: Vec<(u8, u8)>,
}

#[test]
fn only_the_fields_that_are_read_are_serialized() {
    let account = Account {
        name: "Ann",
        history: Untouchable,
        kind: Kind::Tagged { a: 1, b: 2 },
        home: BTreeMap::from([("city", Ok(7)), ("street", Err(Untouchable))]),
        summer: 3,
        tags: vec![(4, 5)],
    };
    for (text, held) in [
        ("v.name", r#"{name = "Ann"}"#),
        ("v.tags[0][1]", r"{tags = [[4, 5]]}"),
        ("v.kind.Tagged.a", r"{kind = {Tagged = {a = 1, b = 2}}}"),
        ("v.home.city.Ok", r"{home = {city = {Ok = 7}}}"),
        ("v[\"\u{e9}te\u{301}\"]", "{\"\u{e9}t\u{e9}\" = 3}"),
        ("v.nothing", "{}"),
        ("v.name.first", r#"{name = "Ann"}"#),
        ("w", "unset"),
    ] {
        let document = document(&format!("x = {text}"));
        let mut scope = document.projection().scope();
        let set = scope.set("v", &Some(Box::new(&account)));
        assert_eq!(set.is_ok(), scope.has("v"), "{text}: the rest is not looked at");
        assert_eq!(scope.get("v").map_or("unset".to_owned(), |value| format!("{value:?}")), held, "{text}");
    }
    let error = document("x = v.home").projection().scope().set("v", &account).expect_err("it is read");
    assert_eq!(error.to_string(), "home.street.Err: it was looked at");
    document("x = v.name").scope().set("v", &account).expect_err("all of it is taken in");
}

#[test]
fn skipped_parts_must_be_valid_json() {
    let document = document("x = v.a");
    for wrong in [
        "01",
        "1.",
        ".1",
        "1e",
        "-",
        "tru",
        "\"\\x\"",
        "\"\\ud800\"",
        "\"\u{1}\"",
        "[1,]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":1,}",
        "[",
        "{\"a\":[}",
        "",
        "]",
        "1 1",
        "nul",
        "[1}",
        "{\"a\":1]",
    ] {
        let mut scope = document.projection().scope();
        for text in [format!("{{\"v\":{{\"b\":{wrong}}}}}"), format!("{{\"other\":{wrong}}}")] {
            let error = scope.set_all_json(&text).expect_err(&text).to_string();
            let whole = document.scope().set_all_json(&text).expect_err(&text).to_string();
            assert_eq!(error, whole, "{text}");
        }
    }
    for right in ["0", "-0.5e-7", "1E+2", "\"\\u00e9\\\\\"", "[ ]", "{ }", "[[],{\"a\":[1]}]"] {
        let mut scope = document.projection().scope();
        scope.set_all_json(&format!("{{\"v\":{{\"b\":{right}, \"a\":1}}}}")).expect(right);
    }
}

/// Whether a text is accepted must not depend on which of its parts a program reads.
#[test]
fn numbers_out_of_range_are_rejected_everywhere() {
    let document = document("x = v.a");
    let (mut refused, mut accepted) = (0, 0);
    let exponents = ["0", "400", "99999999", "100000000", "00000000400", "2147483600", "2147483640"]
        .into_iter()
        .chain(["2147483646", "2147483647", "2147483648", "99999999999", "9999999999999999999999"]);
    for exponent in exponents {
        for mantissa in ["0", "-0.0", "1", "-7.25", "0.0000000001", "123456789012345678901234567890"] {
            for sign in ["", "+", "-"] {
                let number = format!("{mantissa}e{sign}{exponent}");
                for text in [format!("{{\"v\":{{\"b\":[{number}]}}}}"), format!("{{\"other\":{number}}}")] {
                    // An equal text that is read as a whole.
                    let all = text.replace("\"b\"", "\"a\"").replace("other", "v");
                    let whole = document.scope().set_all_json(&all).map_err(|error| error.to_string());
                    let passed_over = document.projection().scope().set_all_json(&text);
                    let passed_over = passed_over.map_err(|error| error.to_string());
                    let moved = whole.clone().map_err(|error| moved(&error, all.len(), text.len()));
                    assert_eq!(passed_over, moved, "{text}");
                    *if whole.is_ok() { &mut accepted } else { &mut refused } += 1;
                }
            }
        }
    }
    assert!(refused > 50 && accepted > 100, "{refused} {accepted}");
}

/// Returns the message with its column shifted, for a text with a longer prefix.
fn moved(message: &str, from: usize, to: usize) -> String {
    let (before, column) = message.rsplit_once(' ').expect("it ends with a column");
    let column: usize = column.parse().expect("a number");
    format!("{before} {}", column + to - from)
}

#[test]
fn skipped_parts_have_the_depth_limit() {
    let document = document("x = v.a");
    let nested = |depth: usize| format!("{{\"b\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let mut scope = document.projection().scope();
    scope.set_json("v", &nested(127)).expect("128 levels");
    for mut scope in [scope, document.scope()] {
        let error = scope.set_json("v", &nested(128)).expect_err("too deep").to_string();
        assert!(error.contains("128 levels at line 1 column"), "{error}");
    }
}

#[test]
fn unread_variables_have_the_depth_limit_of_others() {
    let engine = Engine::builder().limits(Limits { value_depth: 5, ..Limits::default() }).build();
    let document = engine.parse("x.hcl", "x = v.a").expect("it parses");
    for (depth, fits) in [(5, true), (6, false)] {
        let value = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for name in ["v", "w"] {
            for mut scope in [document.scope(), document.projection().scope()] {
                assert_eq!(scope.set_all_json(&format!("{{\"{name}\":{value}}}")).is_ok(), fits, "{name}");
            }
        }
    }
}

#[test]
fn limits_apply_to_what_is_read() {
    let limits = Limits { arena_bytes: 10_000, ..Limits::default() };
    let engine = Engine::builder().limits(limits).build();
    let document = engine.parse("x.hcl", "x = v.a").expect("it parses");
    let text =
        |len: usize| format!("{{\"v\":{{\"b\":\"{}\",\"a\":\"{}\"}}}}", "b".repeat(50_000), "a".repeat(len));
    let mut scope = document.projection().scope();
    scope.set_all_json(&text(5_000)).expect("the long one is not read");
    scope.set_all_json(&text(15_000)).expect_err("too long");
    assert!(scope.get("v").is_none());
}

#[test]
fn programs_that_read_more_are_rejected() {
    let document = document("x = v.a.b\ny = v.c\nz = v.a\nw = 1");
    let program = |name: &str| document.attribute(name).expect("it is there").program().expect("code");
    let projection = document.engine().projection([&program("x"), &program("y")]).expect("programs");
    let mut scope = projection.scope();
    scope.set_json("v", r#"{"a": {"b": 1}, "c": 2}"#).expect("JSON");
    let mut session = document.engine().session();
    for name in ["x", "y", "w"] {
        assert!(session.run(&program(name), &scope).is_ok(), "{name}");
    }
    let error = session.run(&program("z"), &scope).map(drop).expect_err("it reads all of v.a");
    assert!(matches!(error.kind(), ErrorKind::Layout(_)), "{error}");
    assert!(session.run(&program("z"), &scope.fork()).is_err());
    assert!(session.expand(&document, &scope).is_err());
    assert!(session.expand(&document, &document.projection().scope()).is_ok());
    // Equal expressions of another document read equal paths.
    let again = document.engine().parse("y.hcl", "other = v.c\nmore = v.a.b.c").expect("it parses");
    let again = again.for_layout(document.layout());
    for name in ["other", "more"] {
        let program = again.attribute(name).expect("it is there").program().expect("code");
        assert_eq!(session.run(&program, &scope).is_err(), name == "more", "1 has no attribute c");
    }
}

#[test]
fn a_projection_needs_programs_of_one_layout() {
    let engine = Engine::standard();
    assert!(engine.projection([]).is_err());
    let (one, other) = (document("x = a.b"), document("x = c"));
    let programs = [&one, &other].map(|d| d.attribute("x").expect("it is there").program().expect("code"));
    assert!(engine.projection(&programs).is_err());
    // Of one engine, in layouts that differ.
    let layout = |names: &[&str]| std::sync::Arc::new(hclvm::Layout::new(names.iter().copied()));
    let compiled = |names: &[&str]| engine.compile("a", &layout(names)).expect("code");
    let programs = [compiled(&["a", "b"]), compiled(&["a", "b"])];
    assert!(engine.projection(&programs).is_ok());
    for names in [&["a"][..], &["b", "a"], &["a", "b", "c"]] {
        let programs = [compiled(&["a", "b"]), compiled(names)];
        assert!(engine.projection(&programs).is_err(), "{names:?}");
        assert!(engine.projection([&programs[1], &programs[0]]).is_err(), "{names:?}");
    }
}

#[test]
fn documents_that_read_no_more_are_admitted() {
    let engine = Engine::standard();
    let document = |text: &str| engine.parse("x.hcl", text).expect("it parses");
    let first = document("x = v.a\ny = v.b.c");
    let mut scope = first.projection().scope();
    scope.set_json("v", r#"{"a": 1, "b": {"c": 2, "d": 3}}"#).expect("JSON");
    for (text, admitted) in [
        ("x = v.a", true),
        ("z = [v.b.c, v.a]", true),
        ("x = v.b", false),
        ("x = v.b.d", false),
        ("x = v.a\ny = v", false),
        ("x = v.c", false),
    ] {
        let other = document(text).for_layout(first.layout());
        let result = engine.session().expand(&other, &scope).map(drop);
        let refused = result.is_err_and(|error| matches!(error.kind(), ErrorKind::Layout(_)));
        assert_eq!(!refused, admitted, "{text}");
    }
}

#[test]
fn names_of_one_engine_are_not_those_of_another() {
    let (one, other) = (Engine::standard(), Engine::standard());
    let layout = std::sync::Arc::new(hclvm::Layout::new(["v"]));
    let program = one.compile("v.b", &layout).expect("it compiles");
    let first = other.compile("v.a + v.b", &layout).expect("it compiles");
    assert!(other.projection([&program]).is_err());
    for mut scope in [other.scope(&layout), other.projection([&first]).expect("a program").scope()] {
        scope.set_json("v", r#"{"a": 1, "b": 2}"#).expect("JSON");
        assert!(one.session().run(&program, &scope).is_err());
        assert!(one.session().evaluate(&program, &scope).is_err());
        assert!(other.session().run(&first, &scope).is_ok());
        assert!(other.session().evaluate(&first, &scope).is_ok());
    }
}

#[test]
fn rules_have_a_projection() {
    let document = document("x = v.a.b\ny = v.c\nz = v.d");
    let rules = document.body().rule_set().expect("they compile");
    let mut scope = rules.projection().expect("there are rules").scope();
    scope.set_json("v", r#"{"a": {"b": 1, "z": 2}, "c": 2, "d": [3], "e": 4}"#).expect("JSON");
    assert_eq!(format!("{:?}", scope.get("v").expect("set")), r"{a = {b = 1}, c = 2, d = [3]}");
    let mut session = document.engine().session();
    let results = session.run_rules(&rules, &scope).expect("they are admitted");
    assert_eq!(results.failures().len(), 0);
    // Other sets are admitted by what they read.
    let program = |name: &str| document.attribute(name).expect("it is there").program().expect("code");
    let some = hclvm::run::RuleSet::new([program("x"), program("y")]).expect("one layout");
    assert!(session.run_rules(&some, &scope).is_ok());
    let few = some.projection().expect("there are rules").scope();
    assert!(session.run_rules(&rules, &few).is_err());
    assert!(hclvm::run::RuleSet::new([]).expect("none").projection().is_err());
}

#[test]
fn what_is_read_as_a_whole_admits_programs_that_read_parts() {
    let document = document("x = v\ny = w.a.b\nz = u[0]");
    let layout = document.layout();
    let engine = document.engine();
    let mut scope = document.projection().scope();
    scope.set_all_json(r#"{"v": {"a": {"b": 1}}, "w": {"a": {"b": 2, "c": 3}}, "u": [4]}"#).expect("JSON");
    for (text, admitted) in [
        ("v.a.b", true),
        ("v", true),
        ("[v.x, v.a]", true),
        ("w.a.b", true),
        ("w.a.b.c", true),
        ("w.a", false),
        ("w.a.c", false),
        ("w", false),
        ("u", true),
        ("[w.a.b, v.c]", true),
        ("[w.a.b, w.c]", false),
        // A name that the layout lacks is an error of the evaluation.
        ("other.a", true),
        ("1", true),
    ] {
        let program = engine.compile(text, layout).expect("it compiles");
        let result = engine.session().run(&program, &scope).map(drop);
        let refused = result.is_err_and(|error| matches!(error.kind(), ErrorKind::Layout(_)));
        assert_eq!(!refused, admitted, "{text}");
    }
}

#[test]
fn parts_are_found_among_few_and_many() {
    for count in [1_usize, 2, 11, 12, 13, 14, 40] {
        let name = |at: usize| format!("n{at:02}");
        let sum: Vec<String> = (0..count).map(|at| format!("v.{}, {}", name(at), name(at))).collect();
        let document = document(&format!("x = [{}]", sum.join(", ")));
        let members = |order: &mut dyn Iterator<Item = usize>| {
            let member = |at: usize| format!("\"{}\": {at}", name(at));
            order.map(member).chain(["\"other\": 0".to_owned()]).collect::<Vec<_>>().join(", ")
        };
        for members in [members(&mut (0..count)), members(&mut (0..count).rev())] {
            let mut scope = document.projection().scope();
            scope.set_all_json(&format!("{{\"v\": {{{members}}}, {members}}}")).expect("JSON");
            let program = document.attribute("x").expect("it is there").program().expect("code");
            let mut session = document.engine().session();
            let value = session.run(&program, &scope).expect("all are set");
            let found: Vec<usize> = hclvm::from_value(value).expect("numbers");
            assert_eq!(found, (0..count).flat_map(|at| [at, at]).collect::<Vec<_>>());
            assert_eq!(scope.get("v").and_then(|v| Some(v.as_entries()?.len())), Some(count));
        }
    }
}

#[test]
fn messages_do_not_tell_what_a_projected_object_has() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "a = v.nam\nb = v.age\n").expect("it parses");
    let program = document.attribute("a").expect("defined").program().expect("it compiles");
    let detail = |mut scope: Scope| {
        scope.set_json("v", r#"{"name": "Ann", "age": 7}"#).expect("JSON");
        engine.session().run(&program, &scope).unwrap_err().to_string()
    };
    assert!(detail(document.scope()).ends_with("Did you mean \"name\"?"));
    assert!(detail(document.projection().scope()).ends_with("This object has no attribute \"nam\"."));
}
