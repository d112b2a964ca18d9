//! Functions charge for what they read of their arguments: a few hundred calls with long ones exceed an
//! amount of fuel that is more than enough for as many calls with short ones.
#![cfg(feature = "full")]

use std::sync::Arc;

use hclvm::diagnostics::Exhausted;
use hclvm::functions::{Capabilities, opentofu, packer};
use hclvm::run::Tier;
use hclvm::{Engine, ErrorKind, Layout, Limits, Scope, Session};

/// Fuel for 400 calls.
const FUEL: u64 = 200_000;

/// Returns two scopes with equal variables, one with long values and one with short ones.
fn scope(engine: &Engine, layout: &Arc<Layout>, size: usize) -> Scope {
    let text = |part: &str| part.repeat(size);
    let keys: Vec<String> = ["a", "b", "c"].iter().map(|end| text("k") + end).collect();
    let count = if size > 1 { 1_000 } else { 2 };
    let mut scope = engine.scope(layout);
    let mut set = |name: &str, json: serde_json::Value| scope.set(name, &json).expect("it fits");
    set("rounds", (0..20).collect());
    set("s", text("x").into());
    set("t", text("x").into());
    set("space", text("\n").into());
    set("dollars", text("$a").into());
    set("path", text("a/").into());
    set("moment", format!("2020-01-02T03:04:05.{}Z", text("0")).into());
    set("duration", text("1ns").into());
    set("keys", serde_json::json!(keys));
    set("map", keys.iter().map(|key| (key.clone(), 1.into())).collect::<serde_json::Map<_, _>>().into());
    let number = if size > 1 { "1e-99999999" } else { "1.5" };
    set("numbers", format!("[{number}, {number}]").into());

    set("quoted", format!("\"{}\"", text("x")).into());
    set("base", text("AAAA").into());
    set("empty", vec![""; count].into());
    set("truths", vec![true; count].into());
    scope
}

const NAMES: [&str; 15] = [
    "rounds", "s", "t", "space", "dollars", "path", "moment", "duration", "keys", "map", "numbers", "empty",
    "truths", "quoted", "base",
];

fn ended(session: &mut Session, engine: &Engine, scope: &Scope, layout: &Arc<Layout>, call: &str) -> bool {
    // Converted beforehand, so that the conversion is not measured.
    let text = format!(
        "[for lists in [{{ keys = convert(keys, list(string)), empty = convert(empty, list(string)),
            truths = convert(truths, list(bool)) }}] :
          [for a in rounds : 1 if length([for b in rounds : 1 if try({call} == [b], false)]) == a]]"
    );
    let program = engine.compile(&text, layout).unwrap_or_else(|error| panic!("{call}: {error}"));
    match session.run(&program, scope).map(|_| ()) {
        Ok(()) => false,
        Err(error) => match error.kind() {
            ErrorKind::Limit(limit) => limit.exhausted == Exhausted::Fuel,
            other => panic!("{call}: {other:?}"),
        },
    }
}

fn check(engine: &Engine, calls: &[&str]) {
    let layout = Arc::new(Layout::new(NAMES));
    let [long, short] = [300_000, 1].map(|size| scope(engine, &layout, size));
    for call in calls {
        for tier in [Tier::Best, Tier::Baseline] {
            let mut session = engine.session();
            session.set_tier(tier);
            assert!(ended(&mut session, engine, &long, &layout, call), "{call} of long arguments, {tier:?}");
            assert!(!ended(&mut session, engine, &short, &layout, call), "{call} of short ones, {tier:?}");
        }
    }
}

fn limits() -> Limits {
    Limits { fuel: FUEL, ..Limits::untrusted() }
}

#[test]
fn calls_with_long_arguments_cost_what_they_read() {
    let engine = Engine::builder().functions(opentofu()).limits(limits()).build();
    check(
        &engine,
        &[
            "chomp(space)",
            "trimspace(space)",
            "trimprefix(s, t)",
            "trimsuffix(s, t)",
            "startswith(s, t)",
            "endswith(s, t)",
            "split(s, \"x\")",
            "replace(\"x\", s, \"y\")",
            "join(\"\", lists.empty)",
            "sort(lists.keys)",
            "toset(lists.keys)",
            "distinct(lists.keys)",
            "contains(lists.keys, keys[2])",
            "merge(map, map)",
            "zipmap(lists.keys, lists.keys)",
            "transpose({ (s) = lists.keys })",
            "lookup(map, keys[1], 1)",
            "alltrue(lists.truths)",
            "anytrue([for b in lists.truths : !b])",
            "lists.truths == lists.truths",
            "matchkeys(lists.keys, lists.keys, lists.keys)",
            "slice(lists.truths, 0, length(truths))",
            "jsondecode(numbers)",
            "yamldecode(numbers)",
            "basename(path)",
            "dirname(path)",
            "timecmp(moment, moment)",
            "timeadd(moment, duration)",
            "formatdate(\"YYYY\", moment)",
            // The message of the failure contains the argument.
            "cidrhost(s, 1)",
            "timeadd(\"2020-01-02T03:04:05Z\", s)",
            "lookup(map, s)",
            "upper(s)",
            "lower(s)",
            "title(s)",
            "strrev(s)",
            "substr(s, 0, 1)",
            "strcontains(s, \"y\")",
            "trim(s, \"y\")",
            "indent(1, s)",
            "parseint(s, 36)",
            "format(\"%s\", s)",
            "formatlist(\"%s\", lists.keys)",
            "csvdecode(quoted)",
            "jsondecode(quoted)",
            "jsonencode(s)",
            "yamldecode(quoted)",
            "yamlencode(s)",
            "md5(s)",
            "sha256(s)",
            "base64sha256(s)",
            "uuidv5(\"dns\", s)",
            "base64encode(s)",
            "base64decode(base)",
            "urlencode(s)",
            "urldecode(s)",
            "textencodebase64(s, \"utf-16\")",
            "textdecodebase64(base, \"utf-16\")",
            "reverse(lists.truths)",
            "flatten(lists.truths)",
            "concat(lists.truths, lists.truths)",
            "chunklist(lists.truths, 2000)",
            "compact(lists.empty)",
            "setunion(lists.empty, lists.empty)",
            "setproduct(lists.truths, [1])",
            "sum([for b in lists.truths : 1])",
            "index(lists.truths, false)",
        ],
    );
}

#[test]
fn replacements_cost_what_they_read() {
    let engine = Engine::builder().functions(packer(&Capabilities::none())).limits(limits()).build();
    check(&engine, &["regex_replace(\"x\", \"y\", dollars)", "pathexpand(path)"]);
}
