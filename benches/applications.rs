//! Times the configurations in examples/, compared with the tree-walker: a whole evaluation (locals, every
//! attribute, dynamic blocks), and the attributes outside of dynamic blocks with the locals given, one by
//! one and as a rule set. If `peers/reference/build` has built the reference in Go, it is timed on whole
//! evaluations too. All results are compared before anything is timed. Single expressions are measured by
//! benches/evaluate.rs.
//!
//! The contenders are interleaved, batch by batch; a figure is the median of its batches.
//!
//! `cargo bench --bench applications`

#![expect(clippy::print_stdout, reason = "the table is the output of this program")]

#[path = "applications/reference.rs"]
mod reference;
#[path = "applications/walked.rs"]
mod walked;

use std::hint::black_box;
use std::time::{Duration, Instant};

use hclvm::functions::{Capabilities, packer};
use hclvm::module::BodyValues;
use hclvm::run::RuleSet;
use hclvm::value::Arena;
use hclvm::{Body, Dialect, Engine, Error, Json, Module, Program, Scope, Value};
use hclvm_vm::Limits;
use serde_json::{Map, Value as Tree};

use reference::Reference;
use walked::Walked;

type Failure = Box<dyn std::error::Error>;

/// A configuration, its scopes, and their expected results.
#[derive(Debug)]
struct Application {
    name: &'static str,
    text: &'static str,
    scopes: &'static str,
    expected: &'static str,
    /// Variables that may be known before the others.
    known: &'static [&'static str],
}

const APPLICATIONS: [Application; 4] = [
    Application {
        name: "authz",
        text: include_str!("../examples/authz/authz.hcl"),
        scopes: include_str!("../examples/authz/scopes.json"),
        expected: include_str!("../examples/authz/expected.json"),
        known: &["env", "resource"],
    },
    Application {
        name: "game",
        text: include_str!("../examples/game/game.hcl"),
        scopes: include_str!("../examples/game/scopes.json"),
        expected: include_str!("../examples/game/expected.json"),
        known: &["server", "flags"],
    },
    Application {
        name: "job",
        text: include_str!("../examples/job/job.hcl"),
        scopes: include_str!("../examples/job/scopes.json"),
        expected: include_str!("../examples/job/expected.json"),
        known: &[],
    },
    // An example to decode, without recorded results.
    Application {
        name: "service",
        text: include_str!("../examples/service/service.hcl"),
        scopes: r#"[{"continent": "eu", "zone": "west-1", "production": true, "customers": 45000}]"#,
        expected: "[]",
        known: &["continent", "production"],
    },
];

/// Batches of each contender, and the approximate duration of one.
const ROUNDS: usize = 101;
const BATCH: Duration = Duration::from_millis(2);

fn main() -> Result<(), Failure> {
    // Cargo passes `--bench` for measurements; in a test everything runs once.
    let timed = std::env::args().any(|argument| argument == "--bench");
    let rounds = if timed { ROUNDS } else { 1 };
    println!("{:<44} {:>12} {:>12}", "microseconds", "hclvm", "other");
    for application in &APPLICATIONS {
        measure(application, rounds)?;
    }
    Ok(())
}

/// An evaluation that is repeated, each time with the next scope.
struct Runner<'c> {
    /// Runs one batch and returns the microseconds per evaluation.
    once: Box<dyn FnMut() -> f64 + 'c>,
    batches: Vec<f64>,
}

impl<'c> Runner<'c> {
    fn new(mut run: impl FnMut(usize) + 'c) -> Self {
        let mut turn = 0;
        Self::timed(move || {
            let (start, mut count) = (Instant::now(), 0_u32);
            while count == 0 || start.elapsed() < BATCH {
                run(turn);
                turn += 1;
                count += 1;
            }
            start.elapsed().as_secs_f64() * 1e6 / f64::from(count)
        })
    }

    fn timed(once: impl FnMut() -> f64 + 'c) -> Self {
        Self { once: Box::new(once), batches: Vec::new() }
    }

    fn batch(&mut self) {
        let microseconds = (self.once)();
        self.batches.push(microseconds);
    }

    fn median(&mut self) -> f64 {
        self.batches.sort_by(f64::total_cmp);
        self.batches[self.batches.len() / 2]
    }
}

