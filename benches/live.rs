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

type Failure = Box<dyn std::error::Error>;

const VARIABLES: usize = 20;
const FIELDS: usize = 5;
const LOCALS: usize = 60;
const ATTRIBUTES: usize = 400;

/// Batches of each contender, and the approximate duration of one.
const ROUNDS: usize = 101;
const BATCH: Duration = Duration::from_millis(2);

fn main() -> Result<(), Failure> {
    // Cargo passes `--bench` for measurements; in a test everything runs once.
    let timed = std::env::args().any(|argument| argument == "--bench");
    let rounds = if timed { ROUNDS } else { 1 };
    let engine = Engine::standard();
    let module = engine.parse("generated.hcl", &text())?.module()?;
    println!("{:<44} {:>10} {:>10} {:>8} {:>8}", "nanoseconds", "whole", "update", "ratio", "readers");
    measure("a field of a variable", Some("v0.f0"), &module, rounds, |scope, round| set(scope, round, 1))?;
    measure("a variable with all its fields", Some("v0"), &module, rounds, |scope, round| {
        set(scope, round, FIELDS)
    })?;
    measure("an equal value", None, &module, rounds, |scope, _| set(scope, 0, 1))?;
    measure("nothing", None, &module, rounds, |_, _| Ok(()))
}

/// Returns a module. The numbers are drawn from a fixed sequence.
fn text() -> String {
    let mut state = 7_u64;
    let mut draw = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % end
    };
    let mut text = String::from("locals {\n");
    let read = |draw: &mut dyn FnMut(usize) -> usize| format!("v{}.f{}", draw(VARIABLES), draw(FIELDS));
    for at in 0..LOCALS {
        let (one, other) = (read(&mut draw), read(&mut draw));
        let _ = match draw(3) {
            0 => writeln!(text, "  l{at} = {one} > {other}"),
            1 => writeln!(text, "  l{at} = {one} * 3 + {other}"),
            _ if at > 0 => writeln!(text, "  l{at} = local.l{} == {one} ? {other} : 7", draw(at)),
            _ => writeln!(text, "  l{at} = {one}"),
        };
    }
    text.push_str("}\n");
    for at in 0..ATTRIBUTES {
        let (one, other, third) = (read(&mut draw), read(&mut draw), read(&mut draw));
        let _ = match draw(6) {
            0 => writeln!(text, "a{at} = {one} + 1"),
            1 => writeln!(text, "a{at} = {one} * {other} > 100"),
            2 => writeln!(text, "a{at} = {one} > {other} ? \"large\" : \"small\""),
            3 => writeln!(text, "a{at} = \"${{{one}}} of ${{{other}}} and ${{{third}}}\""),
            4 => writeln!(text, "a{at} = [{one}, local.l{}]", draw(LOCALS)),
            _ => writeln!(text, "a{at} = max({one}, {other}, {third})"),
        };
    }
    text
}

/// Sets the first variable, with other values in its first `fields` fields each round.
fn set(scope: &mut Scope, round: usize, fields: usize) -> Result<(), Failure> {
    let value = |field: usize| if field < fields { field + round % 10 } else { field };
    let values: Vec<String> = (0..FIELDS).map(|field| format!("\"f{field}\": {}", value(field))).collect();
    Ok(scope.set_json("v0", &format!("{{{}}}", values.join(", ")))?)
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
    for at in 0..VARIABLES {
        let fields: Vec<String> = (0..FIELDS).map(|field| format!("\"f{field}\": {}", at + field)).collect();
        scope.set_json(&format!("v{at}"), &format!("{{{}}}", fields.join(", ")))?;
    }
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
