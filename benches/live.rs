//! Times incremental evaluation: a generated module of 400 attributes, each of which reads one to three of 20
//! variables, some through 60 locals. After a change of one variable, an update is compared with an evaluation
//! of the whole module in the same run. Results are compared first.
//!
//! `cargo bench --bench live`

#![expect(clippy::print_stdout, reason = "the table is the output of this program")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use hclvm::module::Values;
use hclvm::{Engine, Json, Module, Scope};
use hclvm_workloads::changes::{self, FIELDS};

type Failure = Box<dyn std::error::Error>;

/// Batches of each contender, and the approximate duration of one.
const ROUNDS: usize = 101;
const BATCH: Duration = Duration::from_millis(2);

fn main() -> Result<(), Failure> {
    // Cargo passes `--bench` for measurements; in a test everything runs once.
    let timed = std::env::args().any(|argument| argument == "--bench");
    let rounds = if timed { ROUNDS } else { 1 };
    let engine = Engine::standard();
    let module = engine.parse("generated.hcl", &changes::text())?.module()?;
    println!("{:<44} {:>10} {:>10} {:>8} {:>8}", "nanoseconds", "whole", "update", "ratio", "readers");
    measure("a field of a variable", Some("v0.f0"), &module, rounds, |scope, round| set(scope, round, 1))?;
    measure("a variable with all its fields", Some("v0"), &module, rounds, |scope, round| {
        set(scope, round, FIELDS)
    })?;
    measure("an equal value", None, &module, rounds, |scope, _| set(scope, 0, 1))?;
    measure("nothing", None, &module, rounds, |_, _| Ok(()))
}

/// Sets the first variable, with other values in its first `fields` fields each round.
fn set(scope: &mut Scope, round: usize, fields: usize) -> Result<(), Failure> {
    Ok(scope.set_json("v0", &changes::first(fields, round))?)
}

fn shown(values: &Values<'_>) -> Result<String, Failure> {
    let mut text = values.diagnostics().to_string();
    for (name, value) in values.body().attributes().chain(values.locals()) {
        let _ = writeln!(text, "{name} {}", Json(value).to_text()?);
    }
    Ok(text)
}

/// Times a change of what a path leads to: scopes are prepared, and each is followed by one that differs.
fn measure(
    name: &str,
    path: Option<&str>,
    module: &Module,
    rounds: usize,
    change: impl Fn(&mut Scope, usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let engine = module.document().engine();
    let readers = path.map_or(Ok(0), |path| path.parse().map(|path| module.dependents(&path).len()))?;
    let mut scope = module.scope();
    scope.set_all_json(&changes::variables())?;
    let mut scopes = Vec::new();
    for round in 0..10 {
        let mut fork = scope.fork();
        change(&mut fork, round)?;
        scopes.push(fork);
    }
    let (mut session, mut live) = (engine.session(), module.follow(engine.session()));
    for scope in scopes.iter().chain(&scopes) {
        live.update(scope)?;
        if shown(&live.values())? != shown(&module.evaluate(&mut session, scope)?)? {
            return Err(format!("{name}: an update and an evaluation differ").into());
        }
    }
    let mut next = scopes.iter().cycle();
    let mut whole = |times: usize| -> Result<Duration, Failure> {
        let start = Instant::now();
        for scope in next.by_ref().take(times) {
            black_box(module.evaluate(&mut session, scope)?);
        }
        Ok(start.elapsed())
    };
    let mut next = scopes.iter().cycle();
    let mut update = |times: usize| -> Result<Duration, Failure> {
        let start = Instant::now();
        for scope in next.by_ref().take(times) {
            black_box(live.update(scope)?);
        }
        Ok(start.elapsed())
    };
    let [mut wholes, mut updates] = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        wholes.push(batch(&mut whole, rounds > 1)?);
        updates.push(batch(&mut update, rounds > 1)?);
    }
    let [whole, update] = [wholes, updates].map(median);
    println!("{name:<44} {whole:>10.0} {update:>10.0} {:>8.1} {readers:>8}", whole / update);
    Ok(())
}

/// Returns the nanoseconds of one repetition.
#[expect(clippy::cast_precision_loss, reason = "counts and durations are small")]
fn batch(run: &mut impl FnMut(usize) -> Result<Duration, Failure>, timed: bool) -> Result<f64, Failure> {
    let once = run(1)?.max(Duration::from_nanos(50));
    let times =
        if timed { usize::try_from(BATCH.as_nanos() / once.as_nanos()).unwrap_or(1).max(1) } else { 1 };
    Ok(run(times)?.as_nanos() as f64 / times as f64)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
