//! Functions of a host: arguments and results of closures, and the position of their errors. Misbehaving ones are in
//! host_misbehaves.rs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hclvm::functions::{CallError, Function, FunctionTable};
use hclvm::host::{Optional, Rest, Serde};
use hclvm::value::marks_from;
use hclvm::{Engine, Layout, Limits, OwnedValue, Scope, Type, Value, function};

fn table(functions: impl IntoIterator<Item = Function>) -> FunctionTable {
    let mut table = FunctionTable::new();
    for function in functions {
        table.insert(function.name.clone(), function);
    }
    table
}

/// Evaluates an expression: its value as text, or its first error.
fn outcome(functions: FunctionTable, text: &str, set: impl Fn(&mut Scope)) -> String {
    let engine = Engine::builder().functions(functions).build();
    let layout = Arc::new(Layout::new(["given"]));
    let program = engine.compile(text, &layout).expect("the expression compiles");
    let mut scope = engine.scope(&layout);
    set(&mut scope);
    match engine.session().run(&program, &scope) {
        Ok(value) if value.is_marked() => format!("marked {:?}", value.unmark().0),
        Ok(value) => format!("{value:?}"),
        Err(error) => match error.diagnostics().and_then(|found| found.iter().next()) {
            Some(first) => format!("{}: {}", first.title, first.detail),
            None => error.to_string(),
        },
    }
}

#[track_caller]
fn expect(function: Function, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let found = outcome(table([function.clone()]), text, |_| {});
        match expected.strip_prefix("error ") {
            Some(part) => assert!(found.contains(part), "{text}: {found}"),
            None => assert_eq!(found, *expected, "{text}"),
        }
    }
}

