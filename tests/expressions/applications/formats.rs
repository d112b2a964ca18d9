//! Formats that functions of applications read and write: YAML, patterns, identifiers, layouts of times.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use hclvm::functions::capability::{Environment, FixedClock, ProcessEnvironment};
use hclvm::functions::{Capabilities, nomad, packer, standard};
use hclvm::{Engine, Layout};

use super::{engine, expect, host, outcome};

/// Evaluates `call` with the variable `text`.
fn of_text(engine: &Engine, call: &str, text: &str) -> String {
    let layout = Arc::new(Layout::new(["text"]));
    let program = engine.compile(call, &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    scope.set("text", text).expect("a text fits");
    let mut session = engine.session();
    match session.run(&program, &scope) {
        Ok(value) => value.as_str().expect("a text").to_owned(),
        Err(error) => format!("error: {error}"),
    }
}

#[cfg(feature = "yaml")]
#[test]
fn tags_in_yaml_may_be_verbatim() {
    let host = host();
    for (yaml, json) in [
        ("a: !<tag:yaml.org,2002:str> 5", r#"{"a":"5"}"#),
        ("!<tag:yaml.org,2002:map> {a: 1}", r#"{"a":1}"#),
        ("!<tag:yaml.org,2002:seq> [1]", "[1]"),
        ("!<tag:yaml.org,2002:int> '5'", "5"),
        ("%TAG !y! tag:yaml.org,2002:\n---\n!y!str 5", r#""5""#),
        ("!!str 5", r#""5""#),
    ] {
        assert_eq!(of_text(&host, "jsonencode(yamldecode(text))", yaml), json, "{yaml}");
    }
    for (yaml, message) in [
        ("a: !!foo 1", "the tag tag:yaml.org,2002:foo is not supported"),
        ("a: !foo 1", "the tag !foo is not supported"),
        ("a: !<!foo> x", "the tag !foo is not supported"),
        ("a: !<x:str> 1", "the tag x:str is not supported"),
        ("!<tag:yaml.org,2002:seq> {a: 1}", "the tag tag:yaml.org,2002:seq is not supported here"),
        ("!foo [1]", "the tag !foo is not supported here"),
        ("!!int x", "not of the kind tag:yaml.org,2002:int"),
    ] {
        let found = of_text(&host, "jsonencode(yamldecode(text))", yaml);
        assert!(found.contains(message), "{yaml}: {found}");
    }
}

/// Rows of docs/deviations.md.
#[cfg(feature = "yaml")]
#[test]
fn yaml_is_read_as_its_specification_has_it() {
    let host = host();
    assert_eq!(
        of_text(&host, "jsonencode(yamldecode(text))", "p: &p {a: 1}\nq: &q {a: 2, b: 3}\nz: {<<: [*p, *q]}"),
        r#"{"p":{"a":1},"q":{"a":2,"b":3},"z":{"a":1,"b":3}}"#
    );
    assert_eq!(of_text(&host, "jsonencode(yamldecode(text))", "\ta: 1"), r#"{"a":1}"#);
    let mark = of_text(&host, "jsonencode(yamldecode(text))", "a: x\u{FEFF}y");
    assert!(mark.starts_with("error"), "{mark}");
}

#[cfg(feature = "yaml")]
#[test]
fn scalars_in_yaml_have_the_kind_they_look_like() {
    let host = host();
    for (yaml, json) in [
        // Numbers, and texts that are nearly numbers.
        ("0", "0"),
        ("-1", "-1"),
        ("+1", "1"),
        (".5", "0.5"),
        ("5.", "5"),
        ("-.5", "-0.5"),
        ("1e3", "1000"),
        ("1E-2", "0.01"),
        ("1.5e+2", "150"),
        ("0x1f", "31"),
        ("0xFF", "255"),
        ("0o17", "15"),
        ("1e", "\"1e\""),
        ("1e+", "\"1e+\""),
        ("1ex", "\"1ex\""),
        ("1e1.5", "\"1e1.5\""),
        ("1.2.3", "\"1.2.3\""),
        (".", "\".\""),
        ("e1", "\"e1\""),
        (".e1", "\".e1\""),
        ("--1", "\"--1\""),
        ("+-1", "\"+-1\""),
        ("1x", "\"1x\""),
        ("0xg", "\"0xg\""),
        ("0x", "\"0x\""),
        ("0x+1", "\"0x+1\""),
        ("0o8", "\"0o8\""),
        ("inf", "\"inf\""),
        ("--.inf", "\"--.inf\""),
        ("nan", "\"nan\""),
        // Bools and nulls.
        ("true", "true"),
        ("True", "true"),
        ("TRUE", "true"),
        ("tRUE", "\"tRUE\""),
        ("yes", "true"),
        ("on", "true"),
        ("No", "false"),
        ("OFF", "false"),
        ("n", "false"),
        ("~", "null"),
        ("null", "null"),
        ("NULL", "null"),
        ("nULL", "\"nULL\""),
        // Quotes and tags decide.
        ("'1'", "\"1\""),
        ("\"true\"", "\"true\""),
        ("\"\"", "\"\""),
        ("!!str 1", "\"1\""),
        ("!!str true", "\"true\""),
        ("!!str ~", "\"~\""),
        ("!!int \"12\"", "12"),
        ("!!float 1.5", "1.5"),
        ("!!bool \"yes\"", "true"),
        ("!!null x", "null"),
        ("!!binary aGk=", "\"aGk=\""),
        ("!!binary aA==", "\"aA==\""),
        ("!!timestamp 2006-1-2", "\"2006-01-02T00:00:00Z\""),
        ("!!seq [1]", "[1]"),
        ("!!map {a: 1}", "{\"a\":1}"),
        // Times, and texts that are nearly times.
        ("2006-01-02", "\"2006-01-02T00:00:00Z\""),
        ("2006-1-2T3:4:5Z", "\"2006-01-02T03:04:05Z\""),
        ("2006-01-02t03:04:05+01:00", "\"2006-01-02T03:04:05+01:00\""),
        ("2006-01-02 03:04:05", "\"2006-01-02T03:04:05Z\""),
        ("2006-01", "\"2006-01\""),
        ("206-01-02", "\"206-01-02\""),
        ("2006-001-02", "\"2006-001-02\""),
        ("2006-01-02-03", "\"2006-01-02-03\""),
        ("2006-13-01", "\"2006-13-01\""),
        ("2006-02-30", "\"2006-02-30\""),
        ("2006-01-02T03:04Z", "\"2006-01-02T03:04Z\""),
        ("2006-1-2 3:04:05:06", "\"2006-1-2 3:04:05:06\""),
        // Collections, keys, anchors and merged mappings.
        ("[]", "[]"),
        ("{}", "{}"),
        ("[1, [a, ~]]", "[1,[\"a\",null]]"),
        ("- 1\n- - 2\n  - 3\n- a: 4", "[1,[2,3],{\"a\":4}]"),
        ("{1: a, true: b, 1.50: c}", "{\"1\":\"a\",\"1.5\":\"c\",\"true\":\"b\"}"),
        ("{false: a, no: b}", "{\"false\":\"b\"}"),
        ("{b: 1, a: 2, b: 3}", "{\"a\":2,\"b\":3}"),
        ("{a: &x 1, b: *x, c: *x}", "{\"a\":1,\"b\":1,\"c\":1}"),
        ("{&k a: 1, b: *k}", "{\"a\":1,\"b\":\"a\"}"),
        ("{a: &x b, *x : 1}", "{\"a\":\"b\",\"b\":1}"),
        ("{<<: {a: 1, b: 2}, a: 3}", "{\"a\":3,\"b\":2}"),
        ("{a: 3, <<: {a: 1, b: 2}}", "{\"a\":3,\"b\":2}"),
        ("{<<: [{a: 1}, {a: 2, b: 3}]}", "{\"a\":1,\"b\":3}"),
        ("{!!merge <<: {a: 1}, b: 2}", "{\"a\":1,\"b\":2}"),
        ("{\"<<\": {a: 1}}", "{\"\\u003c\\u003c\":{\"a\":1}}"),
    ] {
        assert_eq!(of_text(&host, "jsonencode(yamldecode(text))", yaml), json, "{yaml}");
    }
    expect(
        &host,
        &[
            (r#"yamldecode(".inf") == 1 / 0"#, "true"),
            (r#"yamldecode("+.Inf") == 1 / 0"#, "true"),
            (r#"yamldecode("-.INF") == -1 / 0"#, "true"),
        ],
    );
    for wrong in [
        "!str 1",
        "!int 1",
        "!!int x",
        "!!bool 1",
        "!!float true",
        "!!binary a",
        "!!binary A===",
        "!!binary \"a-==\"",
        "!!binary \"aA=b\"",
        "!!timestamp x",
        "!!seq {a: 1}",
        "!!map [1]",
        "!seq [1]",
        ".nan",
        ".NaN",
        "{[1]: 2}",
        "{{a: 1}: 2}",
        "{~: 1}",
        "{<<: 1}",
        "{<<: [1]}",
        "*x",
        "a: b: c",
    ] {
        let found = of_text(&host, "jsonencode(yamldecode(text))", wrong);
        assert!(found.starts_with("error: "), "{wrong}: {found}");
    }
}

#[cfg(feature = "yaml")]
#[test]
fn texts_in_yaml_are_quoted_or_blocks() {
    let host = host();
    let long = "x".repeat(90);
    let half = "x".repeat(78);
    for (text, yaml) in [
        ("", "\"\"\n"),
        ("a", "\"a\"\n"),
        ("a: b", "\"a: b\"\n"),
        ("é\u{1F600}", "\"é\u{1F600}\"\n"),
        ("\0\u{7}\u{8}\t\u{B}\u{C}\r\u{1B}\"\\", "\"\\0\\a\\b\\t\\v\\f\\r\\e\\\"\\\\\"\n"),
        ("\u{85}\u{A0}\u{2028}\u{2029}", "\"\\N\\_\\L\\P\"\n"),
        ("\u{1}\u{7F}\u{9F}", "\"\\x01\\x7F\\x9F\"\n"),
        ("\u{FEFF}", "\"\\uFEFF\"\n"),
        // Blocks of lines, unless a line ends with a space or has what a block cannot show.
        ("a\nb", "|-\n  a\n  b\n"),
        ("a\nb\n", "|\n  a\n  b\n"),
        ("a\tb\nc", "|-\n  a\tb\n  c\n"),
        ("a\n\nb", "|-\n  a\n\n  b\n"),
        ("a \nb", "\"a \\nb\"\n"),
        ("a\nb ", "\"a\\nb \"\n"),
        ("a\n\u{1}", "\"a\\n\\x01\"\n"),
        (" a\nb", "|2-\n   a\n  b\n"),
        // Long texts are folded at a space inside of them.
        (&format!("{long} a"), &format!("\"{long}\n  a\"\n")),
        (&format!("{long} "), &format!("\"{long} \"\n")),
        (&format!(" {long}"), &format!("\" {long}\"\n")),
        (&format!("{half} a b"), &format!("\"{half} a\n  b\"\n")),
        (&format!("{long} a b"), &format!("\"{long}\n  a b\"\n")),
    ] {
        assert_eq!(of_text(&host, "yamlencode(text)", text), yaml, "{text:?}");
        assert_eq!(of_text(&host, "yamldecode(yamlencode(text))", text), text, "{text:?}");
    }
    expect(
        &host,
        &[
            ("yamlencode(true)", "true\n...\n"),
            ("yamlencode(null)", "null\n...\n"),
            ("yamlencode({})", "{}\n"),
            ("yamlencode([1])", "- 1\n"),
            ("yamlencode([])", "[]\n"),
            ("yamlencode([[]])", "- []\n"),
            ("yamlencode([[[1], 2]])", "- - - 1\n  - 2\n"),
            ("yamlencode({a = {}})", "\"a\": {}\n"),
            ("yamlencode({a = {b = {c = 1}}})", "\"a\":\n  \"b\":\n    \"c\": 1\n"),
            ("yamlencode({a = [{b = 1, c = [2]}]})", "\"a\":\n- \"b\": 1\n  \"c\":\n  - 2\n"),
            (r#"yamlencode(["a\nb", "c"])"#, "- |-\n  a\n  b\n- \"c\"\n"),
            (r#"yamlencode({"a b" = "x"})"#, "\"a b\": \"x\"\n"),
        ],
    );
}

#[cfg(feature = "regex")]
#[test]
fn patterns_have_the_grammar_of_re2() {
    let host = host();
    for (pattern, text, groups) in [
        ("[[:alpha:]]+", "12ab3", "\"ab\""),
        ("[[:^digit:]]+", "12ab3", "\"ab\""),
        ("[^a-c]+", "abxyc", "\"xy\""),
        ("[a-]+", "x-a", "\"-a\""),
        ("[-a]+", "x-a", "\"-a\""),
        ("[a\\]]+", "x]a", "\"]a\""),
        ("[\\d-z]+", "x1-z", "\"1-z\""),
        ("[^\\D]+", "a12", "\"12\""),
        ("[\\W]+", "a!?b", "\"!?\""),
        ("\\D+", "1ab2", "\"ab\""),
        ("\\S+", " ab ", "\"ab\""),
        ("\\W", "a_é", "\"é\""),
        ("\\s", "a\u{b}b\u{c}", "\"\\f\""),
        ("a{2}", "aaa", "\"aa\""),
        ("a{2,}", "aaa", "\"aaa\""),
        ("a{1,2}", "aaa", "\"aa\""),
        ("a{1,2}?", "aaa", "\"a\""),
        ("a{0}b", "aab", "\"b\""),
        ("a{01}", "a{01}", "\"a{01}\""),
        ("a{x}", "a{x}", "\"a{x}\""),
        ("a{1", "a{1", "\"a{1\""),
        ("a+?", "aa", "\"a\""),
        ("(?:a|b)+", "xab", "\"ab\""),
        ("(a)|(b)", "b", "[null,\"b\"]"),
        ("(?<x>a)", "a", "{\"x\":\"a\"}"),
        ("(?P<x_1>a)", "a", "{\"x_1\":\"a\"}"),
        ("(?i)É", "é", "\"é\""),
        ("(?i:a)b", "Ab", "\"Ab\""),
        ("(?i)a(?-i)b", "Ab", "\"Ab\""),
        // Flags between an item and its repetition are behind it for the item.
        ("a(?i)+B", "aab", "\"aab\""),
        ("a(?i)+", "aA", "\"a\""),
        ("x(?i)?B", "xb", "\"xb\""),
        ("(ab)(?i)(?s){2}.", "abab\n", "[\"ab\"]"),
        ("a(?i)+?", "aa", "\"a\""),
        ("(?)a", "a", "\"a\""),
        ("a(?)*", "aa", "\"aa\""),
        ("a$", "a\n a", "\"a\""),
        ("(?m)^b$", "a\nb\nc", "\"b\""),
        ("(?s).+", "a\nb", "\"a\\nb\""),
        (".+", "a\nb", "\"a\""),
        ("\\Aa\\z", "a", "\"a\""),
        ("\\Ba", "aa", "\"a\""),
        ("\\x41\\x{1F600}\\101\\0", "A\u{1F600}A\0", "\"A\u{1F600}A\\u0000\""),
        ("\\a\\f\\n\\r\\t\\v", "\u{7}\u{c}\n\r\t\u{b}", "\"\\u0007\\f\\n\\r\\t\\u000b\""),
        ("\\08", "\08", "\"\\u00008\""),
        ("\\128", "\n8", "\"\\n8\""),
        ("\\.\\*\\[", ".*[", "\".*[\""),
        ("\\Qa.*", "a.*", "\"a.*\""),
        ("\\Q\\E", "a", "\"\""),
        ("\\pL+", "1aé2", "\"aé\""),
        ("\\PL+", "a12b", "\"12\""),
        ("\\P{^Greek}", "aλ", "\"λ\""),
        ("", "a", "\"\""),
    ] {
        let call = format!("jsonencode(regex({pattern:?}, text))");
        assert_eq!(of_text(&host, &call, text), groups, "{pattern}");
    }
    for wrong in [
        "a{1,1001}",
        "a{1001,}",
        "a{2}{3}",
        "a+*",
        "(*)",
        "|*",
        "(?P<>a)",
        "(?P<a-b>a)",
        "(?P<é>a)",
        "(?P<a",
        "(?Px)",
        "(?i)+",
        "a|(?i)*",
        "a+(?i)+",
        "(?-)a",
        "(?i-)a",
        "(?z)a",
        "(?i",
        "(?!a)",
        "(?<=a)",
        "[[:foo:]]",
        "[]",
        "[^]",
        "[z-a]",
        "[a-\\d]",
        "\\p{}",
        "\\p{Gr-eek}",
        "\\p{Nope}",
        "\\p{Greek",
        "\\p",
        "\\x4",
        "\\x{}",
        "\\x{110000}",
        "\\x{41",
        "\\xg1",
        "\\8",
        "\\1",
        "\\18",
        "\\g",
        "\\é",
        "a\\",
        "(a)(?P<x>b)",
    ] {
        let found = of_text(&host, &format!("jsonencode(regex({wrong:?}, text))"), "a");
        assert!(found.contains("Invalid function argument"), "{wrong}: {found}");
    }
    expect(
        &host,
        &[
            (r#"jsonencode(regexall("a*", "baac"))"#, r#"["","aa",""]"#),
            (r#"jsonencode(regexall("(a)(b)?", "aab"))"#, r#"[["a",null],["a","b"]]"#),
            (r#"jsonencode(regexall("x", "a"))"#, "[]"),
            (r#"jsonencode(regexall("(?P<k>a)", "aa"))"#, r#"[{"k":"a"},{"k":"a"}]"#),
            (r#"regex_replace("abc", "b", "[$0|$01|$00|$$0]")"#, "a[b|||$0]c"),
            (r#"regex_replace("abc", "(b)(c)", "$2$1")"#, "acb"),
            (r#"regex_replace("abc", "(b)", "$1x")"#, "ac"),
            (r#"regex_replace("abc", "(b)", "$1_")"#, "ac"),
            (r#"regex_replace("abc", "(?P<x_y>b)", "[$x_y]")"#, "a[b]c"),
            (r#"regex_replace("abc", "(?P<x_y>b)", "[$x-y]")"#, "a[-y]c"),
            (r#"regex_replace("abc", "(b)", "$${1}x")"#, "abxc"),
            (r#"regex_replace("abc", "b", "$")"#, "a$c"),
            (r#"regex_replace("abc", "b", "$-")"#, "a$-c"),
            (r#"regex_replace("abc", "b", "$${x")"#, "a${xc"),
            (r#"regex_replace("abab", "b", "")"#, "aa"),
            (r#"regex_replace("abc", "x", "y")"#, "abc"),
            (r#"regex_replace("aéb", "", "-")"#, "-a-é-b-"),
        ],
    );
}

#[cfg(feature = "digest")]
#[test]
fn namespaces_of_identifiers_are_names_or_identifiers() {
    expect(
        &host(),
        &[
            (r#"uuidv5("x500", "cn=a")"#, "5c1fcbd6-0ab9-5b0d-9d61-5bcbb36ee6d0"),
            (r#"uuidv5("dns", "example.com")"#, "cfbff0d1-9375-5685-968c-48ce8b15ae17"),
            (r#"uuidv5("url", "http://example.com/")"#, "0a300ee9-f9e4-5697-a51a-efc7fafaba67"),
            (
                r#"uuidv5("743ac3c0-3bf7-4a5b-9e6c-59360447c757", "é")"#,
                "c4e1d799-a26d-5322-9b67-5fce55c2a2d0",
            ),
            (r#"uuidv5("743AC3C03BF74A5B9E6C59360447C757", "é")"#, "c4e1d799-a26d-5322-9b67-5fce55c2a2d0"),
            (
                r#"uuidv5("{743ac3c0-3bf7-4a5b-9e6c-59360447c757}", "é")"#,
                "c4e1d799-a26d-5322-9b67-5fce55c2a2d0",
            ),
            (
                r#"uuidv5("urn:uuid:743ac3c0-3bf7-4a5b-9e6c-59360447c757", "é")"#,
                "c4e1d799-a26d-5322-9b67-5fce55c2a2d0",
            ),
        ],
    );
    for wrong in [
        "",
        "DNS",
        "743ac3c0-3bf7-4a5b-9e6c-59360447c75",
        "743ac3c0-3bf7-4a5b-9e6c-59360447c7577",
        "743ac3c0-3bf7-4a5b-9e6c-59360447c75g",
        "743ac3c03-bf7-4a5b-9e6c-59360447c757",
        "743ac3c0-3bf7-4a5b-9e6c-59360447c7+7",
        "743ac3c0a3bf7a4a5ba9e6ca59360447c757",
        "+43ac3c03bf74a5b9e6c59360447c757",
        "{743ac3c0-3bf7-4a5b-9e6c-59360447c757",
    ] {
        assert!(super::is_refusal(&outcome(&host(), &format!("uuidv5({wrong:?}, \"a\")"))), "{wrong}");
    }
}

#[test]
fn layouts_show_every_hour_of_the_day() {
    for (hour, minute, isotime, strftime) in [
        (0, 30, "12 12 00 AM am 30", "00 12 AM"),
        (1, 5, "1 01 01 AM am 05", "01 01 AM"),
        (11, 59, "11 11 11 AM am 59", "11 11 AM"),
        (12, 0, "12 12 12 PM pm 00", "12 12 PM"),
        (13, 1, "1 01 13 PM pm 01", "13 01 PM"),
        (23, 59, "11 11 23 PM pm 59", "23 11 PM"),
    ] {
        let clock = FixedClock(UNIX_EPOCH + Duration::from_secs((hour * 60 + minute) * 60));
        let engine = engine(packer(&Capabilities::none().clock(clock)));
        expect(
            &engine,
            &[
                (r#"legacy_isotime("3 03 15 PM pm 04")"#, isotime),
                (r#"legacy_strftime("%H %I %p")"#, strftime),
                (r#"legacy_isotime("5.999 5.9 5.000 5,0")"#, "0 0 0.000 0,0"),
            ],
        );
    }
}

#[cfg(feature = "bcrypt")]
#[test]
fn passwords_of_72_bytes_are_hashed() {
    let hash = outcome(&host(), &format!("bcrypt({:?}, 4)", "x".repeat(72)));
    assert!(hash.starts_with("$2a$04$") && hash.len() == 60, "{hash}");
    assert!(outcome(&host(), r#"bcrypt("x", 3)"#).starts_with("$2a$10$"), "too low a cost is the usual one");
    assert!(outcome(&host(), &format!("bcrypt({:?}, 4)", "x".repeat(73))).contains("72 bytes"));
}

#[test]
fn times_before_1970_are_shown() {
    let clock = FixedClock(UNIX_EPOCH - Duration::from_millis(1_500));
    let engine = engine(packer(&Capabilities::none().clock(clock)));
    expect(
        &engine,
        &[
            (r#"legacy_isotime("2006-01-02 15:04:05.000")"#, "1969-12-31 23:59:58.500"),
            (r#"legacy_isotime("05.000000000 -07:00:00")"#, "58.500000000 +00:00:00"),
            ("timestamp()", "1969-12-31T23:59:58Z"),
        ],
    );
}

#[test]
fn variables_of_the_process_have_valid_names() {
    let set = std::env::vars().next().expect("a process has an environment");
    assert_eq!(ProcessEnvironment.variable(&set.0), Some(set.1));
    for name in ["", "A=B", "=", "A\0", "HCLVM_IS_NOT_SET"] {
        assert_eq!(ProcessEnvironment.variable(name), None, "{name:?}");
    }
}

#[test]
fn coalesce_says_what_it_passed_over() {
    let nulls = "every argument is null";
    for (engine, call, passed) in [
        (engine(standard()), "coalesce(null, null)", nulls),
        (engine(nomad(&Capabilities::none())), "coalesce(null)", nulls),
        (host(), "coalesce(null, \"\")", "every argument is null or an empty string"),
    ] {
        let found = outcome(&engine, call);
        assert!(found.trim_end_matches('.').ends_with(passed), "{call}: {found}");
    }
}

#[cfg(all(feature = "encoding", feature = "charset"))]
#[test]
fn bytes_are_encoded_in_character_sets() {
    expect(
        &host(),
        &[
            (r#"base64encode("")"#, ""),
            (r#"base64encode("a")"#, "YQ=="),
            (r#"base64encode("ab")"#, "YWI="),
            (r#"base64encode("abc")"#, "YWJj"),
            (r#"base64encode("\u00ff\u00fe?")"#, "w7/Dvj8="),
            (r#"base64decode("YQ==")"#, "a"),
            (r#"base64decode("YW\r\nI=")"#, "ab"),
            (r#"textencodebase64("hi", "UTF-16")"#, "AGgAaQ=="),
            (r#"textencodebase64("hi", "UTF-16BE")"#, "AGgAaQ=="),
            (r#"textencodebase64("é", "utf-8")"#, "w6k="),
            (r#"textencodebase64("é", "windows-1252")"#, "6Q=="),
            (r#"textdecodebase64("6Q==", "windows-1252")"#, "é"),
            (r#"textdecodebase64("AGgAaQ==", "UTF-16")"#, "hi"),
            (r#"urlencode("")"#, ""),
            (r#"urlencode("a/b?c=d&e+f")"#, "a%2Fb%3Fc%3Dd%26e%2Bf"),
        ],
    );
    for wrong in [
        r#"base64decode("YQ")"#,
        r#"base64decode("YQ=")"#,
        r#"base64decode("YQ===")"#,
        r#"base64decode("Y-==")"#,
        r#"textencodebase64("λ", "iso-8859-1")"#,
        r#"textencodebase64("a", "nope")"#,
        r#"textdecodebase64("/w==", "utf-8")"#,
        r#"textdecodebase64("a", "utf-8")"#,
    ] {
        let found = outcome(&host(), wrong);
        assert!(super::is_refusal(&found), "{wrong}: {found}");
    }
}
