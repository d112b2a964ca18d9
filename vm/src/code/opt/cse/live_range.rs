//! Register allocation for common subexpressions: linear scan over live ranges. Two values share a
//! register if their live ranges do not overlap; a range may begin at the instruction where another ends,
//! because operands are read before the result is written.

use std::ops::Range;

use super::Stream;
use crate::code::fast::FastOp;
use crate::memory::cast::register;

/// Computes the live range of each of the `count` registers behind those of the stream: from the
/// instruction that writes it to the last one that reads it. The range of a register that is never read is
/// empty.
pub(super) fn spans(stream: &Stream<'_>, ops: &[FastOp], count: usize) -> Vec<Range<usize>> {
    let mut spans = vec![0..0; count];
    for (at, op) in ops.iter().enumerate() {
        stream.reads(op, |reg| {
            if let Some(span) =
                usize::from(reg.0).checked_sub(stream.registers).and_then(|n| spans.get_mut(n))
            {
                span.end = at;
            }
        });
        let kept = op.written().and_then(|reg| usize::from(reg.0).checked_sub(stream.registers));
        if let Some(span) = kept.and_then(|number| spans.get_mut(number)) {
            *span = at..at;
        }
    }
    spans
}

/// Assigns one of `most` registers to each live range, in order; `None` if there is none left, or the range
/// is empty.
pub(super) fn assign(spans: &[Range<usize>], most: usize) -> Vec<Option<usize>> {
    let mut taken: Vec<Vec<&Range<usize>>> = vec![Vec::new(); most];
    let mut places = Vec::with_capacity(spans.len());
    for span in spans {
        // The last instruction that reads one value may write the next.
        let free = |taken: &Vec<&Range<usize>>| {
            taken.iter().all(|other| other.end <= span.start || span.end <= other.start)
        };
        let place = if span.is_empty() { None } else { taken.iter().position(free) };
        if let Some(place) = place {
            taken[place].push(span);
        }
        places.push(place);
    }
    places
}

/// Renames the registers that keep values as assigned. Returns the number of registers of the stream.
pub(super) fn rename(stream: &Stream<'_>, ops: &mut [FastOp], places: &[Option<usize>]) -> usize {
    let mut registers = stream.registers;
    for op in ops {
        op.operands_mut(|operand| {
            if let Some(reg) = operand.register()
                && let Some(number) = usize::from(reg.0).checked_sub(stream.registers)
                && let Some(place) = places.get(number).copied().flatten()
            {
                reg.0 = register(stream.registers + place);
                registers = registers.max(stream.registers + place + 1);
            }
        });
    }
    registers
}
