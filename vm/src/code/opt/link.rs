//! Linking: the fast code of many expressions becomes one stream of instructions with one entry, run by
//! [`exec::run_rules`](crate::exec::run_rules).
//!
//! ```text
//! registers   0 …        all slots that any of the rules reads, each once
//!             behind     the temporaries of the current rule; `Fast::assemble` may move them into gaps
//! instructions           rule 0 │ rule 1 │ … │ End
//!                        Return becomes Emit, which continues at the next rule
//! values      slots │ results, each at the position of its rule
//! ```
//!
//! The result of a rule may be a slot that later rules read, such as a local value of a module: its position
//! is then the number of that slot. In the stream of both rules it is passed in the slot's register.
//!
//! If rules have common subexpressions, the stream holds two copies of them: the optimized one, then the
//! original, for rules that are entered one by one.

use std::sync::Arc;

use smallvec::SmallVec;
use smol_str::SmolStr;

use super::cse::{SharedStream, Stream, StreamRule, eliminate};
use crate::code::facts::Flow;
use crate::code::fast::{
    Entry, Fast, FastLabel, FastOp, FastReg, Handler, IntervalId, Outline, RegClass, Scaled, SwitchId,
    Symbol, Term,
};
use crate::code::register_file::MOST_SCALED;
use crate::code::verify::verify_linked;
use crate::code::{Callee, Const, Count, Operand, OperandMut, Shape, ShapeId, Slot, Switch};
use crate::function::Function;
use crate::memory::cast::{self, index, operand};
use crate::memory::hash::{HashMap, HashSet};
use crate::value::{Constants, Value};

/// A stream of as many rules as fit.
#[derive(Debug)]
pub struct Linked {
    /// The stream.
    pub fast: Fast,
    /// The first instruction of each rule in the optimized copy, if there is one.
    pub(in crate::code) optimized: Box<[u16]>,
    /// The first instruction of each rule in the copy in which no rule depends on another.
    pub(in crate::code) starts: Box<[u16]>,
    /// The position of each rule's result among the values of a run, ascending.
    pub(in crate::code) positions: Box<[u32]>,
}

/// A rule to be linked.
#[derive(Clone, Copy, Debug)]
pub struct LinkedRule<'r> {
    /// Its code; a rule without fast code falls back at once.
    pub fast: Option<&'r Fast>,
    /// The position of its result among the values of a run. Positions of successive rules ascend.
    pub position: u32,
}

impl Linked {
    /// Returns the number of rules.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns true if common subexpressions were eliminated.
    pub fn shares(&self) -> bool {
        !self.optimized.is_empty()
    }

    /// Returns the number of instructions of the rules, each counted once, without the end.
    pub(crate) fn cost(&self) -> u64 {
        (self.fast.ops.len() - 1 - self.start(0).unwrap_or(0)) as u64
    }

    /// Returns the number of instructions of a rule.
    pub(crate) fn cost_of(&self, rule: usize) -> u64 {
        let end = self.start(rule + 1).unwrap_or(self.fast.ops.len() - 1);
        self.start(rule).map_or(0, |start| (end - start) as u64)
    }

    /// Returns the instruction at which a rule can be entered by itself. A run of all rules begins at 0.
    pub(crate) fn start(&self, rule: usize) -> Option<usize> {
        self.starts.get(rule).map(|start| usize::from(*start))
    }

    /// Returns the position of a rule's result among the values of a run.
    pub(crate) fn position(&self, rule: usize) -> Option<usize> {
        self.positions.get(rule).map(|position| index(*position))
    }

    /// Returns the positions of the results of its rules.
    pub fn positions(&self) -> impl Iterator<Item = usize> {
        self.positions.iter().map(|position| index(*position))
    }

    /// Returns the first rule whose result is at `position` or behind it.
    pub(crate) fn rule_at(&self, position: usize) -> usize {
        self.positions.partition_point(|known| index(*known) < position)
    }
}

/// Links rules in order into as few streams as hold them.
pub fn link<'r>(rules: impl IntoIterator<Item = LinkedRule<'r>>) -> Vec<Linked> {
    partition(rules).iter().map(Unlinked::link).collect()
}

