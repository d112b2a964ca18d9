//! Modules that are specialized for known variables: what is frozen, what is folded, and the text of the residual.
//! Generated modules are in specialize_differential.rs.

use std::sync::atomic::{AtomicU64, Ordering};

use hclvm::functions::FunctionTable;
use hclvm::module::{Module, RuleSpec};
use hclvm::{Engine, Json, Scope, Undefined};

fn module(text: &str) -> Module {
    Engine::standard().parse("x.hcl", text).expect("HCL").module().expect("a module")
}

fn scope(module: &Module, json: &str) -> Scope {
    let mut scope = module.scope();
    scope.set_all_json(json).expect("small values");
    scope
}

fn specialized(text: &str, known: &str) -> Module {
    let module = module(text);
    module.specialize(&scope(&module, known)).expect("a module")
}

/// Returns the attributes of the file with their values, and the diagnostics.
fn shown(module: &Module, scope: &Scope) -> String {
    let mut session = module.document().engine().session();
    let values = module.evaluate(&mut session, scope).expect("within the limits");
    let parts = values.body().attributes().map(|(name, value)| {
        let value = serde_json::to_string(&Json(value)).unwrap_or_else(|_| format!("{value:?}"));
        format!("{name}={value}")
    });
    let problems = values.diagnostics().iter().map(|found| {
        let at = found.subject.map_or(0, |subject| subject.start);
        format!("{}@{at}", found.title)
    });
    parts.chain(problems).collect::<Vec<_>>().join(" ")
}

/// Returns how many results of a specialized module the baseline tier computes.
fn fallbacks(module: &Module, scope: &Scope) -> u64 {
    let mut session = module.document().engine().session();
    module.evaluate(&mut session, scope).expect("within the limits");
    session.baseline_runs()
}

const POLICY: &str = "locals {\n  limit = env.strict ? 10 : 100\n  double = local.limit * 2\n}\n\
    when = size < local.limit\nmost = local.double\nid = user\n";