#[test]
fn arguments_are_converted_to_the_types_of_the_closure() {
    let greet = function("f", ["name", "times"], |name: &str, times: i64| format!("{name}{times}"));
    expect(greet, &[(r#"f("a", 2)"#, r#""a2""#), (r#"f(true, "7")"#, r#""true7""#)]);
    let all =
        function("f", ["a", "b", "c", "d"], |a: bool, b: u8, c: f64, d: String| format!("{a} {b} {c} {d}"));
    expect(all, &[(r#"f("true", "255", "0.5", 1)"#, r#""true 255 0.5 1""#)]);
}

#[test]
fn closures_take_up_to_six_parameters() {
    expect(function("f", [], || 7), &[("f()", "7"), ("f(1)", "error Too many function arguments")]);
    let six = function("f", ["a", "b", "c", "d", "e", "g"], |a: u8, b: u8, c: u8, d: u8, e: u8, g: u8| {
        [a, b, c, d, e, g].iter().map(|digit| digit.to_string()).collect::<String>()
    });
    expect(six, &[("f(1, 2, 3, 4, 5, 6)", r#""123456""#)]);
}

#[test]
fn collections_are_passed_as_slices_vectors_and_maps() {
    let slices = function("f", ["words", "numbers"], |words: &[&str], numbers: Vec<i32>| {
        format!("{}{}", words.join("+"), numbers.iter().sum::<i32>())
    });
    expect(slices, &[(r#"f(["a", 1], [2, "3"])"#, r#""a+15""#), ("f([], [])", r#""0""#)]);
    let nested = function("f", ["rows"], |rows: Vec<Vec<u8>>| rows.iter().flatten().count());
    expect(nested, &[("f([[1, 2], [], [3]])", "3")]);
    let map = function("f", ["map"], |map: BTreeMap<String, u16>| {
        map.into_iter().map(|(name, port)| format!("{name}={port}")).collect::<Vec<_>>()
    });
    expect(
        map,
        &[
            (r#"f({ b = 2, a = "1" })"#, r#"tolist(["a=1", "b=2"])"#),
            ("f({ a = -1 })", r#"error in element "a", a whole number between 0 and 65535"#),
        ],
    );
}

#[test]
fn integers_are_exact_or_the_argument_is_at_fault() {
    let byte = function("f", ["a", "level"], |_: bool, level: u8| level);
    let wrong = r#"error Invalid function argument: Argument 2, "level", of f(a, level) does not fit: a whole number between 0 and 255 is required"#;
    expect(
        byte,
        &[("f(true, 255)", "255"), ("f(true, 256)", wrong), ("f(true, -1)", wrong), ("f(true, 0.5)", wrong)],
    );
    let wide = function("f", ["n"], |n: u64| n);
    expect(
        wide,
        &[
            ("f(18446744073709551615) == 18446744073709551615", "true"),
            ("f(18446744073709551616)", "error a whole number between 0 and 18446744073709551615"),
        ],
    );
}

#[test]
fn null_is_accepted_by_optional_parameters_only() {
    let plain = function("f", ["text"], |text: &str| text.len());
    expect(plain, &[("f(null)", "error argument must not be null")]);
    let option = function("f", ["text"], |text: Option<&str>| {
        text.map_or(-1, |text| i64::try_from(text.len()).unwrap_or(i64::MAX))
    });
    expect(option, &[("f(null)", "-1"), (r#"f("ab")"#, "2")]);
    let any = function("f", ["value"], |value: Option<Value>| value.is_some());
    expect(any, &[("f(null)", "false"), ("f([])", "true")]);
    let inside = function("f", ["texts"], |texts: Vec<Option<&str>>| texts.iter().flatten().count());
    expect(inside, &[(r#"f(["a", null])"#, "1")]);
    let strict = function("f", ["texts"], |texts: Vec<&str>| texts.len());
    expect(strict, &[(r#"f(["a", null])"#, "error in element 1, a value is required, not null")]);
    let null = function("f", ["give"], |give: bool| give.then_some("x"));
    expect(null, &[("f(true)", r#""x""#), ("f(false)", "null(string)")]);
}

#[test]
fn trailing_parameters_may_be_optional_or_take_the_rest() {
    let optional =
        function("f", ["a", "b", "c"], |a: &str, Optional(b): Optional<u8>, Optional(c): Optional<bool>| {
            format!("{a} {b:?} {c:?}")
        });
    expect(
        optional,
        &[
            (r#"f("x")"#, r#""x None None""#),
            (r#"f("x", "1")"#, r#""x Some(1) None""#),
            (r#"f("x", 1, "true")"#, r#""x Some(1) Some(true)""#),
            (r#"f("x", 1, "y")"#, "error Invalid function argument"),
            (r#"f("x", 1, true, 2)"#, "error there are at most 3 arguments"),
            ("f()", "error Not enough function arguments"),
        ],
    );
    let rest = function("f", ["first", "others"], |first: i64, Rest(others): Rest<i64>| {
        others.iter().fold(first, |most, other| most.max(*other))
    });
    expect(
        rest,
        &[("f(3)", "3"), ("f(3, 9, 4)", "9"), ("f([1, 2]...)", "2"), ("f(1, 2, 0.5)", "error \"others\"")],
    );
}

#[test]
fn results_have_the_types_of_the_closure() {
    expect(function("f", [], || vec![0.5, 1.0]), &[("f()[0] + f()[1] == 1.5", "true")]);
    expect(
        function("f", [], || BTreeMap::from([("e\u{301}".to_owned(), 1), ("a".to_owned(), 2)])),
        &[("f()", r#"tomap({a = 2, "é" = 1})"#)],
    );
    expect(
        function("f", [], || vec![Serde(1).0, 2].into_iter().map(Serde).collect::<Vec<_>>()),
        &[("f()", "[1, 2]")],
    );
    expect(function("f", ["v"], |value: Value| OwnedValue::new(value)), &[("f({ a = [1] })", r"{a = [1]}")]);
    expect(function("f", [], || f64::NAN), &[("f()", "error the result is not a number")]);
    let types: Vec<Type> = [
        function("f", [], || Some("text")),
        function("f", [], Vec::<bool>::new),
        function("f", [], || Ok::<u8, String>(1)),
        function("f", [], || Serde(1)),
    ]
    .iter()
    .filter_map(Function::static_return)
    .collect();
    assert_eq!(types, [Type::String, Type::List(&Type::Bool), Type::Number, Type::Dynamic]);
}

#[test]
fn structs_pass_through_serde() {
    #[derive(serde::Deserialize, serde::Serialize)]
    struct Size {
        width: u32,
        height: u32,
    }
    let turned = function("f", ["size"], |Serde(size): Serde<Size>| {
        Serde(Size { width: size.height, height: size.width })
    });
    expect(
        turned,
        &[
            ("f({ width = 1, height = 2 })", r"{height = 1, width = 2}"),
            (r#"f({ width = 1, height = "x" })"#, "error height: found"),
        ],
    );
}

#[test]
fn errors_have_the_message_of_the_closure() {
    let parse = function("f", ["text"], |text: &str| text.parse::<u8>());
    expect(parse, &[(r#"f("7")"#, "7"), (r#"f("x")"#, "error invalid digit found in string")]);
    let blaming = function("f", ["a", "b"], |_: u8, _: u8| Err::<u8, _>(CallError::argument(1, "not today")));
    expect(blaming, &[("f(1, 2)", r#"error Argument 2, "b", of f(a, b) does not fit: not today"#)]);
}

#[test]
fn unknown_and_marked_arguments_never_reach_the_closure() {
    let count = || function("f", ["texts"], |texts: Vec<&str>| texts.len());
    let given = |text, set: &dyn Fn(&mut Scope)| outcome(table([count()]), text, set);
    assert_eq!(given(r#"f(["a", given])"#, &|scope| scope.set_unknown("given")), "unknown(number)");
    let secret = |scope: &mut Scope| {
        let built = scope.build("given", |arena| {
            Ok(Value::str(arena, "x").with_marks(arena, marks_from(arena, &["secret"])))
        });
        built.expect("a text fits");
    };
    assert_eq!(given(r#"f(["a", given])"#, &secret), "marked 2");
}

#[test]
fn only_optional_results_may_be_null_while_they_are_unknown() {
    let unknown =
        |function: Function, text| outcome(table([function]), text, |scope| scope.set_unknown("given"));
    let sum = || function("f", ["a"], |a: i64| a + 1);
    let maybe = || function("f", ["a"], |a: i64| (a > 0).then_some(a));
    assert_eq!(unknown(sum(), "f(given) == null"), "false");
    assert_eq!(unknown(sum(), "f(given) == 1"), "unknown(bool)");
    assert_eq!(unknown(maybe(), "f(given) == null"), "unknown(bool)");
    assert_eq!(unknown(maybe(), "[f(1), f(0)]"), "[1, null(number)]");
}

#[test]
fn results_are_charged() {
    let long = function("f", ["count"], |count: usize| "x".repeat(count)).impure();
    let limits = Limits { text_bytes: 100, ..Limits::default() };
    let engine = Engine::builder().functions(table([long])).limits(limits).build();
    let layout = Arc::new(Layout::new([""; 0]));
    for (text, fits) in [("f(100)", true), ("f(101)", false)] {
        let program = engine.compile(text, &layout).expect("it compiles");
        let scope = engine.scope(&layout);
        let mut session = engine.session();
        let result = session.run(&program, &scope);
        assert_eq!(result.is_ok(), fits, "{text}");
        assert!(result.err().is_none_or(|error| error.is_limit()), "{text}");
    }
}

/// Returns how often a closure is called if an expression is compiled once and run three times.
fn runs(text: &str, declare: impl Fn(Function) -> Function) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&count);
    let counted = function("f", ["n"], move |n: i64| {
        counting.fetch_add(1, Ordering::Relaxed);
        n + 1
    });
    let engine = Engine::builder().functions(table([declare(counted)])).build();
    let layout = Arc::new(Layout::new(["given"]));
    let program = engine.compile(text, &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    scope.set("given", &2).expect("a number fits");
    let mut session = engine.session();
    for _ in 0..3 {
        assert_eq!(format!("{:?}", session.run(&program, &scope).expect("it runs")), "3", "{text}");
    }
    count.load(Ordering::Relaxed)
}

#[test]
fn pure_calls_of_constants_are_folded() {
    assert_eq!(runs("f(2)", |pure| pure), 1);
    assert_eq!(runs(r#"f(f("1"))"#, |pure| pure), 2);
    assert_eq!(runs("f(given)", |pure| pure), 3);
    assert_eq!(runs("f(2)", Function::impure), 3);
}

#[test]
fn constant_folding_is_bounded() {
    let count = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&count);
    let long = function("f", ["n"], move |n: usize| {
        counting.fetch_add(1, Ordering::Relaxed);
        "x".repeat(n)
    });
    let engine = Engine::builder().functions(table([long])).build();
    let layout = Arc::new(Layout::new([""; 0]));
    let text = format!("[{}]", vec!["f(4000)"; 200].join(", "));
    let program = engine.compile(&text, &layout).expect("it compiles");
    let compiling = count.load(Ordering::Relaxed);
    assert!((1..50).contains(&compiling), "{compiling} calls while compiling");
    let scope = engine.scope(&layout);
    let mut session = engine.session();
    let items = session.run(&program, &scope).expect("it runs").as_items().expect("a tuple");
    assert!(items.iter().all(|item| item.as_str().is_some_and(|text| text.len() == 4000)));
    assert_eq!(items.len(), 200);
    // The last call attempted exceeded the bound and is made again at run time.
    assert_eq!(count.load(Ordering::Relaxed), 201);
}

#[test]
fn failing_calls_are_not_folded() {
    let fail = function("f", ["text"], |text: &str| text.parse::<u8>());
    expect(fail, &[(r#"false ? f("x") : 1"#, "1"), (r#"f("x")"#, "error invalid digit")]);
}
