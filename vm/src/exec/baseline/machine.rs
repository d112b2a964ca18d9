//! The state of a run of the baseline tier, and access to its registers, constants and faults.
//! [`FastMachine`](crate::exec::fast::FastMachine) is the state of a run of the fast tier.

use super::{construct, iterate, splat, template};
use crate::code::{Code, Const, Reg};
use crate::fault::{Fault, Place, Record};
use crate::memory::arena::{Arena, ArenaVec};
use crate::memory::cast;
use crate::types::Type;
use crate::value::{Marks, Value};

/// The state of one run.
pub(super) struct Machine<'r, 'a> {
    pub(super) code: &'a Code,
    pub(super) slots: &'r [Value<'a>],
    pub(super) arena: &'a Arena,
    pub(super) registers: ArenaVec<'a, Value<'a>>,
    /// The faults so far.
    pub(super) log: ArenaVec<'a, Record<'a>>,
    /// The faults of failed attempts, for the `try` calls that are being evaluated.
    pub(super) kept: ArenaVec<'a, Record<'a>>,
    /// For each `try` and `can` that is being evaluated: the marks of what decides whether it has faults.
    pub(super) attempts: ArenaVec<'a, Marks<'a>>,
    /// The values pushed for constructors and calls.
    pub(super) stack: ArenaVec<'a, Value<'a>>,
    pub(super) objects: ArenaVec<'a, construct::OpenObject<'a>>,
    pub(super) templates: ArenaVec<'a, template::OpenTemplate<'a>>,
    pub(super) loops: ArenaVec<'a, iterate::Loop<'a>>,
    pub(super) splats: ArenaVec<'a, splat::OpenSplat<'a>>,
    pub(super) pc: usize,
    /// The target of the last jump.
    pub(super) landed: usize,
    /// The number of instructions executed before it that are not charged yet.
    pub(super) walked: u64,
    /// True in a run that looks for faults: see [`explore`](super::explore).
    pub(super) exploring: bool,
}

impl<'r, 'a> Machine<'r, 'a> {
    // Inlined, so that the machine is built where it is used.
    #[inline(always)]
    pub(super) fn new(code: &'a Code, slots: &'r [Value<'a>], arena: &'a Arena) -> Self {
        let mut registers = arena.list_with(usize::from(code.registers));
        registers.resize(usize::from(code.registers), Value::NULL);
        Self {
            code,
            slots,
            arena,
            registers,
            log: arena.list(),
            kept: arena.list(),
            attempts: arena.list(),
            stack: arena.list(),
            objects: arena.list(),
            templates: arena.list(),
            loops: arena.list(),
            splats: arena.list(),
            pc: 0,
            landed: 0,
            walked: 0,
            exploring: false,
        }
    }

    pub(super) fn get(&self, reg: Reg) -> Value<'a> {
        self.registers[usize::from(reg.0)]
    }

    pub(super) fn set(&mut self, reg: Reg, value: Value<'a>) {
        self.registers[usize::from(reg.0)] = value;
    }

    /// Sets a register, unless it is `Reg::NONE`.
    pub(super) fn bind(&mut self, reg: Reg, value: Value<'a>) {
        if reg != Reg::NONE {
            self.set(reg, value);
        }
    }

    pub(super) fn constant(&self, constant: Const) -> Value<'a> {
        self.code.constants.get(constant.0 as usize)
    }

    pub(super) fn constant_text(&self, constant: Const) -> &'a str {
        self.constant(constant).as_str().unwrap_or("")
    }

    /// Returns the number of faults that were recorded when `Log` wrote `reg`.
    pub(super) fn logged(&self, reg: Reg) -> usize {
        self.get(reg).as_any_int().map_or(0, |count| cast::amount(count.cast_unsigned()))
    }

    /// Returns true if faults were recorded since `Log` wrote `reg`.
    pub(super) fn faulted_since(&self, reg: Reg) -> bool {
        self.log.len() > self.logged(reg)
    }

    /// Returns the place of the current instruction's origin.
    pub(super) fn place(&self) -> Place {
        self.code.origins[self.pc].place
    }

    /// Returns true if an open loop or splat iterates over a marked collection, whose elements are visited
    /// without its marks.
    pub(super) fn is_secret(&self) -> bool {
        self.loops.iter().any(|open| open.secret) || self.splats.iter().any(|open| open.is_secret())
    }

    /// Returns the record of a fault at a part of the current instruction's node. Conceals values if
    /// [`Machine::is_secret`].
    pub(super) fn record(&self, fault: Fault<'a>, place: Place) -> Record<'a> {
        self.record_of(fault, place, [])
    }

    /// Like [`Machine::record`], with the values that the fault concerns.
    pub(super) fn record_of<const N: usize>(
        &self,
        fault: Fault<'a>,
        place: Place,
        values: [Value<'a>; N],
    ) -> Record<'a> {
        let record = Record::new(fault, self.code.origins[self.pc].node, place);
        if self.is_secret() {
            return record.concealed(self.arena);
        }
        let mut concerned = record.concerned;
        concerned.iter_mut().zip(values).for_each(|(to, value)| *to = value);
        Record { concerned, visited: self.visited(), ..record }
    }

    /// Returns the key and the element that each open loop visits.
    pub(super) fn visited(&self) -> &'a [[Value<'a>; 2]] {
        if self.loops.is_empty() {
            return &[];
        }
        let mut visited = self.arena.list_with(self.loops.len());
        visited.extend(self.loops.iter().map(|open| open.current(self.arena)));
        visited.into_bump_slice()
    }

    /// Like [`Machine::fault`], with the values that the fault concerns.
    pub(super) fn fault_of<const N: usize>(
        &mut self,
        fault: Fault<'a>,
        place: Place,
        values: [Value<'a>; N],
    ) {
        let record = self.record_of(fault, place, values);
        self.log.push(record);
    }

    /// Records a fault at a part of the current instruction's node.
    pub(super) fn fault(&mut self, fault: Fault<'a>, place: Place) {
        let record = self.record(fault, place);
        self.log.push(record);
    }

    /// Returns the marks of values and of their parts.
    pub(super) fn all_marks<const N: usize>(&self, values: [Value<'a>; N]) -> Marks<'a> {
        values.iter().fold(Marks::NONE, |marks, value| marks.union(self.arena, value.all_marks(self.arena)))
    }

    /// Returns the marks of values without those of their parts.
    pub(super) fn own_marks<const N: usize>(&self, values: [Value<'a>; N]) -> Marks<'a> {
        values.iter().fold(Marks::NONE, |marks, value| marks.union(self.arena, value.unmark().1))
    }

    /// Gives the last fault the marks of what decided it, or of what is given up because of it. Where only primitives are
    /// without a fault, marks of parts decide nothing. The unknown result has none, as in the reference.
    pub(super) fn failed(&mut self, ty: Type<'a>, marks: Marks<'a>) -> Value<'a> {
        if let Some(record) = self.log.last_mut() {
            *record = record.with_marks(self.arena, marks);
        }
        Value::unknown_of(self.arena, ty)
    }

    /// Removes the faults from `from` up to `to`, and returns their marks.
    pub(super) fn drop_faults(&mut self, from: usize, to: usize) -> Marks<'a> {
        let marks = Record::marks_of(self.arena, self.log.get(from..to).unwrap_or_default());
        self.log.drain(from..to);
        marks
    }
}
