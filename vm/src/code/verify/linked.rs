//! The verifier of linked code that was loaded.
//!
//! ```text
//! optimized copy   rule 0 │ rule 1 │ … │ End      registers pass values from rule to rule
//! original copy    rule 0 │ rule 1 │ … │ End      each rule can be entered by itself
//! ```
//! The first copy is there only if common subexpressions were eliminated. A rule is left by an emit, which leads to
//! the next rule, so that each rule has one result, or by a fallback.

use std::ops::Range;

use super::{Defect, Entries, each_target, verify_jumps, verify_registers, verify_tables};
use crate::code::facts::Flow;
use crate::code::fast::{Fast, FastOp, Scaled};
use crate::code::link::Linked;

/// Checks a stream that was not linked by this process. Beside what [`verify_loaded`](super::verify_loaded) checks of
/// a program: each rule has one result, at its position.
pub(in crate::code) fn verify_linked(linked: &Linked, slots: usize) -> Result<(), Defect> {
    let Linked { fast, optimized, starts, positions } = linked;
    let of_slots = verify_tables(fast, slots)?;
    verify_jumps(fast, |op| op.facts().flow == Flow::Returns)?;
    let original = starts.first().map(|start| usize::from(*start)).ok_or(Defect::NoReturn)?;
    if let Some(end) = original.checked_sub(1) {
        verify_rules(fast, 0..end, optimized, positions)?;
        verify_registers(fast, 0..end, Entries::Continue(optimized), of_slots)?;
    } else if !optimized.is_empty() {
        return Err(Defect::NoReturn);
    }
    let copy = original..fast.ops.len() - 1;
    verify_rules(fast, copy.clone(), starts, positions)?;
    verify_registers(fast, copy, Entries::Anew(starts), of_slots)
}

/// Checks a copy of the rules, which begin at `starts`. Its `End` is at the end of `copy`.
fn verify_rules(fast: &Fast, copy: Range<usize>, starts: &[u16], positions: &[u32]) -> Result<(), Defect> {
    let is_sound = starts.len() == positions.len()
        && starts.first().is_some_and(|start| usize::from(*start) == copy.start)
        && matches!(fast.ops.get(copy.end), Some(FastOp::End {}));
    if !is_sound {
        return Err(Defect::NoReturn);
    }
    let ends = starts.iter().skip(1).map(|start| usize::from(*start)).chain([copy.end]);
    let mut next = positions.first().copied().unwrap_or(0);
    for ((start, end), position) in starts.iter().zip(ends).zip(positions) {
        let rule = usize::from(*start)..end;
        if rule.is_empty() || rule.end > copy.end {
            return Err(Defect::NoReturn);
        }
        verify_rule(fast, rule, position - next)?;
        next = position + 1;
    }
    // The rule of an instruction, as its number.
    let rule_of = |at: usize| starts.partition_point(|start| usize::from(*start) <= at);
    for handler in &fast.handlers {
        let (first, last) = (usize::from(handler.start), usize::from(handler.end.saturating_sub(1)));
        // One that covers nothing leads nowhere.
        let applies = copy.contains(&first) && first <= last;
        let Some(target) = handler.target.filter(|_| applies) else { continue };
        let is_inside = |at: usize| at < copy.end && rule_of(at) == rule_of(first);
        if !is_inside(last) || !is_inside(usize::from(target.0)) {
            return Err(Defect::Jump { at: first });
        }
    }
    Ok(())
}

/// Checks that a rule begins with leaving out `skipped` results, that its jumps remain in it, and that its emits lead
/// behind it.
fn verify_rule(fast: &Fast, rule: Range<usize>, skipped: u32) -> Result<(), Defect> {
    let mut left_out = 0;
    for at in rule.clone() {
        let op = &fast.ops[at];
        let mut valid = true;
        match (op, leads_to(op, at)) {
            (FastOp::Begin { skipped }, _) => {
                left_out = skipped.0;
                valid &= at == rule.start;
            }
            (FastOp::End {}, _) => valid = false,
            (_, Some(next)) => valid &= next == rule.end,
            (_, None) => each_target(fast, op, |to| valid &= rule.contains(&to)),
        }
        if !valid || (at + 1 == rule.end && !op.facts().is_final()) {
            return Err(Defect::Jump { at });
        }
    }
    if left_out == skipped { Ok(()) } else { Err(Defect::Operand { at: rule.start }) }
}

