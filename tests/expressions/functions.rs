//! Functions as called by programs: results, failures attributed to an argument, limits. Formats are in formats.rs,
//! the tables of applications in applications.

use std::sync::Arc;

use hclvm::diagnostics::Exhausted;
use hclvm::{Engine, ErrorKind, Layout, Limits, functions};

/// Evaluates an expression: its value as text, or its first error as `title @ column`.
fn outcome(engine: &Engine, text: &str) -> String {
    let layout = Arc::new(Layout::new(["anything", "text"]));
    let program = match engine.compile(text, &layout) {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    let mut scope = engine.scope(&layout);
    scope.set_unknown("anything");
    scope.set("text", "0123456789".repeat(10_000).as_str()).expect("a text fits");
    let mut session = engine.session();
    match session.run(&program, &scope) {
        Ok(value) => format!("{value:?}"),
        Err(error) => {
            if let ErrorKind::Limit(limit) = error.kind() {
                format!("limit: {:?}", limit.exhausted)
            } else {
                let diagnostics = error.diagnostics().expect("an error of the evaluation");
                let first = diagnostics.iter().next().expect("at least one");
                let column = first.subject.map_or(0, |span| span.start + 1);
                format!("{} @ {column}", first.title)
            }
        }
    }
}

#[track_caller]
fn expect(engine: &Engine, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(outcome(engine, text), *expected, "{text}");
    }
}

fn standard() -> Engine {
    Engine::standard()
}

fn opentofu() -> Engine {
    Engine::builder().functions(functions::opentofu()).build()
}

