//! Scopes: which variables have values after each way of setting them, and which programs a scope suits.

use std::sync::Arc;

use hclvm::run::{RuleSet, Tier};
use hclvm::{Document, Engine, Error, ErrorKind, Layout, Limits, Scope, Undefined, Value};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn document(engine: &Engine) -> Document {
    engine.parse("x.hcl", "x = [a, b, c, d]").expect("it parses")
}

/// Returns each variable as text: `-` without a value, `?` if it is unknown.
fn shown(scope: &Scope) -> String {
    let one = |name: &&str| match scope.get(name) {
        None => "-".to_owned(),
        Some(value) if !value.is_known() => "?".to_owned(),
        Some(value) => format!("{value:?}"),
    };
    NAMES.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Returns what a program that reads all variables makes of them, on both tiers; the number of errors if
/// there are any.
fn read(document: &Document, scope: &Scope) -> String {
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let [best, baseline] = [Tier::Best, Tier::Baseline].map(|tier| {
        let mut session = document.engine().session();
        session.set_tier(tier);
        match session.run(&program, scope) {
            Ok(value) => format!("{value:?}"),
            Err(error) => format!("{} errors", error.diagnostics().map_or(0, |found| found.len())),
        }
    });
    assert_eq!(best, baseline);
    best
}

#[test]
fn every_variable_is_set_and_removed_alone() {
    let document = document(&Engine::standard());
    let mut scope = document.scope();
    assert_eq!((shown(&scope), read(&document, &scope)), ("- - - -".into(), "4 errors".into()));
    for (at, name) in NAMES.iter().enumerate() {
        scope.set(name, &at).expect("a number");
    }
    assert_eq!((shown(&scope), read(&document, &scope)), ("0 1 2 3".into(), "[0, 1, 2, 3]".into()));
    for (at, name) in NAMES.iter().enumerate() {
        let mut fewer = scope.fork();
        fewer.unset(name);
        let expected: Vec<String> =
            (0..4).map(|other| if other == at { "-".to_owned() } else { other.to_string() }).collect();
        assert_eq!(shown(&fewer), expected.join(" "));
        assert_eq!(read(&document, &fewer), "1 errors");
        fewer.set(name, "new").expect("a text");
        assert_eq!(read(&document, &fewer), format!("[{}]", expected.join(", ").replace('-', "\"new\"")));
    }
}

#[test]
fn the_rest_becomes_unknown_and_what_is_set_stays() {
    let document = document(&Engine::standard());
    for (set, expected) in [(0, "7 ? ? ?"), (1, "? 7 ? ?"), (2, "? ? 7 ?"), (3, "? ? ? 7")] {
        let mut scope = document.scope();
        scope.set(NAMES[set], &7).expect("a number");
        scope.set_rest_unknown();
        assert_eq!(shown(&scope), expected);
        scope.set_unknown(NAMES[set]);
        assert_eq!(shown(&scope), "? ? ? ?");
        scope.unset(NAMES[set]);
        assert_eq!(shown(&scope), expected.replace('7', "-"));
    }
}

/// Sets variables of a scope.
type Fill = fn(&mut Scope) -> Result<(), Error>;

#[test]
fn a_variable_that_cannot_be_set_has_no_value() {
    let limits = Limits { arena_bytes: 10_000, ..Limits::default() };
    let failures: [Fill; 6] = [
        |scope| scope.set("b", &f64::NAN),
        |scope| scope.set("b", &"x".repeat(20_000)),
        |scope| scope.set_json("b", "[1"),
        |scope| scope.set_host("b", &f64::NAN),
        |scope| scope.build("b", |_| Err(Error::host("refused"))),
        |scope| scope.set_all_json(r#"{"b": [1, "a": 2}"#),
    ];
    for undefined in [Undefined::Error, Undefined::Text, Undefined::Unknown] {
        let engine = Engine::builder().limits(limits).undefined(undefined).build();
        let document = document(&engine);
        let absent = if undefined == Undefined::Unknown { "?" } else { "-" };
        for fails in failures {
            let mut scope = document.scope();
            for (at, name) in NAMES.iter().enumerate() {
                scope.set(name, &at).expect("a number");
            }
            assert!(fails(&mut scope).is_err());
            assert_eq!(shown(&scope), format!("0 {absent} 2 3"));
            scope.set("b", &5).expect("a number");
            assert_eq!(shown(&scope), "0 5 2 3");
        }
    }
}

#[test]
fn names_that_no_program_reads_are_refused_with_a_hint() {
    let document = Engine::standard().parse("x.hcl", "x = user").expect("the text parses");
    for mut scope in [document.scope(), document.projection().scope()] {
        for result in [scope.set("usr", &1), scope.set_json("usr", "1"), scope.set_host("usr", &1_u8)] {
            let error = result.expect_err("nothing reads it").to_string();
            assert_eq!(error, "there is no variable \"usr\" that a program reads; did you mean \"user\"?");
        }
        assert!(scope.has("user") && !scope.has("usr"));
    }
}

#[test]
fn names_that_no_program_reads_are_ignored_where_values_are_passed_on() {
    let document = document(&Engine::standard());
    let mut scope = document.scope();
    scope.set_value("other", Value::TRUE).expect("it is ignored");
    scope.build("other", |_| Err(Error::host("never called"))).expect("it is not called");
    scope.set_unknown("other");
    scope.unset("other");
    scope.set_all_json(r#"{"other": [1], "c": 2}"#).expect("JSON");
    assert_eq!(shown(&scope), "- - 2 -");
    assert!(scope.get("other").is_none());
}

#[test]
fn members_before_an_error_are_set() {
    let document = document(&Engine::standard());
    let mut scope = document.scope();
    scope.set("d", &9).expect("a number");
    assert!(scope.set_all_json(r#"{"a": 1, "b": 2, "c": tru, "d": 4}"#).is_err());
    assert_eq!(shown(&scope), "1 2 - 9");
    assert!(scope.set_all_json(r#"{"a": 3} x"#).is_err());
    assert_eq!(shown(&scope), "3 2 - 9");
}

fn is_layout_error(result: Result<(), Error>) -> bool {
    result.is_err_and(|error| matches!(error.kind(), ErrorKind::Layout(_)))
}

#[test]
fn programs_of_another_layout_or_engine_are_rejected() {
    let engine = Engine::standard();
    let layout = |names: &[&str]| Arc::new(Layout::new(names.iter().copied()));
    let own = layout(&["a", "b"]);
    let mut scope = engine.scope(&own);
    scope.set_all_json(r#"{"a": 1, "b": 2}"#).expect("JSON");
    let compiled = |engine: &Engine, names: &[&str]| engine.compile("a", &layout(names)).expect("code");
    for (program, fits) in [
        (engine.compile("a", &own).expect("code"), true),
        // An equal layout.
        (compiled(&engine, &["a", "b"]), true),
        (compiled(&engine, &["b", "a"]), false),
        (compiled(&engine, &["a"]), false),
        (compiled(&engine, &["a", "b", "c"]), false),
        (compiled(&Engine::standard(), &["a", "b"]), false),
    ] {
        let mut session = engine.session();
        let rules = RuleSet::new([program.clone()]).expect("one rule");
        for result in [
            session.run(&program, &scope).map(drop),
            session.evaluate(&program, &scope).map(drop),
            session.run_rules(&rules, &scope).map(drop),
        ] {
            assert_eq!(result.is_ok(), fits, "{:?}", program.layout());
            assert!(fits || is_layout_error(result));
        }
    }
}

#[test]
fn documents_of_another_layout_or_engine_are_rejected() {
    let engine = Engine::standard();
    let document = document(&engine);
    let mut scope = document.scope();
    scope.set_rest_unknown();
    let expand = |document: &Document| document.engine().session().expand(document, &scope).map(drop);
    assert!(expand(&document).is_ok());
    assert!(expand(&engine.parse("y.hcl", "y = a + b + c + d").expect("HCL")).is_ok(), "an equal layout");
    assert!(is_layout_error(expand(&engine.parse("y.hcl", "y = d + c + b + a").expect("HCL"))));
    assert!(is_layout_error(expand(&Engine::standard().parse("x.hcl", "x = [a, b, c, d]").expect("HCL"))));
}

#[test]
fn a_scope_takes_over_everything_of_another() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "x = v.a").expect("it parses");
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let whole = engine.compile("v", document.layout()).expect("it compiles");
    let (mut all, mut part) = (document.scope(), document.projection().scope());
    for scope in [&mut all, &mut part] {
        scope.set_json("v", r#"{"a": 1, "b": 2}"#).expect("JSON");
    }
    let admits_whole = |scope: &Scope| engine.session().run(&whole, scope).is_ok();
    // What a projection leaves out is not read by accident, whichever scope was copied to which.
    let mut copy = all.fork();
    assert!(admits_whole(&copy) && copy.projection().is_none());
    copy.clone_from(&part);
    assert!(!admits_whole(&copy) && copy.projection().is_some());
    copy.set_json("v", r#"{"a": 3, "b": 4}"#).expect("JSON");
    assert_eq!(format!("{:?}", copy.get("v").expect("set")), "{a = 3}");
    assert!(engine.session().run(&program, &copy).is_ok());
    copy.clone_from(&all);
    assert!(admits_whole(&copy) && copy.projection().is_none());
    copy.set_json("v", r#"{"a": 3, "b": 4}"#).expect("JSON");
    assert_eq!(format!("{:?}", copy.get("v").expect("set")), "{a = 3, b = 4}");
    assert!(!admits_whole(&part.fork()) && part.fork().projection().is_some());
    // The engine and the layout are also copied.
    let small = Engine::builder().limits(Limits { arena_bytes: 1_000, ..Limits::default() }).build();
    let other = small.parse("x.hcl", "y = [w, v]").expect("it parses");
    let theirs = other.attribute("y").expect("it is there").program().expect("it compiles");
    copy.clone_from(&other.scope());
    assert_eq!(copy.layout(), other.layout());
    assert!(copy.set("w", &"x".repeat(2_000)).is_err(), "the limits are those of the other engine");
    copy.set_all_json(r#"{"v": 1, "w": 2}"#).expect("JSON");
    let mut session = small.session();
    assert_eq!(format!("{:?}", session.run(&theirs, &copy).expect("two values")), "[2, 1]");
    assert!(engine.session().run(&program, &copy).is_err());
}

#[test]
fn a_packed_scope_has_equal_values_of_its_own() {
    let engine = Engine::standard();
    let names = ["a", "b", "c", "d", "e", "f"];
    for count in 1..=names.len() {
        let text = format!("x = [{}]", names[..count].join(", "));
        let document = engine.parse("x.hcl", &text).expect("it parses");
        let program = document.attribute("x").expect("it is there").program().expect("it compiles");
        let mut scope = document.scope();
        for name in &names[..count] {
            let json =
                r#"{"text": "some text", "none": null, "deep": [[1.5, true, {"": "\u00e9"}], []], "o": {}}"#;
            scope.set_json(name, json).expect("it is JSON");
        }
        let (mut session, mut other) = (engine.session(), engine.session());
        let expected = format!("{:?}", session.run(&program, &scope).expect("all are set"));
        let packed = scope.packed();
        let (mut fork, again) = (packed.fork(), packed.packed());
        scope.set("a", "changed").expect("it is small");
        scope.set("a", "changed again").expect("it is small");
        drop(packed);
        for kept in [&fork, &again] {
            assert_eq!(format!("{:?}", other.run(&program, kept).expect("all are set")), expected);
        }
        fork.set("a", &1).expect("it is small");
        assert_eq!(fork.get("a").and_then(|a| a.as_number()?.to_i64()), Some(1));
        assert_eq!(again.get("a").map(|a| a.contains_marks()), Some(false));
    }
}

#[test]
fn any_value_can_be_packed() {
    let engine = Engine::standard();
    let texts = [
        "toset([\"a\", \"b\"])",
        "tomap({ k = [1, 2] })",
        "1 / 3",
        "tolist([])",
        "[1e400, \"x\", null, tonumber(null)]",
        "[for i in range(1000) : { name = \"item ${i}\" }]",
    ];
    for text in texts {
        let document = engine.parse("x.hcl", &format!("x = {text}\ny = v")).expect("it parses");
        let program = |name| document.attribute(name).expect("it is there").program().expect("it compiles");
        let (x, y) = (program("x"), program("y"));
        let (mut session, mut other) = (engine.session(), engine.session());
        let (mut scope, empty) = (document.scope(), document.scope());
        let value = session.run(&x, &empty).expect("it has no errors");
        let expected = format!("{value:?}");
        scope.set_value("v", value).expect("it is small");
        let packed = scope.packed();
        drop(scope);
        assert_eq!(format!("{:?}", other.run(&y, &packed).expect("it is set")), expected, "{text}");
    }
}

#[test]
fn an_unset_and_an_unknown_variable_are_packed_as_such() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "x = a\ny = b\nz = c").expect("it parses");
    let mut scope = document.scope();
    scope.set("a", "text").expect("it is small");
    scope.set_unknown("b");
    let packed = scope.packed();
    assert_eq!(packed.get("a").and_then(|a| a.as_str()), Some("text"));
    assert!(packed.get("b").is_some() && packed.get("c").is_none());
    let program = document.attribute("z").expect("it is there").program().expect("it compiles");
    assert!(engine.session().run(&program, &packed).is_err());
}

#[test]
fn variables_set_in_any_order_keep_their_values_and_allocate_nothing_later() {
    // Every sequence of two variables occurs, also one variable twice.
    const ORDER: [usize; 16] = [0, 0, 1, 0, 2, 0, 3, 1, 1, 2, 1, 3, 2, 2, 3, 3];
    let engine = Engine::standard();
    let document = document(&engine);
    let mut scope = document.scope();
    let texts: Vec<String> = (0..256).map(|turn| format!("\"{turn} {}\"", "x".repeat(100))).collect();
    let at = |turn: usize| ORDER[turn % ORDER.len()];
    let mut set = |turns: std::ops::Range<usize>| {
        for turn in turns {
            scope.set_json(NAMES[at(turn)], &texts[turn]).expect("it is JSON");
        }
    };
    set(0..128);
    assert_eq!(allocation_counter::measure(|| set(128..256)).count_total, 0);
    for turn in 256 - 64..256 {
        assert!(scope.set_json(NAMES[at(turn)], "[1, 2,").is_err());
        scope.set_json(NAMES[at(turn)], &texts[turn]).expect("it is JSON");
    }
    for (slot, name) in NAMES.iter().enumerate() {
        let last = (0..256).rev().find(|turn| at(*turn) == slot).expect("each is set");
        let expected = format!("{last} {}", "x".repeat(100));
        assert_eq!(scope.get(name).and_then(|value| value.as_str()), Some(expected.as_str()));
    }
}

#[test]
fn limits_apply_to_each_variable() {
    let limits = Limits { arena_bytes: 100_000, ..Limits::default() };
    let engine = Engine::builder().limits(limits).build();
    let document = document(&engine);
    let text = format!("\"{}\"", "x".repeat(60_000));
    let items = format!("[{}0]", "{\"item\": \"some text\"},".repeat(300));
    // A value must not depend on what others take.
    for (first, rest) in [(&text, &text), (&text, &items), (&items, &text), (&items, &items)] {
        let mut scope = document.scope();
        for round in 0..3 {
            scope.set_json("a", first).expect("it is within the limits");
            for name in &NAMES[1..] {
                scope.set_json(name, rest).unwrap_or_else(|error| panic!("{round}: {error}"));
            }
        }
        let long = format!("\"{}\"", "x".repeat(200_000));
        assert!(scope.set_json("b", &long).is_err() && scope.get("b").is_none());
        scope.set_json("b", &text).expect("it is within the limits");
        assert!(NAMES.iter().all(|name| scope.get(name).is_some()));
    }
}

#[test]
fn a_packed_scope_of_three_variables_takes_400_bytes() {
    let engine = Engine::standard();
    let text =
        r#"x = user.role == "admin" || request.method == "GET" && resource.group == "a" && resource.open"#;
    let document = engine.parse("x.hcl", text).expect("it parses");
    let mut scope = document.projection().scope();
    scope
        .set_all_json(
            r#"{"user": {"name": "Ada", "role": "member"}, "request": {"method": "GET", "path": "/"},
                "resource": {"group": "group-03", "owner": "Bob", "open": true}}"#,
        )
        .expect("it is JSON");
    let mut packed = None;
    let heap = allocation_counter::measure(|| packed = Some(scope.packed())).bytes_current;
    let bytes = size_of::<Scope>() + usize::try_from(heap).expect("it has memory");
    assert!(bytes <= 400, "{bytes}");
}
