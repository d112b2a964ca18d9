//! The verifier: checks that every operand of code refers to an existing entry of its tables. Debug builds run it on
//! all code that the compiler emits. Code that was loaded is checked further, because it may be made up: that it
//! ends, and reads nothing that has no value; of [linked](linked) code, that each rule has one result. What code
//! computes is not checked.

mod linked;

use std::ops::Range;

pub(super) use linked::verify_linked;

use super::facts::Flow;
use super::fast::{Fast, FastLabel, FastOp, FastReg, Handler, RegClass, Scaled, Term};
use super::{Code, Label, Op, Operand, Reg};
use crate::memory::cast::index;

/// A defect of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// An operand refers to an entry that does not exist.
    Operand {
        /// Position of the instruction.
        at: usize,
    },
    /// Execution could run past the end.
    NoReturn,
    /// Origins and instructions are not parallel.
    Origins,
    /// A jump backwards other than to the next round of a loop, or into a loop, or a round that costs less than it
    /// executes.
    Jump {
        /// Position of the instruction.
        at: usize,
    },
    /// A register or slot that is read before it has a value.
    Register {
        /// Position of the instruction.
        at: usize,
    },
    /// A call with a number of arguments that the function does not take.
    Arguments {
        /// Position of the instruction.
        at: usize,
    },
}

/// Checks that every operand refers to an existing entry and that the code ends in `Return`.
pub fn verify(code: &Code) -> Result<(), Defect> {
    if code.origins.len() != code.ops.len() {
        return Err(Defect::Origins);
    }
    if !matches!(code.ops.last(), Some(Op::Return { .. })) {
        return Err(Defect::NoReturn);
    }
    for (at, op) in code.ops.iter().enumerate() {
        let mut valid = true;
        op.operands(|_, operand| valid &= exists(code, operand));
        if !valid {
            return Err(Defect::Operand { at });
        }
    }
    Ok(())
}

/// Checks that every operand of fast code refers to an existing entry and that execution cannot run past
/// its end.
pub fn verify_fast(fast: &Fast) -> Result<(), Defect> {
    if !fast.ops.last().is_some_and(|op| op.facts().is_final()) {
        return Err(Defect::NoReturn);
    }
    for (at, op) in fast.ops.iter().enumerate() {
        let mut valid = true;
        op.operands(|_, operand| valid &= exists_fast(fast, operand));
        if let Some((base, count)) = op.window(&fast.shapes) {
            valid &= usize::from(fast.register(base).0) + count <= usize::from(fast.registers).max(1);
        }
        if !valid {
            return Err(Defect::Operand { at });
        }
    }
    let inside = |label: u16| usize::from(label) < fast.ops.len();
    let handled = fast.handlers.iter().all(|handler| handler.target.is_none_or(|target| inside(target.0)));
    let switched = fast.switches.iter().all(|switch| switch.targets().all(|target| inside(target.0)));
    if handled && switched { Ok(()) } else { Err(Defect::Operand { at: fast.ops.len() }) }
}

/// Checks code that was not compiled by this process. Beside what [`verify_fast`] checks: it is the code of one
/// program for a layout of `slots` slots, its cost is bounded by the fuel that it spends, registers are written
/// before they are read, and calls have the right number of arguments.
pub(super) fn verify_loaded(fast: &Fast, slots: usize) -> Result<(), Defect> {
    if fast.is_empty() {
        return Ok(());
    }
    let of_slots = verify_tables(fast, slots)?;
    verify_temporaries(fast)?;
    verify_jumps(fast, |op| op.facts().is_of_stream())?;
    verify_registers(fast, 0..fast.ops.len(), Entries::Continue(&[0]), of_slots)
}

/// Checks what loaded code refers to. Returns the registers of slots.
fn verify_tables(fast: &Fast, slots: usize) -> Result<WrittenRegisters, Defect> {
    // Jumps have 16 bits, and so have the ranges of handlers.
    if fast.ops.len() > usize::from(u16::MAX) {
        return Err(Defect::NoReturn);
    }
    verify_fast(fast)?;
    let slot_exists = |slot: &super::Slot| usize::from(slot.0) < slots;
    if !fast.slots.iter().all(slot_exists) || fast.others > fast.registers {
        return Err(Defect::Register { at: 0 });
    }
    let mut written = WrittenRegisters::default();
    for (at, slot) in fast.slots.iter().enumerate() {
        let reg = if fast.in_place { usize::from(slot.0) } else { at };
        let reg = u8::try_from(reg).ok().filter(|reg| u16::from(*reg) < fast.registers);
        written.add(reg.ok_or(Defect::Register { at: 0 })?);
    }
    Ok(written)
}

