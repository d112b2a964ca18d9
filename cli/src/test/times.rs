//! `hclvm test --bench`: how long the evaluation of a case takes. Against another evaluator, and with a warning about a
//! noisy machine, files are measured by `hclvm bench`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::case::Case;
use crate::attribute_path::PathArgument;

/// The number of rounds of which the median counts, and the least time of each: a tenth of a second for a case.
const ROUNDS: usize = 21;
const ROUND: Duration = Duration::from_millis(5);

/// Returns the nanoseconds of one evaluation, in the median of some rounds; `None` for a case that only decides. The file is compiled and the variables are
/// set beforehand.
pub(super) fn nanoseconds(case: &Case) -> Option<u128> {
    let (subject, variables) = case.setting.as_ref().ok()?;
    if case.expected.is_empty() && case.decision.is_some() {
        return None;
    }
    let paths = case.expected.iter().filter_map(|(path, _)| path.parse::<PathArgument>().ok());
    let wanted: Vec<_> = paths.map(|path| subject.selection(&path)).collect();
    let is_whole = !case.errors.is_empty();
    let mut prepared = subject.prepare(variables, (!is_whole).then_some(&wanted)).ok()?;
    let mut round = |evaluations: u32| {
        let start = Instant::now();
        for _ in 0..evaluations {
            black_box(prepared.evaluate());
        }
        start.elapsed()
    };
    // The first one compiles what is compiled on demand.
    round(1);
    let mut evaluations = 1_u32;
    while round(evaluations) < ROUND && evaluations < u32::MAX / 2 {
        evaluations *= 2;
    }
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| round(evaluations)).collect();
    times.sort_unstable();
    Some(times[ROUNDS / 2].as_nanos() / u128::from(evaluations))
}
