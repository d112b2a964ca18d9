//! Runs a [decision](crate::code::decision) with the scope's values where they are.
//!
//! There are two copies of the loop. The first one calls no function, so that a run saves and restores next to no
//! machine registers; where a step needs one, the second copy takes over at that step. What is not plain, and
//! attributes that an object does not have, end the run: the interpreter's loop starts over.

use super::attribute::{attribute_of_path, searched};
use crate::code::decision::{Answer, Step, Target};
use crate::code::fast::{Fast, Scaled};
use crate::code::{Callee, Const};
use crate::memory::arena::Arena;
use crate::value::Value;

/// Returns the result of a decision that reads no values of a scope but the first `N`; `None` if the interpreter's loop
/// has to run. The fuel that it spent is not given back.
// Inlined into the function of its entry, its only caller.
#[inline(always)]
pub(super) fn decide<'a, const N: usize>(
    fast: &'a Fast,
    steps: &'a [Step],
    values: &[Value<'a>; N],
    arena: &'a Arena,
) -> Option<Value<'a>> {
    run::<N, false>(fast, steps, values, arena)
}

/// Continues a decision with its last steps, of which the first one calls a function.
// Never inlined: the first copy of the loop must not contain calls but those that end it.
#[inline(never)]
fn continued<'a, const N: usize>(
    fast: &'a Fast,
    steps: &'a [Step],
    values: &[Value<'a>; N],
    arena: &'a Arena,
) -> Option<Value<'a>> {
    run::<N, true>(fast, steps, values, arena)
}

/// Runs the last steps of a decision; they may call functions if `CALLS`.
// Inlined into its two callers, each of which is a function of its own.
#[inline(always)]
fn run<'a, const N: usize, const CALLS: bool>(
    fast: &'a Fast,
    mut steps: &'a [Step],
    values: &[Value<'a>; N],
    arena: &'a Arena,
) -> Option<Value<'a>> {
    // Unwraps what is found without a call, or computes it with one.
    macro_rules! found {
        ($quickly:expr, $otherwise:expr) => {
            match $quickly {
                Some(value) => value,
                None if CALLS => $otherwise?,
                None => return continued(fast, steps, values, arena),
            }
        };
    }
    macro_rules! attribute {
        ($path:expr) => {{
            let (value, path) = (value(values, $path.variable), $path);
            found!(attribute_of_path(value, path), searched(fast, value, path))
        }};
    }
    macro_rules! equals {
        ($value:expr, $k:expr, $head:expr) => {{
            let value = $value;
            match value.begins_with_head(*$head)? {
                true if !$head.is_whole() => {
                    let text = constant(fast, *$k)?;
                    found!(value.equals_word(text), value.equals_short_text(text))
                }
                equal => equal,
            }
        }};
    }
    // Continues with the target, or with the step behind this one. A copy for each step: one place for all would take
    // the outcome from a register.
    macro_rules! jump_if {
        ($jumps:expr, $to:expr) => {
            if $jumps {
                let Some(target) = steps.get($to.distance()..) else { return result(fast, *$to) };
                steps = target;
            } else {
                steps = steps.get(1..)?;
            }
        };
    }
    loop {
        let step = steps.first()?;
        match step {
            Step::AttributeText { path, when, to, k, head } => {
                jump_if!(equals!(attribute!(path), k, head) == *when, to);
            }
            Step::Attribute { path, when, to } => jump_if!(attribute!(path).as_bool()? == *when, to),
            Step::AttributeInt { path, op, to, i } => {
                jump_if!(op.holds_for(&attribute!(path).as_any_int()?, &i64::from(*i)), to);
            }
            Step::Variable { variable, when, to } => {
                jump_if!(value(values, *variable).as_bool()? == *when, to);
            }
            Step::VariableText { variable, when, to, k, head } => {
                jump_if!(equals!(value(values, *variable), k, head) == *when, to);
            }
            Step::VariableInt { variable, op, to, i } => {
                jump_if!(op.holds_for(&value(values, *variable).as_any_int()?, &i64::from(*i)), to);
            }
            Step::Contains { f, paths: [list, text], when, to } => {
                let (list, text) = (attribute!(list), attribute!(text));
                let found = found!(contains(arena, list, text), call(fast, arena, *f, &[list, text]));
                jump_if!(found == *when, to);
            }
            Step::CallAttributes { f, paths: [path, other], when, to } => {
                let found = found!(None, call(fast, arena, *f, &[attribute!(path), attribute!(other)]));
                jump_if!(found == *when, to);
            }
            Step::CallConstant { f, path, k, when, to } => {
                let found = found!(None, call(fast, arena, *f, &[attribute!(path), constant(fast, *k)?]));
                jump_if!(found == *when, to);
            }
            Step::Jump { to } => jump_if!(true, to),
        }
    }
}

/// Returns the result that a target is. Inlined into the ends of a run: a few instructions.
#[inline(always)]
fn result(fast: &Fast, target: Target) -> Option<Value<'_>> {
    match target.result() {
        Answer::Bool(truth) => Some(Value::bool(truth)),
        Answer::Constant(at) => fast.constants.values().get(at).copied(),
    }
}

/// Returns a variable. Inlined: a load.
#[inline(always)]
fn value<'a, const N: usize>(values: &[Value<'a>; N], variable: Scaled) -> Value<'a> {
    values[variable.index::<N, true>()]
}

/// Returns a constant. Inlined: a load behind a bounds check.
#[inline(always)]
fn constant(fast: &Fast, k: Const) -> Option<Value<'_>> {
    fast.constants.values().get(k.0 as usize).copied()
}

/// Searches a tuple of primitives for a text of at most 16 bytes, as the function does. Inlined: the loop must not call.
#[inline(always)]
fn contains(arena: &Arena, list: Value<'_>, text: Value<'_>) -> Option<bool> {
    let items = list.as_tuple()?;
    let found = text.word_is_among_primitives(items)?;
    arena.budget().charge_at_hand(items.len() as u64).then_some(found)
}

/// Calls a function, by its inline body.
// Never inlined: two steps call it.
#[inline(never)]
fn call<'a>(fast: &'a Fast, arena: &'a Arena, f: Callee, args: &[Value<'a>; 2]) -> Option<bool> {
    let body = fast.functions.get(usize::from(f.0))?.inline?;
    body(arena, args)?.as_bool()
}