/// Checks that registers other than those of slots are numbered as temporaries, in the order that windows have: the
/// linker gives slots and temporaries other numbers.
fn verify_temporaries(fast: &Fast) -> Result<(), Defect> {
    let is_temporary =
        |reg: FastReg| matches!(fast.class(reg), RegClass::Temporary(_)) && u16::from(reg.0) >= fast.others;
    let is_known = |reg: FastReg| matches!(fast.class(reg), RegClass::Slot(_)) || is_temporary(reg);
    for (at, op) in fast.ops.iter().enumerate() {
        let mut valid = true;
        op.operands(|_, operand| {
            if let Some(reg) = operand.register() {
                valid &= is_known(fast.register(reg));
            }
        });
        if let Some((base, count)) = op.window(&fast.shapes)
            && count > 1
        {
            let base = usize::from(fast.register(base).0);
            valid &=
                (base..base + count).all(|reg| u8::try_from(reg).is_ok_and(|reg| is_temporary(FastReg(reg))));
        }
        if !valid {
            return Err(Defect::Register { at });
        }
    }
    let mut terms = fast.intervals.iter().flatten();
    let valid = terms.all(|term| if let Term::Register(reg) = term { is_known(*reg) } else { true });
    if valid { Ok(()) } else { Err(Defect::Register { at: fast.ops.len() }) }
}

/// Registers that have a value.
#[derive(Clone, Copy, Default)]
struct WrittenRegisters([u64; 4]);

impl WrittenRegisters {
    fn add(&mut self, reg: u8) {
        self.0[usize::from(reg >> 6)] |= 1 << (reg & 63);
    }

    fn has(&self, reg: u8) -> bool {
        self.0[usize::from(reg >> 6)] & (1 << (reg & 63)) != 0
    }
}

