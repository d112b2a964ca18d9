//! What functions of applications know of unknown arguments, and the marks and types of their results, in the
//! notation of tests/cases.

use std::path::Path;
use std::sync::Arc;

use hclvm::functions::{Capabilities, FunctionTable, nomad, opentofu, packer};
use hclvm::run::Tier;
use hclvm::{Engine, Layout, OwnedValue};

use crate::cases::notation;

/// The variables of all lines.
const SCOPE: &[(&str, &str)] = &[
    ("u", r#"unknown("any")"#),
    ("b", r#"unknown("bool")"#),
    ("n", r#"unknown("number")"#),
    ("t", r#"unknown("string")"#),
    ("p", r#"unknown("string", {prefix = "ab-", not_null = true})"#),
    ("l", r#"unknown("list(string)")"#),
    ("ln", r#"unknown("list(number)")"#),
    ("tu", r#"unknown("tuple([number])")"#),
    ("t2", r#"unknown("tuple([number, string])")"#),
    ("o", r#"unknown("object({a = number})")"#),
    ("m", r#"marked("a", "m")"#),
    ("yes", r#"marked(true, "y")"#),
    ("one", r#"marked(1, "n")"#),
    ("lm", r#"marked(["x"], "l")"#),
    ("ls", r#"typed("list(string)", ["x", null])"#),
    ("es", r#"typed("list(string)", [])"#),
    ("s", r#"typed("set(string)", ["b", "a"])"#),
    ("mm", r#"typed("map(number)", {a = 1})"#),
];

const OPENTOFU: &str = r#"
alltrue([true, b]) => unknown(bool, not null)
alltrue([false, b]) => false
alltrue([b, false]) => unknown(bool, not null)
alltrue([null, b]) => false
alltrue([yes]) => marked(true, "y")
alltrue(["true", true]) => true
alltrue(["x"]) => error 9
alltrue(u) => unknown(bool, not null)
anytrue([false, b]) => unknown(bool, not null)
anytrue([b, true]) => true
anytrue([b, null]) => unknown(bool, not null)
anytrue([false]) => false
anytrue([yes]) => marked(true, "y")
one(l) => unknown(string)
one([n]) => unknown(number)
one([t, t]) => error 5
one(toset([1, n])) => unknown(number)
one(tu) => unknown(number)
one(t2) => error 5
one(es) => null(string)
one(lm) => marked("x", "l")
one([m]) => marked("a", "m")
one([null]) => null
one(1) => error 5
one(s) => error 5
sum([1, n]) => unknown(number, not null)
sum([n]) => unknown(number, not null)
sum(ln) => unknown(number, not null)
sum([one, 2]) => marked(3, "n")
sum(toset([1, 2])) => 3
sum(["1", 2]) => 3
sum([[1]]) => error 5
sum([true]) => error 5
sum([null, 1]) => error 5
sum(1) => error 5
sum([1 / 0, -1 / 0]) => error 1
index(["a", "b"], "c") => error 1
index([1, "a"], "a") => 1
index(["a", t], "a") => 0
index([t, "a"], "a") => unknown(number, not null)
index(["b", t], "a") => unknown(number, not null)
index(l, "a") => unknown(number, not null)
index(es, "a") => error 1
index(s, "a") => error 7
index([one, 2], 2) => marked(1, "n")
index([1, 2, 2], 2) => 1
lookup(mm, "a") => 1
lookup(mm, "b") => error 13
lookup({a = 1}, "b") => error 18
lookup({a = 1}, "b", "x") => "x"
lookup(mm, "b", "2") => 2
lookup(o, "a") => unknown(number)
lookup(o, "b") => error 12
lookup(o, "b", 1) => unknown(number)
lookup(mm, m) => marked(1, "m")
matchkeys(["a", "b"], [1, 2], [2]) => tolist(["b"])
matchkeys([1, 2], ["a", "b"], ["b"]) => tolist([2])
matchkeys([1, 2], ["a", "b"], []) => tolist([] of number)
matchkeys(["a"], [1], ["1"]) => tolist([] of string)
matchkeys(["a"], [n], [1]) => unknown(list of string, not null)
matchkeys(["a"], [1], [n]) => unknown(list of string, not null)
matchkeys([t], [1], [1]) => tolist([unknown(string)])
matchkeys(["a"], [1], [{}]) => error 1
matchkeys(["a"], [1, 2], [1]) => error 1
matchkeys([m], [1], [1]) => marked(tolist(["a"]), "m")
matchkeys(["a", "b"], [1, 1], [1, 1]) => tolist(["a", "b"])
transpose({a = ["x", "y"], b = ["x"]}) => tomap({x = tolist(["a", "b"]), y = tolist(["a"])})
transpose({b = ["x"], a = ["x"]}) => tomap({x = tolist(["a", "b"])})
transpose({a = [t]}) => unknown(map of list of string, not null)
transpose({a = [m]}) => marked(tomap({a = tolist(["a"])}), "m")
transpose({a = ["x", "x"]}) => tomap({x = tolist(["a", "a"])})
startswith(p, "ab") => true
startswith(p, "ab-") => true
startswith(p, "ac") => false
startswith(p, "ab-c") => unknown(bool, not null)
startswith(t, "a") => unknown(bool, not null)
startswith(m, "a") => marked(true, "m")
startswith("a", t) => unknown(bool, not null)
endswith(p, "c") => unknown(bool, not null)
strcontains(p, "ab") => unknown(bool, not null)
strcontains(m, "b") => marked(false, "m")
coalesce("", m) => marked("a", "m")
coalesce("", t) => unknown(string, not null)
coalesce(null, "") => error 1
coalesce(0, 1) => 0
coalesce("", 0) => "0"
coalesce(false, true) => false
timecmp("2017-11-22T00:00:00Z", "x") => error 34
timecmp("x", "2017-11-22T00:00:00Z") => error 10
timecmp(t, "2017-11-22T00:00:00Z") => unknown(number, not null)
cidrcontains("10.0.0.0/8", t) => unknown(bool, not null)
cidrcontains("10.0.0.0/8", "x") => error 29
cidrcontains("10.0.0.0/8", "10.0.0.0/33") => error 29
cidrcontains("10.0.0.0/8", "::1") => error 29
cidrcontains("x", "10.0.0.0") => error 15
cidrcontains("10.0.0.0/8", "10.0.0.0/8") => true
cidrcontains("10.0.0.0/32", "10.0.0.0/31") => false
cidrcontains("10.0.0.1/8", "10.255.255.255/32") => true
cidrcontains("fd00::/8", "fdff::/16") => true
cidrcontains("fd00::/8", "fe00::") => false
cidrhost("10.0.0.0/8", n) => unknown(string, not null)
cidrsubnets("10.0.0.0/8", 4, 4) => tolist(["10.0.0.0/12", "10.16.0.0/12"])
cidrsubnets("10.0.0.0/8", n) => unknown(list of string, not null)
urldecode("%41%2b+") => "A+ "
urldecode("%ff") => error 12
urldecode("%4") => error 12
urldecode(m) => marked("a", "m")
tolist(s) => tolist(["a", "b"])
core::tostring(1) => "1"
length("ab") => 2
length({a = 1}) => 1
reverse([1, 2]) => [2, 1]
replace("a", "a", "b") => "b"
"#;

const PACKER: &str = r#"
coalesce("", t) => unknown(string)
index(["b", t], "a") => unknown(number)
sum([1, n]) => unknown(number)
startswith(t, "a") => unknown(bool)
endswith(t, "a") => unknown(bool)
strcontains(t, "a") => unknown(bool)
cidrhost(t, 1) => unknown(string)
cidrnetmask(t) => unknown(string)
cidrsubnet(t, 1, 1) => unknown(string)
cidrsubnets(t, 1) => unknown(list of string)
basename(t) => unknown(string)
dirname(t) => unknown(string)
rfc3339_parse(t) => unknown(object)
unix_timestamp_parse(n) => unknown(object)
alltrue([b]) => unknown(bool, not null)
anytrue([b]) => unknown(bool, not null)
upper(t) => unknown(string, not null)
concat([1], [n]) => [1, unknown(number)]
length("ab") => 2
length({a = 1}) => 1
basename(m) => marked("a", "m")
rfc3339_parse("2024-02-29T18:05:00Z").month => 2
unix_timestamp_parse("0").year => 1970
lookup(mm, "b", 2) => 2
lookup(mm, "b") => error 15
"#;

const NOMAD: &str = r#"
coalesce("", "a") => ""
coalesce(null, t) => unknown(string, not null)
index(["a", "b"], 1) => "b"
index(mm, "a") => 1
length([1, 2]) => 2
length(s) => 2
length("ab") => error 1
length({a = 1}) => error 1
length(u) => unknown(number, not null, >= 0, <= 9223372036854775807)
reverse("ab") => "ba"
reverse(m) => marked("a", "m")
strlen(p) => unknown(number, not null, >= 3)
cidrhost(t, 1) => unknown(string)
basename(t) => unknown(string)
upper(t) => unknown(string, not null)
"#;

/// Functions outside of the standard library that every table has, with a hole for the refinement.
#[cfg(feature = "full")]
const OUTSIDE: &str = r#"
base64decode(t) => unknown(string_)
base64encode(t) => unknown(string_)
basename(t) => unknown(string_)
cidrhost(t, 1) => unknown(string_)
cidrnetmask(t) => unknown(string_)
cidrsubnet(t, 1, 1) => unknown(string_)
cidrsubnets(t) => unknown(list of string_)
dirname(t) => unknown(string_)
md5(t) => unknown(string_)
rsadecrypt(t, "key") => unknown(string_)
sha1(t) => unknown(string_)
sha256(t) => unknown(string_)
sha512(t) => unknown(string_)
urlencode(t) => unknown(string_)
uuidv5("dns", t) => unknown(string_)
yamldecode(t) => unknown(dynamic)
yamlencode(t) => unknown(string_)
md5(m) => marked("0cc175b9c0f1b6a831c399e269772661", "m")
yamlencode([m]) => marked("- \"a\"\n", "m")
"#;

/// Evaluates an expression on both tiers: its value, or the column of its first error.
fn shown(engine: &Engine, layout: &Arc<Layout>, values: &[OwnedValue], text: &str) -> String {
    let program = engine.compile(text, layout).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut scope = engine.scope(layout);
    for ((name, _), value) in SCOPE.iter().zip(values) {
        scope.set_value(name, value.get()).expect("it is small");
    }
    let [best, baseline] = [Tier::Best, Tier::Baseline].map(|tier| {
        let mut session = engine.session();
        session.set_tier(tier);
        match session.run(&program, &scope) {
            Ok(value) => notation::written(value),
            Err(error) => {
                let found = error.diagnostics().and_then(|found| found.iter().next()?.subject);
                format!("error {}", found.map_or(0, |span| span.start + 1))
            }
        }
    });
    assert_eq!(best, baseline, "{text}");
    best
}

fn check(table: FunctionTable, lines: &str) {
    let engine = Engine::builder().functions(table).build();
    let layout = Arc::new(Layout::new(SCOPE.iter().map(|(name, _)| *name)));
    let values: Vec<OwnedValue> = SCOPE.iter().map(|(_, value)| notation::value_of(value)).collect();
    let mut differences = Vec::new();
    for (text, expected) in lines.trim().lines().map(|line| line.rsplit_once(" => ").expect("two sides")) {
        let found = shown(&engine, &layout, &values, text);
        if found != expected {
            differences.push(format!("{text}: {found} instead of {expected}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn opentofu_knows_of_its_results_what_it_documents() {
    check(opentofu(), OPENTOFU);
}

#[test]
fn packer_knows_less_of_functions_outside_of_the_standard_library() {
    check(packer(&super::granted(Path::new("."))), PACKER);
}

#[test]
fn nomad_has_the_functions_of_the_standard_library() {
    check(nomad(&Capabilities::none()), NOMAD);
}

#[cfg(feature = "full")]
#[test]
fn only_opentofu_knows_that_results_outside_of_the_standard_library_are_not_null() {
    check(opentofu(), &OUTSIDE.replace('_', ", not null"));
    check(nomad(&Capabilities::none()), &OUTSIDE.replace('_', ""));
    check(packer(&super::granted(Path::new("."))), &OUTSIDE.replace('_', ""));
}