/// Divides rules in order into as few streams as hold them, so that these can be linked independently.
pub fn partition<'r>(rules: impl IntoIterator<Item = LinkedRule<'r>>) -> Vec<Unlinked<'r>> {
    let mut streams = Vec::new();
    let mut linker = StreamLinker::default();
    for LinkedRule { fast, position } in rules {
        if !linker.has_room(fast) {
            streams.push(Unlinked(std::mem::take(&mut linker)));
        }
        // A rule too large for a stream of its own is run by itself.
        let fast = fast.filter(|_| linker.has_room(fast));
        linker.add(LinkedRule { fast, position });
    }
    if !linker.rules.is_empty() {
        streams.push(Unlinked(linker));
    }
    streams
}

/// The rules of a stream that is not linked yet.
#[derive(Debug)]
pub struct Unlinked<'r>(StreamLinker<'r>);

impl Unlinked<'_> {
    /// Links the rules.
    pub fn link(&self) -> Linked {
        self.0.finish()
    }
}

#[derive(Debug, Default)]
struct StreamLinker<'r> {
    rules: Vec<LinkedRule<'r>>,
    /// The slots that rules read, and the register of each.
    slots: Vec<Slot>,
    registers: HashMap<u16, u8>,
    /// The largest number of temporaries of a rule.
    others: usize,
    ops: usize,
    functions: usize,
    switches: usize,
    intervals: usize,
}

impl<'r> StreamLinker<'r> {
    fn has_room(&self, rule: Option<&'r Fast>) -> bool {
        let Some(rule) = rule else { return self.ops + 2 < usize::from(u16::MAX) };
        let new = rule.slots.iter().filter(|slot| !self.registers.contains_key(&slot.0)).count();
        let others = self.others.max(others_of(rule));
        self.slots.len() + new + others + BETWEEN <= 256
            && self.ops + ops_of(rule) + 2 < usize::from(u16::MAX)
            && fits(self.functions + rule.functions.len())
            && fits(self.switches + rule.switches.len())
            && fits(self.intervals + rule.intervals.len())
    }

    fn add(&mut self, rule: LinkedRule<'r>) {
        self.rules.push(rule);
        let Some(rule) = rule.fast else {
            // With an instruction that begins it.
            self.ops += 2;
            return;
        };
        for slot in &rule.slots {
            if !self.registers.contains_key(&slot.0) {
                self.registers.insert(slot.0, cast::register(self.slots.len()));
                self.slots.push(*slot);
            }
        }
        self.others = self.others.max(others_of(rule));
        self.ops += ops_of(rule) + 1;
        self.functions += rule.functions.len();
        self.switches += rule.switches.len();
        self.intervals += rule.intervals.len();
    }

    fn finish(&self) -> Linked {
        let mut parts = StreamTables::default();
        let between = self.slots.len() + self.others;
        let positions: Box<[u32]> = self.rules.iter().map(|rule| rule.position).collect();
        let mut next = positions.first().copied().unwrap_or(0);
        for LinkedRule { fast, position } in &self.rules {
            parts.begin_rule(*fast, position - next);
            next = position + 1;
            match fast {
                Some(rule) => {
                    let result = u16::try_from(*position).ok();
                    let result = result.and_then(|slot| self.registers.get(&slot).copied()).map(FastReg);
                    parts.append(rule, (&self.registers, self.slots.len(), between), result);
                }
                None => parts.ops.push(FastOp::Trap {}),
            }
        }
        parts.ops.push(FastOp::End {});
        let registers = between + BETWEEN;
        let optimized = parts.eliminate(self.slots.len(), registers);
        let (mut optimized, registers) = optimized.unwrap_or((Box::default(), registers));
        let mut starts: Box<[u16]> = parts.rules.iter().map(|rule| operand(rule.start)).collect();
        let mut fast = Fast {
            ops: SmallVec::new(),
            slot_bits: 0,
            registers: operand(registers),
            others: operand(self.slots.len()),
            in_place: false,
            omits: false,
            entry: Entry::None,
            outline: Outline::default(),
            slots: self.slots.as_slice().into(),
            names: parts.names.into(),
            handlers: parts.handlers.into(),
            switches: parts.switches.into(),
            intervals: parts.intervals.into(),
            constants: Constants::freeze(&parts.constants),
            functions: parts.functions.into(),
            shapes: parts.shapes.into(),
        };
        let between = operand(between)..operand(between + BETWEEN);
        fast.assemble_stream(&mut parts.ops, between, [&mut optimized, &mut starts]);
        let linked = Linked { fast, optimized, starts, positions };
        debug_assert_eq!(verify_linked(&linked, usize::MAX), Ok(()));
        linked
    }
}

