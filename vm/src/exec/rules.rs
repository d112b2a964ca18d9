//! Rules: one entry, many results. A linked stream of rules runs on the fast tier; rules that fall back run
//! on the baseline tier one by one.
//!
//! ```text
//! values   scope's slots │ derived slots │ other results
//!                          the results of rules
//! ```
//! A derived slot is a result that other rules read as a slot, such as a local value of a module.

use super::fast::{FastMachine, run_rules as run_stream};
use super::readable::is_readable;
use super::{Frame, try_fast};
use crate::code::fast::Fast;
use crate::code::link::Linked;
use crate::memory::arena::Arena;
use crate::value::Value;

/// The values of a run: those of the slots, then the results of rules, null until they are computed.
#[derive(Debug)]
pub struct RunValues<'a> {
    values: &'a mut [Value<'a>],
    /// The bits of the slots that the fast tier cannot read; see [`Frame`].
    blocked: u64,
}

impl<'a> RunValues<'a> {
    /// Creates the values of a run: those of the first `slots` slots of a scope, then `results` nulls.
    pub fn new(arena: &'a Arena, frame: Frame<'_, 'a>, slots: usize, results: usize) -> Self {
        let mut values = arena.list_with(slots + results);
        values.extend_from_slice_copy(frame.values().get(..slots).unwrap_or(frame.values()));
        values.resize(slots + results, Value::NULL);
        Self { values: values.into_bump_slice_mut(), blocked: frame.blocked_among(slots) }
    }

    /// Creates the values of a run that continues from results of another one: those of the first `slots`
    /// slots of a scope, then `results`, then `more` nulls.
    pub fn resume(
        arena: &'a Arena,
        frame: Frame<'_, 'a>,
        slots: usize,
        results: &[Value<'a>],
        more: usize,
    ) -> Self {
        let mut values = arena.list_with(slots + results.len() + more);
        values.extend_from_slice_copy(frame.values().get(..slots).unwrap_or(frame.values()));
        values.resize(slots, Value::UNSET);
        values.extend_from_slice_copy(results);
        values.resize(slots + results.len() + more, Value::NULL);
        let shared = results.iter().enumerate().take_while(|(at, _)| slots + at < 63);
        let blocked = shared.fold(frame.blocked_among(slots), |blocked, (at, value)| {
            Frame::with_value(blocked, slots + at, *value)
        });
        Self { values: values.into_bump_slice_mut(), blocked }
    }

    /// Returns all values.
    pub fn all(&self) -> &[Value<'a>] {
        self.values
    }

    /// Returns all values for as long as the arena has them.
    pub fn into_all(self) -> &'a [Value<'a>] {
        self.values
    }

    /// Replaces a value. Does nothing if there is no such position.
    pub fn set(&mut self, position: usize, value: Value<'a>) {
        if let Some(cell) = self.values.get_mut(position) {
            self.blocked = Frame::with_value(self.blocked, position, value);
            *cell = value;
        }
    }

    /// Returns the values as programs see them.
    pub fn frame(&self) -> Frame<'_, 'a> {
        Frame::of_parts(self.values, self.blocked)
    }
}

/// Runs the rules of streams in order. `baseline` computes a rule that falls back, by its number, and may set
/// values before; `alone` returns the fast code of a rule by itself. All rules share the budget of `arena`.
///
/// # Errors
/// The number of the rule in which the budget was exhausted.
pub fn run_rules<'a>(
    streams: &'a [Linked],
    values: &mut RunValues<'a>,
    arena: &'a Arena,
    alone: impl Fn(usize) -> Option<&'a Fast>,
    mut baseline: impl FnMut(usize, &mut RunValues<'a>) -> Value<'a>,
) -> Result<(), usize> {
    let mut first = 0;
    for stream in streams {
        let mut done = 0;
        if is_readable(&stream.fast, values.frame()) {
            done = run_linked(stream, values, arena, |rule, values| baseline(first + rule, values));
        }
        if arena.budget().exhausted().is_none() {
            // A value that some of the rules read is missing or marked, from the start or since one of them
            // fell back; the others run on the fast tier one by one.
            let one = |rule, values: &mut RunValues<'a>| {
                let value = alone(first + rule).and_then(|fast| try_fast(fast, values.frame(), arena));
                value.unwrap_or_else(|| baseline(first + rule, values))
            };
            done = run_each(stream, done, arena, values, one);
        }
        if arena.budget().exhausted().is_some() {
            return Err(first + done.min(stream.len() - 1));
        }
        first += stream.len();
    }
    Ok(())
}

/// Runs one stream until the budget is exhausted, or until a result is marked that other rules read. Returns
/// the number of results.
fn run_linked<'a>(
    stream: &'a Linked,
    values: &mut RunValues<'a>,
    arena: &'a Arena,
    mut baseline: impl FnMut(usize, &mut RunValues<'a>) -> Value<'a>,
) -> usize {
    let mut text = arena.take_scratch();
    let mut machine = FastMachine::new(&stream.fast, arena, &mut text);
    arena.charge(stream.cost());
    // The position of the next result.
    let mut next = stream.position(0).unwrap_or(0);
    // All rules at first. After a fallback, the rest runs in the copy in which no rule depends on another.
    let mut from = Some(0);
    arena.settle();
    while let Some(start) = from
        && run_stream(&mut machine, values.values, start, &mut next).is_none()
    {
        // The baseline tier spends again what the rule spent before it fell back.
        machine.give_back(values.values.len() - next);
        if arena.budget().exhausted().is_some() {
            break;
        }
        arena.forgive();
        // The first rule without a result fell back.
        let rule = stream.rule_at(next);
        let Some(position) = stream.position(rule) else { break };
        arena.budget().restore(arena.budget().mark() + stream.cost_of(rule));
        let value = baseline(rule, values);
        values.set(position, value);
        arena.settle();
        next = position + 1;
        // Instructions do not look for marks of slots: those are known before they run.
        let is_plain = !value.is_unset_or_marked() || is_readable(&stream.fast, values.frame());
        from = stream.start(rule + 1).filter(|_| is_plain);
    }
    arena.keep_scratch(text);
    stream.rule_at(next)
}

/// Runs rules one by one, from the rule `first` until the budget is exhausted. Returns the number of results.
fn run_each<'a>(
    stream: &Linked,
    first: usize,
    arena: &Arena,
    values: &mut RunValues<'a>,
    mut one: impl FnMut(usize, &mut RunValues<'a>) -> Value<'a>,
) -> usize {
    for rule in first..stream.len() {
        if arena.budget().exhausted().is_some() {
            return rule;
        }
        let value = one(rule, values);
        if let Some(position) = stream.position(rule) {
            values.set(position, value);
        }
    }
    stream.len()
}
