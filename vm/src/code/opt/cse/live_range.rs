//! Which registers keep expressions: those whose spans do not overlap may have the same.

use std::ops::Range;

use super::Stream;
use crate::code::fast::FastOp;

/// From where to where each of `count` registers behind those of the stream is in use; empty when
/// nobody reads it.
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

/// A register out of `most` for each span; the first ones choose first. `None` when there is none
/// left, or no need.
pub(super) fn assign(spans: &[Range<usize>], most: usize) -> Vec<Option<usize>> {
    let mut taken: Vec<Vec<&Range<usize>>> = vec![Vec::new(); most];
    let mut places = Vec::with_capacity(spans.len());
    for span in spans {
        // The last instruction that reads one may write the other.
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

/// Gives the registers that keep something their places; gives how many registers there are.
pub(super) fn rename(stream: &Stream<'_>, ops: &mut [FastOp], places: &[Option<usize>]) -> usize {
    let mut registers = stream.registers;
    for op in ops {
        op.operands_mut(|operand| {
            if let Some(reg) = operand.register()
                && let Some(number) = usize::from(reg.0).checked_sub(stream.registers)
                && let Some(place) = places.get(number).copied().flatten()
            {
                reg.0 = (stream.registers + place) as u8;
                registers = registers.max(stream.registers + place + 1);
            }
        });
    }
    registers
}
