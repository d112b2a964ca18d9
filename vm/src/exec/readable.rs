//! Whether fast code can read the values of a frame.

use super::unread::are_unread;
use crate::code::fast::Fast;
use crate::value::{Frame, Value};

/// Returns true if `fast` can read all values that it needs. Inlined into the start of a run: usually one test.
#[inline(always)]
pub(super) fn is_readable(fast: &Fast, frame: Frame<'_, '_>) -> bool {
    frame.blocked() & fast.slot_bits == 0 || each_is_readable(fast, frame.values(), frame.blocked())
}

/// Checks each value that `fast` reads: in straight code it may be a marked primitive, and it may have marks inside
/// that are not read.
// Cold: only for slots that share the last bit, for marked values, and for runs that fall back. It takes the parts
// of a frame, because a frame that is passed by reference is stored at the start of each run.
#[cold]
#[inline(never)]
fn each_is_readable(fast: &Fast, values: &[Value<'_>], blocked: u64) -> bool {
    let frame = Frame::of_parts(values, blocked);
    let (mut marked, mut inside) = (false, false);
    let readable = fast.slots.iter().all(|slot| {
        frame.get(*slot).is_some_and(|value| {
            if value.is_marked() {
                marked = true;
                return value.unmark().0.is_plain_primitive();
            }
            inside |= value.contains_marks();
            !value.is_unset()
        })
    });
    readable
        && (!marked || fast.facts().is_straight)
        && (!inside || !fast.reads_marks() && are_unread(fast, frame))
}
