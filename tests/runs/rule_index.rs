//! Searching a rule set by its index gives the results of its rules evaluated one by one.
//!
//! `HCLVM_RULE_INDEX=sets` or `sets:seed` selects another run than the short default.
#![expect(clippy::print_stdout, reason = "a longer run shows what it compared")]

mod changes;
mod generate;
mod modules;

use std::collections::BTreeMap;
use std::sync::Arc;

use generate::{Conditions, NAMES, Values};
use hclvm::run::{RuleSet, Tier};
use hclvm::value::Arena;
use hclvm::{Dialect, Engine, Layout, Program, Scope, Session};
use hclvm_workloads::dice::Dice;

/// Enough for most pairs of a condition and a kind of value, and fast enough without optimization.
const SETS: u64 = 300;

/// The sets whose rules are drawn from one collection of compiled conditions, which are compiled for many sets at once:
/// compiling takes longer than searching.
const DRAWN: u64 = 20;
const COLLECTED: usize = 100;
const SCOPES: usize = 5;

fn asked_for() -> (u64, u64) {
    let asked = std::env::var("HCLVM_RULE_INDEX").unwrap_or_default();
    let (sets, seed) = asked.split_once(':').unwrap_or((&asked, ""));
    (sets.parse().unwrap_or(SETS), seed.parse().unwrap_or(1))
}

/// What the search of a set finds, in words.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    matching: Vec<usize>,
    undecided: Vec<usize>,
    failures: Vec<(usize, String)>,
}

/// The counts of a run.
#[derive(Debug, Default)]
struct Tally {
    sets: u64,
    rules: u64,
    matching: usize,
    undecided: usize,
    failures: usize,
    /// The work of searches, and that of evaluating all rules.
    searched: u64,
    evaluated: u64,
}

/// A condition with what it is in each scope.
struct Condition {
    program: Program,
    results: Vec<Found>,
}

struct Bench {
    engine: Engine,
    layout: Arc<Layout>,
    session: Session,
}

impl Bench {
    fn new(short_circuit: bool) -> Self {
        let dialect = Dialect { short_circuit, ..Dialect::default() };
        let engine = Engine::builder().dialect(dialect).build();
        let session = engine.session();
        Self { engine, layout: Arc::new(Layout::new(NAMES)), session }
    }

    fn scope(&self, dice: &mut Dice) -> Scope {
        let arena = Arena::new();
        let mut scope = self.engine.scope(&self.layout);
        for (name, value) in NAMES.iter().zip(Values::new(dice, &arena).all()) {
            if let Some(value) = value {
                scope.set_value(name, value).expect("it is small");
            }
        }
        scope
    }

    /// Evaluates a condition by itself, as number 0.
    fn alone(&mut self, program: &Program, scope: &Scope) -> Found {
        let (mut matching, mut undecided, mut failures) = (Vec::new(), Vec::new(), Vec::new());
        let evaluation = self.session.evaluate(program, scope).expect("it is small");
        let value = evaluation.value.unmark().0;
        if !evaluation.diagnostics.is_empty() {
            failures.push((0, evaluation.diagnostics.to_string()));
        } else if value.as_bool() == Some(true) {
            matching.push(0);
        } else if !value.is_known() {
            undecided.push(0);
        } else if value.as_bool().is_none() {
            failures.push((0, "unsuitable".to_owned()));
        }
        Found { matching, undecided, failures }
    }

    /// Searches a set.
    fn search(&mut self, rules: &RuleSet, scope: &Scope, only_first: bool) -> (Found, u64) {
        let found = if only_first {
            self.session.first_match(rules, scope)
        } else {
            self.session.matches(rules, scope)
        };
        let found = found.expect("it is small");
        let failures = found.failures().map(|(rule, diagnostics)| {
            let text = diagnostics.to_string();
            (rule, if text.contains("Unsuitable rule condition") { "unsuitable".to_owned() } else { text })
        });
        let all = Found {
            matching: found.iter().collect(),
            undecided: found.undecided().collect(),
            failures: failures.collect(),
        };
        (all, found.fuel())
    }