/// Returns true if an operand can number that many entries.
fn fits(count: usize) -> bool {
    u16::try_from(count).is_ok()
}

/// Returns an upper bound of the number of instructions of a rule in a stream.
fn ops_of(rule: &Fast) -> usize {
    // A return may become two.
    rule.ops.iter().map(|op| parts_of(op) + usize::from(op.facts().flow == Flow::Returns)).sum()
}

/// Returns the number of instructions into which one is divided.
fn parts_of(op: &FastOp<Scaled>) -> usize {
    let mut count = 0;
    op.all_parts([Scaled::default(); BETWEEN], &mut |_| {
        count += 1;
        true
    });
    count
}

/// Returns true if a fault in the rule may lead to another instruction. Without a target, a fault ends the
/// run in any case.
fn has_handlers(rule: &Fast) -> bool {
    rule.handlers.iter().any(|handler| handler.target.is_some())
}

/// The number of registers for values between the parts of superinstructions.
const BETWEEN: usize = 2;

/// Returns the number of temporaries of a rule.
fn others_of(rule: &Fast) -> usize {
    usize::from(rule.registers.saturating_sub(rule.others))
}

/// A constant in a form that is hashed and compared.
#[derive(PartialEq, Eq, Hash)]
enum ConstantKey<'r> {
    Text(&'r str),
    Int(i64),
    Bool(bool),
}

/// The tables of a stream under construction.
#[derive(Default)]
struct StreamTables<'r> {
    ops: Vec<FastOp>,
    rules: Vec<StreamRule>,
    names: Vec<(Symbol, SmolStr)>,
    /// The symbols among `names`.
    named: HashSet<Symbol>,
    handlers: Vec<Handler>,
    switches: Vec<Switch>,
    intervals: Vec<Box<[Term]>>,
    constants: Vec<Value<'r>>,
    /// Texts, integers and bools among the constants.
    known: HashMap<ConstantKey<'r>, u32>,
    /// Where the parts of the last rule are now.
    places: PartPlaces,
    functions: Vec<Arc<Function>>,
    /// The position of each function, by address.
    callees: HashMap<usize, usize>,
    shapes: Vec<Shape>,
}

/// Memory for the new places of the parts of one rule after the other.
#[derive(Default)]
struct PartPlaces {
    constants: Vec<u32>,
    functions: Vec<Callee>,
    /// Of its instructions, and of the end.
    ops: Vec<u16>,
}

impl<'r> StreamTables<'r> {
    /// Begins a rule, whose result is `skipped` positions behind the one of the rule before it.
    fn begin_rule(&mut self, rule: Option<&Fast>, skipped: u32) {
        self.rules.push(StreamRule { start: self.ops.len(), handled: rule.is_some_and(has_handlers) });
        if skipped > 0 || rule.is_some_and(|rule| rule.ops.iter().any(|op| op.facts().iterates)) {
            self.ops.push(FastOp::Begin { skipped: Count(skipped) });
        }
    }