/// Where execution may begin, ascending.
#[derive(Clone, Copy)]
enum Entries<'e> {
    /// The registers are those that were written before.
    Continue(&'e [u16]),
    /// Only the registers of slots have values.
    Anew(&'e [u16]),
}

/// Checks that the registers that a range of instructions reads are written before: code is in an order in which a
/// value is computed at a lower position than it is used. Instructions that are never executed are not checked.
fn verify_registers(
    fast: &Fast,
    range: Range<usize>,
    entries: Entries<'_>,
    of_slots: WrittenRegisters,
) -> Result<(), Defect> {
    // All jumps but those to the next round lead forward, and handlers lead behind their ranges.
    let mut reached = vec![false; fast.ops.len() + 1];
    let (Entries::Continue(starts) | Entries::Anew(starts)) = entries;
    for at in starts {
        reached[usize::from(*at).min(fast.ops.len())] = true;
    }
    let handled = |handler: &Handler| Some((usize::from(handler.target?.0), handler.start, handler.end));
    let mut handlers: Vec<_> = fast.handlers.iter().filter_map(handled).collect();
    handlers.sort_unstable_by(|a, b| b.cmp(a));
    let mut anew = if let Entries::Anew(starts) = entries { starts } else { &[] };
    let mut written = of_slots;
    for at in range {
        if let [start, rest @ ..] = anew
            && usize::from(*start) == at
        {
            (written, anew) = (of_slots, rest);
        }
        while let Some((_, start, end)) = handlers.pop_if(|(to, ..)| *to <= at) {
            let covered = reached.get(usize::from(start)..usize::from(end).min(at));
            reached[at] |= covered.is_some_and(|covered| covered.contains(&true));
        }
        let Some(op) = fast.ops.get(at).filter(|_| reached[at]) else { continue };
        each_target(fast, op, |to| reached[to.min(fast.ops.len())] = true);
        if !op.facts().is_final() {
            reached[at + 1] = true;
        }
        let mut valid = true;
        let mut read = |reg: u8| valid &= written.has(reg);
        let mut callee = None;
        op.operands(|_, operand| match operand {
            Operand::In(reg) | Operand::InOut(reg) => read(fast.register(reg).0),
            Operand::Intervals(id) => {
                for term in fast.intervals.get(usize::from(id.0)).into_iter().flatten() {
                    if let Term::Register(reg) = term {
                        read(reg.0);
                    }
                }
            }
            Operand::Function(function) => callee = fast.functions.get(usize::from(function.0)),
            _ => {}
        });
        let window = op.window(&fast.shapes);
        if let Some((base, count)) = window {
            for reg in usize::from(fast.register(base).0)..usize::from(fast.register(base).0) + count {
                read(u8::try_from(reg).unwrap_or(u8::MAX));
            }
        }
        if !valid {
            return Err(Defect::Register { at });
        }
        let count = window.map_or(1, |(_, count)| count);
        // Those of an expanded collection are counted when it is called.
        let is_counted = !matches!(op, FastOp::CallExpanded { .. });
        if callee.is_some_and(|callee| callee.is_lazy() || is_counted && !callee.takes(count)) {
            return Err(Defect::Arguments { at });
        }
        if let Some(reg) = op.written() {
            written.add(fast.register(reg).0);
        }
    }
    Ok(())
}

/// A round may execute this many times the instructions that it costs: instructions of one origin are charged
/// once.
const MOST_PER_FUEL: usize = 16;

/// The most loops around an instruction: more than people nest, and few enough to walk through them for each jump.
const MOST_NESTED: usize = 100;

/// The most instructions that ranges with handlers may cover together: more than nested `try` calls of the largest
/// expression, and checked in milliseconds.
const MOST_HANDLED: usize = 1 << 18;

/// Checks that execution ends: the only jumps backwards are to the next round of the innermost loop, each loop is
/// entered where it begins, and a round costs about as much as it executes. Instructions that are `foreign` do not
/// belong into the code.
fn verify_jumps(fast: &Fast, foreign: impl Fn(&FastOp<Scaled>) -> bool) -> Result<(), Defect> {
    // The position of the instruction that takes the next element of the innermost loop around each position.
    let mut around: Vec<Option<usize>> = Vec::with_capacity(fast.ops.len());
    // The loops that are open: where the next element is taken, and where the loop ends.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut parents: Vec<(usize, Option<usize>)> = Vec::new();
    for (at, op) in fast.ops.iter().enumerate() {
        while open.last().is_some_and(|(_, end)| *end <= at) {
            open.pop();
        }
        if let FastOp::LoopNext { to, .. } = op {
            let end = usize::from(to.0);
            let begin = at.checked_sub(1).and_then(|before| fast.ops.get(before));
            let round = match begin {
                Some(
                    FastOp::LoopBegin { round, .. }
                    | FastOp::LoopEach { round, .. }
                    | FastOp::LoopSplat { round, .. },
                ) => usize::try_from(round.0).unwrap_or_default(),
                // Behind a trap nothing is executed, and nothing leads into a loop: the linker replaces code that
                // is not reached, such as the beginning of a loop, by traps.
                Some(FastOp::Trap {}) => usize::MAX,
                _ => 0,
            };
            let inside = open.last().is_none_or(|(_, outer)| end <= *outer);
            if end <= at
                || !inside
                || open.len() >= MOST_NESTED
                || round.saturating_mul(MOST_PER_FUEL) < end - at
            {
                return Err(Defect::Jump { at });
            }
            parents.push((at, open.last().map(|(next, _)| *next)));
            open.push((at, end));
        }
        around.push(open.last().map(|(next, _)| *next));
    }
    let parent = |next: usize| {
        let found = parents.binary_search_by_key(&next, |(known, _)| *known);
        found.ok().and_then(|found| parents[found].1)
    };
    // True if `to` is in no loop that `from` is not in.
    let reaches = |from: usize, to: usize| {
        let (mut from, to) = (around[from], around.get(to).copied().flatten());
        while from != to {
            match from {
                Some(next) => from = parent(next),
                None => return false,
            }
        }
        true
    };
    let allowed = |from: usize, to: usize| {
        let forward = to > from && reaches(from, to);
        forward || around[from] == Some(to)
    };
    for (at, op) in fast.ops.iter().enumerate() {
        // A program or rule has its result outside of loops.
        let mut valid = !foreign(op) && (around[at].is_none() || !ends_program(op));
        each_target(fast, op, |to| valid &= allowed(at, to));
        // A loop is entered through the instruction before it only.
        if matches!(op, FastOp::LoopBegin { .. } | FastOp::LoopEach { .. } | FastOp::LoopSplat { .. }) {
            valid &= matches!(fast.ops.get(at + 1), Some(FastOp::LoopNext { .. }));
        }
        if !valid {
            return Err(Defect::Jump { at });
        }
    }
    // Ranges nest, so each instruction is in few of them. This bounds the work for ranges that were made up.
    let covered =
        fast.handlers.iter().map(|handler| usize::from(handler.end.saturating_sub(handler.start)) + 1);
    if covered.sum::<usize>() > MOST_HANDLED {
        return Err(Defect::Jump { at: fast.ops.len() });
    }
    for handler in &fast.handlers {
        let range = usize::from(handler.start)..usize::from(handler.end).min(fast.ops.len());
        let leaves = |to: usize| range.clone().all(|from| to > from && reaches(from, to));
        if handler.target.is_some_and(|to| !leaves(usize::from(to.0))) {
            return Err(Defect::Jump { at: range.start });
        }
    }
    Ok(())
}

/// Calls `visit` with each position to which an instruction jumps.
fn each_target(fast: &Fast, op: &FastOp<Scaled>, mut visit: impl FnMut(usize)) {
    op.operands(|_, operand| {
        if let Operand::Jump(label) = operand {
            visit(usize::from(label.0));
        }
    });
    if let FastOp::Switch { table, .. } = op
        && let Some(switch) = fast.switches.get(usize::from(table.0))
    {
        switch.targets().for_each(|to| visit(usize::from(to.0)));
    }
}

/// Returns true if an instruction ends a program or belongs to a stream, both of which are outside of loops.
const fn ends_program(op: &FastOp<Scaled>) -> bool {
    let facts = op.facts();
    matches!(facts.flow, Flow::Returns) || facts.is_of_stream()
}

/// Returns true if an operand refers to an existing entry of the table that its role determines.
fn exists(code: &Code, operand: Operand<Reg, Label>) -> bool {
    match operand {
        Operand::Out(reg) | Operand::In(reg) | Operand::InOut(reg) | Operand::Window(reg) => {
            reg == Reg::NONE || reg.0 < code.registers
        }
        Operand::Constant(constant) => index(constant.0) < code.constants.len(),
        Operand::Slot(slot) => code.slots.binary_search_by_key(&slot, |(known, _)| *known).is_ok(),
        Operand::Jump(label) => index(label.0) < code.ops.len(),
        Operand::Function(callee) => usize::from(callee.0) < code.functions.len(),
        Operand::Shape(shape) => index(shape.0) < code.shapes.len(),
        Operand::Failure(failure) => index(failure.0) < code.failures.len(),
        Operand::Name(_)
        | Operand::Cache(_)
        | Operand::Count(_)
        | Operand::Position(_)
        | Operand::Number(_)
        | Operand::Choice(_) => true,
        Operand::Switch(_) | Operand::Intervals(_) => false,
    }
}

fn exists_fast(fast: &Fast, operand: Operand<Scaled, FastLabel>) -> bool {
    match operand {
        Operand::Out(reg) | Operand::In(reg) | Operand::InOut(reg) => {
            u16::from(fast.register(reg).0) < fast.registers
        }
        // Each of its registers is checked as one that is read. It may have none.
        Operand::Window(_) => true,
        Operand::Constant(constant) => index(constant.0) < fast.constants.len(),
        Operand::Jump(label) => usize::from(label.0) < fast.ops.len(),
        Operand::Function(callee) => usize::from(callee.0) < fast.functions.len(),
        Operand::Shape(shape) => index(shape.0) < fast.shapes.len(),
        Operand::Switch(switch) => usize::from(switch.0) < fast.switches.len(),
        Operand::Intervals(id) => fast.intervals.get(usize::from(id.0)).is_some_and(|terms| {
            terms.iter().all(|term| match term {
                Term::Register(reg) => u16::from(reg.0) < fast.registers,
                Term::Constant(_, Some(constant)) => index(constant.0) < fast.constants.len(),
                _ => true,
            })
        }),
        Operand::Name(_)
        | Operand::Cache(_)
        | Operand::Count(_)
        | Operand::Position(_)
        | Operand::Number(_)
        | Operand::Choice(_) => true,
        Operand::Slot(_) | Operand::Failure(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::fast::Immediate;
    use crate::code::{Build, Slot};

    /// Returns the defect of code that reads slot 0 into register 0 and has a temporary, register 1.
    fn defect(ops: &[FastOp], handlers: &[Handler]) -> Option<Defect> {
        let mut fast =
            Fast { slots: [Slot(0)].into_iter().collect(), registers: 2, others: 1, ..Fast::default() };
        fast.assemble(ops, |label| label);
        // Assembly counts the instructions of a round; those of the test may be wrong.
        for (op, assembled) in ops.iter().zip(&mut fast.ops) {
            if let (FastOp::LoopBegin { round: of_test, .. }, FastOp::LoopBegin { round, .. }) =
                (op, assembled)
            {
                *round = *of_test;
            }
        }
        fast.handlers = handlers.into();
        verify_loaded(&fast, 1).err()
    }

    const SLOT: FastReg = FastReg(0);
    const TEMPORARY: FastReg = FastReg(1);

    fn loop_of(round: i32, back: u16) -> Vec<FastOp> {
        vec![
            FastOp::LoopBegin { build: Build::Tuple, a: SLOT, clause: false, round: Immediate(round) },
            FastOp::LoopNext { value: TEMPORARY, to: FastLabel(3) },
            FastOp::LoopPush { a: TEMPORARY, to: FastLabel(back) },
            FastOp::LoopEnd { d: TEMPORARY },
            FastOp::Return { a: TEMPORARY },
        ]
    }

    #[test]
    fn jumps_lead_forward_or_to_the_next_round() {
        assert_eq!(defect(&[FastOp::Return { a: SLOT }], &[]), None);
        let forward = [FastOp::Jump { to: FastLabel(1) }, FastOp::Return { a: SLOT }];
        assert_eq!(defect(&forward, &[]), None);
        for to in [0, 1] {
            let back = [FastOp::Copy { d: TEMPORARY, a: SLOT }, FastOp::Jump { to: FastLabel(to) }];
            assert_eq!(defect(&back, &[]), Some(Defect::Jump { at: 1 }));
        }
        assert_eq!(defect(&loop_of(4, 1), &[]), None);
        assert_eq!(defect(&loop_of(4, 0), &[]), Some(Defect::Jump { at: 2 }));
        assert_eq!(defect(&loop_of(4, 2), &[]), Some(Defect::Jump { at: 2 }));
    }

    #[test]
    fn rounds_cost_what_they_execute() {
        assert_eq!(defect(&loop_of(0, 1), &[]), Some(Defect::Jump { at: 1 }));
        assert_eq!(defect(&loop_of(-1, 1), &[]), Some(Defect::Jump { at: 1 }));
    }

    #[test]
    fn loops_are_left_before_the_result() {
        let mut ops = loop_of(4, 1);
        ops[2] = FastOp::Return { a: TEMPORARY };
        assert_eq!(defect(&ops, &[]), Some(Defect::Jump { at: 2 }));
    }

    #[test]
    fn loops_are_entered_where_they_begin() {
        let mut ops = vec![FastOp::Branch { a: SLOT, when: true, to: FastLabel(3) }];
        let moved = |to: &FastLabel| FastLabel(to.0 + 1);
        ops.extend(loop_of(4, 1).iter().map(|op| {
            let mut shifted = FastOp::Trap {};
            op.map_into(&mut shifted, |_, reg| reg, |to| moved(&to));
            shifted
        }));
        assert_eq!(defect(&ops, &[]), Some(Defect::Jump { at: 0 }));
    }

    #[test]
    fn handlers_lead_out_of_their_ranges() {
        let ops = [FastOp::Trap {}, FastOp::Return { a: SLOT }];
        let handler = |target| Handler { start: 0, end: 1, target: Some(FastLabel(target)) };
        assert_eq!(defect(&ops, &[handler(1)]), None);
        assert_eq!(defect(&ops, &[handler(0)]), Some(Defect::Jump { at: 0 }));
    }

    #[test]
    fn registers_are_written_before_they_are_read() {
        let early = FastOp::RequireBool { a: TEMPORARY };
        let ops = [early, FastOp::Copy { d: TEMPORARY, a: SLOT }, FastOp::Return { a: TEMPORARY }];
        assert_eq!(defect(&ops, &[]), Some(Defect::Register { at: 0 }));
        let ops = [FastOp::Copy { d: TEMPORARY, a: SLOT }, FastOp::Return { a: TEMPORARY }];
        assert_eq!(defect(&ops, &[]), None);
    }

    #[test]
    fn temporaries_are_behind_the_slots() {
        let mut fast =
            Fast { slots: [Slot(0)].into_iter().collect(), registers: 2, others: 1, ..Fast::default() };
        fast.assemble(&[FastOp::Copy { d: TEMPORARY, a: SLOT }, FastOp::Return { a: TEMPORARY }], |label| {
            label
        });
        assert_eq!(verify_loaded(&fast, 1), Ok(()));
        fast.others = 2;
        assert_eq!(verify_loaded(&fast, 1), Err(Defect::Register { at: 0 }));
    }

    #[test]
    fn code_of_rule_sets_is_not_the_code_of_a_program() {
        assert_eq!(defect(&[FastOp::End {}], &[]), Some(Defect::Jump { at: 0 }));
    }
}
