//! Marks inside of variables that fast code does not read, so that it may run as if they were not there.
//!
//! Code reads parts of variables by their names, which it lists, and elements of sequences in loops. What is marked under
//! other names is not read, whichever instructions are executed. Instructions that compute with values, as comparisons
//! do, may read all parts of a value, so that nothing under the code's names may contain marks then.

use crate::code::Slot;
use crate::code::fast::Fast;
use crate::exec::Frame;
use crate::value::{Entry, Value, View};

/// The most parts of variables that are looked at, so that it costs less than a run on the baseline tier, which may read
/// few of them.
const MOST_PARTS: usize = 1_000;

/// Returns true if no mark inside of a variable is on a value that the code reads. Marks of variables themselves do not
/// count.
// Out of line: few variables have marks inside.
#[inline(never)]
pub(super) fn are_unread(fast: &Fast, frame: Frame<'_, '_>) -> bool {
    let facts = fast.facts();
    if !facts.is_whole {
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
        return slots_with_marks(fast, frame).is_some_and(|marked| facts.names_parts_of(marked));
    }
    facts.passes && all_unread(false)
}

/// Returns the slots whose values contain marks, by their positions in the code's list; `None` if there are too many slots.
fn slots_with_marks(fast: &Fast, frame: Frame<'_, '_>) -> Option<u64> {
    let marked = |marked: u64, (at, slot): (usize, &Slot)| {
        marked | u64::from(frame.get(*slot).is_none_or(Value::contains_marks)) << at
    };
    (fast.slots.len() <= 64).then(|| fast.slots.iter().enumerate().fold(0, marked))
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
