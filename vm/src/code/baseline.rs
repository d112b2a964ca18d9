//! THE TABLE of instructions. The enum, the listing, the verifier and the table in
//! ARCHITECTURE.md are made from it.
//!
//! Operands by name: `d` receives the result, `a` and `b` are read; `log` is a register that
//! holds how many faults were recorded at an earlier point (see `Log`).

use super::fast::{FastLabel, FastReg, Immediate, InlineCache, IntervalId, SwitchId, Symbol};
use super::{
    Arithmetic, Build, Callee, Comparison, Connective, Const, Count, FailureId, Label, Position, Reg,
    ShapeId, Slot,
};

/// One row of the instruction table.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Name.
    pub name: &'static str,
    /// Names of its operands.
    pub operands: &'static [&'static str],
    /// What it does.
    pub text: &'static str,
}

/// An operand, for those who read code without caring which instruction it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// A constant.
    Const(Const),
    /// A slot.
    Slot(Slot),
    /// A jump target.
    Label(Label),
    /// A function.
    Callee(Callee),
    /// A shape.
    Shape(ShapeId),
    /// A failure.
    Failure(FailureId),
    /// A register of the fast body.
    FastReg(FastReg),
    /// A jump target of the fast body.
    FastLabel(FastLabel),
    /// An attribute name.
    Symbol(Symbol),
    /// A small integer.
    Immediate(Immediate),
    /// A switch.
    Switch(SwitchId),
    /// Intervals of the fast body.
    Interval(IntervalId),
    /// A number or a choice that refers to nothing.
    Plain(Plain),
}

/// An operand that refers to nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Plain {
    /// A position among siblings.
    Position(Position),
    /// A number.
    Count(Count),
    /// An operator.
    Arithmetic(Arithmetic),
    /// An operator.
    Comparison(Comparison),
    /// An operator.
    Connective(Connective),
    /// What a loop builds.
    Build(Build),
    /// A flag.
    Flag(bool),
}

impl std::fmt::Debug for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Position(position) => position.fmt(f),
            Self::Count(count) => count.fmt(f),
            Self::Arithmetic(operator) => operator.fmt(f),
            Self::Comparison(operator) => operator.fmt(f),
            Self::Connective(operator) => operator.fmt(f),
            Self::Build(build) => build.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
        }
    }
}

macro_rules! operands {
    ($($ty:ident => $variant:ident),+ ; $($plain:ident),+) => {
        $(impl From<&$ty> for Operand {
            fn from(operand: &$ty) -> Self { Self::$variant(*operand) }
        })+
        $(impl From<&$plain> for Operand {
            fn from(operand: &$plain) -> Self { Self::Plain(Plain::$plain(*operand)) }
        })+
        impl From<&u8> for Operand {
            fn from(operand: &u8) -> Self { Self::Plain(Plain::Count(Count(u32::from(*operand)))) }
        }
        impl From<&bool> for Operand {
            fn from(operand: &bool) -> Self { Self::Plain(Plain::Flag(*operand)) }
        }
    };
}

operands!(Reg => Reg, Const => Const, Slot => Slot, Label => Label, Callee => Callee, ShapeId => Shape,
    FailureId => Failure; Position, Count, Arithmetic, Comparison, Connective, Build);

