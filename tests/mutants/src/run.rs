//! Runs the tests that reach a mutant, with that mutant active.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::compile::Program;
use crate::process::{self, Outcome};
use crate::reach::Reach;

/// The result of running a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A test failed, or took too long. It is named.
    Killed(String),
    /// All tests passed that reach it.
    Survived,
    /// No test reaches it.
    NotReached,
}

impl Verdict {
    /// True if a test noticed the mutant.
    pub const fn is_killed(&self) -> bool {
        matches!(self, Self::Killed(_))
    }
}

/// Tests below this time share a process, because starting one would cost more than the tests.
const SHORT: Duration = Duration::from_millis(50);

/// Tests of one program that run in one process.
struct Batch<'r> {
    program: usize,
    tests: Vec<&'r str>,
    time: Duration,
}

/// Runs the tests that reach a mutant, fastest first, until one fails.
pub fn judge(
    id: u32,
    programs: &[Program],
    reach: &Reach,
    megabytes: u64,
) -> Result<(Verdict, Duration), String> {
    let begin = Instant::now();
    let Some(tests) = reach.by_mutant.get(&id) else { return Ok((Verdict::NotReached, begin.elapsed())) };
    for batch in batches(tests, reach) {
        let program = programs.get(batch.program).ok_or("no such program")?;
        // Ten times what it takes, and a reserve for a machine that does something else as well.
        let limit = batch.time * 10 + Duration::from_secs(5);
        let environment = ("MUTANT", &*id.to_string());
        let (outcome, _) = process::run(program, &batch.tests, environment, limit, megabytes)?;
        let by = match outcome {
            Outcome::Passed => continue,
            Outcome::Failed(test) if test.is_empty() => format!("{} (crash)", program.name),
            Outcome::Failed(test) => format!("{}::{test}", program.name),
            Outcome::TimedOut => format!("{} (timeout)", program.name),
        };
        return Ok((Verdict::Killed(by), begin.elapsed()));
    }
    Ok((Verdict::Survived, begin.elapsed()))
}

/// Groups tests by processes, fastest first. Short tests of a program share one.
fn batches<'r>(tests: &[usize], reach: &'r Reach) -> Vec<Batch<'r>> {
    let mut short: BTreeMap<usize, Batch<'r>> = BTreeMap::new();
    let mut batches = Vec::new();
    for test in tests.iter().filter_map(|index| reach.tests.get(*index)) {
        let several = reach.takes_several.get(test.program).is_some_and(|several| *several);
        if several && test.time < SHORT {
            let empty = || Batch { program: test.program, tests: Vec::new(), time: Duration::ZERO };
            let batch = short.entry(test.program).or_insert_with(empty);
            batch.tests.push(&test.name);
            batch.time += test.time;
        } else {
            batches.push(Batch { program: test.program, tests: vec![&test.name], time: test.time });
        }
    }
    batches.extend(short.into_values());
    batches.sort_by_key(|batch| batch.time);
    batches
}
