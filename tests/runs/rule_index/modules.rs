//! Rules of a file are searched by an index from the second search on: the tiers, of which the baseline has no index,
//! find equal rules, with equal problems.

use std::fmt::Write as _;

use hclvm::module::{BlockValues, RuleSpec, Rules};
use hclvm::run::Tier;
use hclvm::value::Arena;
use hclvm::{Engine, Scope, Session};
use hclvm_workloads::dice::Dice;

use crate::rule_index::generate::{Conditions, NAMES, Values};

const FILES: u64 = 30;
const SPEC: RuleSpec<'static> =
    RuleSpec { kind: "rule", condition: "when", outcome: &["effect"], priority: None };

/// Returns a file of rules. Some conditions read locals, of which some read what may be missing.
fn file(dice: &mut Dice) -> String {
    let mut text = String::from("locals {\n  l = u.r == \"a\"\n  k = w.d.n\n  o = local.l && u.none\n}\n");
    for rule in 0..20 + dice.below(60) {
        let condition = Conditions::new(dice).condition();
        let with_local = dice.pick(&["", "", "", "", "", "local.l && ", "local.k == 1 && ", "local.o || "]);
        let effect = dice.pick(&["\"allow\"", "local.l", "u.r"]);
        let _ =
            writeln!(text, "rule \"{rule}\" {{\n  when = {with_local}({condition})\n  effect = {effect}\n}}");
    }
    text
}

fn labels(blocks: &[BlockValues<'_>]) -> Vec<String> {
    let shown = |block: &BlockValues<'_>| {
        format!("{} {:?}", block.labels().collect::<String>(), block.attribute("effect"))
    };
    blocks.iter().map(shown).collect()
}

fn search(rules: &Rules, session: &mut Session, scope: &Scope, only_first: bool) -> String {
    let found =
        if only_first { rules.first_match(session, scope) } else { rules.all_matches(session, scope) };
    let found = found.expect("it is small");
    let [applying, undecided, failed] = [found.applying(), found.undecided(), found.failed()].map(labels);
    format!("{applying:?}\n{undecided:?}\n{failed:?}\n{}", found.diagnostics())
}

#[test]
fn both_tiers_find_equal_rules_of_files() {
    let engine = Engine::new();
    let (mut indexed, mut plain) = (engine.session(), engine.session());
    plain.set_tier(Tier::Baseline);
    for number in 0..FILES {
        let mut dice = Dice::new(number);
        let text = file(&mut dice);
        let module =
            engine.parse("rules.hcl", &text).and_then(|document| document.module()).expect("it compiles");
        let rules = module.rules(&SPEC).expect("they are rules");
        let scopes: Vec<Scope> = (0..4).map(|_| scope(&module.scope(), &mut dice)).collect();
        // The first search makes no index.
        search(&rules, &mut indexed, &scopes[0], false);
        for scope in &scopes {
            for only_first in [false, true] {
                let found = search(&rules, &mut indexed, scope, only_first);
                assert_eq!(found, search(&rules, &mut plain, scope, only_first), "{text}");
            }
        }
    }
}

#[test]
fn specialized_files_are_searched_as_well() {
    let engine = Engine::new();
    let (mut indexed, mut plain) = (engine.session(), engine.session());
    plain.set_tier(Tier::Baseline);
    for number in 0..FILES / 3 {
        let mut dice = Dice::new(100 + number);
        let text = file(&mut dice);
        let module =
            engine.parse("rules.hcl", &text).and_then(|document| document.module()).expect("it compiles");
        let mut known = module.scope();
        known.set_json("w", br#"{"d": {"r": "a", "n": 1, "f": true}}"#).expect("JSON");
        let rules = module.specialize(&known).expect("it compiles").rules(&SPEC).expect("they are rules");
        let scope = scope(&known, &mut dice);
        search(&rules, &mut indexed, &scope, false);
        let found = search(&rules, &mut indexed, &scope, false);
        assert_eq!(found, search(&rules, &mut plain, &scope, false), "{text}");
    }
}

/// Returns a scope with generated values for all variables that are not set.
fn scope(known: &Scope, dice: &mut Dice) -> Scope {
    let arena = Arena::new();
    let mut scope = known.fork();
    for (name, value) in NAMES.iter().zip(Values::new(dice, &arena).all()) {
        if let Some(value) = value
            && known.get(name).is_none()
            && known.has(name)
        {
            scope.set_value(name, value).expect("it is small");
        }
    }
    scope
}

#[test]
fn each_rule_of_a_file_says_how_it_is_found() {
    let mut text = String::from("locals {\n  l = u\n}\n");
    for rule in 0..20 {
        let _ = writeln!(text, "rule \"{rule}\" {{\n  when = u.r == \"{rule}\"\n}}");
    }
    for (rule, condition) in [("local", "local.l == 1"), ("again", "local.l == 1"), ("any", "u.r != u.s")] {
        let _ = writeln!(text, "rule \"{rule}\" {{\n  when = {condition}\n}}");
    }
    let module =
        Engine::new().parse("rules.hcl", &text).and_then(|document| document.module()).expect("a module");
    let rules = module.rules(&SPEC).expect("they are rules");
    assert_eq!((rules.len(), rules.is_empty()), (23, false));
    let shown: Vec<String> = rules
        .indexing()
        .map(|(block, found)| format!("{} {found}", block.labels().collect::<String>()))
        .collect();
    for (rule, shown) in shown.iter().take(20).enumerate() {
        assert!(shown.starts_with(&format!("{rule} evaluated if u.r == \"{rule}\"")), "{shown}");
    }
    assert_eq!(shown[20], "local always evaluated: it computes local values that later rules may read");
    assert_eq!(
        shown[21],
        "again always evaluated: what it compares with constants is computed during the evaluation"
    );
    assert!(shown[22].starts_with("any always evaluated: it compares no part"), "{}", shown[22]);
    let none = Engine::new().parse("x.hcl", "a = 1\n").and_then(|document| document.module());
    assert!(none.expect("a module").rules(&SPEC).expect("no rules").is_empty());
}

/// Returns the fuel of three searches for the last of some rules, in a tier.
fn fuels(rules: usize, tier: Tier, only_first: bool) -> [u64; 3] {
    let mut text = String::new();
    for rule in 0..rules {
        let _ = writeln!(text, "rule \"{rule}\" {{\n  when = u.r == \"{rule}\"\n}}");
    }
    let engine = Engine::new();
    let module = engine.parse("rules.hcl", &text).and_then(|document| document.module()).expect("a module");
    let rules = module.rules(&SPEC).expect("they are rules");
    let mut scope = module.scope();
    scope.set_json("u", &format!("{{\"r\": \"{}\"}}", rules.len() - 1)).expect("JSON");
    let mut session = engine.session();
    session.set_tier(tier);
    [0; 3].map(|_: u64| {
        let found = if only_first {
            rules.first_match(&mut session, &scope)
        } else {
            rules.all_matches(&mut session, &scope)
        };
        let found = found.expect("it is small");
        assert_eq!(found.applying().len(), 1);
        found.fuel()
    })
}

#[test]
fn the_second_search_of_many_rules_makes_the_index() {
    for only_first in [true, false] {
        let [first, second, third] = fuels(16, Tier::Best, only_first);
        assert!(second * 3 < first && second == third, "{first}, {second}, {third}");
        let [first, second, third] = fuels(15, Tier::Best, only_first);
        assert!(first == second && second == third, "few rules: {first}, {second}, {third}");
        let [first, second, third] = fuels(40, Tier::Baseline, only_first);
        assert!(first == second && second == third, "the baseline: {first}, {second}, {third}");
    }
}
