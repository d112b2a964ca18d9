//! Functions that read and write formats: format verbs, JSON, CSV, dates, patterns. Other functions are in
//! functions.rs.

use std::sync::Arc;

use hclvm::value::View;
use hclvm::{Engine, Layout, Limits};

/// Evaluates an expression: a string as it is, any other value as `{:?}` shows it, or the detail of its
/// first error. `anything` is of unknown type, `text` an unknown string.
fn outcome(engine: &Engine, text: &str) -> String {
    let layout = Arc::new(Layout::new(["anything"]));
    let program = match engine.compile(text, &layout) {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    let mut scope = engine.scope(&layout);
    scope.set_unknown("anything");
    let mut session = engine.session();
    match session.run(&program, &scope) {
        Ok(value) => match value.view() {
            View::String(text) => text.to_owned(),
            View::Unknown(unknown) => {
                format!("unknown {} {:?}", unknown.ty.friendly_name(), unknown.refinement.prefix)
            }
            _ => format!("{value:?}"),
        },
        Err(error) => match error.diagnostics().and_then(|found| found.iter().next()) {
            Some(first) => first.detail.to_string(),
            None => error.to_string(),
        },
    }
}

#[track_caller]
fn expect(cases: &[(&str, &str)]) {
    let engine = Engine::standard();
    for (text, expected) in cases {
        assert_eq!(outcome(&engine, text), *expected, "{text}");
    }
}

/// Checks that the details of errors contain these words.
#[track_caller]
fn expect_error(cases: &[(&str, &str)]) {
    let engine = Engine::standard();
    for (text, words) in cases {
        let found = outcome(&engine, text);
        assert!(found.contains(words), "{text}: {found}");
    }
}

#[test]
fn verbs_format_integers() {
    expect(&[
        (r#"format("%d|%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42, 42)"#, "42|   42|42   |00042|+42| 42"),
        (
            r#"format("%b %o %x %X %#b %#o %#x %#X", 10, 10, 255, 255, 10, 10, 255, 255)"#,
            "1010 12 ff FF 0b1010 012 0xff 0XFF",
        ),
        (r#"format("%.3d|%6.3d|%06.3d|%-06d|%.0d|", 7, 7, 7, 7, 0)"#, "007|   007|   007|7     ||"),
        (r#"format("%d %x", 1e30, -255)"#, "1000000000000000000000000000000 -ff"),
        (r#"format("%#08x|%+d", -10, -1)"#, "-0x0000a|-1"),
        (r#"format("%d", "12")"#, "12"),
    ]);
}

#[test]
fn verbs_format_floats() {
    expect(&[
        (r#"format("%f %.0f %.1f %.1f %.3f", 10, 0.5, 0.25, 0.35, 2 / 3)"#, "10.000000 0 0.2 0.3 0.667"),
        (r#"format("%e %E %.0e", 12345.678, 0.00012, 15)"#, "1.234568e+04 1.200000E-04 2e+01"),
        (r#"format("%g %g %.3g %G", 1000000, 0.00001, 123456, 1e-10)"#, "1e+06 1e-05 1.23e+05 1E-10"),
        (r#"format("%9.2f|%-9.2f|%09.2f|%+.1f", -1.5, -1.5, -1.5, 2)"#, "    -1.50|-1.50    |-00001.50|+2.0"),
        (r#"format("%v %v %v", 1e20, 123456, 0.1)"#, "1e+20 123456 0.1"),
    ]);
}

#[test]
fn verbs_format_strings_and_any_value() {
    expect(&[
        (
            r#"format("%5s|%-5s|%05s|%.2s|%q", "é", "é", "é", "éàü", "a\"<")"#,
            "    é|é    |0000é|éà|\"a\\\"\\u003c\"",
        ),
        (r#"format("%v %#v %v %v", "a", "a", [1, {b = null}], null)"#, "a \"a\" [1,{\"b\":null}] null"),
        (r#"format("%t %t %%", true, "false")"#, "true false %"),
        (r#"format("%[2]s %[1]s %s", "a", "b")"#, "b a b"),
        (r#"format("%6v|%-6v|", [1], false)"#, "   [1]|false |"),
        (r#"format("e%s", "\u0301") == "é""#, "true"),
    ]);
}

#[test]
fn formats_are_checked() {
    expect_error(&[
        (r#"format("%d", 1.5)"#, "expected a whole number"),
        (r#"format("%s", null)"#, "only %v can show null"),
        (r#"format("%s")"#, "shows argument 1, but there are only 0"),
        (r#"format("%s", 1, 2)"#, "uses only 1 of 2"),
        (r#"format("%z", 1)"#, "no verb 'z'"),
        (r#"format("%*d", 1, 2)"#, "the character '*' at offset 1"),
        (r#"format("%[0]d", 1)"#, "the character '0' at offset 2"),
        (r#"format("abc %5", 1)"#, "ends inside the verb that starts at offset 4"),
        (r#"format("%9999999d", 1)"#, "the widest number has 1000000"),
        (r#"formatlist("%s%s", ["a"], ["b", "c"])"#, "must be of one length"),
    ]);
}

#[test]
fn unknown_arguments_keep_the_prefix_before_them() {
    expect(&[
        (r#"format("Hello, %s!", anything)"#, "unknown string \"Hello, \""),
        (r#"format("ab%s", anything)"#, "unknown string \"a\""),
        (r"jsonencode({a = anything})", "unknown string \"{\""),
        (r"jsonencode([anything])", "unknown string \"[\""),
        (r#"jsondecode("{${anything}")"#, "unknown dynamic \"\""),
        (r#"jsondecode("-${anything}")"#, "unknown number \"\""),
        (r#"jsondecode("  true, ${anything}")"#, "unknown bool \"\""),
        (r#"formatlist("%s-%s", [anything, "a"], ["x", "y"])[1]"#, "a-y"),
    ]);
    expect_error(&[(r#"jsondecode("<a${anything}")"#, "no JSON document begins with the character '<'")]);
}

#[test]
fn limits_end_formatting_of_large_results() {
    let engine = Engine::standard();
    for (text, words) in [
        (r#"format("%1000000000v", 1)"#, "longer texts"),
        (r#"format("%99999999999999999999s", "x")"#, "longer texts"),
        (r#"format("%s", 1e600000000)"#, "longer numbers"),
        (r#"format("%f", 1e600000000)"#, "longer numbers"),
        (r#"format("%x", 1e600000000)"#, "longer numbers"),
        (r#"format("%.999999f", 1)"#, "longer numbers"),
        ("jsonencode(1e600000000)", "longer numbers"),
    ] {
        let found = outcome(&engine, text);
        assert!(found.contains(words), "{text}: {found}");
    }
    let nested = format!("jsondecode(\"{}\")", "[".repeat(5_000));
    assert!(outcome(&engine, &nested).contains("deeper nested values"), "{}", outcome(&engine, &nested));
    let small = Engine::builder().limits(Limits { fuel: 10_000, ..Limits::default() }).build();
    let doubled = r#"jsonencode([for a in range(1000) : "0123456789"])"#;
    assert!(outcome(&small, doubled).contains("more work"));
    #[cfg(feature = "regex")]
    {
        let pattern = r#"regexall("(a{1,1000}){1,1000}", "aaa")"#;
        assert!(outcome(&small, pattern).contains("more work"));
        // Each match first scans the rest of the text, so every byte is read many times.
        let quadratic = r#"regexall(".*[^0-9]|[0-9]", format("%020000s", "0"))"#;
        let enough = Limits { fuel: 100_000, ..Limits::default() };
        let found = outcome(&Engine::builder().limits(enough).build(), quadratic);
        assert!(found.contains("more work"), "{}", found.len());
    }
}

#[test]
fn json_is_read_and_written() {
    expect(&[
        (
            r#"jsonencode({b = [1.50, true, null], a = "<&>\u2028\t\u0001\"\\"})"#,
            "{\"a\":\"\\u003c\\u0026\\u003e\\u2028\\t\\u0001\\\"\\\\\",\"b\":[1.5,true,null]}",
        ),
        (
            r#"jsonencode(jsondecode("  {\"b\": [1e2, -0.50, 123456789012345678901234567890], \"a\": {}} "))"#,
            r#"{"a":{},"b":[100,-0.5,123456789012345678901234567890]}"#,
        ),
        (r#"jsondecode("\"\\ud83d\\ude00 \\u00e9 \\ud800 \\n\"")"#, "😀 é \u{FFFD} \n"),
        (r#"jsondecode("{\"a\": 1, \"a\": 2}").a"#, "2"),
        (r#"jsondecode("\"e\\u0301\"") == "é""#, "true"),
        (r#"jsondecode("[[], [[]], {}]")"#, "[[], [[]], {}]"),
    ]);
    expect_error(&[
        (r#"jsondecode("")"#, "expected a value, found the end of the text at line 1 column 1"),
        (r#"jsondecode("[1,]")"#, "expected a value, found `]` at line 1 column 4"),
        (r#"jsondecode("{\"a\":1,}")"#, "expected a name in double quotes, found `}`"),
        (r#"jsondecode("[1] 2")"#, "expected the end of the text, found `2`"),
        (r#"jsondecode("01")"#, "a needless zero"),
        (r#"jsondecode("1.")"#, "expected a digit"),
        (r#"jsondecode("nul")"#, "expected `null`"),
        (r#"jsondecode("'a'")"#, "expected a value, found `'`"),
        (r#"jsondecode("\"a\tb\"")"#, "a control character that is not escaped"),
        (r#"jsondecode("\"abc")"#, "has no closing quote"),
        (r#"jsondecode("{\"a\": 1, \"a\": \"x\"}")"#, "twice"),
    ]);
}

#[test]
fn csv_is_read() {
    expect(&[
        (
            r#"jsonencode(csvdecode("a,b\r\n1,\"x,\"\"y\"\"\r\nz\"\n\n2,\n"))"#,
            r#"[{"a":"1","b":"x,\"y\"\nz"},{"a":"2","b":""}]"#,
        ),
        (r#"jsonencode(csvdecode(" a ,\"b\"\n 1 ,2"))"#, r#"[{" a ":" 1 ","b":"2"}]"#),
        (r#"csvdecode("a")"#, "tolist([])"),
    ]);
    expect_error(&[
        (r#"csvdecode("")"#, "header line is missing"),
        (r#"csvdecode("a,b\n1")"#, "line 2 has 1 fields"),
        (r#"csvdecode("a,a\n1,2")"#, "two columns are called \"a\""),
        (
            r#"csvdecode("a\nx\"y")"#,
            "line 2 is not CSV: a field that does not start with a quote has one inside",
        ),
        (r#"csvdecode("a\n\"x\"y")"#, "closing quote is not followed"),
        (r#"csvdecode("a\n\"x")"#, "no closing quote"),
    ]);
}

#[test]
fn timestamps_are_strict() {
    expect(&[
        (r#"timeadd("2017-11-22T00:00:00Z", "-1.5h")"#, "2017-11-21T22:30:00Z"),
        (r#"timeadd("2017-11-22T00:00:00+05:30", "1h1ms1us1µs1ns")"#, "2017-11-22T01:00:00+05:30"),
        (r#"timeadd("9999-12-31T23:59:59.999999999Z", "1ns")"#, "10000-01-01T00:00:00Z"),
        (r#"formatdate("YYYY-MM-DD'T'hh:mm:ssZ", "2020-02-29T23:59:59.123-00:00")"#, "2020-02-29T23:59:59Z"),
    ]);
    expect_error(&[
        (r#"timeadd("2017-02-29T00:00:00Z", "0")"#, "month 2 of 2017 has no day 29"),
        (r#"timeadd("2017-1-01T00:00:00Z", "0")"#, "the month must have 2 digits"),
        (r#"timeadd("2017-01-01t00:00:00Z", "0")"#, "expected 'T', found"),
        (r#"timeadd("2017-01-01T24:00:00Z", "0")"#, "the hour must be from 0 to 23"),
        (r#"timeadd("2017-01-01T00:00:00", "0")"#, "it ends before Z"),
        (r#"timeadd("2017-01-01T00:00:00.Z", "0")"#, "needs digits after it"),
        (r#"timeadd("2017-01-01T00:00:00Z", "1d")"#, "not \"d\""),
        (r#"timeadd("2017-01-01T00:00:00Z", "1")"#, "has no unit"),
        (r#"timeadd("2017-01-01T00:00:00Z", "9223372036854775808ns")"#, "longer than 292 years"),
        (r#"formatdate("YYY", "2017-01-01T00:00:00Z")"#, "the year is YY or YYYY"),
        (r#"formatdate("'x", "2017-01-01T00:00:00Z")"#, "no closing quote"),
    ]);
}

#[cfg(feature = "regex")]
#[test]
fn patterns_are_those_of_re2() {
    expect(&[
        (r#"jsonencode(regexall("\\w+|\\d", "añb 4٤"))"#, r#"["a","b","4"]"#),
        (r#"jsonencode(regexall("\\bé", "é aé"))"#, r#"["é"]"#),
        (r#"jsonencode(regexall("[a&&b]+", "a&b"))"#, r#"["a\u0026b"]"#),
        (r#"jsonencode(regexall("[[a]b]", "[b] ab]"))"#, r#"["[b]","ab]"]"#),
        (r#"regex("\\Qa.b\\E+", "a.bbb")"#, "a.bbb"),
        (r#"regex("a{,2}x{", "a{,2}x{")"#, "a{,2}x{"),
        (r#"regex("\\101\\x42\\x{43}\\_", "ABC_")"#, "ABC_"),
        (r#"regex("\\p{^Greek}\\PL\\p{Greek}", "a1λ")"#, "a1λ"),
        (r#"jsonencode(regex("(?P<y>\\d+)-(?P<m>\\d+)?", "on 2020-"))"#, r#"{"m":null,"y":"2020"}"#),
        (r#"jsonencode(regex("(?i)(B)(?-i:c)|(x)", "bc"))"#, r#"["b",null]"#),
        (r#"regex("(?s)a.b(?U)c+", "a\nbccc")"#, "a\nbc"),
        (r#"regex("[]^-]+", "x]^-")"#, "]^-"),
        (r#"regex_replace("abc", "(?P<x>b)", "[$x|${1}|$$|$9|$xy]")"#, "a[b|1|$||]c"),
        (r#"regex_replace("abc", "", "-")"#, "-a-b-c-"),
    ]);
    // An optional part has no copies, however deep it is.
    let nested = format!("{}a{}", "(?:".repeat(30), ")?".repeat(30));
    expect(&[(&format!("regex(\"{nested}\", \"a\")"), "a")]);
    expect_error(&[
        (r#"regex("a", "b")"#, "no part of the string matches"),
        (r#"regex("(", "b")"#, "no closing parenthesis"),
        (r#"regex("a)", "b")"#, "no opening one"),
        (r#"regex("(?=a)", "b")"#, "not supported"),
        (r#"regex("(?<!a)", "b")"#, "not supported"),
        (r#"regex("a**", "b")"#, "follows another repetition"),
        (r#"regex("*", "b")"#, "has nothing before it to repeat"),
        (r#"regex("a{2,1}", "b")"#, "not a valid count"),
        (r#"regex("a{1001}", "b")"#, "not a valid count"),
        (r#"regex("(a)\\1", "b")"#, "refer to a group"),
        (r#"regex("[b-a]", "b")"#, "goes backwards"),
        (r#"regex("[a", "b")"#, "no closing bracket"),
        (r#"regex("\\y", "b")"#, "not an escape sequence"),
        (r#"regex("(?P<a>x)(y)", "b")"#, "all of its capture groups or none"),
        (r#"regex("(?x)a", "b")"#, "starts no group"),
    ]);
}
