//! Rule sets: one entry, many results. A linked stream of rules runs on the fast tier; rules that fall back
//! run on the baseline tier one by one.

use super::fast::{FastMachine, run_rules as run_stream};
use super::{Frame, try_fast};
use crate::code::fast::Fast;
use crate::code::link::Linked;
use crate::memory::arena::Arena;
use crate::value::Value;

/// Runs the rules of streams in order. `baseline` computes a rule that falls back, by its number; `alone`
/// returns the fast code of a rule by itself. All rules share the budget of `arena`.
///
/// # Errors
/// The number of the rule in which the budget was exhausted.
pub fn run_rules<'a>(
    streams: &'a [Linked],
    frame: Frame<'_, 'a>,
    arena: &'a Arena,
    alone: impl Fn(usize) -> Option<&'a Fast>,
    mut baseline: impl FnMut(usize) -> Value<'a>,
) -> Result<&'a [Value<'a>], usize> {
    let count = streams.iter().map(Linked::len).sum();
    let mut values = arena.list_with(count);
    values.resize(count, Value::NULL);
    let values = values.into_bump_slice_mut();
    let mut first = 0;
    for stream in streams {
        let Some(results) = values.get_mut(first..first + stream.len()) else { break };
        let done = if frame.is_plain(&stream.fast) {
            run_linked(stream, frame, arena, results, |rule| baseline(first + rule))
        } else {
            // A variable that some of the rules read is missing or marked; the others run on the fast tier
            // one by one.
            let one = |rule| {
                let value = alone(first + rule).and_then(|fast| try_fast(fast, frame, arena));
                value.unwrap_or_else(|| baseline(first + rule))
            };
            run_each(arena, results, one)
        };
        if arena.budget().exhausted().is_some() {
            return Err(first + done.min(stream.len() - 1));
        }
        first += stream.len();
    }
    Ok(values)
}

/// Runs one stream until the budget is exhausted. Returns the number of results.
fn run_linked<'a>(
    stream: &'a Linked,
    frame: Frame<'_, 'a>,
    arena: &'a Arena,
    results: &mut [Value<'a>],
    mut baseline: impl FnMut(usize) -> Value<'a>,
) -> usize {
    let count = results.len();
    let mut rest = results.iter_mut();
    let mut text = arena.take_scratch();
    let mut machine = FastMachine::new(&stream.fast, arena, &mut text);
    arena.charge(stream.cost());
    // All rules at first. After a fallback, the rest runs in the copy in which no rule depends on another.
    let mut from = Some(0);
    while let Some(start) = from
        && run_stream(&mut machine, frame.values(), start, &mut rest).is_none()
        && arena.budget().exhausted().is_none()
    {
        // The first rule without a result fell back.
        let rule = count - rest.len();
        let Some(result) = rest.next() else { break };
        *result = baseline(rule);
        from = stream.start(rule + 1);
    }
    arena.keep_scratch(text);
    count - rest.len()
}

/// Runs rules one by one until the budget is exhausted. Returns the number of results.
fn run_each<'a>(arena: &Arena, results: &mut [Value<'a>], mut one: impl FnMut(usize) -> Value<'a>) -> usize {
    for (rule, result) in results.iter_mut().enumerate() {
        if arena.budget().exhausted().is_some() {
            return rule;
        }
        *result = one(rule);
    }
    results.len()
}