/// An operand that may be changed: those that linking moves.
#[derive(Debug)]
pub enum OperandMut<'o> {
    /// A register of the fast body.
    FastReg(&'o mut FastReg),
    /// A jump target of the fast body.
    FastLabel(&'o mut FastLabel),
    /// A constant.
    Const(&'o mut Const),
    /// A function.
    Callee(&'o mut Callee),
    /// A shape.
    Shape(&'o mut ShapeId),
    /// A switch of the fast body.
    Switch(&'o mut SwitchId),
    /// Intervals of the fast body.
    Interval(&'o mut IntervalId),
    /// Something that stays as it is.
    Fixed,
}

macro_rules! movable {
    ($($ty:ident => $variant:ident),+ ; $($fixed:ident),+) => {
        $(impl<'o> From<&'o mut $ty> for OperandMut<'o> {
            fn from(operand: &'o mut $ty) -> Self { Self::$variant(operand) }
        })+
        $(impl<'o> From<&'o mut $fixed> for OperandMut<'o> {
            fn from(_: &'o mut $fixed) -> Self { Self::Fixed }
        })+
    };
}

movable!(FastReg => FastReg, FastLabel => FastLabel, Const => Const, Callee => Callee, ShapeId => Shape,
    SwitchId => Switch, IntervalId => Interval; Reg, Slot, Label, FailureId, Position, Count, Arithmetic, Comparison, Connective,
    Build, bool, u8, Symbol, Immediate, InlineCache);

/// Declares an instruction set: the enum, its table, and the view of its operands.
macro_rules! instructions {
    ($(#[$meta:meta])* $op:ident, $table:ident:
     $( $(#[doc = $text:literal])+ $name:ident { $($field:ident : $ty:ty),* } )+) => {
        $(#[$meta])*
        #[derive(Debug)]
        #[expect(missing_docs, reason = "the operands are explained at the head of the table")]
        #[allow(rustdoc::broken_intra_doc_links, reason = "brackets are the language's indexes")]
        pub enum $op {
            $( $(#[doc = $text])+ $name { $($field: $ty),* }, )+
        }

        /// The rows of the instruction set.
        pub const $table: &[Instruction] = &[
            $( Instruction {
                name: stringify!($name),
                operands: &[$(stringify!($field)),*],
                text: concat!($($text, "\n"),+),
            } ),+
        ];

        impl $op {
            /// Its name.
            pub const fn name(&self) -> &'static str {
                match self { $( Self::$name { .. } => stringify!($name), )+ }
            }

            /// Calls `visit` with the name of each operand and the operand, to change it.
            pub fn operands_mut(&mut self, mut visit: impl FnMut(&'static str, $crate::code::OperandMut<'_>)) {
                match self {
                    $( Self::$name { $($field),* } => { $( visit(stringify!($field), $field.into()); )* } )+
                }
            }

            /// Calls `visit` with the name of each operand and the operand.
            pub fn operands(&self, mut visit: impl FnMut(&'static str, Operand)) {
                match self {
                    $( Self::$name { $($field),* } => { $( visit(stringify!($field), $field.into()); )* } )+
                }
            }
        }
    };
}

pub(super) use instructions;

impl Op {
    /// The label this instruction may jump to.
    pub fn target_mut(&mut self) -> Option<&mut Label> {
        match self {
            Self::Jump { to } => Some(to),
            Self::Expand { end, .. }
            | Self::ForBegin { end, .. }
            | Self::ForTested { end, .. }
            | Self::SplatBegin { end, .. } => Some(end),
            Self::ForNext { exit, .. } | Self::SplatNext { exit, .. } => Some(exit),
            Self::ForInclude { next, .. } | Self::ForKey { next, .. } => Some(next),
            Self::ForSame { take, .. } => Some(take),
            Self::TryTake { done, .. } => Some(done),
            _ => None,
        }
    }
}

instructions! {
    /// An instruction of the full body. Each variant is a row of [`INSTRUCTIONS`].
    #[derive(Clone, Copy)]
    Op, INSTRUCTIONS:
    /// d = a constant.
    Constant { d: Reg, k: Const }
    /// d = a.
    Copy { d: Reg, a: Reg }
    /// d = the variable in a slot; a fault when the slot is empty.
    Variable { d: Reg, slot: Slot }
    /// Records a failure known since compiling; d = unknown.
    Fail { d: Reg, failure: FailureId }
    /// d = how many faults are recorded so far.
    Log { d: Reg }
    /// d = a.name
    Attribute { d: Reg, a: Reg, name: Const, step: Position }
    /// d = a[constant]
    IndexConstant { d: Reg, a: Reg, k: Const, step: Position }
    /// d = a[b]
    Index { d: Reg, a: Reg, b: Reg }
    /// d = a op b for + - * / %; faults since `log` are the operands'.
    Arithmetic { op: Arithmetic, d: Reg, a: Reg, b: Reg, log: Reg }
    /// d = a op b for < <= > >=
    Compare { op: Comparison, d: Reg, a: Reg, b: Reg, log: Reg }
    /// d = a == b, or a != b when negated.
    Equal { negated: bool, d: Reg, a: Reg, b: Reg, log: Reg }
    /// d = a && b or a || b; the left operand's faults are those from `left` to `right`, the right operand's follow.
    Logic { op: Connective, d: Reg, a: Reg, b: Reg, left: Reg, right: Reg }
    /// d = !a
    Not { d: Reg, a: Reg, log: Reg }
    /// d = -a
    Negate { d: Reg, a: Reg, log: Reg }
    /// d = c ? a : b; faults of the true arm from `yes` to `no`, of the false arm from `no` to `test`, of the condition after that.
    Conditional { d: Reg, c: Reg, a: Reg, b: Reg, yes: Reg, no: Reg, test: Reg }
    /// Pushes a.
    Push { a: Reg }
    /// d = a tuple of the last values pushed.
    Tuple { d: Reg, count: Count }
    /// d = an object with constant keys and the last values pushed.
    Object { d: Reg, shape: ShapeId }
    /// Opens an object whose keys are computed.
    ObjectBegin { }
    /// Adds an item; faults of the key are those from `log` to `after`.
    ObjectItem { key: Reg, a: Reg, log: Reg, after: Reg }
    /// Adds an item whose name must not be there yet; without a usable name the item is left out.
    DistinctItem { key: Reg, a: Reg }
    /// d = the object opened last.
    ObjectEnd { d: Reg }
    /// Opens a template.
    TemplateBegin { }
    /// Appends literal text to the template opened last.
    TemplateText { k: Const }
    /// Appends a.
    TemplatePart { a: Reg, part: Position }
    /// d = the template opened last.
    TemplateEnd { d: Reg }
    /// d = the elements of the tuple a concatenated.
    Join { d: Reg, a: Reg }
    /// Converts a to the type of a parameter and pushes it.
    Argument { a: Reg, f: Callee, index: Position }
    /// d = f(the last values pushed), unless faults were recorded since `log`.
    Call { d: Reg, f: Callee, count: Count, log: Reg }
    /// Records that f does not take that many arguments; d = unknown.
    Arity { d: Reg, f: Callee, count: Count }
    /// Checks the collection a that is expanded into arguments after `given` others; without a usable one: d = unknown, jump.
    Expand { d: Reg, a: Reg, f: Callee, given: Position, log: Reg, end: Label }
    /// Converts and pushes the elements of a as arguments.
    ExpandedArguments { a: Reg, f: Callee, given: Position }
    /// Like `Call`, with `given` arguments and the elements of a.
    CallExpanded { d: Reg, a: Reg, f: Callee, given: Position, log: Reg }
    /// Opens a loop over a; without a usable collection: d = the result, jump.
    ForBegin { build: Build, d: Reg, a: Reg, end: Label }
    /// Makes the loop variables unknown, to try the `if` clause on them.
    ForProbe { key: Reg, value: Reg }
    /// Checks the clause a if it was tried: on any problem d = unknown, closes the loop, jumps.
    ForTested { d: Reg, a: Reg, log: Reg, end: Label }
    /// Sets the loop variables to the next element, or jumps when there is none.
    ForNext { key: Reg, value: Reg, exit: Label }
    /// When the loop variables that the clause reads are still those it was tried on: a = its value, jump.
    ForSame { a: Reg, key: Reg, value: Reg, take: Label }
    /// Goes on when the clause a is true and was not only tried, else jumps.
    ForInclude { a: Reg, next: Label }
    /// Takes a as the key of the element, or jumps when it is no usable key.
    ForKey { a: Reg, next: Label }
    /// Adds a to the result, under the key taken before.
    ForValue { a: Reg }
    /// d = what the loop built; closes it.
    ForEnd { d: Reg }
    /// Opens a splat over a, unless its source had faults since `log` or decides the result: then d = it, jump.
    SplatBegin { d: Reg, a: Reg, log: Reg, end: Label }
    /// d = the next element, or jumps when there is none.
    SplatNext { d: Reg, exit: Label }
    /// Takes a as the result for the element; its faults are those since `log`.
    SplatItem { a: Reg, log: Reg }
    /// d = what the splat built; closes it.
    SplatEnd { d: Reg }
    /// d = how many failed attempts are kept so far.
    TryBegin { d: Reg }
    /// When a had no faults since `log`: d = a, jump; else keeps them as a failed attempt.
    TryTake { d: Reg, a: Reg, log: Reg, kept: Reg, done: Label }
    /// Records that all attempts failed; d = unknown.
    TryFail { d: Reg, kept: Reg }
    /// d = whether a had no faults since `log`; forgets them.
    Can { d: Reg, a: Reg, log: Reg }
    /// d = a converted to the type of the null constant k.
    Convert { d: Reg, a: Reg, k: Const, log: Reg }
    /// Goes on at a label.
    Jump { to: Label }
    /// The result is a.
    Return { a: Reg }
}

const _: () = assert!(size_of::<Op>() == 16);
