//! What logging adds to decisions, in four threads that decide as servers do, one request after another with pauses:
//! the times of decisions with and without a log, in turns, and whether a line was lost or torn.
//!
//! `cargo bench -p hclvm-decision-log -- [SECONDS]`

#![expect(clippy::print_stdout, reason = "the results of a benchmark")]

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::thread;
use std::time::{Duration, Instant};

use hclvm::Engine;
use hclvm::policy::PolicySpec;
use hclvm_decision_log::{DecisionLog, JsonLines, Origin};

const POLICY: &str = include_str!("../../examples/authz/authz.hcl");

const THREADS: usize = 4;

/// The time between two decisions of a thread.
const PAUSE: Duration = Duration::from_micros(200);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(8_u64);
    let path = std::env::temp_dir().join(format!("hclvm-decisions-{}.log", std::process::id()));
    let (mut plain, mut logged, mut lines) = (Vec::new(), Vec::new(), 0);
    // In turns, so that both see the machine in the same state.
    for _ in 0..8 {
        let time = Duration::from_secs(seconds) / 16;
        plain.extend(decide(None, time)?);
        let log = DecisionLog::builder().mask("user.id").start(JsonLines::new(File::create(&path)?))?;
        let times = decide(Some(&log), time)?;
        let summary = log.close();
        assert_eq!((summary.dropped, summary.failed), (0, 0));
        for line in BufReader::new(File::open(&path)?).lines() {
            let line: serde_json::Value = serde_json::from_str(&line?)?;
            assert!(line["inputs"].is_object(), "{line}");
            lines += 1;
        }
        logged.extend(times);
    }
    std::fs::remove_file(&path)?;
    assert_eq!(lines, logged.len());
    for (name, times) in [("without", &mut plain), ("with a log", &mut logged)] {
        times.sort_unstable();
        let at = |part: usize| times[(times.len() * part / 1000).min(times.len() - 1)];
        println!("{name}: {} decisions, p50 {} ns, p99 {} ns", times.len(), at(500), at(990));
    }
    println!("{lines} lines, none lost and none torn");
    Ok(())
}

/// Decides in several threads for a time and returns how long each decision took, with logging it.
fn decide(log: Option<&DecisionLog>, time: Duration) -> Result<Vec<u64>, hclvm::Error> {
    let engine =
        Engine::builder().dialect(hclvm::Dialect::packer(&hclvm::functions::Capabilities::none())).build();
    let module = engine.parse("authz.hcl", POLICY)?.module()?;
    let policy = module.policy(&PolicySpec::default())?;
    let scopes: serde_json::Value = serde_json::from_str(include_str!("../../examples/authz/scopes.json"))
        .map_err(|error| hclvm::Error::host(error.to_string()))?;
    let mut scope = module.scope();
    for (name, value) in scopes[0].as_object().into_iter().flatten() {
        if scope.layout().slot(name).is_some() {
            scope.set(name, value)?;
        }
    }
    let run = || {
        let (mut session, mut scope) = (engine.session(), scope.fork());
        let (mut times, begun, mut number) = (Vec::new(), Instant::now(), 0_u64);
        while begun.elapsed() < time {
            number += 1;
            scope.set("request", &serde_json::json!({"method": "GET", "path": format!("/api/acme/{number}"), "ip": "10.1.2.3"}))?;
            let started = Instant::now();
            let decision = policy.decide(&mut session, &scope)?;
            if let Some(log) = log {
                log.record(&decision, &scope, &Origin::default(), started.elapsed());
            }
            black_box(decision.effect());
            times.push(u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX));
            drop(decision);
            thread::sleep(PAUSE);
        }
        Ok::<_, hclvm::Error>(times)
    };
    thread::scope(|threads| {
        let running: Vec<_> = (0..THREADS).map(|_| threads.spawn(run)).collect();
        let mut all = Vec::new();
        for thread in running {
            all.extend(thread.join().expect("no panics")?);
        }
        Ok(all)
    })
}
