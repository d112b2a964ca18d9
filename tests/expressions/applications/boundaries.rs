//! Functions of applications at the ends of their ranges: addresses, paths, patterns, times, and the argument
//! that a failure names.

use std::sync::Arc;

use hclvm::functions::{opentofu, packer};
use hclvm::{Engine, Layout};

use super::{directory, engine, expect, granted, host, is_refusal, outcome};

/// Returns the column of the first error of an expression.
fn column(engine: &Engine, text: &str) -> u32 {
    let layout = Arc::new(Layout::default());
    let program = engine.compile(text, &layout).expect("it compiles");
    let scope = engine.scope(&layout);
    let mut session = engine.session();
    let error = session.run(&program, &scope).map(drop).expect_err(text);
    let subject = error.diagnostics().and_then(|found| found.iter().next()?.subject);
    subject.map_or(0, |span| span.start + 1)
}

#[test]
fn failures_are_attributed_to_an_argument_or_to_the_call() {
    let root = directory(&[("a.txt", "a")]);
    let packer = engine(packer(&granted(root.path())));
    for (text, expected) in [
        ("cidrhost(1, 2)", 10),
        (r#"cidrhost("10.0.0.0/8", 0.5)"#, 24),
        (r#"cidrhost("10.0.0.0/31", 2)"#, 25),
        ("cidrnetmask(1)", 13),
        ("cidrsubnet(1, 2, 3)", 12),
        (r#"cidrsubnet("10.0.0.0/8", 25, 0)"#, 26),
        (r#"cidrsubnet("10.0.0.0/8", 1, 2)"#, 29),
        (r#"cidrsubnet("10.0.0.0/8", 1, -1)"#, 29),
        ("cidrsubnets(1, 2)", 13),
        (r#"cidrsubnets("10.0.0.0/8", 1, 0)"#, 30),
        (r#"cidrsubnets("10.0.0.0/8", 1, 33)"#, 30),
        (r#"cidrsubnets("10.0.0.0/8", 1, 1, 1)"#, 33),
        ("rfc3339_parse(1)", 15),
        ("unix_timestamp_parse(0.5)", 22),
        ("legacy_isotime(1, 2)", 19),
        ("file(2)", 1),
        #[cfg(feature = "encoding")]
        (r#"base64decode("a")"#, 15),
        #[cfg(feature = "encoding")]
        (r#"base64decode("/w==")"#, 15),
        #[cfg(feature = "charset")]
        (r#"textencodebase64("λ", "iso-8859-1")"#, 19),
        #[cfg(feature = "charset")]
        (r#"textencodebase64("a", "nope")"#, 24),
        #[cfg(feature = "charset")]
        (r#"textdecodebase64("a", "utf-8")"#, 19),
        #[cfg(feature = "charset")]
        (r#"textdecodebase64("/w==", "utf-8")"#, 19),
        #[cfg(feature = "charset")]
        (r#"textdecodebase64("aA==", "nope")"#, 27),
        #[cfg(feature = "digest")]
        (r#"uuidv5("x", "a")"#, 9),
        #[cfg(feature = "bcrypt")]
        (r#"bcrypt("a", 32)"#, 13),
        #[cfg(feature = "bcrypt")]
        (r#"bcrypt("a", 4, 5)"#, 16),
        #[cfg(feature = "bcrypt")]
        (r#"bcrypt(join("", [for n in range(73) : "a"]), 4)"#, 8),
        #[cfg(feature = "regex")]
        (r#"regex("(", "a")"#, 8),
        #[cfg(feature = "regex")]
        (r#"regexall("(", "a")"#, 11),
        #[cfg(feature = "regex")]
        (r#"regex_replace("a", "(", "b")"#, 1),
        ("timeadd(\"x\", \"1h\")", 1),
        ("consul_key(\"x\")", 1),
        ("templatefile(\"x\", 1)", 19),
        ("sum([])", 5),
        ("file(\"~x\")", 1),
        (r#"fileset("..", "*")"#, 1),
        (r#"fileset(".", "[")"#, 1),
    ] {
        assert_eq!(column(&packer, text), expected, "{text}");
    }
}

#[test]
fn address_ranges_have_ends() {
    expect(
        &host(),
        &[
            (r#"cidrhost("10.0.0.0/30", 0)"#, "10.0.0.0"),
            (r#"cidrhost("10.0.0.0/30", 3)"#, "10.0.0.3"),
            (r#"cidrhost("10.0.0.0/30", -1)"#, "10.0.0.3"),
            (r#"cidrhost("10.0.0.0/30", -4)"#, "10.0.0.0"),
            (r#"cidrhost("10.0.0.7/30", 1)"#, "10.0.0.5"),
            (r#"cidrhost("10.0.0.1/32", 0)"#, "10.0.0.1"),
            (r#"cidrhost("0.0.0.0/0", -1)"#, "255.255.255.255"),
            (r#"cidrhost("::/0", -1)"#, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            (r#"cidrnetmask("10.0.0.0/32")"#, "255.255.255.255"),
            (r#"cidrnetmask("10.0.0.0/1")"#, "128.0.0.0"),
            (r#"cidrnetmask("10.0.0.0/23")"#, "255.255.254.0"),
            (r#"cidrsubnet("10.0.0.0/8", 0, 0)"#, "10.0.0.0/8"),
            (r#"cidrsubnet("10.0.0.0/8", 1, 1)"#, "10.128.0.0/9"),
            (r#"cidrsubnet("10.0.0.0/8", 24, 16777215)"#, "10.255.255.255/32"),
            (r#"cidrsubnet("fd00::/8", 8, 255)"#, "fdff::/16"),
            (r#"cidrsubnet("::/0", 128, 1)"#, "::1/128"),
            (r#"jsonencode(cidrsubnets("10.0.0.0/31", 1, 1))"#, r#"["10.0.0.0/32","10.0.0.1/32"]"#),
            (r#"jsonencode(cidrsubnets("10.0.0.0/8", 8, 4))"#, r#"["10.0.0.0/16","10.16.0.0/12"]"#),
            (r#"jsonencode(cidrsubnets("::/0", 32))"#, r#"["::/32"]"#),
        ],
    );
    let engine = host();
    for refused in [
        r#"cidrhost("10.0.0.1/32", 1)"#,
        r#"cidrhost("10.0.0.0/30", 340282366920938463463374607431768211456)"#,
        r#"cidrhost("10.0.0.0/+8", 1)"#,
        r#"cidrhost("10.0.0.0/08", 1)"#,
        r#"cidrhost("10.0.0.0/", 1)"#,
        r#"cidrhost("10.0.0.0", 1)"#,
        r#"cidrhost("::/129", 1)"#,
        r#"cidrsubnet("10.0.0.0/8", -1, 0)"#,
        r#"cidrsubnet("10.0.0.0/8", 0, 1)"#,
        r#"cidrsubnets("10.0.0.0/32", 1)"#,
        r#"cidrsubnets("0.0.0.0/0", 1, 1, 1)"#,
        r#"cidrsubnets("::/0", 1, 1, 1)"#,
        r#"cidrsubnets("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/127", 1, 1, 1)"#,
    ] {
        let found = outcome(&engine, refused);
        assert!(is_refusal(&found), "{refused}: {found}");
    }
    expect(
        &super::engine(opentofu()),
        &[
            (r#"cidrcontains("10.0.0.0/8", "10.0.0.0/8")"#, "true"),
            (r#"cidrcontains("10.0.0.0/8", "10.0.0.0/7")"#, "false"),
            (r#"cidrcontains("10.0.0.0/8", "10.255.255.255")"#, "true"),
            (r#"cidrcontains("10.0.0.0/8", "11.0.0.0")"#, "false"),
            (r#"cidrcontains("10.0.0.0/32", "10.0.0.0")"#, "true"),
            (r#"cidrcontains("10.0.0.0/32", "10.0.0.1")"#, "false"),
            (r#"cidrcontains("::/0", "ffff::")"#, "true"),
        ],
    );
}

#[test]
fn paths_are_taken_apart_by_their_names() {
    expect(
        &host(),
        &[
            (r#"basename("")"#, "."),
            (r#"basename("/")"#, "/"),
            (r#"basename("//")"#, "/"),
            (r#"basename("a/")"#, "a"),
            (r#"basename("/a")"#, "a"),
            (r#"dirname("")"#, "."),
            (r#"dirname("a")"#, "."),
            (r#"dirname("/")"#, "/"),
            (r#"dirname("/a")"#, "/"),
            (r#"dirname("a/b/")"#, "a/b"),
            (r#"dirname("a//b")"#, "a"),
            (r#"dirname("a/./b/../c/d")"#, "a/c"),
            (r#"dirname("../../a")"#, "../.."),
            (r#"dirname("a/../../b")"#, ".."),
            (r#"dirname("/../a")"#, "/"),
            (r#"pathexpand("~")"#, "/home/ann"),
            (r#"pathexpand("~/a/../b")"#, "/home/ann/b"),
            (r#"pathexpand("a~")"#, "a~"),
            (r#"pathexpand("")"#, ""),
        ],
    );
    assert!(outcome(&host(), r#"pathexpand("~ann/a")"#).contains("own home directory"));
}

#[test]
fn patterns_of_paths_match_whole_names() {
    let names = ["a", "ab", "abc", "b", "d/a", "d/e/a", "x-y", "]", "{"];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "")).collect();
    let root = directory(&files);
    let engine = engine(packer(&granted(root.path())));
    for (pattern, expected) in [
        ("", ""),
        ("a", "a"),
        ("?", "],a,b,{"),
        ("??", "ab"),
        ("*", "],a,ab,abc,b,x-y,{"),
        ("a*", "a,ab,abc"),
        ("a*c", "abc"),
        ("*b*", "ab,abc,b"),
        ("a?*", "ab,abc"),
        ("a**", "a,ab,abc"),
        ("*/a", "d/a"),
        ("**/a", "a,d/a,d/e/a"),
        ("**", "],a,ab,abc,b,d/a,d/e/a,x-y,{"),
        ("d/**", "d/a,d/e/a"),
        ("d/**/a", "d/a,d/e/a"),
        ("d/*/a", "d/e/a"),
        ("**/e/**", "d/e/a"),
        ("./a", "a"),
        ("[ab]", "a,b"),
        ("[a-b]", "a,b"),
        ("[^a]", "],b,{"),
        ("[!a-b]", "],{"),
        ("[]]", "]"),
        ("x[a-]y", "x-y"),
        ("x[+-.]y", "x-y"),
        (r"\\{", "{"),
        (r"[\\]]", "]"),
        ("{a,b}", "a,b"),
        ("{a,b}c", ""),
        ("a{,b}", "a,ab"),
        ("a{b{c,},}", "a,ab,abc"),
        ("{d/a,b}", "b,d/a"),
    ] {
        let call = format!("join(\",\", fileset(\".\", \"{pattern}\"))");
        assert_eq!(outcome(&engine, &call), expected, "{pattern}");
    }
    for (pattern, why) in [("[a", "no closing one"), ("{a", "no closing one"), (r"a\\", "ends a name")] {
        let found = outcome(&engine, &format!("fileset(\".\", \"{pattern}\")"));
        assert!(found.contains(why), "{pattern}: {found}");
    }
    let many = |count: usize| format!("fileset(\".\", \"{}\")", "{a,b}".repeat(count));
    assert_eq!(outcome(&engine, &many(10)), "toset([])");
    assert!(outcome(&engine, &many(11)).contains("too many patterns"));
}

#[test]
fn stars_in_patterns_match_as_little_or_as_much_as_is_needed() {
    let root = directory(&[("aab", ""), ("abab", ""), ("aaab", ""), ("b", ""), ("a/b/ab", "")]);
    let engine = engine(packer(&granted(root.path())));
    for (pattern, expected) in [
        ("*ab", "aaab,aab,abab"),
        ("a*ab", "aaab,aab,abab"),
        ("?*ab", "aaab,aab,abab"),
        ("*aa*", "aaab,aab"),
        ("*a*b*b", "abab"),
        ("a*a*a*b", "aaab"),
        ("*b*", "aaab,aab,abab,b"),
        ("*a?", "aaab,aab,abab"),
        ("a*b?", ""),
        ("*b", "aaab,aab,abab,b"),
        ("**/*b", "a/b/ab,aaab,aab,abab,b"),
        ("**/b/*", "a/b/ab"),
        ("*/*/*", "a/b/ab"),
        ("a/**", "a/b/ab"),
        ("**/a/**/ab", "a/b/ab"),
    ] {
        let call = format!("join(\",\", fileset(\".\", \"{pattern}\"))");
        assert_eq!(outcome(&engine, &call), expected, "{pattern}");
    }
}

#[test]
fn times_have_parts() {
    expect(
        &host(),
        &[
            (
                r#"legacy_isotime("January Jan Monday Mon 2006 06 01 1 02 _2 2 002 __2 15 03 3 04 4 05 5 PM pm")"#,
                "November Nov Friday Fri 2026 26 11 11 20 20 20 324 324 09 09 9 08 8 07 7 AM am",
            ),
            (
                r#"legacy_isotime("Z0700 Z07:00 Z07 Z070000 -0700 -07:00 -07 -070000 -07:00:00 MST")"#,
                "Z Z Z Z +0000 +00:00 +00 +000000 +00:00:00 UTC",
            ),
            (
                r#"legacy_isotime("05.000 05.0 05.999 05.999999 05,00 05.x .5 05.0001")"#,
                "07.500 07.5 07.5 07.5 07,50 07.x .7 07.0011",
            ),
            (r#"legacy_isotime("Monthly Janus _2006 x")"#, "Monthly Janus _2026 x"),
            (r#"legacy_isotime("")"#, ""),
            (
                r#"legacy_strftime("%a %A %b %B %h %C %d %e %f %H %I %j %L %m %M %p %s %S %u %V %w %y %Y %z %Z")"#,
                "Fri Friday Nov November Nov 20 20 20 500000 09 09 324 500 11 08 AM 1795165687 07 5 47 5 26 2026 +0000 UTC",
            ),
            (
                r#"legacy_strftime("%c|%D|%x|%F|%R|%T|%X|%n|%t|%%|%")"#,
                "Fri Nov 20 09:08:07 2026|11/20/26|11/20/26|2026-11-20|09:08|09:08:07|09:08:07|\n|\t|%|%",
            ),
            (r"unix_timestamp_parse(-1).rfc3339", "1969-12-31T23:59:59Z"),
            (r"unix_timestamp_parse(-62167219200).rfc3339", "0000-01-01T00:00:00Z"),
            (r"unix_timestamp_parse(253402300799).rfc3339", "9999-12-31T23:59:59Z"),
            (r"unix_timestamp_parse(951782400).year_day", "60"),
            (r"unix_timestamp_parse(978220800).year_day", "366"),
            (r#"rfc3339_parse("2000-12-31T00:00:00Z").iso_week"#, "52"),
            (r#"rfc3339_parse("2021-01-03T00:00:00Z").iso_week"#, "53"),
            (r#"rfc3339_parse("2021-01-03T00:00:00Z").iso_year"#, "2020"),
            (r#"rfc3339_parse("2021-01-04T00:00:00Z").iso_week"#, "1"),
            (r#"rfc3339_parse("2026-01-01T00:00:00Z").iso_week"#, "1"),
            (r#"rfc3339_parse("2023-01-01T00:00:00Z").weekday"#, "0"),
            (r#"rfc3339_parse("2023-01-01T00:00:00.9Z").unix"#, "1672531200"),
        ],
    );
    for refused in [
        "unix_timestamp_parse(-62167219201)",
        "unix_timestamp_parse(253402300800)",
        "unix_timestamp_parse(0.5)",
    ] {
        assert!(outcome(&host(), refused).contains("whole number from"), "{refused}");
    }
    expect(
        &engine(opentofu()),
        &[
            (r#"timecmp("2017-11-22T00:00:00Z", "2017-11-22T00:00:01Z")"#, "-1"),
            (r#"timecmp("2017-11-22T00:00:00Z", "2017-11-22T00:00:00.000Z")"#, "0"),
            (r#"timecmp("2017-11-22T00:00:00.000000001Z", "2017-11-22T00:00:00Z")"#, "1"),
            (r#"timecmp("2017-11-22T00:00:00+01:00", "2017-11-22T00:00:00Z")"#, "-1"),
        ],
    );
}

#[test]
fn lists_of_bools_are_decided_by_one_element() {
    expect(
        &engine(opentofu()),
        &[
            ("alltrue([])", "true"),
            ("alltrue([true])", "true"),
            ("alltrue([true, false])", "false"),
            (r#"alltrue(["true", null])"#, "false"),
            ("anytrue([])", "false"),
            ("anytrue([false, true])", "true"),
            ("anytrue([null, false])", "false"),
            (r#"coalesce("", "a")"#, "a"),
            (r#"coalesce(null, "", 1)"#, "1"),
            ("one([])", "null"),
            ("one([5])", "5"),
            ("one(toset([5, 5]))", "5"),
            ("sum([1])", "1"),
            ("sum([1, 2.5, -4])", "-0.5"),
            (r#"index(["a", "b", "a"], "a")"#, "0"),
            (r#"lookup({ a = 1 }, "b", 2)"#, "2"),
            (r#"startswith("abc", "")"#, "true"),
            (r#"startswith("abc", "abc")"#, "true"),
            (r#"startswith("abc", "abcd")"#, "false"),
            (r#"startswith("abc", "b")"#, "false"),
            (r#"endswith("abc", "")"#, "true"),
            (r#"endswith("abc", "abc")"#, "true"),
            (r#"endswith("abc", "b")"#, "false"),
            (r#"strcontains("abc", "")"#, "true"),
            (r#"strcontains("abc", "bc")"#, "true"),
            (r#"strcontains("abc", "ac")"#, "false"),
            (r#"urlencode("-_.~ azAZ09*'")"#, "-_.~+azAZ09%2A%27"),
            (r#"urldecode("%41%7a+%c3%BC")"#, "Az ü"),
            ("matchkeys([1, 2], [1, 2], [])", "tolist([])"),
            (r"transpose({})", "tomap({})"),
            (r"transpose({ a = [] })", "tomap({})"),
        ],
    );
    let engine = engine(opentofu());
    for refused in [
        "one([1, 2])",
        "one(toset([1, 2]))",
        "one({})",
        "sum([])",
        "sum({})",
        r#"sum(["a"])"#,
        r#"index([], "a")"#,
        r#"index(["a"], "b")"#,
        r#"lookup({}, "b")"#,
        r#"coalesce("", null)"#,
        r#"urldecode("%")"#,
        r#"urldecode("%4")"#,
        r#"urldecode("%g0")"#,
        r#"urldecode("%0g")"#,
        r#"urldecode("%ff")"#,
        "matchkeys([1], [1, 2], [1])",
        "transpose({ a = [null] })",
    ] {
        let found = outcome(&engine, refused);
        assert!(is_refusal(&found), "{refused}: {found}");
    }
}
