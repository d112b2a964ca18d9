//! The fast tier answers what it was made for. Its results are compared with those of the other evaluators
//! elsewhere; a fast tier that always falls back would pass there.

use std::sync::Arc;

use hclvm::run::{RuleSet, Tier};
use hclvm::{Engine, Layout};
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