    /// Appends the instructions of a rule, as parts of superinstructions. Slots have `registers`, the first `slots` ones; `result` is the
    /// register of the slot that is the rule's result, if another rule of the stream reads it.
    fn append(
        &mut self,
        rule: &'r Fast,
        (registers, slots, between): (&HashMap<u16, u8>, usize, usize),
        result: Option<FastReg>,
    ) {
        let base = operand(self.ops.len());
        let handled = has_handlers(rule);
        let shapes = cast::length(self.shapes.len());
        let PartPlaces { mut constants, functions: mut callees, ops: mut moved } =
            std::mem::take(&mut self.places);
        constants.clear();
        constants.extend(rule.constants.values().iter().map(|constant| self.constant(*constant)));
        let (switches, intervals) = (operand(self.switches.len()), operand(self.intervals.len()));
        callees.clear();
        callees.extend(rule.functions.iter().map(|function| self.callee(function)));
        let register = |reg: FastReg| match rule.class(reg) {
            RegClass::Slot(slot) => FastReg(registers.get(&rule.slots[slot].0).copied().unwrap_or(0)),
            RegClass::Temporary(other) => FastReg(cast::register(slots + other)),
        };
        let between = [between, between + 1].map(|reg| FastReg(cast::register(reg)));
        let ops = reached(rule);
        moved.clear();
        for (at, op) in ops.iter().enumerate() {
            moved.push(operand(self.ops.len()));
            let mut plain = FastOp::Trap {};
            op.map_into(&mut plain, |_, reg| register(rule.register(reg)), |label| label);
            plain.operands_mut(|operand| match operand {
                OperandMut::Constant(constant) => constant.0 = constants[index(constant.0)],
                OperandMut::Function(callee) => *callee = callees[usize::from(callee.0)],
                OperandMut::Shape(ShapeId(shape)) => *shape += shapes,
                OperandMut::Switch(SwitchId(switch)) => *switch += switches,
                OperandMut::Intervals(IntervalId(interval)) => *interval += intervals,
                _ => {}
            });
            let emit = Emit { jumps: at + 1 < ops.len(), to: FastLabel(operand(ops.len())), result };
            plain.all_parts(between, &mut |part| {
                self.push(part.clone(), emit);
                true
            });
        }
        let end = operand(self.ops.len());
        moved.push(end);
        let shifted = |at: u16| moved.get(usize::from(at)).copied().unwrap_or(end);
        relocate(&mut self.ops[usize::from(base)..], 0, shifted);
        if handled {
            self.handlers.extend(rule.handlers.iter().map(|handler| handler_at(*handler, shifted)));
        }
        self.switches.extend(rule.switches.iter().map(|switch| switch_at(switch, shifted)));
        self.intervals.extend(rule.intervals.iter().map(|terms| {
            let moved = |term: &Term| match term {
                Term::Register(reg) => Term::Register(register(*reg)),
                Term::Constant(interval, Some(k)) => {
                    Term::Constant(*interval, Some(Const(constants[index(k.0)])))
                }
                term => *term,
            };
            terms.iter().map(moved).collect::<Box<[Term]>>()
        }));
        self.places = PartPlaces { constants, functions: callees, ops: moved };
        for (symbol, name) in &rule.names {
            if self.named.insert(*symbol) {
                self.names.push((*symbol, name.clone()));
            }
        }
        self.shapes.extend_from_slice(&rule.shapes);
    }

    /// Appends an instruction of a rule, which is no superinstruction. A return becomes an emit.
    fn push(&mut self, op: FastOp, Emit { jumps, to, result }: Emit) {
        match op {
            FastOp::Return { a } => {
                self.ops.extend(result.map(|d| FastOp::Copy { d, a }));
                self.ops.push(FastOp::Emit { a, jumps, to });
            }
            FastOp::ReturnBool { truth } => {
                if let Some(d) = result {
                    let k = Const(self.constant(Value::bool(truth)));
                    self.ops.push(FastOp::Constant { d, k });
                }
                self.ops.push(FastOp::EmitBool { truth, jumps, to });
            }
            op => self.ops.push(op),
        }
    }

    /// Returns the index of a constant. Equal texts and numbers have one index.
    fn constant(&mut self, constant: Value<'r>) -> u32 {
        let next = cast::length(self.constants.len());
        let known = constant
            .as_short_text()
            .map(ConstantKey::Text)
            .or_else(|| constant.as_full_int().map(ConstantKey::Int));
        let known = known.or_else(|| constant.as_bool().map(ConstantKey::Bool));
        let at = known.map_or(next, |known| *self.known.entry(known).or_insert(next));
        if at == next {
            self.constants.push(constant);
        }
        at
    }

