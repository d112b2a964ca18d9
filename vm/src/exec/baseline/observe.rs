//! Observed runs: what each condition of the code was, how often, and first with which values.
//!
//! An observer sees the machine before and after each instruction. Ordinary runs have one that does nothing, for
//! which the loop is compiled as if there were none.
//!
//! ```text
//! Log r1          the right operand begins
//!   …             conditions of the right operand
//! Logic a, b      a decides: the conditions since `Log` were not needed
//! ```
//! The baseline tier evaluates every operand and both arms. Which of them a reader would look at who stops when the
//! result is certain is found afterwards, by the range of instructions of the operand. In loops that is done for each
//! round, so what a round shows is kept until the round ends.
//!
//! Invariant: of what depends on marked values nothing is recorded but that. A condition is concealed if its value or
//! an operand is marked, or may have lost its marks by a fault (see `taint`), and where marked values decide what is
//! evaluated.

mod taint;

use super::machine::Machine;
use super::{Outcome, finish_observed};
use crate::code::{Code, Conditions, Op, Reg};
use crate::memory::arena::Arena;
use crate::memory::cast;
use crate::types::Type;
use crate::types::convert::convert;
use crate::value::Value;
use taint::Taint;

/// What sees each instruction of a run.
pub(super) trait Observer<'a> {
    /// Sees the machine before the current instruction.
    fn before(&mut self, machine: &Machine<'_, 'a>);
    /// Sees the machine after the current instruction, before it moves to the instruction `next`.
    fn after(&mut self, machine: &Machine<'_, 'a>, next: usize);
}

/// Sees nothing.
impl<'a> Observer<'a> for () {
    fn before(&mut self, _: &Machine<'_, 'a>) {}
    fn after(&mut self, _: &Machine<'_, 'a>, _: usize) {}
}

/// What a condition was in an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Truth {
    /// True.
    True,
    /// False.
    False,
    /// Unknown: it depends on a value that is not known yet.
    Unknown,
    /// Null.
    Null,
    /// It has an error.
    Failed,
    /// A value that is not a bool.
    Other,
}

impl Truth {
    /// All of them, in the order of their bits in [`Outcomes`].
    pub const ALL: [Self; 6] =
        [Self::True, Self::False, Self::Unknown, Self::Null, Self::Failed, Self::Other];

    /// Returns the word for it in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Unknown => "unknown",
            Self::Null => "null",
            Self::Failed => "failed",
            Self::Other => "other",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// What a condition was in any number of evaluations, as a set in one byte. `Default` is a condition that was not
/// evaluated.
///
/// | bit | set if the condition was |
/// |---|---|
/// | 0 to 5 | true, false, unknown, null, with an error, not a bool: only if its value mattered |
/// | 6 | evaluated without mattering: another operand decided, or another arm was chosen |
/// | 7 | dependent on a marked value; then no other bit is set by that program |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Outcomes(u8);

impl Outcomes {
    const SKIPPED: u8 = 1 << 6;
    const CONCEALED: u8 = 1 << 7;

    /// Returns true if the condition was this when it mattered.
    pub const fn has(self, truth: Truth) -> bool {
        self.0 & truth.bit() != 0
    }

    /// Returns true if it was evaluated without mattering.
    pub const fn skipped(self) -> bool {
        self.0 & Self::SKIPPED != 0
    }

    /// Returns true if it depended on a marked value, so that it reveals nothing.
    pub const fn concealed(self) -> bool {
        self.0 & Self::CONCEALED != 0
    }

    /// Returns true if it was never evaluated.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns what either of both has.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the byte.
    pub const fn to_byte(self) -> u8 {
        self.0
    }

    /// Returns the set of a byte from [`Outcomes::to_byte`].
    pub const fn from_byte(byte: u8) -> Self {
        Self(byte)
    }
}

/// The values of one evaluation of a condition.
#[derive(Clone, Copy, Debug)]
pub struct Witness<'a> {
    /// The operands of a comparison or connective; else the value. Unset ones where there are fewer.
    pub values: [Value<'a>; 2],
    /// The key and the element that each enclosing for expression was visiting, the outermost first.
    pub visited: &'a [[Value<'a>; 2]],
}

/// What a condition was in one run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observation<'a> {
    /// For each [`Truth`], in order: how often the condition was that and mattered.
    pub counts: [u64; 6],
    /// The same for evaluations that did not matter.
    pub skipped: [u64; 6],
    /// For each [`Truth`], the first evaluation that gave it, one that mattered if there is one.
    pub witnesses: [Option<Witness<'a>>; 6],
    /// True if it depended on a marked value. Nothing else is reported then.
    pub concealed: bool,
    /// The outcomes for which a witness was found, perhaps in the current round of a loop.
    found: u8,
}

