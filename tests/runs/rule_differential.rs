//! Generated rule sets give the results of their rules run one by one. Single expressions are in
//! differential.rs.
//!
//! `HCLVM_RULES=cases` or `cases:seed` selects another run than the short default.
#![expect(clippy::print_stdout, reason = "a longer run shows what it compared")]

use std::sync::Arc;

use hclvm::run::RuleSet;
use hclvm::run::Tier;
use hclvm::value::Arena;
use hclvm::{Engine, Layout, Limits, OwnedValue, Scope, Session, Value};
use hclvm_treewalk::differential::{RuleCase, RuleCases};
use hclvm_vm::ops::equality::same;

/// Enough for most pairs of constructs, and fast enough without optimization.
const CASES: u64 = 1_500;

fn asked_for() -> (u64, u64) {
    let asked = std::env::var("HCLVM_RULES").unwrap_or_default();
    let (cases, seed) = asked.split_once(':').unwrap_or((&asked, ""));
    (cases.parse().unwrap_or(CASES), seed.parse().unwrap_or(1))
}

/// An engine with its sessions.
struct Bench {
    engine: Engine,
    layout: Arc<Layout>,
    alone: Session,
    together: [Session; 2],
}

/// The counts of a run.
#[derive(Debug, Default)]
struct RuleTally {
    sets: u64,
    sharing: u64,
    rules: u64,
    faulty: u64,
    /// Rules that the baseline tier computed, in the set that prefers the fast tier.
    baseline: u64,
    limits: u64,
}

impl Bench {
    fn new(limits: Limits) -> Self {
        let engine = Engine::builder().limits(limits).build();
        let layout = Arc::new(Layout::new(RuleCases::names()));
        let [alone, best, mut full] = [(); 3].map(|()| engine.session());
        full.set_tier(Tier::Baseline);
        Self { engine, layout, alone, together: [best, full] }
    }

    fn rules(&self, case: &RuleCase) -> RuleSet {
        let compiled = case.sources.iter().map(|source| self.engine.compile(source, &self.layout));
        RuleSet::new(compiled.filter_map(Result::ok)).expect("they are of one layout")
    }

    fn scope(&self, values: &[OwnedValue]) -> Scope {
        let mut scope = self.engine.scope(&self.layout);
        for (name, value) in RuleCases::names().zip(values) {
            if format!("{:?}", value.get()) != "unset" {
                scope.set_value(name, value.get()).expect("it is small");
            }
        }
        scope
    }

    fn check(&mut self, case: &RuleCase, tally: &mut RuleTally) -> Result<(), String> {
        let rules = self.rules(case);
        for values in &case.scopes {
            let scope = self.scope(values);
            for at in 0..2 {
                self.compare(&rules, &scope, at, tally)?;
            }
        }
        Ok(())
    }

    /// A set may exceed a limit that none of its rules exceeds. A rule may exceed one that the set does
    /// not, because the set computes common subexpressions once, and because the memory limit depends on
    /// chunk sizes. Nothing else may differ.
    fn compare(
        &mut self,
        rules: &RuleSet,
        scope: &Scope,
        how: usize,
        tally: &mut RuleTally,
    ) -> Result<(), String> {
        let Ok(results) = self.together[how].run_rules(rules, scope) else {
            tally.limits += 1;
            return Ok(());
        };
        for (at, result) in results.iter().enumerate() {
            let program = &rules.programs()[at];
            let text = program.span().slice(program.source().text());
            let Ok(expected) = self.alone.evaluate(program, scope) else {
                tally.limits += 1;
                continue;
            };
            let (value, problems) = match result {
                Ok(value) => (value, String::new()),
                Err(problems) => (results.values()[at], problems.to_string()),
            };
            tally.rules += 1;
            tally.faulty += u64::from(!problems.is_empty());
            if !alike(value, expected.value) || problems != expected.diagnostics.to_string() {
                let all: Vec<_> =
                    rules.programs().iter().map(|rule| rule.span().slice(rule.source().text())).collect();
                return Err(format!(
                    "rule {at} {text}\n  together {value:?} {problems}\n  alone {:?} {}\n  among {all:#?}",
                    expected.value, expected.diagnostics
                ));
            }
        }
        Ok(())
    }
}