    fn run(&mut self, dice: &mut Dice, sets: u64, tally: &mut Tally) {
        let scopes: Vec<Scope> = (0..SCOPES).map(|_| self.scope(dice)).collect();
        let mut conditions = Vec::new();
        while conditions.len() < COLLECTED {
            let text = Conditions::new(dice).condition();
            let program =
                self.engine.compile(&text, &self.layout).unwrap_or_else(|error| panic!("{text}: {error}"));
            let results = scopes.iter().map(|scope| self.alone(&program, scope)).collect();
            conditions.push(Condition { program, results });
        }
        for _ in 0..sets {
            let most = if dice.chance(30) { 100 } else { 30 };
            let count = 1 + dice.below(most);
            let rules: Vec<&Condition> =
                (0..count).map(|_| &conditions[dice.below(conditions.len())]).collect();
            let set =
                RuleSet::new(rules.iter().map(|rule| rule.program.clone())).expect("they are of one layout");
            tally.sets += 1;
            for _ in 0..2 {
                let at = dice.below(scopes.len());
                self.compare(&set, &rules, (at, &scopes[at]), tally);
            }
        }
    }

    fn compare(
        &mut self,
        set: &RuleSet,
        rules: &[&Condition],
        (at, scope): (usize, &Scope),
        tally: &mut Tally,
    ) {
        let expected = combined(rules.iter().map(|rule| &rule.results[at]));
        let (found, searched) = self.search(set, scope, false);
        let texts =
            || rules.iter().map(|rule| rule.program.span().slice(rule.program.source().text())).enumerate();
        assert_eq!(found, expected, "{scope:?} {:#?}", texts().collect::<BTreeMap<_, _>>());
        tally.rules += rules.len() as u64;
        tally.matching += found.matching.len();
        tally.undecided += found.undecided.len();
        tally.failures += found.failures.len();
        tally.searched += searched;
        tally.evaluated += self.session.run_rules(set, scope).expect("it is small").fuel();

        let first = expected.matching.first().copied();
        let is_before = |rule: usize| first.is_none_or(|first| rule < first);
        let expected = Found {
            matching: first.into_iter().collect(),
            undecided: expected.undecided.into_iter().filter(|rule| is_before(*rule)).collect(),
            failures: expected.failures.into_iter().filter(|(rule, _)| is_before(*rule)).collect(),
        };
        let (found, _) = self.search(set, scope, true);
        assert_eq!(found, expected, "the first of {:#?}", texts().collect::<BTreeMap<_, _>>());
    }
}

/// Returns the results of rules, numbered in order.
fn combined<'f>(results: impl Iterator<Item = &'f Found>) -> Found {
    let mut all = Found { matching: Vec::new(), undecided: Vec::new(), failures: Vec::new() };
    for (rule, result) in results.enumerate() {
        all.matching.extend(result.matching.iter().map(|_| rule));
        all.undecided.extend(result.undecided.iter().map(|_| rule));
        all.failures.extend(result.failures.iter().map(|(_, text)| (rule, text.clone())));
    }
    all
}

fn run(sets: u64, seed: u64, short_circuit: bool) -> Tally {
    let (mut bench, mut tally) = (Bench::new(short_circuit), Tally::default());
    for round in 0..sets.div_ceil(DRAWN) {
        let mut dice = Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(round));
        bench.run(&mut dice, DRAWN.min(sets - round * DRAWN), &mut tally);
    }
    tally
}

#[test]
fn generated_sets_are_searched_with_equal_results() {
    let (sets, seed) = asked_for();
    let tally = run(sets, seed, true);
    println!("seed {seed}: {tally:?}");
    assert!(tally.searched * 10 < tally.evaluated * 9, "the index leaves out too little: {tally:?}");
    assert!(tally.matching > 0 && tally.undecided > 0 && tally.failures > 0, "{tally:?}");
}