impl Observation<'_> {
    /// Returns the outcomes as a set.
    pub fn outcomes(&self) -> Outcomes {
        if self.concealed {
            return Outcomes(Outcomes::CONCEALED);
        }
        let mut bits = if self.skipped.iter().any(|count| *count > 0) { Outcomes::SKIPPED } else { 0 };
        for (truth, count) in Truth::ALL.into_iter().zip(self.counts) {
            bits |= if count > 0 { truth.bit() } else { 0 };
        }
        Outcomes(bits)
    }

    /// Makes all evaluations so far ones that did not matter.
    fn skip(&mut self) {
        for (skipped, count) in self.skipped.iter_mut().zip(&mut self.counts) {
            *skipped += std::mem::take(count);
        }
    }
}

/// An observed run.
#[derive(Debug)]
pub struct Observed<'a> {
    /// The result, which is that of [`run`](super::run).
    pub outcome: Outcome<'a>,
    /// What each condition was.
    pub observations: Vec<Observation<'a>>,
    /// True if the value may depend on marked values. It may do so without being marked: `try(s, 0)` is 0 if `s` fails.
    pub conceals: bool,
}

/// Runs baseline code and returns what its conditions were, beside its result. `conditions` are those of the code.
pub fn observe<'a>(
    code: &'a Code,
    conditions: &Conditions,
    slots: &[Value<'a>],
    arena: &'a Arena,
) -> Observed<'a> {
    let mut recorder = ConditionRecorder {
        conditions,
        observations: vec![Observation::default(); conditions.len()],
        round: Vec::new(),
        starts: vec![Start::default(); usize::from(code.registers)],
        operands: [Value::UNSET; 2],
        taint: Taint::new(code.registers),
        conceals: true,
    };
    let outcome = finish_observed(Machine::new(code, slots, arena), &mut recorder);
    recorder.end_round();
    let ConditionRecorder { mut observations, conceals, .. } = recorder;
    for observation in observations.iter_mut().filter(|observation| observation.concealed) {
        *observation = Observation { concealed: true, ..Observation::default() };
    }
    Observed { outcome, observations, conceals }
}

/// Records what conditions were.
struct ConditionRecorder<'c, 'a> {
    conditions: &'c Conditions,
    observations: Vec<Observation<'a>>,
    /// What the current round of the outermost loop reported so far.
    round: Vec<Event<'a>>,
    /// For each register, what there was when `Log` wrote it.
    starts: Vec<Start>,
    /// The operands of the current instruction.
    operands: [Value<'a>; 2],
    taint: Taint,
    /// False once a result is returned that depends on no marked value.
    conceals: bool,
}

/// A point of a run.
#[derive(Clone, Copy, Default)]
struct Start {
    instruction: usize,
    events: usize,
    /// See [`Taint::reads`].
    reads: u64,
}

/// What a condition was in a round of a loop.
struct Event<'a> {
    condition: u32,
    truth: Truth,
    mattered: bool,
    witness: Option<Witness<'a>>,
}

/// A condition at the moment it is reported.
#[derive(Clone, Copy)]
struct ConditionMoment<'a> {
    value: Value<'a>,
    failed: bool,
    /// True if it may be shown.
    is_open: bool,
    mattered: bool,
    operands: [Value<'a>; 2],
}