    /// Runs common subexpression elimination over the stream. If it pays and both copies fit the
    /// instruction format, the optimized copy is placed in front of the original, which stays behind it
    /// for rules that run after a fallback. Returns where the rules begin in the copy, and the number of registers it
    /// needs.
    fn eliminate(&mut self, slots: usize, registers: usize) -> Option<(Box<[u16]>, usize)> {
        let stream = Stream {
            ops: &self.ops,
            rules: &self.rules,
            slots,
            registers,
            switches: &self.switches,
            intervals: &self.intervals,
            functions: &self.functions,
            shapes: &self.shapes,
        };
        // A stream with scaled operands keeps them. Fusion leaves few of the registers between parts.
        let scaled = usize::from(MOST_SCALED);
        let is_scaled = registers.saturating_sub(BETWEEN) <= scaled;
        let shared = eliminate(&stream, if is_scaled { scaled } else { 256 });
        let SharedStream { mut ops, moved, registers: all } = shared?;
        let (behind, switches) = (ops.len(), self.switches.len());
        if !fits(behind + self.ops.len()) || !fits(2 * switches) {
            return None;
        }
        let starts = self.rules.iter().map(|rule| operand(moved[rule.start])).collect();
        let moved = |at: u16| operand(moved[usize::from(at)]);
        let shifted = |at: u16| at + operand(behind);
        relocate(&mut ops, 0, moved);
        relocate(&mut self.ops, operand(switches), shifted);
        ops.append(&mut self.ops);
        self.ops = ops;
        for at in 0..switches {
            self.switches.push(switch_at(&self.switches[at], shifted));
            self.switches[at] = switch_at(&self.switches[at], moved);
        }
        for at in 0..self.handlers.len() {
            self.handlers.push(handler_at(self.handlers[at], shifted));
            self.handlers[at] = handler_at(self.handlers[at], moved);
        }
        for rule in &mut self.rules {
            rule.start += behind;
        }
        Some((starts, all))
    }

    fn callee(&mut self, function: &Arc<Function>) -> Callee {
        let functions = &mut self.functions;
        let at = *self.callees.entry(Arc::as_ptr(function).addr()).or_insert_with(|| {
            functions.push(Arc::clone(function));
            functions.len() - 1
        });
        Callee(operand(at))
    }
}

/// Updates the labels of instructions after others moved, and their switches by an offset.
fn relocate(ops: &mut [FastOp], switches: u16, moved: impl Fn(u16) -> u16) {
    for op in ops {
        op.operands_mut(|operand| match operand {
            OperandMut::Jump(label) => label.0 = moved(label.0),
            OperandMut::Switch(SwitchId(switch)) => *switch += switches,
            _ => {}
        });
    }
}

/// Returns a switch with updated labels.
fn switch_at(switch: &Switch, moved: impl Fn(u16) -> u16) -> Switch {
    let mut switch = switch.clone();
    switch.targets_mut().for_each(|target| target.0 = moved(target.0));
    switch
}

/// Returns a handler with updated range and target.
fn handler_at(Handler { start, end, target }: Handler, moved: impl Fn(u16) -> u16) -> Handler {
    let target = target.map(|FastLabel(to)| FastLabel(moved(to)));
    Handler { start: moved(start), end: moved(end), target }
}

/// Returns the instructions of a rule, without an unreachable trap at the end.
fn reached(rule: &Fast) -> &[FastOp<Scaled>] {
    let [ops @ .., FastOp::Trap {}] = &*rule.ops else { return &rule.ops };
    let trap = operand(ops.len());
    let mut leads_there = !ops.last().is_some_and(|op| op.facts().is_final());
    for op in ops {
        op.operands(|_, operand| leads_there |= matches!(operand, Operand::Jump(to) if to.0 == trap));
    }
    leads_there |= rule.handlers.iter().any(|handler| handler.target.is_some_and(|to| to.0 == trap));
    leads_there |= rule.switches.iter().any(|switch| switch.targets().any(|to| to.0 == trap));
    if leads_there { &rule.ops } else { ops }
}

/// The form of a return in a stream: an emit that jumps `to` the next rule, unless that follows anyway.
#[derive(Clone, Copy)]
struct Emit {
    jumps: bool,
    to: FastLabel,
    /// The register that also receives the result.
    result: Option<FastReg>,
}
