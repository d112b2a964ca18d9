//! Running rule sets: one entry, many results.

use super::Frame;
use super::fast::{FastMachine, run_rules as run_stream};
use super::try_fast;
use crate::arena::{Arena, ArenaVec};
use crate::code::fast::Fast;
use crate::code::link::Linked;
use crate::value::Value;

/// Runs the rules of streams in order. What a stream bails out of, `full` computes, given the
/// number of the rule. `alone` is the fast body of a rule by itself. The budget of `arena` is
/// that of all rules together.
///
/// # Errors
/// The number of the rule in which the budget was exhausted.
pub fn run_rules<'a>(
    streams: &'a [Linked],
    frame: Frame<'_, 'a>,
    arena: &'a Arena,
    alone: impl Fn(usize) -> Option<&'a Fast>,
    mut full: impl FnMut(usize) -> Value<'a>,
) -> Result<&'a [Value<'a>], usize> {
    let count = streams.iter().map(Linked::len).sum();
    let mut results = arena.list_with(count);
    for stream in streams {
        let end = results.len() + stream.len();
        if frame.is_plain(&stream.fast) {
            results = run_linked(stream, frame, arena, results, &mut full);
        } else {
            // A variable that some of the rules read is missing or marked: the others are quick
            // by themselves.
            while results.len() < end && arena.budget().exhausted().is_none() {
                let rule = results.len();
                let quick = alone(rule).and_then(|fast| try_fast(fast, frame, arena));
                results.push(quick.unwrap_or_else(|| full(rule)));
            }
        }
        if arena.budget().exhausted().is_some() {
            return Err(results.len().min(end - 1));
        }
    }
    Ok(results.into_bump_slice())
}

/// Runs one stream; ends early when the budget is exhausted.
fn run_linked<'a>(
    stream: &'a Linked,
    frame: Frame<'_, 'a>,
    arena: &'a Arena,
    results: ArenaVec<'a, Value<'a>>,
    full: &mut impl FnMut(usize) -> Value<'a>,
) -> ArenaVec<'a, Value<'a>> {
    let first = results.len();
    let mut machine = FastMachine::new(&stream.fast, arena);
    machine.results = Some(results);
    arena.charge(stream.fast.ops.len() as u64);
    let mut from = stream.start(0);
    while let Some(start) = from
        && run_stream(&mut machine, frame, start).is_none()
        && arena.budget().exhausted().is_none()
        && let Some(results) = &mut machine.results
    {
        // The rule behind those that have a result bailed out.
        results.push(full(results.len()));
        from = stream.start(results.len() - first);
    }
    machine.results.unwrap_or_else(|| arena.list())
}