impl<'a> Observer<'a> for ConditionRecorder<'_, 'a> {
    fn before(&mut self, machine: &Machine<'_, 'a>) {
        let at = machine.pc;
        let op = machine.code.ops[at];
        self.taint.before(machine, op);
        let faults = machine.log.len();
        let [first, second, third] = self.conditions.told_by(at).operands;
        match op {
            Op::Log { d } => {
                let start = Start { instruction: at, events: self.round.len(), reads: self.taint.reads };
                if let Some(known) = self.starts.get_mut(usize::from(d.0)) {
                    *known = start;
                }
            }
            Op::Compare { a, b, .. } | Op::Equal { a, b, .. } => {
                self.operands = [machine.get(a), machine.get(b)];
            }
            Op::Logic { op, a, b, left, right, .. } => {
                self.operands = [machine.get(a), machine.get(b)];
                let [from, middle] = [left, right].map(|log| machine.logged(log));
                let one = self.operand(machine, a, middle > from);
                let other = self.operand(machine, b, faults > middle);
                let decides = op.deciding().is_some_and(|deciding| open_bool(machine, one) == Some(deciding));
                if decides {
                    let Start { instruction, events, .. } = self.start(right);
                    self.skip(machine, [instruction, at], [events, self.round.len()]);
                }
                self.tell(machine, first, one);
                self.tell(machine, second, ConditionMoment { mattered: !decides, ..other });
            }
            Op::Not { a, log, .. } => {
                self.operands = [machine.get(a), Value::UNSET];
                self.tell(machine, first, self.operand(machine, a, machine.faulted_since(log)));
            }
            Op::Conditional { c, a, b, yes, no, test, .. } => {
                let [yes_at, no_at, test_at] = [yes, no, test].map(|log| machine.logged(log));
                let tested = self.operand(machine, c, faults > test_at);
                let chosen = open_bool(machine, tested);
                for (condition, arm, failed, when) in
                    [(first, a, no_at > yes_at, true), (second, b, test_at > no_at, false)]
                {
                    let mattered = chosen.is_none_or(|chosen| chosen == when);
                    let arm = self.operand(machine, arm, failed);
                    self.tell(machine, condition, ConditionMoment { mattered, ..arm });
                }
                self.tell(machine, third, tested);
                let [yes, no, test] = [yes, no, test].map(|log| self.start(log));
                if let Some(chosen) = chosen {
                    let [from, to] = if chosen { [no, test] } else { [yes, no] };
                    self.skip(machine, [from.instruction, to.instruction], [from.events, to.events]);
                }
            }
            Op::ForTested { a, log, .. } => {
                self.tell(machine, first, self.operand(machine, a, machine.faulted_since(log)));
            }
            Op::Return { a } => {
                let result = self.operand(machine, a, faults > 0);
                self.conceals = !result.is_open;
                self.tell(machine, first, result);
            }
            _ => {}
        }
        self.conceal_behind(machine, op);
    }

    fn after(&mut self, machine: &Machine<'_, 'a>, next: usize) {
        let at = machine.pc;
        let op = machine.code.ops[at];
        let told = self.conditions.told_by(at);
        let failed = match op {
            Op::Compare { log, .. }
            | Op::Equal { log, .. }
            | Op::Not { log, .. }
            | Op::Call { log, .. }
            | Op::CallExpanded { log, .. }
            | Op::Logic { left: log, .. }
            | Op::Conditional { yes: log, .. } => machine.faulted_since(log),
            _ => false,
        };
        match op {
            Op::Compare { d, .. }
            | Op::Equal { d, .. }
            | Op::Logic { d, .. }
            | Op::Not { d, .. }
            | Op::Conditional { d, .. } => {
                let value = machine.get(d);
                let is_conditional = matches!(op, Op::Conditional { .. });
                let operands = if is_conditional { [value, Value::UNSET] } else { self.operands };
                let is_open = self.is_open(machine) && !self.taint.is_read && !value.contains_marks();
                let moment = ConditionMoment { value, failed, is_open, mattered: true, operands };
                self.tell(machine, told.result, moment);
            }
            Op::ForSame { a, .. } if next != at + 1 => {
                self.tell(machine, told.operands[0], self.operand(machine, a, false));
            }
            Op::ForNext { .. } if machine.loops.len() == 1 && machine.splats.is_empty() => self.end_round(),
            Op::SplatNext { .. } if machine.loops.is_empty() && machine.splats.len() == 1 => self.end_round(),
            Op::ForEnd { .. } | Op::SplatEnd { .. } if !is_in_loop(machine) => self.end_round(),
            _ => {}
        }
        let Self { taint, starts, .. } = self;
        let reads = taint.reads;
        let read_since = |log: Reg| starts.get(usize::from(log.0)).is_some_and(|start| reads > start.reads);
        taint.after(machine, op, next != at + 1, failed, read_since);
    }
}