#[test]
fn known_variables_may_be_missing_or_different_later() {
    let policy = specialized(POLICY, r#"{"env": {"strict": true}}"#);
    for rest in [r#"{"size": 11, "user": 1}"#, r#"{"size": 11, "user": 1, "env": {"strict": false}}"#] {
        assert_eq!(shown(&policy, &scope(&policy, rest)), "when=false most=20 id=1");
    }
    assert_eq!(policy.locals().collect::<Vec<_>>(), ["limit", "double"]);
    assert_eq!(policy.variables().collect::<Vec<_>>(), ["env", "size", "user"]);
}

#[test]
fn a_variable_that_is_unknown_or_marked_in_part_is_not_known() {
    let module = module("a = x[1]\nb = y\n");
    let mut known = module.scope();
    known.set_unknown("x");
    known
        .build("y", |arena| {
            let marks = hclvm::value::marks_from(arena, &["secret"]);
            Ok(hclvm::Value::TRUE.with_marks(arena, marks))
        })
        .expect("a small value");
    let same = module.specialize(&known).expect("a module");
    assert_eq!(shown(&same, &scope(&same, r#"{"x": [1, 2], "y": 3}"#)), "a=2 b=3");
}

#[test]
fn specializing_again_keeps_what_was_known() {
    let text = "a = x + y + z\n";
    let once = specialized(text, r#"{"x": 1}"#);
    let twice = once.specialize(&scope(&once, r#"{"x": 50, "y": 2}"#)).expect("a module");
    assert_eq!(shown(&twice, &scope(&twice, r#"{"z": 3}"#)), "a=6");
    assert_eq!(twice.residual().expect("HCL"), "a = (3) + z\n");
}

#[test]
fn selections_of_specialized_modules_are_specialized() {
    let policy = specialized(POLICY, r#"{"env": {"strict": true}}"#);
    let most = policy.select(&["most".parse().expect("a path")]).expect("a module");
    assert_eq!(shown(&most, &most.scope()), "most=20");
    let selected = module(POLICY).select(&["when".parse().expect("a path")]).expect("a module");
    let known = scope(&selected, r#"{"env": {"strict": true}}"#);
    let selected = selected.specialize(&known).expect("a module");
    assert_eq!(shown(&selected, &scope(&selected, r#"{"size": 3}"#)), "when=true");
}

#[test]
fn diagnostics_of_frozen_and_other_rules_are_in_the_order_of_the_file() {
    let text = "locals {\n  a = x.zz\n}\nb = y.zz\nc = x.zz\nd = [local.a, y]\n";
    let (original, special) = (module(text), specialized(text, r#"{"x": {}}"#));
    let expected = shown(&original, &scope(&original, r#"{"x": {}, "y": {}}"#));
    assert!(
        expected.ends_with("attribute@16 Unsupported attribute@27 Unsupported attribute@36"),
        "{expected}"
    );
    assert_eq!(shown(&special, &scope(&special, r#"{"y": {}}"#)), expected);
}

#[test]
fn both_arms_of_a_decided_conditional_determine_its_type() {
    let text = "a = x ? 1 : y\nb = x ? [1] : y\nc = x ? z : w.zz\n";
    let (original, special) = (module(text), specialized(text, r#"{"x": true}"#));
    for rest in [r#"{"y": "s", "z": 1, "w": {}}"#, r#"{"y": [], "z": [1], "w": {"zz": 1}}"#] {
        let mut whole = scope(&original, rest);
        whole.set("x", &true).expect("a bool");
        assert_eq!(shown(&special, &scope(&special, rest)), shown(&original, &whole), "{rest}");
    }
}

#[test]
fn decided_operands_of_connectives_keep_the_errors_of_the_others() {
    let text = "a = x || y\nb = !x && y\nc = y || x\n";
    let special = specialized(text, r#"{"x": true}"#);
    assert_eq!(shown(&special, &scope(&special, r#"{"y": false}"#)), "a=true b=false c=true");
    let wrong = shown(&special, &scope(&special, r#"{"y": 5}"#));
    assert_eq!(wrong.matches("Invalid operand").count(), 3, "{wrong}");
}

#[test]
fn decided_parts_run_on_the_fast_tier() {
    let text = "a = \"%{ if x }${y}%{ else }-%{ endif }-%{ for t in ts }${t}%{ endfor }\"\n\
        b = [for t in ts : { name = t, of = y } if x]\n\
        c = y == \"k\" && (x ? s : y) == \"k\"\n\
        d = s == \"a\" ? 1 : s == \"b\" ? 2 : s == \"c\" ? 3 : s == \"d\" ? 4 : z\n";
    let special = specialized(text, r#"{"x": true, "s": "d", "ts": ["p", "q"]}"#);
    let rest = scope(&special, r#"{"y": "k", "z": 7}"#);
    assert_eq!(
        shown(&special, &rest),
        r#"a="k-pq" b=[{"name":"p","of":"k"},{"name":"q","of":"k"}] c=false d=4"#
    );
    assert_eq!(fallbacks(&special, &rest), 0);
}

#[test]
fn the_object_of_locals_is_complete_if_nothing_else_is_left() {
    let text = "locals {\n  a = x\n  b = y\n}\ndynamic \"p\" {\n  for_each = x\n  content {\n    whole = local\n  }\n}\n";
    let special = specialized(text, r#"{"x": [1]}"#);
    let mut session = special.document().engine().session();
    let rest = scope(&special, r#"{"y": 2}"#);
    let values = special.evaluate(&mut session, &rest).expect("within the limits");
    let whole = values.block("p", []).and_then(|block| block.attribute("whole")).expect("a value");
    assert_eq!(serde_json::to_string(&Json(whole)).expect("it is known"), r#"{"a":[1],"b":2}"#);
}

#[test]
fn the_name_of_an_iterator_may_be_that_of_a_known_variable() {
    let text =
        "v = n\ndynamic \"p\" {\n  for_each = [7]\n  iterator = n\n  content {\n    v = n.value\n  }\n}\n";
    let special = specialized(text, r#"{"n": 1}"#);
    let mut session = special.document().engine().session();
    let rest = special.scope();
    let values = special.evaluate(&mut session, &rest).expect("within the limits");
    let made = values.block("p", []).and_then(|block| block.attribute("v"));
    assert_eq!(format!("{:?} {made:?}", values.attribute("v")), "Some(1) Some(7)");
}

#[test]
fn impure_functions_are_called_in_each_evaluation() {
    let calls = AtomicU64::new(0);
    let next = hclvm::host::function("next", [], move || calls.fetch_add(1, Ordering::Relaxed)).impure();
    let mut table = FunctionTable::new();
    table.insert("next", next);
    let engine = Engine::builder().functions(table).build();
    let module = engine.parse("x.hcl", "a = next() + x * 0\n").expect("HCL").module().expect("a module");
    let special = module.specialize(&scope(&module, r#"{"x": 1}"#)).expect("a module");
    assert_eq!([(); 2].map(|()| shown(&special, &special.scope())), ["a=0", "a=1"]);
    assert_eq!(special.residual().expect("HCL"), "a = next() + (0)\n");
}

#[test]
fn literals_give_exactly_the_value_or_the_text_stays() {
    let text = "a = [x, y]\nb = [-x, y]\nc = \"${s}-${y}\"\nd = [o, y]\ne = y + length([x])\nf = s\n\
        g = \"%{ if y }${s}%{ endif }\"\nh = <<-E\n  ${s} ${y}\n  E\ni = [o[k], y]\nj = y[k]\n";
    let known = r#"{"x": 1.5, "s": "\"$${q}\n", "o": {"a-b": [null, true]}, "k": "a-b"}"#;
    let special = specialized(text, known);
    assert_eq!(
        special.residual().expect("HCL"),
        "a = [(1.5), y]\nb = [(-1.5), y]\nc = \"${(\"\\\"$\\u0024{q}\\n\")}-${y}\"\n\
         d = [({ \"a-b\" = [null, true] }), y]\ne = y + length(([1.5]))\nf = \"\\\"$\\u0024{q}\\n\"\n\
         g = \"%{ if y }${(\"\\\"$\\u0024{q}\\n\")}%{ endif }\"\nh = <<-E\n  ${(\"\\\"$\\u0024{q}\\n\")} ${y}\n  E\n\
         i = [([null, true]), y]\nj = y[(\"a-b\")]\n"
    );
}

#[test]
fn long_values_are_written_once() {
    let text = "locals {\n  all = x\n}\na = [local.all, y]\nb = length(local.all) > y\n";
    let known = format!(r#"{{"x": "{}"}}"#, "k".repeat(1_000));
    let module = module(text);
    let special = module.specialize(&scope(&module, &known)).expect("a module");
    let residual = special.residual().expect("HCL");
    assert!(residual.contains("a = [local.all, y]"), "{residual}");
}

#[test]
fn a_residual_needs_native_syntax() {
    let engine = Engine::standard();
    let module =
        engine.parse_json("x.json", r#"{"a": "${x + y}"}"#).expect("JSON").module().expect("a module");
    let special = module.specialize(&scope(&module, r#"{"x": 1}"#)).expect("a module");
    assert_eq!(shown(&special, &scope(&special, r#"{"y": 2}"#)), "a=3");
    let error = special.residual().expect_err("it is JSON");
    assert_eq!(error.to_string(), "a file in JSON syntax has no residual text");
}

#[test]
fn a_scope_of_another_document_is_an_error() {
    let (one, other) = (module("a = x\n"), module("b = y\n"));
    assert!(one.specialize(&other.scope()).is_err());
}

#[test]
fn undefined_names_keep_their_meaning() {
    let engine = Engine::builder().undefined(Undefined::Unknown).build();
    let module = engine.parse("x.hcl", "a = [x, y]\n").expect("HCL").module().expect("a module");
    let special = module.specialize(&scope(&module, r#"{"x": 1}"#)).expect("a module");
    assert_eq!(shown(&special, &scope(&special, r#"{"y": 2}"#)), "a=[1,2]");
    assert_eq!(special.residual().expect("HCL"), "a = [(1), y]\n");
}

#[test]
fn what_exceeds_the_limits_is_left_to_evaluations() {
    let limits = hclvm::Limits { fuel: 2_000, ..hclvm::Limits::untrusted() };
    let engine = Engine::builder().limits(limits).build();
    let text = "a = x[2] + y\nb = [for n in x : [for m in x : [for k in x : [for l in x : n * m * k * l]]]]\nc = x[2] + y\n";
    let module = engine.parse("x.hcl", text).expect("HCL").module().expect("a module");
    let special =
        module.specialize(&scope(&module, r#"{"x": [3, 2, 1, 3, 2, 1, 3, 2, 1]}"#)).expect("a module");
    let mut session = engine.session();
    let rest = scope(&special, r#"{"y": 2}"#);
    assert!(special.evaluate(&mut session, &rest).is_err_and(|error| error.is_limit()));
    let paths = ["a", "c"].map(|path| path.parse().expect("a path"));
    let some = special.select(&paths).expect("a module");
    assert_eq!(shown(&some, &rest), "a=3 c=3");
}

#[test]
fn rules_of_specialized_modules_know_the_variables() {
    let text = "rule \"a\" {\n  when = x > y\n  then = x\n}\nrule \"b\" {\n  when = x\n  then = [x, y]\n}\n";
    let special = specialized(text, r#"{"x": true}"#);
    let spec = RuleSpec { kind: "rule", condition: "when", outcome: &["then"], priority: None };
    let rules = special.rules(&spec).expect("rules");
    let mut session = special.document().engine().session();
    let rest = scope(&special, r#"{"x": 5, "y": 2}"#);
    let matches = rules.first_match(&mut session, &rest).expect("within the limits");
    let found = matches.first().and_then(|rule| rule.attribute("then"));
    assert_eq!(format!("{found:?}"), "Some([true, 2])");
    assert_eq!(matches.diagnostics().len(), 1, "a bool is no number");
}

#[test]
fn followers_of_specialized_modules_ignore_known_variables() {
    let special = specialized(POLICY, r#"{"env": {"strict": true}}"#);
    let mut live = special.follow(special.document().engine().session());
    let first = scope(&special, r#"{"size": 11, "user": 1}"#);
    assert_eq!(live.update(&first).expect("within the limits").iter().count(), 5);
    let other = scope(&special, r#"{"size": 12, "user": 1, "env": {"strict": false}}"#);
    assert!(live.update(&other).expect("within the limits").is_empty());
    assert_eq!(format!("{:?}", live.values().attribute("most")), "Some(20)");
    assert!(special.dependents(&"env.strict".parse().expect("a path")).is_empty());
}

#[test]
fn specializing_takes_memory_and_time_in_proportion_to_the_text() {
    // Written out, the last local has 2^60 elements.
    let doubled: Vec<String> =
        (0..60).map(|at| format!("  l{} = [local.l{at}, local.l{at}]\n", at + 1)).collect();
    let doubled = doubled.concat();
    let text = format!("locals {{\n  l0 = x\n{doubled}}}\na = [local.l60, y]\nb = length(local.l60) + y\n");
    let special = specialized(&text, r#"{"x": "k"}"#);
    assert!(special.residual().expect("HCL").len() < 2 * text.len() + (64 << 10));
    let mut session = special.document().engine().session();
    let rest = scope(&special, r#"{"y": 2}"#);
    let values = special.evaluate(&mut session, &rest).expect("within the limits");
    assert_eq!(format!("{:?}", values.attribute("b")), "Some(4)");

    // Each operand of the chain determines a fault, and is inside of the next one.
    let chain = "a = x.zz".to_owned() + &" + 1".repeat(2_000) + " + y\n";
    let special = specialized(&chain, r#"{"x": {}}"#);
    assert_eq!(special.residual().expect("HCL"), chain);
}

#[test]
fn locals_without_slots_have_literals_of_their_precision() {
    // The iterator hides the locals, which are read through their object then.
    let text = "locals {\n  n = length(l)\n}\na = local.n + x\ndynamic \"b\" {\n  for_each = c\n  \
        iterator = local\n  content {\n    k = local.key\n  }\n}\n";
    let policy = specialized(text, r#"{"l": []}"#);
    let residual = policy.residual().expect("a residual");
    assert!(residual.contains("n = length(([]))"), "{residual}");
}
