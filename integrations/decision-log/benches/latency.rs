//! What logging adds to decisions, in four threads that decide as servers do, one request after another with pauses:
//! the times with and without a log in short turns, their ratios turn by turn, and whether a line was lost or torn.
//!
//! ```text
//! cargo bench -p hclvm-decision-log -- [SECONDS] [--values] [--explain | --explain-conditions]
//! cargo bench -p hclvm-decision-log -- --count DECISIONS [--log] [--values] [--explain | --explain-conditions]
//! ```
//! The JSON of a request is logged, with `--values` the values of the scope instead. `--count` decides in one thread,
//! for callgrind.
//!
//! A request is new values of all variables, read from JSON, the decision and its record: what sharing the memory of
//! the scope costs is in the values that are set next.

#![expect(clippy::print_stdout, reason = "the results of a benchmark")]

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use hclvm::policy::{Policy, PolicySpec};
use hclvm::{Engine, Scope, Session};
use hclvm_decision_log::{Builder, DecisionLog, Explain, Inputs, JsonLines, Origin};

const POLICY: &str = include_str!("../../../examples/authz/authz.hcl");
const SCOPES: &str = include_str!("../../../examples/authz/scopes.json");

const THREADS: usize = 4;

/// The time between two requests of a thread.
const PAUSE: Duration = Duration::from_micros(200);

/// The time of a turn: longer than the delay of the log, and short beside what else the machine does.
const TURN: Duration = Duration::from_millis(500);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = arguments.iter().find_map(|argument| argument.parse::<u32>().ok());
    let is_given = |name: &str| arguments.iter().any(|argument| argument == name);
    let explain = match (is_given("--explain"), is_given("--explain-conditions")) {
        (_, true) => Some(Explain::Conditions),
        (true, false) => Some(Explain::Branches),
        _ => None,
    };
    let subject = Subject::new(is_given("--values"), explain)?;
    if is_given("--count") {
        return subject.count(number.unwrap_or(1_000), is_given("--log"));
    }
    let seconds = Duration::from_secs(number.unwrap_or(16).into());
    let turns = (seconds.as_millis() / TURN.as_millis() / 2).max(1);
    let (mut plain, mut logged, mut ratios) = (Times::default(), Times::default(), Vec::new());
    let log = subject.log()?;
    for turn in 0..turns {
        // Which one is first alternates, so that neither sees the machine in a better state.
        let mut of_turn = [Times::default(), Times::default()];
        for at in if turn % 2 == 0 { [0, 1] } else { [1, 0] } {
            of_turn[at] = subject.decide((at == 1).then_some(&log))?;
        }
        let [without, with] = of_turn;
        ratios.push([50, 99].map(|part| ratio(&without.whole, &with.whole, part)));
        plain.extend(without);
        logged.extend(with);
    }
    let summary = log.close();
    assert_eq!((summary.dropped, summary.failed), (0, 0));
    let lines = subject.lines()?;
    assert_eq!(lines, logged.whole.len());
    println!("{turns} turns of {} ms with and without a log", TURN.as_millis());
    println!("{:22}{:>10}{:>12}{:>12}", "", "requests", "p50 ns", "p99 ns");
    for (name, without, with) in [
        ("decision", &mut plain.decision, &mut logged.decision),
        ("request", &mut plain.whole, &mut logged.whole),
    ] {
        without.sort_unstable();
        with.sort_unstable();
        for (label, times) in [("", &*without), (" with a log", &*with)] {
            let (p50, p99) = (at(times, 50), at(times, 99));
            println!("{:22}{:>10}{p50:>12}{p99:>12}", format!("{name}{label}"), times.len());
        }
        let (p50, p99) = (ratio(without, with, 50), ratio(without, with, 99));
        println!("{:22}{:>10}{p50:>12.3}{p99:>12.3}", "  ratio", "");
    }
    for (at, name) in ["p50", "p99"].into_iter().enumerate() {
        let mut ratios: Vec<f64> = ratios.iter().map(|ratio| ratio[at]).collect();
        ratios.sort_by(f64::total_cmp);
        let of = |part: usize| ratios[(ratios.len() * part / 100).min(ratios.len() - 1)];
        let (least, quarter, half, most) = (of(10), of(25), of(50), of(75));
        println!(
            "ratios of {name} by turn: 10% {least:.3}, 25% {quarter:.3}, median {half:.3}, 75% {most:.3}, 90% {:.3}",
            of(90)
        );
    }
    println!("{lines} lines, none lost and none torn");
    Ok(())
}