#[test]
fn generated_sets_are_searched_with_equal_results_if_errors_of_both_operands_are_reported() {
    let (sets, seed) = asked_for();
    let tally = run(sets / 4, seed + 1, false);
    println!("seed {seed}: {tally:?}");
    assert!(tally.searched < tally.evaluated, "the index leaves out nothing: {tally:?}");
}

#[test]
fn the_baseline_tier_finds_equal_rules() {
    let mut bench = Bench::new(true);
    let mut dice = Dice::new(5);
    let scope = bench.scope(&mut dice);
    let texts: Vec<String> = (0..60).map(|_| Conditions::new(&mut dice).condition()).collect();
    let programs = texts.iter().map(|text| bench.engine.compile(text, &bench.layout).expect("it compiles"));
    let set = RuleSet::new(programs).expect("they are of one layout");
    let (fast, first) = (bench.search(&set, &scope, false).0, bench.search(&set, &scope, true).0);
    bench.session.set_tier(Tier::Baseline);
    assert_eq!((bench.search(&set, &scope, false).0, bench.search(&set, &scope, true).0), (fast, first));
}

/// Returns how searches find the rules of a body.
fn indexing(text: &str) -> Vec<String> {
    let rules = Engine::new().parse("rules.hcl", text).and_then(|document| document.body().rule_set());
    let rules = rules.expect("it compiles");
    (0..rules.len()).filter_map(|rule| rules.indexing(rule)).map(|indexing| indexing.to_string()).collect()
}

#[test]
fn what_indexes_a_rule_is_told() {
    let many: Vec<String> =
        (0..40).map(|at| format!("r{at} = u.r == \"{at}\" && u.n > {}", at % 7)).collect();
    let many = many.join("\n");
    let found = indexing(&format!(
        "{many}
        either = u.r == \"x\" || contains([\"y\", \"z\"], u.r) || startswith(u.r, \"w\")
        bool   = u.r == \"v\" && u.f
        range  = 3 < u.n && u.n <= 4 && u.r == \"t\""
    ));
    assert_eq!(found[2], r#"evaluated if u.r == "2""#);
    assert_eq!(
        found[40..],
        [
            r#"evaluated if u.r == "x", or u.r == "y", or u.r == "z", or startswith(u.r, "w")"#,
            r#"evaluated if u.r == "v", or if u.f is neither true nor false"#,
            r#"evaluated if u.r == "t""#,
        ]
    );
}

#[test]
fn why_nothing_indexes_a_rule_is_told() {
    let found = indexing(
        r#"
        paths       = u.id == w.owner
        alternative = u.r == "a" || u.id == w.owner
        no_bool     = u.r == "a" && [u.id, w][0]
        few         = u.r == "a"
        "#,
    );
    assert_eq!(
        found,
        [
            "always evaluated: it compares no part of a variable with a constant, a prefix or a range",
            "always evaluated: the alternative `u.id == w.owner` compares no part of a variable with a constant, a prefix or a range",
            "always evaluated: `[u.id, w][0]` may be neither true nor false, which is an error for all values of the other operands",
            "always evaluated: too few rules compare what it compares for a lookup to be faster",
        ]
    );
}

#[test]
fn a_search_for_null_is_not_left_out() {
    let mut bench = Bench::new(true);
    let text = |at: u32| format!("contains([\"{at}\", {at}], u.r)");
    let compile = |text: String| bench.engine.compile(&text, &bench.layout).expect("it compiles");
    let programs: Vec<Program> = (0..40).map(|at| compile(text(at))).collect();
    let mut scope = bench.engine.scope(&bench.layout);
    scope.set_all_json(r#"{"u": {"r": null}}"#).expect("JSON");
    let expected: Vec<Found> = programs.iter().map(|program| bench.alone(program, &scope)).collect();
    let set = RuleSet::new(programs).expect("they are of one layout");
    assert_eq!(bench.search(&set, &scope, false).0, combined(expected.iter()));
}
