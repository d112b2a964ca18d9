//! Times searches of rule sets by their index beside evaluations of all rules, in one run, for the requests of
//! `policy-condition`. Results are compared first. Then each of a hundred rules is replaced by an equal one; the longest
//! time is shown.
//!
//! `cargo bench --bench rule_index`

#![expect(clippy::print_stdout, reason = "the table is the output of this program")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use hclvm::run::RuleSet;
use hclvm::{Engine, Limits, Scope, Session};
use hclvm_workloads::{requests, rules};

type Failure = Box<dyn std::error::Error>;

/// Batches of each contender, and the approximate duration of one.
const ROUNDS: usize = 31;
const BATCH: Duration = Duration::from_millis(5);

fn main() -> Result<(), Failure> {
    // Cargo passes `--bench` for measurements; in a test everything runs once, with few rules.
    let timed = std::env::args().any(|argument| argument == "--bench");
    let (few, many, rounds) = if timed { (10_000, 100_000, ROUNDS) } else { (500, 1_000, 1) };
    println!(
        "{:<34} {:>11} {:>9} {:>9} {:>8} {:>9}",
        "nanoseconds a request", "all rules", "matches", "first", "ratio", "a change"
    );
    measure("four comparisons", few, rounds, &rules::text_of(few))?;
    measure("four comparisons", many, rounds, &rules::text_of(many))?;
    measure("a mix", few, rounds, &rules::mixed_text(few))?;
    measure("a mix", many, rounds, &rules::mixed_text(many))
}

fn measure(name: &str, count: usize, rounds: usize, text: &str) -> Result<(), Failure> {
    let limits = Limits { source_bytes: 64 << 20, ..Limits::default() };
    let engine = Engine::builder().limits(limits).build();
    let document = engine.parse("rules.hcl", text)?;
    let rules = document.body().rule_set()?;
    let scopes: Vec<Scope> = requests()
        .iter()
        .map(|request| {
            let mut scope = document.scope();
            scope.set_all_json(request.as_str())?;
            Ok(scope)
        })
        .collect::<Result<_, Failure>>()?;
    let mut session = engine.session();
    for scope in &scopes {
        compare(&mut session, &rules, scope)?;
    }
    let [mut all, mut found, mut first] = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..rounds {
        all.push(batch(&scopes, rounds > 1, |scope| {
            black_box(session.run_rules(&rules, scope)?);
            Ok(())
        })?);
        found.push(batch(&scopes, rounds > 1, |scope| {
            black_box(session.matches(&rules, scope)?);
            Ok(())
        })?);
        first.push(batch(&scopes, rounds > 1, |scope| {
            black_box(session.first_match(&rules, scope)?);
            Ok(())
        })?);
    }
    let [all, found, first] = [all, found, first].map(median);
    let name = format!("{name}, {count} rules");
    let change = slowest_change(rules)?.as_nanos();
    println!("{name:<34} {all:>11.0} {found:>9.0} {first:>9.0} {:>8.1} {change:>9}", all / found);
    Ok(())
}

/// Replaces some rules one by one and returns the longest time of a change. The first one also drops the linked code of
/// all rules.
fn slowest_change(mut rules: RuleSet) -> Result<Duration, Failure> {
    let mut slowest = Duration::ZERO;
    for rule in (0..rules.len()).step_by(rules.len() / 100) {
        let program = rules.programs()[rule].clone();
        let start = Instant::now();
        rules.replace(rule, program)?;
        slowest = slowest.max(start.elapsed());
    }
    Ok(slowest)
}

/// Compares the matches with the results of all rules.
fn compare(session: &mut Session, rules: &RuleSet, scope: &Scope) -> Result<(), Failure> {
    let results = session.run_rules(rules, scope)?;
    let values = results.values().iter().enumerate();
    let expected: Vec<usize> =
        values.filter(|(_, value)| value.as_bool() == Some(true)).map(|(rule, _)| rule).collect();
    let found: Vec<usize> = session.matches(rules, scope)?.iter().collect();
    let first = session.first_match(rules, scope)?.first();
    if found != expected || first != expected.first().copied() {
        return Err(format!("matches are {found:?} instead of {expected:?}").into());
    }
    Ok(())
}

/// Returns the nanoseconds of one search.
#[expect(clippy::cast_precision_loss, reason = "counts and durations are small")]
fn batch(
    scopes: &[Scope],
    timed: bool,
    mut run: impl FnMut(&Scope) -> Result<(), Failure>,
) -> Result<f64, Failure> {
    let mut next = scopes.iter().cycle();
    let mut times = |count: usize| -> Result<Duration, Failure> {
        let start = Instant::now();
        next.by_ref().take(count).try_for_each(&mut run)?;
        Ok(start.elapsed())
    };
    let once = times(1)?.max(Duration::from_nanos(50));
    let count =
        if timed { usize::try_from(BATCH.as_nanos() / once.as_nanos()).unwrap_or(1).max(1) } else { 1 };
    Ok(times(count)?.as_nanos() as f64 / count as f64)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