/// Returns the percentile of sorted times.
fn at(times: &[u64], percent: usize) -> u64 {
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

/// Returns the ratio of percentiles.
fn ratio(without: &[u64], with: &[u64], percent: usize) -> f64 {
    let percentile = |times: &[u64]| {
        let mut times = times.to_vec();
        times.sort_unstable();
        Duration::from_nanos(at(&times, percent)).as_secs_f64()
    };
    percentile(with) / percentile(without)
}

/// Times in nanoseconds: of decisions with their records, and of these with the request that is set.
#[derive(Default)]
struct Times {
    decision: Vec<u64>,
    whole: Vec<u64>,
}

impl Times {
    fn extend(&mut self, other: Self) {
        self.decision.extend(other.decision);
        self.whole.extend(other.whole);
    }
}

/// What decides.
struct Subject {
    engine: Engine,
    policy: Policy,
    scope: Scope,
    /// The values of all variables.
    request: String,
    origin: Origin,
    file: PathBuf,
    logs_values: bool,
    explain: Option<Explain>,
}

impl Subject {
    fn new(logs_values: bool, explain: Option<Explain>) -> Result<Self, Box<dyn std::error::Error>> {
        let capabilities = hclvm::functions::Capabilities::none();
        let engine = Engine::builder().dialect(hclvm::Dialect::packer(&capabilities)).build();
        let module = engine.parse("authz.hcl", POLICY)?.module()?;
        let policy = module.policy(&PolicySpec::default())?;
        let scopes: serde_json::Value = serde_json::from_str(SCOPES)?;
        let (scope, request) = (module.scope(), scopes[0].to_string());
        let file = std::env::temp_dir().join(format!("hclvm-decisions-{}.log", std::process::id()));
        Ok(Self {
            engine,
            policy,
            scope,
            request,
            origin: Origin { epoch: 1, document: "authz".into() },
            file,
            logs_values,
            explain,
        })
    }

    fn log(&self) -> std::io::Result<DecisionLog> {
        let builder = DecisionLog::builder().mask("user.id");
        let builder = self.explain.into_iter().fold(builder, Builder::explain);
        builder.start(JsonLines::new(File::create(&self.file)?))
    }

    /// Handles a request, and returns its times.
    fn request(
        &self,
        session: &mut Session,
        scope: &mut Scope,
        number: u64,
        log: Option<&DecisionLog>,
    ) -> Result<[Duration; 2], hclvm::Error> {
        let request = self.request.replace("/invoices/42", &format!("/invoices/{number}"));
        let begun = Instant::now();
        scope.set_all_json(&request)?;
        let started = Instant::now();
        let decision = self.policy.decide(session, scope)?;
        if let Some(log) = log {
            let inputs = if self.logs_values { Inputs::Scope(scope) } else { Inputs::Json(&request) };
            log.record(&decision, inputs, &self.origin, started.elapsed());
        }
        black_box(decision.effect());
        let ended = Instant::now();
        Ok([ended - started, ended - begun])
    }

    /// Decides in one thread without pauses.
    fn count(&self, decisions: u32, with_log: bool) -> Result<(), Box<dyn std::error::Error>> {
        let log = with_log.then(|| self.log()).transpose()?;
        let (mut session, mut scope) = (self.engine.session(), self.scope.fork());
        for number in 0..decisions {
            self.request(&mut session, &mut scope, number.into(), log.as_ref())?;
        }
        println!("{decisions} decisions, {:?}", log.map(DecisionLog::close));
        std::fs::remove_file(&self.file).or_else(|error| if with_log { Err(error) } else { Ok(()) })?;
        Ok(())
    }

    /// Returns the number of lines that were written, each of which is whole.
    fn lines(&self) -> Result<usize, Box<dyn std::error::Error>> {
        let (mut lines, mut omitted) = (0, 0);
        for line in BufReader::new(File::open(&self.file)?).lines() {
            let line: serde_json::Value = serde_json::from_str(&line?)?;
            assert!(line["inputs"].is_object(), "{line}");
            lines += 1;
            omitted += usize::from(line["why"].get("$omitted").is_some());
        }
        if self.explain.is_some() {
            println!("{omitted} of {lines} lines without an explanation");
        }
        std::fs::remove_file(&self.file)?;
        Ok(lines)
    }

    /// Decides in several threads for a turn.
    fn decide(&self, log: Option<&DecisionLog>) -> Result<Times, hclvm::Error> {
        let run = || {
            let (mut session, mut scope) = (self.engine.session(), self.scope.fork());
            let (mut times, begun, mut number) = (Times::default(), Instant::now(), 0_u64);
            while begun.elapsed() < TURN {
                number += 1;
                let taken = self.request(&mut session, &mut scope, number, log)?;
                let [decision, whole] = taken.map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
                times.decision.push(decision);
                times.whole.push(whole);
                thread::sleep(PAUSE);
            }
            Ok::<_, hclvm::Error>(times)
        };
        thread::scope(|threads| {
            let running: Vec<_> = (0..THREADS).map(|_| threads.spawn(run)).collect();
            let mut all = Times::default();
            for thread in running {
                all.extend(thread.join().expect("no panics")?);
            }
            Ok(all)
        })
    }
}
