//! Runs of code that reads marked primitives: variables, or attributes of variables. The code runs on these values
//! without their marks, and the result receives the marks.
//!
//! Every operation on primitives gives its result the marks of all operands, and every part of an expression counts,
//! evaluated or not: `&&`, `||` and conditionals have the marks of all their parts. So the marks of a result that is
//! a primitive are those of everything that its code reads, if no part has a fault, which would conceal the marks
//! behind it. Before such a run, all instructions are followed in their order, whether the run will reach them or
//! not: each must be one that has no fault with the values that it reads. Collections, `try` and most loops run on the
//! baseline tier; [`elements`] describes the exceptions.

mod elements;

use super::attribute::{attribute, attribute_of_object};
use super::entry::enter;
use crate::code::facts::{Faults, Kind};
use crate::code::fast::{Fast, FastOp, FastReg, InlineCache, RegClass, Symbol};
use crate::code::{Callee, Operand};
use crate::exec::Frame;
use crate::memory::arena::{Arena, ArenaVec};
use crate::value::{Marks, NO_SYMBOL, TextBuffer, Value};

/// The most instructions, and the most values of a scope. The instructions that jumps lead to are a set of bits, and
/// the values are copied; the baseline tier is better with more of either.
const MOST: usize = 64;

/// The most entries of an object that is copied to remove a mark: a run needs no more memory than on the baseline tier,
/// but for a few kilobytes.
const MOST_ENTRIES: usize = 100;

/// The capacity for temporaries. Most code has fewer, so that the list is allocated once.
const FEW: usize = 8;

/// Returns true if a variable that the code reads contains marks, and the code may be run without them.
pub(super) fn is_eligible(fast: &Fast, frame: Frame<'_, '_>) -> bool {
    fast.slots.iter().any(|slot| frame.get(*slot).is_some_and(Value::contains_marks))
        && fast.ops.len() <= MOST
        && frame.values().len() <= MOST
        && fast.facts().is_whole
}

/// Runs eligible code without the marks of what it reads. Returns `None` if a part of the code may have a fault, or if
/// it falls back all the same.
pub(super) fn run<'a>(
    fast: &'a Fast,
    frame: Frame<'_, 'a>,
    arena: &'a Arena,
    text: &mut TextBuffer,
) -> Option<Value<'a>> {
    let mut walk = CodeWalk::new(fast, frame, arena)?;
    let loops = fast.facts().iterates;
    if loops {
        walk.follow_elements()?;
    } else {
        for (at, op) in fast.ops.iter().enumerate() {
            walk.join(at);
            let follows = fast.all_parts_of(op, &mut |part| walk.follow_op(part).is_some());
            if !follows {
                return None;
            }
        }
    }
    let CodeWalk { values, marks, .. } = walk;
    let result = enter(fast, values, arena, text)?;
    fast.note_marks(!marks.is_empty());
    let has_no_marks = if loops { !result.contains_marks() } else { result.is_plain_primitive() };
    has_no_marks.then(|| result.with_marks(arena, marks))
}

/// A walk over all instructions of some code.
struct CodeWalk<'a> {
    fast: &'a Fast,
    arena: &'a Arena,
    /// The values of the scope, without the marks of those read so far.
    values: &'a mut [Value<'a>],
    temporaries: ArenaVec<'a, Temporary<'a>>,
    /// The instructions to which others jump.
    targets: u64,
    /// The registers of a loop's element and key, which no other instruction writes.
    fixed: [Option<FastReg>; 2],
    marks: Marks<'a>,
}

/// A register that instructions have written.
#[derive(Clone, Copy)]
struct Temporary<'a> {
    register: FastReg,
    /// What the last of these instructions wrote.
    held: RegisterContent<'a>,
    /// If that is an attribute: the register of the object, and its position in it.
    from: Option<(FastReg, usize)>,
    /// True if one of them wrote an aggregate.
    aggregate: bool,
}

/// What a register holds: known values, which are not null.
#[derive(Clone, Copy)]
enum RegisterContent<'a> {
    Bool,
    Number,
    /// A bool, a number or a text.
    Primitive,
    Value(Value<'a>),
    /// Perhaps an aggregate.
    Uncertain,
}

impl<'a> Temporary<'a> {
    fn value(&self) -> Option<Value<'a>> {
        if let RegisterContent::Value(value) = self.held { Some(value) } else { None }
    }
}

