//! After each change of generated sequences, the values and errors that are kept are those of a whole
//! evaluation, and the changes reported are the differences.
//!
//! `HCLVM_LIVE=cases` or `cases:seed` selects another run than the short default.
#![expect(clippy::print_stdout, reason = "a longer run shows what it compared")]

use hclvm::module::{BodyValues, Live, Module, Values};
use hclvm::run::Tier;
use hclvm::value::Arena;
use hclvm::{Engine, Limits, OwnedValue, Scope, Undefined, Value};
use hclvm_treewalk::differential::{RuleCase, RuleCases};
use hclvm_vm::ops::equality::identical;

use crate::live::sequences::{Random, change, module};

/// Sequences of a run of all tests.
const CASES: u64 = 250;
/// Changes of a sequence.
const CHANGES: usize = 8;
/// Changes that alternate between two scopes.
const REPEATED: usize = 40;

fn asked_for() -> (u64, u64) {
    let asked = std::env::var("HCLVM_LIVE").unwrap_or_default();
    let (cases, seed) = asked.split_once(':').unwrap_or((&asked, ""));
    (cases.parse().unwrap_or(CASES), seed.parse().unwrap_or(1))
}

#[derive(Debug, Default)]
struct Tally {
    modules: u64,
    changes: u64,
    values: u64,
    changed_values: u64,
    quiet: u64,
    faulty: u64,
    limits: u64,
}

/// A value with the path to it, and with the numbers of the blocks on the way among those with equal paths.
type Flat = Vec<(String, String, OwnedValue)>;

/// Lists the locals and attributes of a module.
fn flat(values: &Values<'_>) -> Flat {
    let mut all: Flat = Vec::new();
    for (name, value) in values.locals() {
        all.push((format!("local.{name}"), String::new(), OwnedValue::new(value)));
    }
    add_body(values.body(), "", "", &mut all);
    all
}

fn add_body(body: BodyValues<'_>, path: &str, numbers: &str, all: &mut Flat) {
    for (name, value) in body.attributes() {
        all.push((format!("{path}{name}"), numbers.to_owned(), OwnedValue::new(value)));
    }
    let mut seen: Vec<String> = Vec::new();
    for block in body.blocks() {
        let mut path = format!("{path}{}.", block.kind());
        for label in block.labels() {
            let quoted = label.contains('.') || label == "*";
            let quote = if quoted { "\"" } else { "" };
            path.extend([quote, label, quote, "."]);
        }
        if block.pending().is_some() {
            continue;
        }
        let number = seen.iter().filter(|known| **known == path).count();
        seen.push(path.clone());
        add_body(block.body(), &path, &format!("{numbers}.{number}"), all);
    }
}

fn differs(old: Value<'_>, new: Value<'_>) -> bool {
    !identical(&Arena::new(), old, new)
}

/// Returns the differences as text, sorted.
fn differences(old: &Flat, new: &Flat) -> Vec<String> {
    let find = |all: &Flat, (path, numbers): (&String, &String)| {
        all.iter().position(|known| known.0 == *path && known.1 == *numbers)
    };
    let mut found = Vec::new();
    for (path, numbers, value) in new {
        let before = find(old, (path, numbers)).map(|at| &old[at].2);
        if before.is_none_or(|before| differs(before.get(), value.get())) {
            found.push(shown(path, before.map(OwnedValue::get), Some(value.get())));
        }
    }
    for (path, numbers, value) in old {
        if find(new, (path, numbers)).is_none() {
            found.push(shown(path, Some(value.get()), None));
        }
    }
    found.sort();
    found
}

fn shown(path: &str, old: Option<Value<'_>>, new: Option<Value<'_>>) -> String {
    format!("{path}: {old:?} to {new:?}")
}

/// Compares values kept with those of an evaluation. Returns the latter.
fn compare(live: &Live, fresh: &Values<'_>) -> Result<Flat, String> {
    let (kept, expected) = (flat(&live.values()), flat(fresh));
    if kept.len() != expected.len() {
        return Err(format!("{} values kept of {}", kept.len(), expected.len()));
    }
    for (kept, expected) in kept.iter().zip(&expected) {
        if kept.0 != expected.0 || differs(kept.2.get(), expected.2.get()) {
            return Err(format!("kept {} {:?}\n  evaluated {} {:?}", kept.0, kept.2, expected.0, expected.2));
        }
    }
    // With the values that they show.
    let [kept, fresh] = [live.diagnostics(), fresh.diagnostics()].map(|found| format!("{found} {found:?}"));
    if kept == fresh { Ok(expected) } else { Err(format!("kept errors {kept}\n  evaluated {fresh}")) }
}