/// Returns the instruction to which an emit leads.
fn leads_to(op: &FastOp<Scaled>, at: usize) -> Option<usize> {
    match op {
        FastOp::Emit { jumps, to, .. }
        | FastOp::EmitConstant { jumps, to, .. }
        | FastOp::EmitArm { jumps, to, .. }
        | FastOp::EmitBool { jumps, to, .. } => Some(if *jumps { usize::from(to.0) } else { at + 1 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::fast::{FastLabel, FastReg};
    use crate::code::{Count, Slot};

    const SLOT: FastReg = FastReg(0);
    const TEMPORARY: FastReg = FastReg(1);

    /// Returns an emit that is followed by the next rule.
    fn last(a: FastReg, to: u16) -> FastOp {
        FastOp::Emit { a, jumps: false, to: FastLabel(to) }
    }

    fn emit(a: FastReg, to: u16) -> FastOp {
        FastOp::Emit { a, jumps: true, to: FastLabel(to) }
    }

    /// Returns the defect of rules that begin at `starts`, in the optimized copy and in the original.
    fn defect(ops: &[FastOp], [optimized, starts]: [&[u16]; 2], positions: &[u32]) -> Option<Defect> {
        let mut fast =
            Fast { slots: [Slot(0)].into_iter().collect(), registers: 2, others: 1, ..Fast::default() };
        fast.assemble(ops, |label| label);
        let [optimized, starts] = [optimized, starts].map(Box::from);
        verify_linked(&Linked { fast, optimized, starts, positions: positions.into() }, 1).err()
    }

    #[test]
    fn each_way_through_a_rule_has_one_result() {
        let branch = FastOp::Branch { a: SLOT, when: true, to: FastLabel(2) };
        let two_ways = [branch, emit(SLOT, 3), last(SLOT, 3), last(SLOT, 4), FastOp::End {}];
        assert_eq!(defect(&two_ways, [&[], &[0, 3]], &[1, 2]), None);
        // The first rule would have a second result.
        assert_eq!(defect(&two_ways, [&[], &[0, 2]], &[1, 2]), Some(Defect::Jump { at: 0 }));
        let mut elsewhere = two_ways;
        elsewhere[1] = emit(SLOT, 4);
        assert_eq!(defect(&elsewhere, [&[], &[0, 3]], &[1, 2]), Some(Defect::Jump { at: 1 }));
        let no_end = [FastOp::Copy { d: TEMPORARY, a: SLOT }, FastOp::End {}];
        assert_eq!(defect(&no_end, [&[], &[0]], &[1]), Some(Defect::Jump { at: 0 }));
    }

    #[test]
    fn results_have_their_positions() {
        let ops = [last(SLOT, 1), FastOp::Begin { skipped: Count(1) }, last(SLOT, 3), FastOp::End {}];
        assert_eq!(defect(&ops, [&[], &[0, 1]], &[1, 3]), None);
        assert_eq!(defect(&ops, [&[], &[0, 1]], &[1, 2]), Some(Defect::Operand { at: 1 }));
        assert_eq!(defect(&ops, [&[], &[0, 1]], &[1]), Some(Defect::NoReturn));
    }

    #[test]
    fn only_rules_of_the_optimized_copy_share_registers() {
        // Two rules that begin at `first`, of which the second one emits `second`.
        let copy = |first: u16, second: FastReg| {
            let kept = FastOp::Copy { d: TEMPORARY, a: SLOT };
            [kept, last(TEMPORARY, first + 2), last(second, first + 3), FastOp::End {}]
        };
        assert_eq!(defect(&copy(0, TEMPORARY), [&[], &[0, 2]], &[1, 2]), Some(Defect::Register { at: 2 }));
        let both = [copy(0, TEMPORARY), copy(4, SLOT)].concat();
        assert_eq!(defect(&both, [&[0, 2], &[4, 6]], &[1, 2]), None);
    }

    #[test]
    fn programs_return_and_rules_do_not() {
        let ops = [FastOp::Return { a: SLOT }, FastOp::End {}];
        assert_eq!(defect(&ops, [&[], &[0]], &[1]), Some(Defect::Jump { at: 0 }));
    }
}