impl RegisterContent<'_> {
    /// Returns what a register holds that an instruction has written.
    const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Bool => Self::Bool,
            Kind::Number => Self::Number,
            Kind::Primitive => Self::Primitive,
        }
    }

    fn is(self, kind: Kind) -> bool {
        match kind {
            Kind::Bool => self.is_bool(),
            Kind::Number => self.is_number(),
            Kind::Primitive => self.is_primitive(),
        }
    }

    fn is_bool(self) -> bool {
        matches!(self, Self::Bool) || matches!(self, Self::Value(value) if value.as_bool().is_some())
    }

    /// Returns true for a finite number.
    fn is_number(self) -> bool {
        matches!(self, Self::Number) || matches!(self, Self::Value(value) if is_finite(value))
    }

    fn is_primitive(self) -> bool {
        match self {
            Self::Bool | Self::Number | Self::Primitive => true,
            Self::Value(value) => value.is_plain_primitive(),
            Self::Uncertain => false,
        }
    }
}

impl<'a> CodeWalk<'a> {
    fn new(fast: &'a Fast, frame: Frame<'_, 'a>, arena: &'a Arena) -> Option<Self> {
        let values = arena.copied(frame.values())?;
        let temporaries = arena.list_with(fast.ops.len().min(FEW));
        Some(Self {
            fast,
            arena,
            values,
            temporaries,
            targets: fast.facts().targets,
            fixed: [None; 2],
            marks: Marks::NONE,
        })
    }

    /// Merges the states of control flow at the target of a jump: a register may have been written by any instruction that
    /// writes it, not only by the last one that was followed.
    fn join(&mut self, at: usize) {
        if self.targets >> at & 1 == 1 {
            let fixed = self.fixed;
            for temporary in
                self.temporaries.iter_mut().filter(|other| !fixed.contains(&Some(other.register)))
            {
                temporary.held =
                    if temporary.aggregate { RegisterContent::Uncertain } else { RegisterContent::Primitive };
            }
        }
    }

    /// Removes the marks of what an instruction reads, which is no superinstruction. Returns `None` if it may have a fault.
    fn follow_op(&mut self, op: &FastOp) -> Option<()> {
        match op {
            FastOp::Constant { d, k } => {
                let constant = self.fast.constants.values().get(k.0 as usize).copied()?;
                self.set(*d, RegisterContent::Value(constant), None);
                Some(())
            }
            // Whether it is a primitive is checked of the result itself.
            FastOp::Return { a } => self.held(*a).map(|_| ()),
            FastOp::Copy { d, a } => {
                let held = self.held(*a)?;
                self.set(*d, held, None);
                held.is_primitive().then_some(())
            }
            FastOp::Attribute { d, a, cache, symbol, .. } => {
                let (value, position) = self.attribute(*a, cache, *symbol)?;
                self.set(*d, RegisterContent::Value(value), Some((*a, position)));
                Some(())
            }
            FastOp::Call { d, f, base, count: 2 } => {
                let is_total = self.is_total(*f, *base)?;
                self.set(*d, RegisterContent::Bool, None);
                is_total.then_some(())
            }
            FastOp::DivideInt { i, .. } | FastOp::ModuloInt { i, .. } if i.0 != 0 => {
                self.follow_total(op, Kind::Number, Kind::Number)
            }
            op => match op.facts().faults {
                Faults::Total(needs, gives) => self.follow_total(op, needs, gives),
                Faults::Partial => None,
            },
        }
    }

    /// Follows an instruction that has no fault if all registers that it reads hold what it `needs`.
    fn follow_total(&mut self, op: &FastOp, needs: Kind, gives: Kind) -> Option<()> {
        let mut total = Some(());
        op.operands(|_, operand| {
            if let Operand::In(reg) | Operand::InOut(reg) = operand {
                total = total.and_then(|()| self.held(reg)?.is(needs).then_some(()));
            }
        });
        if let Some(written) = op.written() {
            self.set(written, RegisterContent::of(gives), None);
        }
        total
    }

    /// Returns true if a call has a result: a search in a sequence, or a comparison of the beginnings of texts.
    fn is_total(&mut self, f: Callee, FastReg(base): FastReg) -> Option<bool> {
        let function = self.fast.functions.get(usize::from(f.0))?;
        let (first, second) = (self.held(FastReg(base))?, self.held(FastReg(base.checked_add(1)?))?);
        let RegisterContent::Value(first) = first else { return None };
        let is_total = if function.searches() {
            second.is_primitive() && first.as_items().is_some() && !first.contains_marks()
        } else {
            let is_text = matches!(second, RegisterContent::Value(second) if second.as_str().is_some());
            function.begins() && first.as_str().is_some() && is_text
        };
        Some(is_total && first.is_wholly_known())
    }