fn measure(application: &Application, rounds: usize) -> Result<(), Failure> {
    let &Application { name, text, scopes, known, .. } = application;
    let capabilities = Capabilities::none();
    let engine = Engine::builder().dialect(Dialect::packer(&capabilities)).build();
    let module = engine.parse(name, text)?.module()?;
    let functions = packer(&capabilities);
    let walked = Walked::new(text, &module, &functions)?;
    let programs = programs(module.document().body(), true)?;
    let rules = RuleSet::new(programs.iter().cloned())?;
    let mut session = engine.session();

    let whole = known_scopes(&module, scopes)?;
    let whole_slots: Vec<Vec<Value<'_>>> = whole.iter().map(|scope| walked.slots(scope)).collect();
    let mut given = Vec::new();
    for (scope, slots) in whole.iter().zip(&whole_slots) {
        let arena = Arena::with_limits(Limits::default());
        let values = module.evaluate(&mut session, scope)?;
        assert!(values.diagnostics().is_empty(), "{name} has no problems");
        assert_eq!(shown(&walked.evaluate(slots, &arena))?, shown(&flat(values.body()))?, "{name}");
        let locals: Vec<_> = values.locals().map(|(name, value)| arena.entry(name, value)).collect();
        let mut scope = scope.fork();
        if module.document().layout().slot("local").is_some() {
            scope.set_value("local", Value::object(&arena, arena.slice(&locals)))?;
        }
        given.push(scope);
    }
    let given_slots: Vec<Vec<Value<'_>>> = given.iter().map(|scope| walked.slots(scope)).collect();
    for (scope, slots) in given.iter().zip(&given_slots) {
        let arena = Arena::with_limits(Limits::default());
        let expected = shown(&walked.attributes(slots, &arena))?;
        let results = session.run_rules(&rules, scope)?;
        assert_eq!(results.failures().len(), 0, "{name} has no problems");
        assert_eq!(shown(results.values())?, expected, "{name} as a rule set");
        let one_by_one = programs.iter().map(|program| {
            let value = session.run(program, scope)?;
            Ok(serde_json::to_string(&Json(value))?)
        });
        assert_eq!(one_by_one.collect::<Result<Vec<_>, Failure>>()?, expected, "{name} one by one");
    }

    let mut specialized = Vec::new();
    for scope in &whole {
        let (mut first, mut rest) = (module.scope(), scope.fork());
        for name in known {
            first.set_value(name, scope.get(name).ok_or("a variable of the scope")?)?;
            rest.unset(name);
        }
        let special = module.specialize(&first)?;
        let expected = shown(&flat(module.evaluate(&mut session, scope)?.body()))?;
        assert_eq!(
            shown(&flat(special.evaluate(&mut session, &rest)?.body()))?,
            expected,
            "{name} specialized"
        );
        specialized.push((special, rest));
    }

    // It has not all functions of Packer and Nomad.
    let mut reference = Reference::start(application).unwrap_or_else(|error| {
        println!("{name}: the reference in Go is left out: {error}");
        None
    });
    let [mut first, mut second, mut third, mut fourth] = [(); 4].map(|()| engine.session());
    let (mut arena, mut other) =
        (Arena::with_limits(Limits::default()), Arena::with_limits(Limits::default()));
    let mut contenders = [
        Runner::new(|turn| {
            let result = module.evaluate(&mut first, &whole[turn % whole.len()]);
            black_box(result.is_ok());
        }),
        Runner::new(|turn| {
            arena.reset();
            black_box(walked.evaluate(&whole_slots[turn % whole.len()], &arena).len());
        }),
        Runner::new(|turn| {
            for program in &programs {
                black_box(second.run(program, &given[turn % given.len()]).is_ok());
            }
        }),
        Runner::new(|turn| {
            other.reset();
            black_box(walked.attributes(&given_slots[turn % given.len()], &other).len());
        }),
        Runner::new(|turn| {
            black_box(third.run_rules(&rules, &given[turn % given.len()]).is_ok());
        }),
        Runner::new(|turn| {
            let (special, rest) = &specialized[turn % specialized.len()];
            black_box(special.evaluate(&mut fourth, rest).is_ok());
        }),
    ];
    let mut reference = reference.as_mut().map(|reference| Runner::timed(|| reference.batch()));
    for _ in 0..rounds {
        contenders.iter_mut().chain(&mut reference).for_each(Runner::batch);
    }
    let [whole, whole_walked, one_by_one, walked, as_rules, special] = &mut contenders;
    let all = format!("{name}: whole file, tree-walker");
    line(&all, whole, whole_walked);
    if let Some(reference) = &mut reference {
        line(&format!("{name}: whole file, reference in Go"), whole, reference);
    }
    if !known.is_empty() {
        line(&format!("{name}: {} known, whole file", known.join(" and ")), special, whole);
    }
    line(&format!("{name}: {} attributes, one by one", programs.len()), one_by_one, walked);
    line(&format!("{name}: {} attributes, as a rule set", programs.len()), as_rules, walked);
    Ok(())
}

fn line(what: &str, ours: &mut Runner<'_>, walked: &mut Runner<'_>) {
    let (ours, walked) = (ours.median(), walked.median());
    println!("{what:<44} {ours:>12.2} {walked:>12.2}  {:.1} times", walked / ours);
}

/// Returns the programs of all attributes except those of `locals` and `dynamic` blocks, those of a body
/// before those of its blocks.
fn programs(body: Body<'_>, is_file: bool) -> Result<Vec<Program>, Error> {
    let mut programs: Vec<Program> = body.attributes().map(|at| at.program()).collect::<Result<_, _>>()?;
    for block in body.blocks() {
        if block.kind() != "dynamic" && !(is_file && block.kind() == "locals") {
            programs.extend(self::programs(block.body(), false)?);
        }
    }
    Ok(programs)
}

/// Returns the scopes without unknown values, because `walked` does not support others.
fn known_scopes(module: &Module, texts: &str) -> Result<Vec<Scope>, Failure> {
    let all: Vec<Map<String, Tree>> = serde_json::from_str(texts)?;
    let mut scopes = Vec::new();
    for mut variables in all {
        variables.remove("$name");
        let text = serde_json::to_string(&variables)?;
        if !text.contains("\"$unknown\"") {
            let mut scope = module.scope();
            scope.set_all_json(text.as_bytes())?;
            scopes.push(scope);
        }
    }
    Ok(scopes)
}

/// Returns the values of all attributes, those of a body before those of its blocks.
fn flat<'s>(body: BodyValues<'s>) -> Vec<Value<'s>> {
    let mut values: Vec<Value<'s>> = body.attributes().map(|(_, value)| value).collect();
    for block in body.blocks() {
        values.extend(flat(block.body()));
    }
    values
}

fn shown(values: &[Value<'_>]) -> Result<Vec<String>, Failure> {
    values.iter().map(|value| Ok(serde_json::to_string(&Json(*value))?)).collect()
}