#[test]
fn case_is_changed_character_by_character() {
    expect(
        &standard(),
        &[
            (r#"upper("ß ŉ ᾳ straße")"#, r#""ß ŉ ᾼ STRAßE""#),
            (r#"lower("İSTANBUL")"#, r#""istanbul""#),
            (r#"title("ǆabc hello-world o'neil a_b")"#, r#""ǅabc Hello-World O'Neil A_b""#),
            (r#"title("ა ჽ ß")"#, r#""ა ჽ ß""#),
            (r#"upper("ῃ ῳ ა")"#, r#""ῌ ῼ Ა""#),
            (r#"title("Ǆ ǈ ǌ Ǳ")"#, r#""ǅ ǈ ǋ ǲ""#),
        ],
    );
}

#[test]
fn characters_are_grapheme_clusters() {
    expect(
        &standard(),
        &[
            (r#"strlen("👨‍👩‍👧‍👦🇩🇪🇫🇷")"#, "3"),
            (r#"strrev("noe\u0308l")"#, r#""lëon""#),
            (r#"substr("🇩🇪🇫🇷x", 1, 1)"#, r#""🇫🇷""#),
            (r#"substr("hello", -3, 2)"#, r#""ll""#),
            (r#"substr("hello", 1, -1)"#, r#""ello""#),
            (r#"substr("hello", 9, 1)"#, r#""""#),
            (r#"split("", "a👍b")"#, r#"tolist(["a", "👍", "b"])"#),
        ],
    );
}

#[test]
fn results_of_string_functions_are_normalized() {
    expect(
        &standard(),
        &[
            (r#"join("", ["e", "\u0301"])"#, r#""é""#),
            (r#"replace("ex", "x", "\u0301")"#, r#""é""#),
            (r#"replace("ab", "", "-")"#, r#""-a-b-""#),
            (r#"indent(2, "a\nb\n")"#, r#""a\n  b\n  ""#),
            (r#"chomp("a\r\n\n\r")"#, r#""a""#),
            (r#"trim("?!a?!", "!?")"#, r#""a""#),
        ],
    );
}

#[test]
fn strings_are_ordered_by_bytes_and_sorting_is_stable() {
    expect(
        &standard(),
        &[
            (r#"sort(["é", "e", "z", "Z"])"#, r#"tolist(["Z", "e", "z", "é"])"#),
            ("distinct([3, 1, 3, 2, 1])", "tolist([3, 1, 2])"),
            ("length(distinct([for i in range(200) : 1 + i * 1e-100]))", "200"),
            (r"distinct([{ a = 1 }, { a = 2 }, { a = 1 }])", r"tolist([{a = 1}, {a = 2}])"),
            ("setintersection([1, 2, 3], [3, 2], [2, 3, 4])", "toset([2, 3])"),
            ("setsymmetricdifference([1, 2], [2, 3], [3, 1])", "toset([])"),
            (r#"setunion([1], ["a"])"#, r#"toset(["1", "a"])"#),
        ],
    );
}

#[test]
fn maps_of_one_type_merge_to_a_map_and_anything_else_to_an_object() {
    expect(
        &standard(),
        &[
            (r"merge({ a = 1, b = 2 }, null, { b = 3 })", r"{a = 1, b = 3}"),
            (r"merge(tomap({ a = 1 }), tomap({ b = 2 }))", r"tomap({a = 1, b = 2})"),
            (r#"zipmap(["b", "a", "b"], [1, 2, 3])"#, r"{a = 2, b = 3}"),
            (r#"lookup(tomap({ a = "x" }), "b", 5)"#, r#""5""#),
            (r"keys({ b = 1, a = 2 })", r#"["a", "b"]"#),
        ],
    );
}

#[test]
fn numbers_follow_floats_only_where_floats_are_asked_for() {
    expect(
        &standard(),
        &[
            ("pow(2, 10000) == 1 / 0", "true"),
            ("tostring(pow(-2, 3))", r#""-8""#),
            ("pow(10, 0.5) == 3.1622776601683795", "true"),
            ("pow(2, -1074) > 0", "true"),
            ("log(8, 0.5) == -3", "true"),
            (r#"parseint("-zz", 36)"#, "-1295"),
            (r#"parseint("Z", 62)"#, "61"),
            ("range(3)", "tolist([0, 1, 2])"),
            ("range(1, -2)", "tolist([1, 0, -1])"),
            ("floor(-1.5)", "-2"),
            ("int(-1.5)", "-1"),
        ],
    );
}

#[test]
fn failures_are_attributed_to_the_argument_that_caused_them() {
    let argument = |column: usize| format!("Invalid function argument @ {column}");
    let call = "Error in function call @ 1".to_owned();
    let cases = [
        (r"slice([1, 2], 1, 3)", argument(18)),
        (r#"parseint("12", 99)"#, argument(16)),
        (r#"parseint("xy", 10)"#, argument(11)),
        ("concat([1], 2)", argument(13)),
        (r#"join(",", ["a"], ["b", null])"#, argument(18)),
        (r"keys([1])", argument(6)),
        (r#"tonumber("a")"#, argument(11)),
        (r"setproduct([1], { a = 1 })", argument(17)),
        (r"upper(null)", argument(7)),
        (r"element([], 0)", call.clone()),
        (r"range(0, 5, 0)", call.clone()),
        (r"max()", call.clone()),
        (r"merge({}, 1)", call.clone()),
        (r"flatten({})", call),
    ];
    for (text, expected) in &cases {
        assert_eq!(outcome(&standard(), text), *expected, "{text}");
    }
}

#[test]
fn results_of_unknown_arguments_are_refined() {
    expect(
        &standard(),
        &[
            ("upper(anything)", "unknown(string)"),
            ("max(1, anything)", "unknown(number)"),
            ("coalesce(1, anything)", "1"),
            ("contains([1, anything], 1)", "true"),
            ("contains([1, anything], 2)", "unknown(bool)"),
            ("flatten([[1], anything])", "unknown(dynamic)"),
            ("flatten([[1], [anything == 1]])", "[1, unknown(bool)]"),
            ("concat([1], [anything])", "[1, unknown(dynamic)]"),
            ("sort([\"b\", tostring(anything)])", "tolist([unknown(string), unknown(string)])"),
            ("merge({ a = 1 }, anything)", "unknown(dynamic)"),
            ("keys({ a = anything })", "[\"a\"]"),
        ],
    );
}

#[test]
fn some_names_mean_other_functions_in_opentofu() {
    expect(
        &opentofu(),
        &[
            (r#"coalesce("", null, "b")"#, r#""b""#),
            (r#"index(["a", "b"], "b")"#, "1"),
            (r#"lookup({ a = 1 }, "a")"#, "1"),
            (r#"lookup({ a = 1 }, "b", 2, 3)"#, "Error in function call @ 1"),
            (r"one([])", "null"),
            (r"one([1, 2])", "Invalid function argument @ 5"),
            (
                r#"transpose({ a = ["x", "y"], b = ["x"] })"#,
                r#"tomap({x = tolist(["a", "b"]), y = tolist(["a"])})"#,
            ),
            (r#"matchkeys([1, 2, 3], ["a", "b", "a"], ["a"])"#, "tolist([1, 3])"),
            (r#"tostring(sum([1, "2", 0.5]))"#, r#""3.5""#),
            ("alltrue([true, null])", "false"),
            (r#"anytrue(["false", "true"])"#, "true"),
            (r#"core::startswith("abc", "ab")"#, "true"),
            (r"add(1, 2)", "Call to unknown function @ 1"),
        ],
    );
}

#[test]
fn some_functions_differ_between_hosts() {
    expect(
        &standard(),
        &[
            (r#"coalesce("", "b")"#, r#""""#),
            (r#"index(["a", "b"], 1)"#, r#""b""#),
            (r"length_cty({ a = 1 })", "Error in function call @ 1"),
            (r"length({ a = 1 })", "1"),
        ],
    );
}

#[test]
fn work_grows_linearly_with_the_data() {
    // Comparing all pairs would take a thousand million steps.
    let plenty = Limits { fuel: 20_000_000, ..Limits::untrusted() };
    let engine = Engine::builder().limits(plenty).build();
    expect(
        &engine,
        &[
            (r#"length(distinct(split("", text)))"#, "10"),
            (r"length(distinct(range(1000)))", "1000"),
            (r#"length(sort(split("", text)))"#, "100000"),
            (r#"length(toset(split("", text)))"#, "10"),
            (r#"strlen(join(",", split("", text)))"#, "199999"),
            (r#"strlen(replace(text, "5", "five"))"#, "130000"),
            (r"strlen(trim(text, text))", "0"),
        ],
    );
}

#[test]
fn results_that_are_too_large_exceed_a_limit() {
    let limit = |exhausted: Exhausted| format!("limit: {exhausted:?}");
    let cases = [
        (r#"replace(text, "", text)"#, limit(Exhausted::Text)),
        (r#"indent(1000000000000, "a\nb")"#, limit(Exhausted::Text)),
        // Nearly all of it are separators, or what they are replaced by.
        (r#"join(text, split("", "a${"bcdefghij"}${substr(text, 0, 300)}"))"#, limit(Exhausted::Text)),
        (r#"replace(substr(text, 0, 3000), "5", text)"#, limit(Exhausted::Text)),
        ("setproduct(split(\"\", text), split(\"\", text))", limit(Exhausted::Fuel)),
    ];
    for (text, expected) in &cases {
        assert_eq!(outcome(&standard(), text), *expected, "{text}");
    }
}
