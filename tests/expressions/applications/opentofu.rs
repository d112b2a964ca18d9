//! Functions that OpenTofu has alone or differently, and the examples of its documentation that the recorded ones in
//! tests/harness leave out.

use hclvm::functions::{Capabilities, all, opentofu};
use hclvm::value::{View, marks_from};
use hclvm::{Engine, Limits};

use super::{engine, expect, is_refusal, outcome};

#[test]
fn replace_takes_a_pattern_between_slashes() {
    expect(
        &engine(opentofu()),
        &[
            (r#"replace("hello world", "/w.*d/", "everybody")"#, "hello everybody"),
            (r#"replace("1 + 2 + 3", "+", "-")"#, "1 - 2 - 3"),
            (r#"replace("HELLO WORLD!", "/(L+)/", "$1zz")"#, "HEO WORD!"),
            (r#"replace("HELLO WORLD!", "/(L+)/", "$${1}zz")"#, "HELLzzO WORLzzD!"),
            (r#"replace("adf", "/(?P<first>a)/", "$${first}s")"#, "asdf"),
            (r#"replace("a.b", "/\\./", "-")"#, "a-b"),
            (r#"replace("a$b", "/\\$/", "$$")"#, "a$b"),
            // Two slashes are the empty pattern, one slash is a text.
            (r#"replace("fo//o", "//", "/")"#, "/f/o/////o/"),
            (r#"replace("a/b", "/", "-")"#, "a-b"),
            (r#"replace("a/b/c", "/b", "x")"#, "ax/c"),
            (r#"replace("a/b/", "b/", "x")"#, "a/x"),
            (r#"core::replace("a1", "/[0-9]/", "")"#, "a"),
        ],
    );
    let refused = outcome(&engine(opentofu()), r#"replace("a", "/(/", "")"#);
    assert!(refused.contains("is not a pattern"), "{refused}");
    // The default table has patterns in `regex_replace`, so a path between slashes is no pattern by accident.
    let default = engine(all(&Capabilities::none()));
    assert_eq!(outcome(&default, r#"replace("x/usr/", "/usr/", "-")"#), "x-");
}

#[test]
fn a_default_of_lookup_may_be_null() {
    for table in [opentofu(), all(&Capabilities::none())] {
        expect(
            &engine(table),
            &[
                (r#"lookup({ a = 1 }, "b", null)"#, "null"),
                (r#"lookup({ a = 1 }, "a", null)"#, "1"),
                (r#"lookup({ a = null }, "a", 1)"#, "null"),
                (r#"lookup(tomap({ a = 1 }), "b", null) == null"#, "true"),
                (r#"try(lookup({}, "a", null), "caught")"#, "null"),
                (r#"coalesce(lookup({}, "a", null), "d")"#, "d"),
                (r#"lookup(tomap({ a = "x" }), "b", 5)"#, "5"),
            ],
        );
    }
    let engine = engine(opentofu());
    for refused in [r#"lookup(null, "a", 1)"#, "lookup({}, null, 1)", r#"lookup({}, "a", 1, 2)"#] {
        let found = outcome(&engine, refused);
        assert!(is_refusal(&found), "{refused}: {found}");
    }
}

/// Evaluates an expression with `u`, an unknown text, `us`, an unknown marked one, and `e`, an ephemeral one.
fn written(text: &str) -> String {
    let engine = engine(opentofu());
    let layout = std::sync::Arc::new(hclvm::Layout::new(["u", "us", "e"]));
    let program = engine.compile(text, &layout).expect("it is valid");
    let mut scope = engine.scope(&layout);
    let arena = hclvm::value::Arena::new();
    let unknown = hclvm::Value::unknown_not_null(&arena, hclvm::Type::String);
    let ephemeral = hclvm::Value::str(&arena, "token").with_marks(&arena, marks_from(&arena, &["ephemeral"]));
    scope.set_value("u", unknown).expect("it is in the layout");
    scope.set_value("us", unknown.with_marks(&arena, marks_from(&arena, &["sensitive"]))).expect("it is too");
    scope.set_value("e", ephemeral).expect("it is too");
    let mut session = engine.session();
    let evaluation = session.evaluate(&program, &scope).expect("within the limits");
    assert!(!evaluation.diagnostics.has_errors(), "{text}: {}", evaluation.diagnostics);
    let value = evaluation.value;
    let (inner, marks) = value.unmark();
    let shown = match inner.view() {
        View::Unknown(unknown) => {
            format!("unknown {} {}", unknown.ty.friendly_name(), unknown.refinement.not_null)
        }
        View::Null(ty) => format!("null {}", ty.friendly_name()),
        _ => format!("{inner:?}"),
    };
    if marks.is_empty() { shown } else { format!("{shown} {:?}", marks.names()) }
}

#[test]
fn values_can_be_marked_and_shown_on_purpose() {
    let sensitive = r#"["sensitive"]"#;
    for (text, expected) in [
        (r#"sensitive("x")"#, format!("\"x\" {sensitive}")),
        (r#"sensitive(sensitive("x"))"#, format!("\"x\" {sensitive}")),
        ("sensitive(null)", format!("null dynamic {sensitive}")),
        ("sensitive(u)", format!("unknown string true {sensitive}")),
        ("sensitive([1])", format!("[1] {sensitive}")),
        (r#"sensitive("x") == "x""#, format!("true {sensitive}")),
        (r#""a${sensitive("x")}""#, format!("\"ax\" {sensitive}")),
        (r#"sensitive(1) > 0 ? "a" : "b""#, format!("\"a\" {sensitive}")),
        ("length(sensitive([1]))", format!("1 {sensitive}")),
        (r#"nonsensitive(sensitive("x"))"#, "\"x\"".to_owned()),
        (r#"nonsensitive("x")"#, "\"x\"".to_owned()),
        ("nonsensitive(u)", "unknown string true".to_owned()),
        ("nonsensitive(us)", "unknown string true".to_owned()),
        // The parts keep their marks.
        (r#"nonsensitive(sensitive([sensitive("x")]))[0]"#, format!("\"x\" {sensitive}")),
        ("nonsensitive(e)", "\"token\" [\"ephemeral\"]".to_owned()),
        (r#"issensitive(sensitive("x"))"#, "true".to_owned()),
        (r#"issensitive("x")"#, "false".to_owned()),
        ("issensitive(sensitive(null))", "true".to_owned()),
        (r#"issensitive([sensitive("x")])"#, "false".to_owned()),
        (r#"issensitive("${sensitive("x")}!")"#, "true".to_owned()),
        // The condition that chose a mark may turn out otherwise.
        ("issensitive(u)", "unknown bool true".to_owned()),
        ("issensitive(us)", "unknown bool true".to_owned()),
        ("ephemeralasnull(e)", "null string".to_owned()),
        ("ephemeralasnull([e, 1])[0]", "null string".to_owned()),
        ("ephemeralasnull({ a = [e], b = 2 }).b", "2".to_owned()),
        ("tolist([tostring(null)]) == tolist([tostring(null)])", "true".to_owned()),
        // The conversion moves the mark to the list.
        ("ephemeralasnull(tolist([e]))", "null list of string".to_owned()),
        ("ephemeralasnull(sensitive(e))", format!("null string {sensitive}")),
        ("ephemeralasnull(u)", "unknown string false".to_owned()),
        ("ephemeralasnull(1)", "1".to_owned()),
        ("ephemeralasnull(null)", "null dynamic".to_owned()),
    ] {
        assert_eq!(written(text), expected, "{text}");
    }
}

#[test]
fn messages_about_what_a_program_marks_hide_it() {
    let engine = engine(opentofu());
    for text in [
        r#"parseint(sensitive("hunter2"), 10)"#,
        r#"sensitive("hunter2") + 1"#,
        r#"{ a = 1 }[sensitive("hunter2")]"#,
        r#"templatestring("$${x + 1}", { x = sensitive("hunter2") })"#,
        r#"templatestring(sensitive("$${hunter2}"), {})"#,
        r#"lookup({}, sensitive("hunter2"))"#,
    ] {
        let found = outcome(&engine, text);
        assert!(found.ends_with('.') && !found.contains("hunter2"), "{text}: {found}");
    }
}

#[test]
fn texts_are_rendered_as_templates() {
    let engine = engine(opentofu());
    expect(
        &engine,
        &[
            (r#"templatestring("Hello, $${name}!", { name = "Jodie" })"#, "Hello, Jodie!"),
            (r#"templatestring("Hello, Jodie!", {})"#, "Hello, Jodie!"),
            (r#"templatestring("$${x}", { x = [1, true] })"#, "[1, true]"),
            (r#"templatestring("a-$${x}", tomap({ x = 1 }))"#, "a-1"),
            (
                r#"templatestring("%%{ for a in list ~}b $${a}:$${port} %%{ endfor ~}", { list = ["x", "y"], port = 80 })"#,
                "b x:80 b y:80 ",
            ),
            (r#"templatestring("$${upper(core::lower(x))}", { x = "a" })"#, "A"),
            (r#"templatestring("$${templatestring(t, { n = 1 })}", { t = "<$${n}>" })"#, "<1>"),
            (r#"core::templatestring("$${core::templatestring(t, {})}", { t = "x" })"#, "x"),
        ],
    );
    for (text, part) in [
        (r#"templatestring("$${x}", {})"#, "template:1:3"),
        (r#"templatestring("a\n$${", {})"#, "template:2:"),
        (r#"templatestring("x", [])"#, "must be an object or a map"),
        (r#"templatestring("x", { "a b" = 1 })"#, "\"a b\" cannot be the name"),
        ("templatestring(null, {})", "null"),
        // A template that renders itself comes to an end.
        (
            r#"templatestring("$${templatestring(t, { t = t })}", { t = "$${templatestring(t, { t = t })}" })"#,
            "8 deep",
        ),
    ] {
        let found = outcome(&engine, text);
        assert!(found.contains(part), "{text}: {found}");
    }
    assert_eq!(written(r#"templatestring("a$${x}", { x = u })"#), "unknown string true");
    assert_eq!(written("templatestring(u, {})"), "unknown dynamic false");
    assert_eq!(written(r#"templatestring("$${x}", { x = sensitive("s") })"#), r#""s" ["sensitive"]"#);
    assert_eq!(written(r#"templatestring("a", { x = sensitive("s") })"#), r#""a""#);
    assert_eq!(written(r#"templatestring(sensitive("a"), {})"#), r#""a" ["sensitive"]"#);
}

#[test]
fn a_template_counts_against_the_limits_of_its_caller() {
    let small = Limits { fuel: 100_000, ..Limits::default() };
    let limited = Engine::builder().functions(opentofu()).limits(small).build();
    let heavy = r#"templatestring("%%{ for a in n }%%{ for b in n }%%{ for c in n }x%%{ endfor }%%{ endfor }%%{ endfor }", { n = range(100) })"#;
    let found = outcome(&limited, heavy);
    assert!(found.contains("more work than its limits allow"), "{found}");
}

#[cfg(feature = "compression")]
#[test]
fn texts_are_decompressed_within_the_limits() {
    let engine = engine(opentofu());
    expect(
        &engine,
        &[
            (r#"base64gunzip("H4sIAAAAAAAA/8tIzcnJBwCGphA2BQAAAA==")"#, "hello"),
            (r#"base64gunzip(base64gzip("Grüße"))"#, "Grüße"),
            (r#"base64gunzip(base64gzip(""))"#, ""),
        ],
    );
    for (text, part) in [
        (r#"base64gunzip("aGVsbG8=")"#, "not gzip data"),
        (r#"base64gunzip("?")"#, "not Base64"),
        (r#"base64gunzip("H4sIAAAAAAAA/w==")"#, "not gzip data"),
        // Two bytes, FF and FE.
        (r#"base64gunzip("H4sIAAAAAAACA/v/DwCWMPiIAgAAAA==")"#, "not valid UTF-8"),
    ] {
        let found = outcome(&engine, text);
        assert!(is_refusal(&found) && found.contains(part), "{text}: {found}");
    }
    // 133 bytes for 100,000 spaces.
    let spaces = "H4sIAAAAAAACA+3BMQEAAADCoCrrn9IaHkABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAArwYt8HnKoIYBAA==";
    let call = format!("length(base64gunzip({spaces:?}))");
    assert_eq!(outcome(&engine, &call), "100000");
    let limits = Limits { text_bytes: 50_000, ..Limits::default() };
    let narrow = Engine::builder().functions(opentofu()).limits(limits).build();
    assert!(outcome(&narrow, &call).contains("limit"));
}

#[test]
fn address_ranges_are_read_as_opentofu_does() {
    let engine = engine(opentofu());
    expect(
        &engine,
        &[
            (r#"cidrhost("010.0.0.0/8", 1)"#, "10.0.0.1"),
            (r#"cidrhost("10.000.0.0/08", 1)"#, "10.0.0.1"),
            (r#"cidrsubnet("010.0.0.0/8", 8, 2)"#, "10.2.0.0/16"),
            (r#"cidrsubnets("010.0.0.0/8", 1)"#, "tolist([\"10.0.0.0/9\"])"),
            (r#"cidrcontains("10.0.0.0/8", "010.1.0.0")"#, "true"),
            (r#"cidrnetmask("172.16.0.0/12")"#, "255.240.0.0"),
            (r#"cidrhost("fd00:fd12:3456:7890::/56", 16)"#, "fd00:fd12:3456:7800::10"),
        ],
    );
    for refused in [
        r#"cidrnetmask("ff00::/8")"#,
        r#"cidrhost("0x10.0.0.0/8", 1)"#,
        r#"cidrhost("256.0.0.0/8", 1)"#,
        r#"cidrhost("10..0.0/8", 1)"#,
        r#"cidrhost("10.0.0.0/", 1)"#,
        r#"cidrhost("10.0.0.0/033", 1)"#,
        r#"cidrcontains("192.168.2.0/20", "fe80::1")"#,
    ] {
        let found = outcome(&engine, refused);
        assert!(is_refusal(&found), "{refused}: {found}");
    }
    // Rows of docs/deviations.md.
    expect(&engine, &[(r#"join(" ", cidrsubnets("0.0.0.0/1", 1, 1))"#, "0.0.0.0/2 64.0.0.0/2")]);
    assert!(outcome(&engine, r#"cidrsubnet("12.34.56.78/32", -8, 0)"#).contains("by 0 to 0 bits, not by -8"));
}

#[test]
fn examples_of_the_documentation_have_their_results() {
    expect(
        &engine(opentofu()),
        &[
            (r#"basename("foo/bar/baz.txt")"#, "baz.txt"),
            (r#"pathexpand("/etc/resolv.conf")"#, "/etc/resolv.conf"),
            ("ceil(5)", "5"),
            ("ceil(5.1)", "6"),
            ("floor(5)", "5"),
            ("floor(4.9)", "4"),
            (r#"cidrcontains("192.168.2.0/20", "192.168.2.0/22")"#, "true"),
            (r#"cidrcontains("192.168.2.0/20", "192.126.2.1")"#, "false"),
            (r#"cidrcontains("192.168.2.0/20", "192.126.2.0/18")"#, "false"),
            (r#"cidrcontains("fe80::/48", "fe80::1")"#, "true"),
            (r#"cidrcontains("fe80::/48", "fe81::1")"#, "false"),
            (r#"join("", compact(["a", "", "b", null, "c"]))"#, "abc"),
            (r#"join(",", concat(["a", ""], ["b", "c"]))"#, "a,,b,c"),
            (r#"endswith("hello world", "world")"#, "true"),
            (r#"endswith("hello world", "hello")"#, "false"),
            (r#"index(["a", "b", "c"], "b")"#, "1"),
            (r#"join("", keys({ "a" = 1, "c" = 2, "d" = 3 }))"#, "acd"),
            (r#"lookup({ a = "ay", b = "bee" }, "a", "what?")"#, "ay"),
            (r#"lookup({ a = "ay", b = "bee" }, "c", "what?")"#, "what?"),
            ("max([12, 54, 3]...)", "54"),
            (r#"join("", setintersection(["a", "b"], ["b", "c"], ["b", "d"]))"#, "b"),
            (r#"join("", setunion(["a", "b"], ["b", "c"], ["d"]))"#, "abcd"),
            (r#"join("", slice(["a", "b", "c", "d"], 1, 3))"#, "bc"),
            (r#"join("", sort(["e", "d", "a", "x"]))"#, "adex"),
            (r#"strcontains("hello world", "wor")"#, "true"),
            (r#"strcontains("hello world", "wod")"#, "false"),
            ("sum([10, 13, 6, 4.5])", "33.5"),
            (r#"timeadd("2017-11-22T00:00:00Z", "10m")"#, "2017-11-22T00:10:00Z"),
            (r#"title("hello world")"#, "Hello World"),
            (
                r#"jsonencode(transpose({ "a" = ["1", "2"], "b" = ["2", "3"] }))"#,
                r#"{"1":["a"],"2":["a","b"],"3":["b"]}"#,
            ),
            (r#"trimspace("  hello\n\n")"#, "hello"),
            (r#"urldecode("Hello+World%21")"#, "Hello World!"),
            (r#"urldecode("%E2%98%83")"#, "☃"),
            (
                r#"urldecode("foo%3Abar%40localhost%3Ffoo%3Dbar%26bar%3Dbaz")"#,
                "foo:bar@localhost?foo=bar&bar=baz",
            ),
        ],
    );
}
