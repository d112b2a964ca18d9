//! Measures native runs of an expression: native RULE (NAME JSON)... prints the nanoseconds of a run whose scope stays, and
//! of one that reads the values from JSON before it.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hclvm::{Engine, Layout};

/// The rounds, of which the shortest counts, and how long each takes.
const ROUNDS: usize = 15;
const ROUND: Duration = Duration::from_millis(40);

#[expect(clippy::print_stdout, reason = "the output of the program")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (rule, values) = arguments.split_first().ok_or("there is no rule")?;
    let engine = Engine::new();
    let layout = engine.compile(rule, &Arc::<Layout>::default())?.own_layout();
    let program = engine.compile(rule, &layout)?;
    let mut scope = engine.projection([&program])?.scope();
    let mut session = engine.session();
    let values: Vec<(&String, &String)> = values.chunks_exact(2).map(|pair| (&pair[0], &pair[1])).collect();
    let values: Vec<_> = values.into_iter().filter(|(name, _)| scope.has(name)).collect();
    for (name, json) in &values {
        scope.set_json(name, json.as_str())?;
    }
    session.run(&program, &scope)?;
    let run = nanoseconds(|| session.run(&program, &scope).is_ok());
    let with_json = nanoseconds(|| {
        let set = values.iter().all(|(name, json)| scope.set_json(name, json.as_str()).is_ok());
        set && session.run(&program, &scope).is_ok()
    });
    println!("{run:.1} {with_json:.1}");
    Ok(())
}

fn nanoseconds(mut call: impl FnMut() -> bool) -> f64 {
    let mut count: u32 = 1;
    let mut time = |count| {
        let start = Instant::now();
        for _ in 0..count {
            assert!(std::hint::black_box(call()), "the run failed");
        }
        start.elapsed()
    };
    while time(count) < ROUND {
        count *= 2;
    }
    let shortest = (0..ROUNDS).map(|_| time(count)).min().unwrap_or_default();
    shortest.as_secs_f64() * 1e9 / f64::from(count)
}
