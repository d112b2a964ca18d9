//! Marks inside of variables that fast code does not read, so that it may run as if they were not there.
//!
//! Code reads parts of variables by their names, which it lists, and elements of sequences in loops. What is marked under
//! other names is not read, whichever instructions are executed. Instructions that compute with values, as comparisons
//! do, may read all parts of a value, so that nothing under the code's names may contain marks then.

use crate::code::facts::Reads;
use crate::code::fast::{Fast, FastOp, FastReg, RegClass};
use crate::code::{Callee, Operand};
use crate::exec::Frame;
use crate::types::Type;
use crate::value::{Entry, Value, View};

/// The most parts of variables that are looked at, so that it costs less than a run on the baseline tier, which may read
/// few of them.
const MOST_PARTS: usize = 1_000;

/// Returns true if no mark inside of a variable is on a value that the code reads. Marks of variables themselves do not
/// count.
// Out of line: few variables have marks inside.
#[inline(never)]
pub(super) fn are_unread(fast: &Fast, frame: Frame<'_, '_>) -> bool {
    if !fast.is_whole() {
        return false;
    }
    let all_unread = |computes| {
        let mut left = MOST_PARTS;
        fast.slots.iter().all(|slot| {
            let unread = |value: Value<'_>| value.is_marked() || is_unread(fast, value, computes, &mut left);
            frame.get(*slot).is_some_and(unread)
        })
    };
    if all_unread(true) {
        let marked = slots_with_marks(fast, frame);
        return fast.names_what_it_reads_of(marked, || names_what_it_reads(fast, frame));
    }
    fast.ops.iter().all(|op| op.facts().passes()) && all_unread(false)
}

/// Returns the slots whose values contain marks, by their positions in the code's list; 0 if there are too many slots.
fn slots_with_marks(fast: &Fast, frame: Frame<'_, '_>) -> u64 {
    if fast.slots.len() > 64 {
        return 0;
    }
    fast.slots.iter().enumerate().fold(0, |marked, (at, slot)| {
        marked | u64::from(frame.get(*slot).is_none_or(Value::contains_marks)) << at
    })
}

/// Returns true if no instruction may read parts that have no name: elements at a position, all parts of a variable
/// that contains marks or of an element, or parts of a value that the code itself makes.
fn names_what_it_reads(fast: &Fast, frame: Frame<'_, '_>) -> bool {
    let contains_marks = |reg: FastReg| match fast.class(reg) {
        RegClass::Slot(at) => {
            fast.slots.get(at).and_then(|slot| frame.get(*slot)).is_none_or(Value::contains_marks)
        }
        RegClass::Temporary(_) => false,
    };
    let (mut elements, mut made) = (Registers::default(), Registers::default());
    fast.all_parts(|op| {
        let reads = op.facts().reads;
        let by_name = op.facts().passes();
        let may_read = |reg: FastReg| match reads {
            Reads::Moves | Reads::Makes => true,
            Reads::Selects => !made.contains(reg),
            _ => !made.contains(reg) && !elements.contains(reg) && !contains_marks(reg),
        };
        let mut named =
            by_name || reads == Reads::Computes || reads == Reads::Calls && is_known_call(fast, op);
        op.operands(|_, operand| {
            if let Operand::In(reg) | Operand::InOut(reg) = operand {
                named = named && may_read(reg);
            }
        });
        if let Some((FastReg(base), count)) = op.window(&fast.shapes) {
            named = named && (base..=u8::MAX).take(count).all(|reg| may_read(FastReg(reg)));
        }
        if let Some(written) = op.written() {
            if matches!(op, FastOp::LoopNext { .. }) {
                elements.insert(written);
            } else if reads == Reads::Makes || matches!(op, FastOp::Map { .. }) {
                made.insert(written);
            }
        }
        named
    })
}

/// A set of registers.
#[derive(Default)]
struct Registers([u64; 4]);

impl Registers {
    fn insert(&mut self, FastReg(reg): FastReg) {
        self.0[usize::from(reg / 64)] |= 1 << (reg % 64);
    }

    fn contains(&self, FastReg(reg): FastReg) -> bool {
        self.0[usize::from(reg / 64)] >> (reg % 64) & 1 == 1
    }
}

/// Returns true if all parameters of a function are primitives.
fn has_primitive_parameters(fast: &Fast, f: Callee) -> bool {
    fast.functions.get(usize::from(f.0)).is_some_and(|function| {
        let mut parameters = function.parameters.iter().chain(&function.variadic);
        parameters.all(|each| matches!(each.ty, Type::Bool | Type::Number | Type::String))
    })
}

/// Returns true for calls of functions of one primitive, and for searches, which fall back if their second argument is not a
/// primitive.
fn is_known_call(fast: &Fast, op: &FastOp) -> bool {
    match op {
        FastOp::Call { f, count: 1, .. } => has_primitive_parameters(fast, *f),
        FastOp::Call { f, count: 2, .. } => {
            fast.functions.get(usize::from(f.0)).is_some_and(|function| function.searches)
        }
        _ => false,
    }
}

/// Returns true if no part of a value that is not marked itself is marked where the code reads it. If it `computes`, no
/// value under its names may contain marks. `left` is the number of parts that may still be looked at.
fn is_unread(fast: &Fast, value: Value<'_>, computes: bool, left: &mut usize) -> bool {
    if !value.contains_marks() {
        return true;
    }
    let mut spend = |parts: usize| {
        *left = left.saturating_sub(parts);
        *left > 0
    };
    match value.view() {
        View::Tuple(items) | View::List(items, _) => {
            spend(items.len())
                && items.iter().all(|item| !item.is_marked() && is_unread(fast, *item, computes, left))
        }
        View::Object(entries) | View::Map(entries, _) => {
            spend(entries.len())
                && entries.iter().all(|entry| {
                    let part = entry.value;
                    !part.contains_marks()
                        || !is_name(fast, entry)
                        || !computes && !part.is_marked() && is_unread(fast, part, computes, left)
                })
        }
        _ => false,
    }
}

/// Returns true if the code has the name of an entry.
fn is_name(fast: &Fast, entry: &Entry<'_>) -> bool {
    fast.names.iter().any(|(_, name)| name.as_str() == entry.name)
}
