//! A set whose rules are added, replaced and removed is searched with the results of its rules one by one.

use hclvm::run::RuleSet;
use hclvm::{Engine, Layout, Program, Scope};
use hclvm_workloads::dice::Dice;

use crate::rule_index::generate::Conditions;
use crate::rule_index::{Bench, Found, combined};

const ROUNDS: u64 = 12;
const CHANGES: usize = 60;

/// Returns a condition, mostly one that many others are alike, and its result.
fn condition(bench: &mut Bench, dice: &mut Dice, scope: &Scope) -> (Program, Found) {
    let text = match dice.roll(4) {
        0 => Conditions::new(dice).condition(),
        1 => format!("u.r == w.d.r || u.n == {}", dice.roll(3)),
        _ => format!("u.r == \"{}\" && u.n != {}", dice.roll(40), dice.roll(3)),
    };
    let program = bench.engine.compile(&text, &bench.layout).expect("it compiles");
    let result = bench.alone(&program, scope);
    (program, result)
}

fn nothing() -> Found {
    Found { matching: Vec::new(), undecided: Vec::new(), failures: Vec::new() }
}

#[test]
fn changed_sets_are_searched_with_equal_results() {
    for round in 0..ROUNDS {
        let (mut bench, mut dice) = (Bench::new(true), Dice::new(round));
        let scope = bench.scope(&mut dice);
        let first: Vec<(Program, Found)> =
            (0..dice.below(300)).map(|_| condition(&mut bench, &mut dice, &scope)).collect();
        let (programs, mut results): (Vec<Program>, Vec<Found>) = first.into_iter().unzip();
        let mut set = RuleSet::new(programs).expect("they are of one layout");
        for change in 0..CHANGES {
            for _ in 0..dice.below(12) {
                let (program, result) = condition(&mut bench, &mut dice, &scope);
                let rule = dice.below(results.len());
                match dice.roll(3) {
                    0 if !results.is_empty() => {
                        set.remove(rule).expect("it compiles");
                        results[rule] = nothing();
                    }
                    1 if !results.is_empty() => {
                        assert!(set.replace(rule, program).expect("it is of the layout"));
                        results[rule] = result;
                    }
                    _ => {
                        assert_eq!(set.insert(program).expect("it is of the layout"), results.len());
                        results.push(result);
                    }
                }
            }
            let expected = combined(results.iter());
            let (found, _) = bench.search(&set, &scope, false);
            let differs = |rule: &usize| {
                let of = |all: &Found| all.failures.iter().any(|(failed, _)| failed == rule);
                of(&found) != of(&expected)
            };
            let texts = set.programs().iter().map(|program| program.span().slice(program.source().text()));
            let texts: Vec<&str> =
                texts.enumerate().filter(|(rule, _)| differs(rule)).map(|(_, text)| text).collect();
            assert!(found == expected, "round {round}, change {change}, {texts:?}, {scope:?}");
        }
        let all = bench.session.run_rules(&set, &scope).expect("it is small");
        assert_eq!(all.len(), results.len());
        let matching = all
            .iter()
            .enumerate()
            .filter(|(_, rule)| rule.as_ref().is_ok_and(|value| value.unmark().0.as_bool() == Some(true)));
        assert_eq!(matching.map(|(rule, _)| rule).collect::<Vec<_>>(), combined(results.iter()).matching);
    }
}

#[test]
fn rules_of_other_layouts_are_not_added() {
    let engine = Engine::new();
    let [own, other] = ["n", "m"].map(|name| std::sync::Arc::new(Layout::new([name])));
    let compile = |text: &str, layout| engine.compile(text, layout).expect("it compiles");
    let mut set = RuleSet::new([compile("n == 1", &own)]).expect("they are of one layout");
    assert!(set.insert(compile("m == 1", &other)).is_err());
    assert!(set.replace(0, compile("m == 1", &other)).is_err());
    assert!(!set.replace(1, compile("n == 2", &own)).expect("it is of the layout"));
    assert!(!set.remove(1).expect("it compiles"));
    assert!(set.indexing(0).is_some());
    assert!(set.remove(0).expect("it compiles") && !set.remove(0).expect("it compiles"));
    assert_eq!(set.indexing(0), None);
}

#[test]
fn a_projection_made_before_a_change_admits_what_it_has() {
    let engine = Engine::new();
    let document = engine.parse("rules.hcl", "a = u.r == 1\nb = u.n == 2").expect("HCL");
    let mut set = document.body().rule_set().expect("it compiles");
    let mut scope = set.projection().expect("it has rules").scope();
    scope.set_all_json(r#"{"u": {"r": 1, "n": 2, "f": 3}}"#).expect("JSON");
    let compile = |text: &str| engine.compile(text, document.layout()).expect("it compiles");
    set.insert(compile("u.n < 3")).expect("it is of the layout");
    let mut session = engine.session();
    assert_eq!(session.matches(&set, &scope).expect("it is admitted").iter().collect::<Vec<_>>(), [0, 1, 2]);
    set.insert(compile("u.f == 3")).expect("it is of the layout");
    assert!(session.matches(&set, &scope).is_err());
}