impl<'a> ConditionRecorder<'_, 'a> {
    fn start(&self, log: Reg) -> Start {
        self.starts.get(usize::from(log.0)).copied().unwrap_or_default()
    }

    /// Returns true if no marked value decides what is evaluated now.
    fn is_open(&self, machine: &Machine<'_, 'a>) -> bool {
        !self.taint.controls() && !is_controlled_by_marks(machine)
    }

    /// Returns what an operand is.
    fn operand(&self, machine: &Machine<'_, 'a>, reg: Reg, failed: bool) -> ConditionMoment<'a> {
        let value = machine.get(reg);
        let is_open = self.is_open(machine) && !self.taint.of(machine, reg);
        ConditionMoment { value, failed, is_open, mattered: true, operands: [value, Value::UNSET] }
    }

    /// Conceals what runs only if the current instruction decides so by what depends on marked values.
    fn conceal_behind(&mut self, machine: &Machine<'_, 'a>, op: Op) {
        let at = machine.pc;
        let reads = self.taint.reads;
        let read_since = |log: Reg| reads > self.start(log).reads;
        let range = match op {
            Op::ForBegin { end, .. } | Op::SplatBegin { end, .. } if self.taint.is_read => {
                [at, cast::index(end.0)]
            }
            Op::ForInclude { next, .. } | Op::ForKey { next, .. } if self.taint.is_read => {
                [at, cast::index(next.0)]
            }
            Op::ForTested { log, end, .. } if read_since(log) => {
                [self.start(log).instruction, cast::index(end.0)]
            }
            Op::TryTake { log, done, .. } if read_since(log) => [at, cast::index(done.0)],
            _ => return,
        };
        self.conceal(machine, range);
    }

    /// Records what a condition was.
    fn tell(&mut self, machine: &Machine<'_, 'a>, condition: Option<u32>, moment: ConditionMoment<'a>) {
        let Some(condition) = condition else { return };
        // Clauses are tried with unknown elements, and splats compute types with them.
        if machine.loops.iter().any(super::iterate::Loop::is_trial)
            || machine.splats.iter().any(super::splat::OpenSplat::computes_types)
        {
            return;
        }
        if !moment.is_open {
            self.observations[cast::index(condition)].concealed = true;
            return;
        }
        let truth = truth(machine, moment);
        let in_loop = is_in_loop(machine);
        let observation = &mut self.observations[cast::index(condition)];
        let witness = (observation.found & truth.bit() == 0)
            .then(|| Witness { values: moment.operands, visited: machine.visited() });
        observation.found |= truth.bit();
        let event = Event { condition, truth, mattered: moment.mattered, witness };
        if in_loop {
            self.round.push(event);
        } else {
            self.keep(&event);
        }
    }

    fn keep(&mut self, event: &Event<'a>) {
        let observation = &mut self.observations[cast::index(event.condition)];
        let at = event.truth as usize;
        if event.mattered {
            observation.counts[at] += 1;
        } else {
            observation.skipped[at] += 1;
            // A later evaluation that matters is a better witness.
            observation.found &= !event.truth.bit();
        }
        if let Some(witness) = event.witness {
            let has_better = observation.witnesses[at].is_some() && !event.mattered;
            if !has_better {
                observation.witnesses[at] = Some(witness);
            }
        }
    }

    /// Keeps what the round of a loop reported.
    fn end_round(&mut self) {
        for event in std::mem::take(&mut self.round) {
            self.keep(&event);
        }
    }

    /// Makes the conditions in a range of instructions ones that did not matter. In a loop, `events` are what they
    /// reported in this round.
    fn skip(&mut self, machine: &Machine<'_, 'a>, [from, to]: [usize; 2], [first, end]: [usize; 2]) {
        if is_in_loop(machine) {
            for event in self.round.get_mut(first..end).unwrap_or_default() {
                event.mattered = false;
            }
        } else {
            let conditions = self.conditions.told_in(from..to);
            for observation in &mut self.observations[conditions] {
                observation.skip();
            }
        }
    }

    /// Conceals the conditions in a range of instructions.
    fn conceal(&mut self, machine: &Machine<'_, 'a>, [from, to]: [usize; 2]) {
        // Without a clause, a loop has `ForNext` in front of its elements.
        let to = match machine.code.ops.get(to) {
            Some(Op::ForNext { exit, .. }) if to < from => cast::index(exit.0),
            _ => to,
        };
        let conditions = self.conditions.told_in(from..to);
        for observation in &mut self.observations[conditions] {
            observation.concealed = true;
        }
    }
}

fn is_in_loop(machine: &Machine<'_, '_>) -> bool {
    !machine.loops.is_empty() || !machine.splats.is_empty()
}

/// Returns true if marked values decide what an open loop evaluates.
fn is_controlled_by_marks(machine: &Machine<'_, '_>) -> bool {
    machine.is_secret() || machine.loops.iter().any(super::iterate::Loop::is_marked)
}

/// Returns the bool that a condition is, or converts to, if it may be shown.
fn open_bool(machine: &Machine<'_, '_>, moment: ConditionMoment<'_>) -> Option<bool> {
    match truth(machine, moment) {
        Truth::True if moment.is_open => Some(true),
        Truth::False if moment.is_open => Some(false),
        _ => None,
    }
}

fn truth(machine: &Machine<'_, '_>, moment: ConditionMoment<'_>) -> Truth {
    let value = moment.value;
    if moment.failed {
        return Truth::Failed;
    }
    if value.is_null() {
        return Truth::Null;
    }
    if !value.is_known() {
        return Truth::Unknown;
    }
    // A text may be a bool.
    let bool = value.as_bool().or_else(|| {
        value.as_str()?;
        convert(machine.arena, value, Type::Bool).ok()?.as_bool()
    });
    match bool {
        Some(true) => Truth::True,
        Some(false) => Truth::False,
        None => Truth::Other,
    }
}