fn alike(one: Value<'_>, other: Value<'_>) -> bool {
    let judge = Arena::new();
    same(&judge, one, other) || judge.budget().exhausted().is_some()
}

fn run(seed: u64, cases: std::ops::Range<u64>, limits: Limits) -> RuleTally {
    let functions = hclvm::functions::standard();
    let generated = RuleCases::new(&functions);
    let (mut bench, mut tally) = (Bench::new(limits), RuleTally::default());
    for number in cases {
        let case = generated.case(seed, number);
        tally.sets += 1;
        tally.sharing += u64::from(case.shares);
        if let Err(difference) = bench.check(&case, &mut tally) {
            panic!("seed {seed}, case {number}: {difference}");
        }
    }
    tally.baseline = bench.together[0].baseline_runs();
    tally
}

#[test]
fn generated_rules_give_equal_results_in_a_set_and_alone() {
    let (cases, seed) = asked_for();
    let tally = run(seed, 0..cases, Limits::default());
    assert!(tally.rules > cases * 10, "too little is compared: {tally:?}");
    assert!(tally.sharing * 3 > tally.sets, "too few rules share anything: {tally:?}");
    // Half of the rules counted are those of the set on the baseline tier.
    assert!(tally.baseline * 4 < tally.rules, "the fast tier answers too little: {tally:?}");
    assert!(tally.faulty * 10 < tally.rules * 9, "nearly everything fails: {tally:?}");
    println!("seed {seed}: {tally:?}");
}

#[test]
fn limits_change_results_only_by_ending_the_run() {
    let (cases, seed) = asked_for();
    for fuel in [20, 100, 400, 2_000] {
        let tally = run(seed + 1, 0..cases / 8, Limits { fuel, ..Limits::default() });
        assert!(tally.limits > 0 && tally.rules > 0, "fuel {fuel}: {tally:?}");
    }
    for arena_bytes in [2_000, 10_000, 40_000] {
        let tally = run(seed + 2, 0..cases / 8, Limits { arena_bytes, ..Limits::default() });
        assert!(tally.rules > 0, "{arena_bytes} bytes: {tally:?}");
    }
}

/// Returns the results of the rules as text.
fn shown(session: &mut Session, rules: &RuleSet, scope: &Scope) -> String {
    match session.run_rules(rules, scope) {
        Ok(results) => {
            let failures: Vec<String> =
                results.failures().map(|(at, found)| format!("{at}: {found}")).collect();
            format!("{:?} {failures:?}", results.values())
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn threads_that_share_a_set_do_not_affect_each_other() {
    let functions = hclvm::functions::standard();
    let generated = RuleCases::new(&functions);
    let bench = Bench::new(Limits::default());
    for number in 0..60 {
        let case = generated.case(77, number);
        let rules = bench.rules(&case);
        let scopes: Vec<Scope> = case.scopes.iter().map(|values| bench.scope(values)).collect();
        let expected: Vec<String> =
            scopes.iter().map(|scope| shown(&mut bench.engine.session(), &rules, scope)).collect();
        let (engine, rules, expected) = (&bench.engine, &rules, &expected);
        std::thread::scope(|threads| {
            for thread in 0..4 {
                // Each thread has its own scopes, which share memory with those of the others.
                let forks: Vec<Scope> = scopes.iter().map(Scope::fork).collect();
                threads.spawn(move || {
                    let mut session = engine.session();
                    for round in 0..12 {
                        let at = (thread + round) % forks.len();
                        assert_eq!(shown(&mut session, rules, &forks[at]), expected[at], "case {number}");
                    }
                });
            }
        });
    }
}
