//! Whole files: locals as slots, the object `local`, dynamic blocks, selections, the order of diagnostics.

use hclvm::functions::{Function, FunctionTable, Parameter};
use hclvm::module::{AttributePath, BlockValues, BodyValues, Matches, Module, RuleSpec, Values};
use hclvm::run::Tier;
use hclvm::value::{Arena, marks_from};
use hclvm::{Dialect, Engine, Json, Scope, Session, Type, Value};

fn module(text: &str) -> Module {
    Engine::standard().parse("x.hcl", text).expect("HCL").module().expect("a module")
}

fn scope(module: &Module, json: &str) -> Scope {
    let mut scope = module.scope();
    scope.set_all_json(json).expect("small values");
    scope
}

/// Evaluates in both tiers and returns what `show` shows, which is the same.
fn shown(module: &Module, scope: &Scope, show: impl Fn(&Values<'_>) -> String) -> String {
    let run = |tier| {
        let mut session: Session = module.document().engine().session();
        session.set_tier(tier);
        show(&module.evaluate(&mut session, scope).expect("within the limits"))
    };
    let best = run(Tier::Best);
    assert_eq!(best, run(Tier::Baseline));
    best
}

fn body(body: BodyValues<'_>) -> String {
    let mut parts: Vec<String> = body
        .attributes()
        .map(|(name, value)| {
            format!("{name}={}", serde_json::to_string(&Json(value).lenient()).expect("it is known"))
        })
        .collect();
    for block in body.blocks() {
        let labels: Vec<&str> = block.labels().collect();
        parts.push(format!("{}[{}]{{{}}}", block.kind(), labels.join(","), self::body(block.body())));
    }
    parts.join(" ")
}

fn all(values: &Values<'_>) -> String {
    let titles: Vec<String> = values
        .diagnostics()
        .iter()
        .map(|found| format!("{}@{}", found.title, found.subject.map_or(0, |subject| subject.start)))
        .collect();
    format!("{} {}", body(values.body()), titles.join(" ")).trim_end().to_owned()
}

#[test]
fn locals_are_read_by_name_and_through_their_object() {
    let text = "locals {\n  a = n + 1\n  b = { deep = local.a * 2 }\n  c = \"${local.b.deep}!\"\n}\n\
        by_name = [local.a, local[\"a\"], local.b.deep, local.c]\n\
        whole   = [for k, v in local : k]\ncomputed = local[which]\n\
        shadowed = [for local in [{ a = 7 }] : local.a]\n";
    let module = module(text);
    let scope = scope(&module, r#"{"n": 1, "which": "c"}"#);
    assert_eq!(
        shown(&module, &scope, all),
        r#"by_name=[2,2,4,"4!"] whole=["a","b","c"] computed="4!" shadowed=[7]"#
    );
    assert_eq!(module.locals().collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn an_iterator_called_local_hides_the_locals() {
    let text = "locals {\n  a = 1\n  b = local.a + 1\n}\nx = local.b\n\
        dynamic \"port\" {\n  for_each = [5]\n  iterator = local\n  content {\n    v = local.value\n  }\n}\n";
    let module = module(text);
    assert_eq!(shown(&module, &module.scope(), all), "x=2 port[]{v=5}");
}

#[test]
fn a_local_that_does_not_exist_is_a_fault_of_its_reader() {
    let module = module("locals {\n  a = local.missing\n  b = local.a\n}\nx = local.b\ny = local.other\n");
    let shown = shown(&module, &module.scope(), |values| values.diagnostics().to_string());
    assert_eq!(shown.matches("Unsupported attribute").count(), 2, "{shown}");
    assert!(shown.contains("\"missing\"") && shown.contains("\"other\""), "{shown}");
}

#[test]
fn values_of_every_kind_reach_the_readers_of_a_local() {
    let module = module("locals {\n  a = v\n  b = local.a\n}\nx = local.b == null\ny = local.b\n");
    for (set, expected) in [("null", "x=true y=null"), ("3", "x=false y=3"), ("[1]", "x=false y=[1]")] {
        let scope = scope(&module, &format!("{{\"v\": {set}}}"));
        assert_eq!(shown(&module, &scope, all), expected);
    }
    let mut unknown = module.scope();
    unknown.set_unknown("v");
    let plain = |values: &Values<'_>| {
        let known = |name| values.attribute(name).is_some_and(|value| value.is_known());
        format!("{} {} {}", known("x"), known("y"), values.diagnostics().len())
    };
    assert_eq!(shown(&module, &unknown, plain), "false false 0");
}

#[test]
fn marks_of_a_local_reach_readers_that_do_not_evaluate_it() {
    // The first local has no fast code, so that nothing shows beforehand that its value is marked.
    let module = module(
        "locals {\n  a = \"${s}%{ if null }%{ endif }\"\n  b = n > 0 || local.a == \"k\"\n}\nx = n > 0 || local.b\n",
    );
    let mut scope = scope(&module, r#"{"n": 1}"#);
    let arena = Arena::new();
    let secret = Value::str(&arena, "k").with_marks(&arena, marks_from(&arena, &["secret"]));
    scope.set_value("s", secret).expect("it is small");
    let marked = |values: &Values<'_>| {
        let marked = |value: Option<Value<'_>>| value.is_some_and(Value::is_marked);
        format!("{} {}", marked(values.local("b")), marked(values.attribute("x")))
    };
    assert_eq!(shown(&module, &scope, marked), "true true");
}

#[test]
fn more_locals_than_registers_are_passed_through_memory() {
    let locals = |count: usize| {
        let next = |at: usize| format!("  l{at} = local.l{} + local.l{} % 3\n", at - 1, at / 2);
        let rest: String = (1..count).map(next).collect();
        format!("locals {{\n  l0 = n\n{rest}}}\nx = local.l{}\n", count - 1)
    };
    let mut expected = vec![1_u64];
    for at in 1..2_000 {
        expected.push(expected[at - 1] + expected[at / 2] % 3);
    }
    for count in [2, 40, 300, 2_000] {
        let module = module(&locals(count));
        let scope = scope(&module, r#"{"n": 1}"#);
        assert_eq!(shown(&module, &scope, all), format!("x={}", expected[count - 1]));
    }
}

#[test]
fn dynamic_blocks_nest_and_see_outer_iterators() {
    let text = "locals {\n  base = 10\n}\n\
        dynamic \"group\" {\n  for_each = groups\n  labels = [group.key]\n  content {\n    n = local.base + length(group.value)\n\
            inner {\n      k = group.key\n    }\n\
            dynamic \"port\" {\n      for_each = group.value\n      content {\n        p = \"${group.key}:${port.value}\"\n      }\n    }\n  }\n}\n\
        after = 1\n";
    let module = module(text);
    let scope = scope(&module, r#"{"groups": {"a": [1, 2], "b": []}}"#);
    assert_eq!(
        shown(&module, &scope, all),
        r#"after=1 group[a]{n=12 inner[]{k="a"} port[]{p="a:1"} port[]{p="a:2"}} group[b]{n=10 inner[]{k="b"}}"#
    );
}

#[test]
fn diagnostics_are_in_the_order_of_the_file() {
    let text = "b0 {\n  x = nope\n}\na = nope\ndynamic \"d\" {\n  for_each = [1, 2]\n  content {\n    y = nope\n    z = \
        nope\n  }\n}\nb1 {\n  w = nope\n}\ndynamic \"e\" {\n  for_each = nope\n  content {}\n}\n";
    let module = module(text);
    let places = shown(&module, &module.scope(), |values| {
        let at = |found: &hclvm::Diagnostic| found.subject.map_or(0, |subject| subject.start as usize);
        let word =
            |start: usize| text[..start].rsplit(|c: char| c.is_whitespace()).nth(2).unwrap_or("").to_owned();
        values.diagnostics().iter().map(|found| word(at(found))).collect::<Vec<_>>().join(" ")
    });
    // The collections of a body come first, as they decide which blocks there are.
    assert_eq!(places, "for_each a x y z y z w");
}

#[test]
fn a_selection_evaluates_what_it_names_and_the_locals_that_needs() {
    let text = "locals {\n  used = n\n  other = nope\n  chain = local.used + 1\n}\n\
        rule \"a\" {\n  when = local.chain > 1\n  reason = nope\n}\n\
        rule \"b\" {\n  when = false\n  reason = \"no\"\n}\ntop = nope\n";
    let module = module(text);
    let scope = scope(&module, r#"{"n": 1}"#);
    let select = |paths: &[&str]| {
        let paths: Vec<AttributePath> = paths.iter().map(|path| path.parse().expect("a path")).collect();
        module.select(&paths).expect("it compiles")
    };
    let conditions = select(&["rule.*.when"]);
    assert_eq!(conditions.locals().collect::<Vec<_>>(), ["used", "chain"]);
    assert_eq!(shown(&conditions, &scope, all), "rule[a]{when=true} rule[b]{when=false}");
    assert_eq!(shown(&select(&["rule.b"]), &scope, all), r#"rule[b]{when=false reason="no"}"#);
    assert_eq!(shown(&select(&["rule.b.reason", "rule.a.when"]), &scope, all).matches('=').count(), 2);
    assert_eq!(shown(&select(&["nothing.here"]), &scope, all), "");
    let local = select(&["local.chain"]);
    assert_eq!(shown(&local, &scope, |values| format!("{:?}", values.local("chain"))), "Some(2)");
    assert_eq!(shown(&local, &scope, |values| values.locals().len().to_string()), "2");
}

#[test]
fn a_selection_tells_nothing_of_dynamic_blocks_that_it_leaves_out() {
    let text = "a = 1\ndynamic \"port\" {\n  labels = [x]\n  content {}\n}\n\
        dynamic \"rule\" {\n  for_each = nope\n  content {}\n  content {}\n}\n";
    let module = module(text);
    let titles = |path: &str| {
        let part = module.select(&[path.parse().expect("a path")]).expect("it compiles");
        shown(&part, &part.scope(), |values| {
            let titles: Vec<&str> = values.diagnostics().iter().map(|found| &*found.title).collect();
            titles.join(" ")
        })
    };
    assert_eq!(titles("a"), "");
    assert_eq!(titles("port.*.to"), "Missing required argument");
    assert_eq!(titles("rule"), "Unknown variable");
}

#[test]
fn values_are_found_by_path() {
    let text = "a = 1\nrule \"x\" {\n  when = true\n}\ndynamic \"port\" {\n  for_each = { http = 80 }\n  labels = [port.key]\n  content {\n    to = port.value\n  }\n}\nlocals {\n  l = 5\n}\n";
    let module = module(text);
    let get = |path: &str| {
        shown(&module, &module.scope(), |values| format!("{:?}", values.get(&path.parse().expect("a path"))))
    };
    assert_eq!(get("a"), "Some(1)");
    assert_eq!(get("local.l"), "Some(5)");
    assert_eq!(get("rule.x.when"), "Some(true)");
    assert_eq!(get("port.http.to"), "Some(80)");
    assert_eq!(get("port.*.to"), "Some(80)");
    assert_eq!(get("port.ssh.to"), "None");
    assert_eq!(get("rule.x"), "None");
}

/// Shows the rules that apply and those that are undecided, with the diagnostics.
fn matched(module: &Module, scope: &Scope, spec: &RuleSpec<'_>) -> [String; 2] {
    let rules = module.rules(spec).expect("rules");
    let mut session = module.document().engine().session();
    let shown = |matches: &Matches<'_>| {
        let names = |blocks: &[BlockValues<'_>]| {
            let name = |block: &BlockValues<'_>| {
                format!("{}({})", block.labels().next().unwrap_or(""), body(block.body()))
            };
            blocks.iter().map(name).collect::<Vec<_>>().join(" ")
        };
        let titles: Vec<&str> = matches.diagnostics().iter().map(|found| found.title.as_ref()).collect();
        format!("{} | {} | {}", names(matches.applying()), names(matches.undecided()), titles.join(", "))
    };
    let mut both = Vec::new();
    for tier in [Tier::Best, Tier::Baseline] {
        session.set_tier(tier);
        let first = shown(&rules.first_match(&mut session, scope).expect("within the limits"));
        both.push([first, shown(&rules.all_matches(&mut session, scope).expect("within the limits"))]);
    }
    assert_eq!(both[0], both[1]);
    both.remove(0)
}

const SPEC: RuleSpec<'static> =
    RuleSpec { kind: "rule", condition: "when", outcome: &["effect"], priority: None };

#[test]
fn the_first_rule_that_applies_ends_the_evaluation() {
    let text = "locals {\n  small = n < 10\n  late = nope\n  text = \"n is ${n}\"\n}\n\
        rule \"a\" {\n  when = n > 100\n  effect = nope\n}\n\
        rule \"b\" {\n  when = local.small\n  effect = local.text\n  other = nope\n}\n\
        note \"x\" {\n  when = true\n}\n\
        rule \"none\" {\n  effect = 1\n}\n\
        rule \"c\" {\n  when = local.small\n  effect = upper(local.text)\n}\n\
        rule \"d\" {\n  when = local.late\n}\n";
    let module = module(text);
    let [first, all] = matched(&module, &scope(&module, r#"{"n": 5}"#), &SPEC);
    assert_eq!(first, r#"b(when=true effect="n is 5") |  | "#);
    assert_eq!(
        all,
        r#"b(when=true effect="n is 5") c(when=true effect="N IS 5") | d(when={"$unknown":"any"}) | Unknown variable"#
    );
    let [first, _] = matched(&module, &scope(&module, r#"{"n": 50}"#), &SPEC);
    assert_eq!(first, r#" | d(when={"$unknown":"any"}) | Unknown variable"#, "no rule applies");
}

#[test]
fn problems_of_a_local_that_several_rules_read_are_told_once() {
    let rule = |name: &str| format!("rule \"{name}\" {{\n  when = true\n  effect = local.bad\n}}\n");
    let last = "rule \"c\" {\n  when = local.bad\n}\n";
    let module = module(&format!("locals {{\n  bad = nope\n}}\n{}{}{last}", rule("a"), rule("b")));
    let [_, all] = matched(&module, &module.scope(), &SPEC);
    assert!(all.ends_with("| Unknown variable"), "{all}");
}

#[test]
fn rules_are_ordered_by_their_priority() {
    let rule = |name: &str, priority: &str| format!("rule \"{name}\" {{\n  when = x\n{priority}}}\n");
    let text = [
        rule("none", ""),
        rule("ten", "  priority = 10\n"),
        rule("also", "  priority = 5 + 5\n"),
        rule("one", "  priority = 1\n"),
    ]
    .concat();
    let module = module(&text);
    let scope = scope(&module, r#"{"x": true}"#);
    let by_priority = RuleSpec { priority: Some("priority"), ..SPEC };
    let [first, all] = matched(&module, &scope, &by_priority);
    assert_eq!(first, "one(when=true) |  | ");
    assert_eq!(all, "one(when=true) ten(when=true) also(when=true) none(when=true) |  | ");
    let error = self::module(&rule("a", "  priority = x\n")).rules(&by_priority).expect_err("it varies");
    assert!(error.to_string().contains("must be a constant number"), "{error}");
}

#[test]
fn only_written_blocks_are_rules() {
    let rules = |text: &str| self::module(text).rules(&SPEC).map(|rules| rules.len());
    let rule = "rule \"a\" {\n  when = true\n}\n";
    let dynamic = |kind: &str| format!("dynamic \"{kind}\" {{\n  for_each = []\n  content {{}}\n}}\n");
    assert_eq!(rules(&(rule.to_owned() + &dynamic("note"))).expect("rules"), 1);
    assert_eq!(rules(&format!("note \"rule\" {{\n  when = true\n}}\n{rule}")).expect("rules"), 1);
    let error = rules(&(rule.to_owned() + &dynamic("rule"))).expect_err("it would make rules").to_string();
    assert!(error.contains("x.hcl:4:1") && error.contains("Rules in a dynamic block"), "{error}");
}

#[test]
fn rules_compute_the_locals_that_they_read() {
    use std::fmt::Write as _;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    let calls = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&calls);
    let count = move || f64::from(counted.fetch_add(1, Ordering::Relaxed));
    let mut functions = hclvm::functions::standard();
    functions.insert("count", hclvm::host::function("count", [], count).impure());
    let engine = Engine::builder().functions(functions).build();
    // The conditions and effects of three rules of which the last two apply, and the calls for the first match and for all
    // matches: an outcome keeps no local for later rules.
    for (rules, expected) in [
        ([("local.n < 0", "local.n"), ("local.n >= 0", "local.n"), ("local.n >= 0", "local.n")], [1, 1]),
        ([("x == 2", "local.n"), ("x == 1", "local.n"), ("local.n >= 0", "x")], [1, 2]),
        ([("x == 2", "local.n"), ("x == 1", "x"), ("local.n >= 0", "local.n")], [0, 1]),
        ([("x == 2", "x"), ("x == 1", "local.m"), ("x == 1", "x")], [1, 1]),
        ([("length(local) == 0", "local.n"), ("local.n >= 0", "local.m"), ("local.m > 0", "local")], [1, 1]),
    ] {
        let mut text = String::from("locals {\n  n = count()\n  m = local.n + 1\n}\n");
        for (at, (when, effect)) in rules.iter().enumerate() {
            let _ = writeln!(text, "rule \"{at}\" {{\n  when   = {when}\n  effect = {effect}\n}}");
        }
        let module = engine.parse("x.hcl", &text).expect("HCL").module().expect("a module");
        let rules = module.rules(&SPEC).expect("rules");
        let scope = scope(&module, r#"{"x": 1}"#);
        let mut session = engine.session();
        let mut found = [0; 2];
        for (only_first, found) in [true, false].into_iter().zip(&mut found) {
            calls.store(0, Ordering::Relaxed);
            let matches = if only_first {
                rules.first_match(&mut session, &scope)
            } else {
                rules.all_matches(&mut session, &scope)
            };
            let matches = matches.expect("within the limits");
            let labels = matches.applying().iter().map(|rule| rule.labels().collect::<String>());
            assert_eq!(labels.collect::<String>(), if only_first { "1" } else { "12" }, "{text}");
            assert_eq!(matches.first().and_then(|rule| rule.labels().next()), Some("1"));
            assert!(
                matches.applying().iter().all(|rule| rule.attribute("effect").is_some_and(Value::is_known))
            );
            *found = calls.load(Ordering::Relaxed);
        }
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn conditions_that_are_not_bools_decide_nothing() {
    let text = "rule \"u\" {\n  when = u\n  effect = 1\n}\nrule \"t\" {\n  when = \"true\"\n}\nrule \"n\" {\n  when = null\n}\n\
        rule \"f\" {\n  when = missing.x\n}\nrule \"m\" {\n  when = u || true\n  effect = 2\n}\n";
    let module = module(text);
    let mut scope = module.scope();
    scope.set_unknown("u");
    let [first, all] = matched(&module, &scope, &SPEC);
    assert!(first.starts_with("m(when=true effect=2) | u("), "{first}");
    assert!(
        first.ends_with("Unsuitable rule condition, Unsuitable rule condition, Unknown variable"),
        "{first}"
    );
    assert_eq!(first, all);
}

#[test]
fn rules_may_read_the_object_of_all_locals() {
    let text = "locals {\n  b = n\n  a = local.b + 1\n}\nrule \"x\" {\n  when = length(local) == 2 && local[\"a\"] > 1\n  effect = local\n}\n";
    let module = module(text);
    let [first, _] = matched(&module, &scope(&module, r#"{"n": 1}"#), &SPEC);
    assert_eq!(first, r#"x(when=true effect={"a":2,"b":1}) |  | "#);
}

#[test]
fn marks_inside_of_variables_reach_the_readers_of_locals() {
    let text = "locals {\n  s = o.s\n  n = o.n\n  l = o.l\n  b = o.b\n}\n\
        t = \"${local.s}!\"\nc = [local.s]\nd = local.n == 1\ne = local.n + 1\nf = upper(local.s)\n\
        g = local.b ? 1 : 2\nh = [for x in local.l : x]\ni = local.l[0]\nj = local.b && true\nk = !local.b\n\
        m = { a = local.n }\nn = local.n > 0\no = [1, 2][local.n]\np = local.l[*]\nq = try(local.n + 1, 0)\nr = length(local.l)\n";
    let module = module(text);
    let mut scope = module.scope();
    let set = scope.build("o", |arena| {
        let marks = marks_from(arena, &["secret"]);
        let list = Value::tuple(arena, arena.slice(&[Value::int(1)]));
        let entries = [("b", Value::TRUE), ("l", list), ("n", Value::int(1)), ("s", Value::str(arena, "x"))];
        let entries = entries.map(|(name, value)| arena.entry(name, value.with_marks(arena, marks)));
        Ok(Value::object(arena, arena.slice(&entries)))
    });
    set.expect("a small value");
    let marked = shown(&module, &scope, |values| {
        let marked =
            values.body().attributes().map(|(name, value)| format!("{name}:{}", value.contains_marks()));
        format!("{} {}", marked.collect::<Vec<_>>().join(" "), values.diagnostics())
    });
    assert!(!marked.contains("false"), "{marked}");
}

#[test]
fn marks_that_functions_add_reach_readers_that_do_not_evaluate_them() {
    let sensitive =
        Function::new("sensitive", [Parameter::new("v", Type::Dynamic)], Type::Dynamic, |arena, args, _| {
            Ok(args[0].with_marks(arena, marks_from(arena, &["secret"])))
        });
    let mut table = FunctionTable::new();
    table.insert("sensitive", sensitive);
    let engine = Engine::builder().dialect(Dialect::with_functions(table)).build();
    let text = "locals {\n  a = sensitive(n)\n  b = n > 0 || local.a == 1\n  c = [sensitive(1)]\n}\nx = n > 0 || local.b\ny = n > 0 || local.c[0] == 1\n";
    let module = engine.parse("x.hcl", text).expect("HCL").module().expect("a module");
    let scope = scope(&module, r#"{"n": 1}"#);
    let marked = |values: &Values<'_>| {
        values
            .body()
            .attributes()
            .map(|(_, value)| value.contains_marks().to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(shown(&module, &scope, marked), "true true");
}

#[test]
fn a_file_without_locals_has_an_empty_object_of_them() {
    let module = module("x = length(local)\ny = local.x\nz = try(local.x, 1)\n");
    let titles = |values: &Values<'_>| {
        let titles: Vec<&str> = values.diagnostics().iter().map(|found| found.title.as_ref()).collect();
        format!("{:?} {:?} {}", values.attribute("x"), values.attribute("z"), titles.join(", "))
    };
    assert_eq!(shown(&module, &module.scope(), titles), "Some(0) Some(1) Unsupported attribute");
}

#[test]
fn messages_of_a_selection_name_all_locals() {
    let module = module("locals {\n  limit = 1\n  other = 2\n}\na = local.limt\nb = local.nothing_like_it\n");
    let wanted: Vec<AttributePath> = ["a", "b"].iter().map(|path| path.parse().expect("a path")).collect();
    let selection = module.select(&wanted).expect("they exist");
    let mut session = selection.document().engine().session();
    let scope = selection.scope();
    let found =
        selection.evaluate(&mut session, &scope).expect("within the limits").diagnostics().to_string();
    assert!(found.contains("Did you mean \"limit\"?"), "{found}");
    assert!(found.contains("It has limit, other."), "{found}");
}

#[test]
fn an_empty_object_is_not_the_object_of_all_locals() {
    let lines = ["a = {}.limit", "b = merge().other", "c = [for local in [{}] : local.limit]"];
    let module =
        module(&format!("locals {{\n  limit = 1\n  missing = local.limt\n}}\n{}\n", lines.join("\n")));
    let mut session = module.document().engine().session();
    let scope = module.scope();
    let found = module.evaluate(&mut session, &scope).expect("within the limits").diagnostics().to_string();
    assert_eq!(found.matches("It is empty.").count(), 3, "{found}");
}