/// Follows a module through a sequence of changes.
fn follow(module: &Module, case: &RuleCase, random: &mut Random, tally: &mut Tally) -> Result<(), String> {
    let engine = module.document().engine();
    let (mut session, mut evaluating) = (engine.session(), engine.session());
    if random.below(5) == 0 {
        session.set_tier(Tier::Baseline);
    }
    let mut live = module.follow(session);
    let mut scope = module.scope();
    for (name, value) in RuleCases::names().zip(&case.scopes[0]) {
        if !value.get().is_unset() {
            scope.set_value(name, value.get()).expect("it is small");
        }
    }
    let mut steps = Vec::new();
    let mut before: Option<Flat> = None;
    for _ in 0..=CHANGES {
        let outcome = step(&mut live, module, &scope, &mut evaluating, before.take(), tally);
        before = outcome.map_err(|error| format!("after {steps:#?}\n{error}"))?;
        for _ in 0..=random.below(2) * random.below(3) {
            steps.push(change(random, case, &mut scope));
        }
        // Another scope with shared values may be followed.
        if random.below(6) == 0 {
            scope = scope.fork();
        }
    }
    // What changes again and again is linked after some updates.
    if random.below(4) == 0 {
        let mut other = scope.fork();
        steps.push(format!("again and again {}", change(random, case, &mut other)));
        for _ in 0..REPEATED {
            let outcome = step(&mut live, module, &scope, &mut evaluating, before.take(), tally);
            before = outcome.map_err(|error| format!("after {steps:#?}\n{error}"))?;
            std::mem::swap(&mut scope, &mut other);
        }
    }
    Ok(())
}

fn step(
    live: &mut Live,
    module: &Module,
    scope: &Scope,
    session: &mut hclvm::Session,
    before: Option<Flat>,
    tally: &mut Tally,
) -> Result<Option<Flat>, String> {
    tally.changes += 1;
    let Ok(fresh) = module.evaluate(session, scope) else {
        tally.limits += 1;
        return Ok(live.update(scope).ok().map(|changes| flat(&changes.values())));
    };
    let Ok(changes) = live.update(scope) else {
        tally.limits += 1;
        return Ok(None);
    };
    let mut reported: Vec<String> = changes
        .iter()
        .map(|change| shown(&change.path().to_string(), change.before(), change.after()))
        .collect();
    reported.sort();
    let is_empty = changes.is_empty();
    let expected = compare(live, &fresh)?;
    let differences = differences(before.as_ref().unwrap_or(&Vec::new()), &expected);
    if reported != differences {
        return Err(format!("reported {reported:#?}\n  expected {differences:#?}"));
    }
    if is_empty && !differences.is_empty() {
        return Err("changes say that they are empty".to_owned());
    }
    tally.values += expected.len() as u64;
    tally.changed_values += if before.is_some() { differences.len() as u64 } else { 0 };
    tally.quiet += u64::from(differences.is_empty());
    tally.faulty += u64::from(!fresh.diagnostics().is_empty());
    Ok(Some(expected))
}

fn run(seed: u64, cases: u64, limits: Limits) -> Tally {
    let functions = hclvm::functions::standard();
    let generated = RuleCases::new(&functions);
    let mut tally = Tally::default();
    for number in 0..cases {
        // Generating a case takes as long as many sequences.
        let case = generated.case(seed, number / 8);
        let mut random = Random::new(seed, number);
        let undefined = if number % 4 == 0 { Undefined::Unknown } else { Undefined::Error };
        let engine = Engine::builder().limits(limits).undefined(undefined).build();
        if case.sources.is_empty() {
            continue;
        }
        let text = module(&mut random, &case);
        let Ok(document) = engine.parse("x.hcl", &text) else { continue };
        let Ok(module) = document.module_for(RuleCases::names()) else { continue };
        tally.modules += 1;
        if let Err(error) = follow(&module, &case, &mut random, &mut tally) {
            panic!("seed {seed}, case {number}:\n{text}\n{error}");
        }
    }
    tally
}

#[test]
fn kept_values_are_those_of_a_whole_evaluation() {
    let (cases, seed) = asked_for();
    let tally = run(seed, cases, Limits::default());
    println!("seed {seed}: {tally:?}");
    assert!(tally.modules * 10 > cases * 8, "too few modules: {tally:?}");
    assert!(tally.quiet * 20 > tally.changes, "everything changes always: {tally:?}");
    assert!(tally.changed_values * 20 > tally.values, "nearly nothing changes: {tally:?}");
    assert!(tally.limits * 20 < tally.changes, "nearly everything exceeds a limit: {tally:?}");
    assert!(tally.faulty * 10 > tally.changes, "too few errors: {tally:?}");
}

#[test]
fn a_limit_ends_an_update_and_nothing_else() {
    let (cases, seed) = asked_for();
    let mut limits = 0;
    for fuel in [60, 200, 800] {
        let tally = run(seed + 1, cases / 8, Limits { fuel, ..Limits::default() });
        assert!(tally.values > 0, "fuel {fuel}: {tally:?}");
        limits += tally.limits;
    }
    // Few of the modules need 800.
    assert!(limits > 0, "no limit is exceeded");
    let few = run(seed + 2, cases / 8, Limits { diagnostics: 2, ..Limits::default() });
    assert!(few.faulty > 0, "{few:?}");
}