    /// Finds an attribute of the object in a register, and removes its marks. Returns it with its position.
    fn attribute(
        &mut self,
        object: FastReg,
        cache: &InlineCache,
        symbol: Symbol,
    ) -> Option<(Value<'a>, usize)> {
        let value = match self.slot(object) {
            Some(slot) => self.variable(slot)?,
            None => self.temporary(object)?.value()?,
        };
        let (found, position) = self.find(value, cache, symbol)?;
        if found.is_marked() {
            let (inner, own) = found.unmark();
            self.marks = self.marks.union(self.arena, own);
            self.replace((object, position), inner)?;
            return inner.is_plain().then_some((inner, position));
        }
        found.is_plain().then_some((found, position))
    }

    /// Finds an attribute. Returns it with its position.
    // A call would pass the result through memory.
    #[inline(always)]
    fn find(&self, object: Value<'a>, cache: &InlineCache, symbol: Symbol) -> Option<(Value<'a>, usize)> {
        let found = match attribute(object, cache, symbol) {
            Some(found) => found,
            None => self.searched(object, cache, symbol)?,
        };
        Some((found, cache.get()))
    }

    /// Returns an attribute whose symbol is not at the position in the inline cache. Objects that were built by hand
    /// have none of the symbols.
    fn searched(&self, value: Value<'a>, cache: &InlineCache, symbol: Symbol) -> Option<Value<'a>> {
        let entries = value.as_object()?;
        match entries.get(cache.get()) {
            Some(entry) if entry.symbol == NO_SYMBOL && self.fast.name(symbol) == Some(entry.name) => {
                Some(entry.value)
            }
            _ => attribute_of_object(self.fast, entries, cache, symbol).ok(),
        }
    }

    /// Replaces an attribute in a copy of its object, which replaces the object.
    fn replace(&mut self, (mut object, mut position): (FastReg, usize), mut value: Value<'a>) -> Option<()> {
        loop {
            let RegisterContent::Value(old) = self.held(object)? else { return None };
            let entries = old.as_object()?;
            if entries.len() > MOST_ENTRIES {
                return None;
            }
            let entries = self.arena.copied(entries)?;
            entries.get_mut(position)?.value = value;
            value = Value::object(self.arena, entries);
            if let Some(slot) = self.slot(object) {
                *self.values.get_mut(slot)? = value;
                return Some(());
            }
            let from = self.temporary(object)?.from;
            self.set(object, RegisterContent::Value(value), from);
            if self.fixed.contains(&Some(object)) {
                return Some(());
            }
            (object, position) = from?;
        }
    }

    /// Returns what a register holds, and removes its marks if it is a variable.
    fn held(&mut self, reg: FastReg) -> Option<RegisterContent<'a>> {
        match self.slot(reg) {
            Some(slot) => self.variable(slot).map(RegisterContent::Value),
            None => self.temporary(reg).map(|temporary| temporary.held),
        }
    }

    fn temporary(&self, register: FastReg) -> Option<&Temporary<'a>> {
        self.temporaries.iter().find(|other| other.register == register)
    }

    /// Returns a variable, after removing its marks.
    fn variable(&mut self, slot: usize) -> Option<Value<'a>> {
        let value = self.values.get_mut(slot)?;
        if value.is_marked() {
            let (inner, own) = value.unmark();
            *value = inner;
            self.marks = self.marks.union(self.arena, own);
        }
        value.is_plain().then_some(*value)
    }

    /// Returns the slot of the scope that a register holds.
    fn slot(&self, reg: FastReg) -> Option<usize> {
        if self.fast.in_place && reg.0 < 63 {
            return (self.fast.slot_bits >> reg.0 & 1 == 1).then_some(usize::from(reg.0));
        }
        let RegClass::Slot(at) = self.fast.class(reg) else { return None };
        self.fast.slots.get(at).map(|slot| usize::from(slot.0))
    }

    /// Notes what an instruction writes.
    fn set(&mut self, register: FastReg, held: RegisterContent<'a>, from: Option<(FastReg, usize)>) {
        let aggregate = !held.is_primitive();
        match self.temporaries.iter_mut().find(|other| other.register == register) {
            Some(old) => {
                *old = Temporary { register, held, from, aggregate: old.aggregate || aggregate };
            }
            None => self.temporaries.push(Temporary { register, held, from, aggregate }),
        }
    }
}

/// Returns true for a finite number.
fn is_finite(value: Value<'_>) -> bool {
    value.compare_short(Value::int(0)).is_some()
}
