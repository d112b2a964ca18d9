//! The fast tier answers what it was made for. Its results are compared with those of the other evaluators
//! elsewhere; a fast tier that always falls back would pass there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hclvm::functions::FunctionTable;
use hclvm::run::{RuleSet, Tier};
use hclvm::{Engine, Layout, function};
use hclvm_workloads::Workload;
use hclvm_workloads::subject::Subject;

/// More evaluations than a workload has scopes.
const ROUND: usize = 128;

#[test]
fn workloads_never_fall_back() {
    let names = Workload::ALL.map(Workload::name).into_iter().chain(["attribute-body", "rule-set"]);
    for name in names {
        let mut subject = Subject::named(name).expect("it compiles").expect("it exists");
        for turn in 0..ROUND {
            subject.evaluate(turn).expect("it evaluates");
        }
        assert_eq!(subject.session.baseline_runs(), 0, "{name}");
    }
}

#[test]
fn runs_of_the_baseline_tier_are_counted() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a"]));
    let program = engine.compile("a + 1", &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    let mut session = engine.session();

    scope.set("a", &1).expect("it fits");
    session.run(&program, &scope).expect("a sum");
    session.evaluate(&program, &scope).expect("no limit");
    assert_eq!(session.baseline_runs(), 0);

    scope.set_unknown("a");
    session.run(&program, &scope).expect("an unknown sum");
    session.evaluate(&program, &scope).expect("no limit");
    assert_eq!(session.baseline_runs(), 2);

    scope.set("a", &1).expect("it fits");
    session.set_tier(Tier::Baseline);
    session.run(&program, &scope).expect("a sum");
    assert_eq!(session.baseline_runs(), 3);
}

#[test]
fn rules_that_fall_back_are_counted() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a", "b"]));
    let rules = ["a + 1", "b + 1", "b + 2", "a + 2"];
    let programs = rules.map(|rule| engine.compile(rule, &layout).expect("it compiles"));
    let rules = RuleSet::new(programs).expect("they are of one layout");
    let mut scope = engine.scope(&layout);
    scope.set("a", &1).expect("it fits");
    scope.set_unknown("b");
    let mut session = engine.session();
    session.run_rules(&rules, &scope).expect("no limit");
    assert_eq!(session.baseline_runs(), 2);
}

#[test]
fn variables_beyond_the_63rd_are_checked_one_by_one() {
    let engine = Engine::standard();
    let names: Vec<String> = (0..70).map(|at| format!("v{at}")).collect();
    let layout = Arc::new(Layout::new(&names));
    let program = engine.compile("v1 + v66", &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    scope.set("v1", &1).expect("it fits");
    scope.set("v66", &2).expect("it fits");
    scope.set_unknown("v65");
    let mut session = engine.session();
    for runs in [0, 1] {
        session.run(&program, &scope).expect("a sum");
        session.evaluate(&program, &scope).expect("no limit");
        assert_eq!(session.baseline_runs(), 2 * runs);
        scope.set_unknown("v66");
    }
}

#[test]
fn the_number_of_conditions_is_limited_in_depth_only() {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["a"]));
    // A tuple has a register for each element, of which there are 256.
    let text = format!("[{}]", format!("[{}], ", "!a, a && a, ".repeat(50)).repeat(8));
    let program = engine.compile(&text, &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    scope.set("a", &true).expect("it fits");
    let mut session = engine.session();
    let value = session.run(&program, &scope).expect("a tuple");
    assert_eq!(value.as_items().map(<[_]>::len), Some(8));
    assert_eq!(session.baseline_runs(), 0);
}

#[test]
fn impure_functions_are_called_in_each_evaluation() {
    let calls = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&calls);
    let next = function("next", ["from"], move |_: u32| counter.fetch_add(1, Ordering::Relaxed)).impure();
    let mut table = FunctionTable::new();
    table.insert("next", next);
    let engine = Engine::builder().functions(table).build();
    let layout = Arc::new(Layout::default());
    let program = engine.compile("next(1)", &layout).expect("it compiles");
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    let (mut session, scope) = (engine.session(), engine.scope(&layout));
    for round in 0..3 {
        let value = session.run(&program, &scope).expect("a number");
        assert_eq!(value.as_number().and_then(|number| number.to_i64()), Some(round));
    }
}
