//! The baseline tier's code: the table of its instructions, and what they refer to. The enum, the listing,
//! the verifier and the table in the book are generated from the table; its syntax is explained in
//! [`table`](super::table). [`fast`](super::fast) is the code of the fast tier; neither refers to the
//! other.
//!
//! Operands by name: `d` receives the result, `a` and `b` are read; `log` is a register that holds the
//! number of faults recorded at an earlier point (see `Log`).

use std::sync::Arc;

use smol_str::SmolStr;

use super::Shape;
use super::operand::{
    Arithmetic, Build, Callee, Comparison, Connective, Const, Count, FailureId, Label, Position, Reg,
    ShapeId, Slot,
};
use super::role::{Field, Operand, OperandMut, Role};
use super::table::{Instruction, instructions};
use crate::fault::{Failure, Place};
use crate::function::Function;
use crate::value::Constants;

/// The baseline code of one expression, which accepts every value. Immutable, shared between threads.
/// [`Fast`](super::fast::Fast) is the code for plain values.
#[derive(Debug, Default)]
pub struct Code {
    /// The instructions; the last is a `Return` and every path ends in one.
    pub ops: Box<[Op]>,
    /// The origin of each instruction.
    pub origins: Box<[Origin]>,
    /// Constants.
    pub constants: Constants,
    /// The functions called.
    pub functions: Box<[Arc<Function>]>,
    /// Keys of object constructors.
    pub shapes: Box<[Shape]>,
    /// Problems that become faults when reached.
    pub failures: Box<[Failure]>,
    /// Names of the layout's slots that are read, by slot.
    pub slots: Box<[(Slot, SmolStr)]>,
    /// The number of registers needed.
    pub registers: u16,
}

/// The origin of an instruction in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The node of the tree, counted from the first node of the expression.
    pub node: u32,
    /// The part of the node to which the instruction's faults refer, unless they name another.
    pub place: Place,
}

impl Op {
    /// Returns the label to which this instruction may jump. No instruction has two.
    pub fn target_mut(&mut self) -> Option<&mut Label> {
        let mut target = None;
        self.operands_mut(|operand| {
            if let OperandMut::Jump(label) = operand {
                target = Some(label);
            }
        });
        target
    }
}

instructions! {
    /// An instruction of the baseline tier. Each variant is a row of [`INSTRUCTIONS`].
    #[derive(Clone, Copy)]
    Op, INSTRUCTIONS, registers: Reg, labels: Label, rows: {
    /// d = a constant.
    Constant { out d: Reg, constant k: Const }
    /// d = a.
    Copy { out d: Reg, in a: Reg }
    /// d = the variable in a slot; records a fault if the slot is empty.
    Variable { out d: Reg, slot slot: Slot }
    /// Records a failure found at compile time; d = unknown.
    Fail { out d: Reg, failure failure: FailureId }
    /// d = the number of faults recorded so far.
    Log { out d: Reg }
    /// d = a.name
    Attribute { out d: Reg, in a: Reg, constant name: Const, position step: Position }
    /// d = a[constant]
    IndexConstant { out d: Reg, in a: Reg, constant k: Const, position step: Position }
    /// d = a[b]
    Index { out d: Reg, in a: Reg, in b: Reg }
    /// d = a op b for + - * / %; the operands' faults are those since `log`.
    Arithmetic { choice op: Arithmetic, out d: Reg, in a: Reg, in b: Reg, in log: Reg }
    /// d = a op b for < <= > >=
    Compare { choice op: Comparison, out d: Reg, in a: Reg, in b: Reg, in log: Reg }
    /// d = a == b, or a != b if negated.
    Equal { choice negated: bool, out d: Reg, in a: Reg, in b: Reg, in log: Reg }
    /// d = a && b or a || b; the left operand's faults are those from `left` to `right`, the right operand's those since `right`.
    Logic { choice op: Connective, out d: Reg, in a: Reg, in b: Reg, in left: Reg, in right: Reg }
    /// d = !a
    Not { out d: Reg, in a: Reg, in log: Reg }
    /// d = -a
    Negate { out d: Reg, in a: Reg, in log: Reg }
    /// d = c ? a : b; the true arm's faults are those from `yes` to `no`, the false arm's those from `no` to `test`, the condition's those since `test`.
    Conditional { out d: Reg, in c: Reg, in a: Reg, in b: Reg, in yes: Reg, in no: Reg, in test: Reg }
    /// Pushes a.
    Push { in a: Reg }
    /// d = a tuple of the last values pushed.
    Tuple { out d: Reg, count count: Count }
    /// d = an object with constant keys and the last values pushed.
    Object { out d: Reg, shape shape: ShapeId }
    /// Opens an object whose keys are computed.
    ObjectBegin {  }
    /// Adds an item; the key's faults are those from `log` to `after`.
    ObjectItem { in key: Reg, in a: Reg, in log: Reg, in after: Reg }
    /// Adds an item whose name must be new; leaves out an item without a usable name.
    DistinctItem { in key: Reg, in a: Reg }
    /// d = the object opened last; closes it.
    ObjectEnd { out d: Reg }
    /// Opens a template.
    TemplateBegin {  }
    /// Appends literal text to the template opened last.
    TemplateText { constant k: Const }
    /// Appends the text of a to the template opened last.
    TemplatePart { in a: Reg, position part: Position }
    /// d = the text of the template opened last; closes it.
    TemplateEnd { out d: Reg }
    /// d = the concatenated elements of the tuple a.
    Join { out d: Reg, in a: Reg }
    /// Converts a to the type of a parameter and pushes it.
    Argument { in a: Reg, function f: Callee, position index: Position }
    /// d = f(the last values pushed), unless faults were recorded since `log`.
    Call { out d: Reg, function f: Callee, count count: Count, in log: Reg }
    /// Records that f does not accept `count` arguments; d = unknown.
    Arity { out d: Reg, function f: Callee, count count: Count }
    /// Checks the collection a, which is expanded into arguments after `given` others; if it is not usable, d = unknown and jumps.
    Expand { out d: Reg, in a: Reg, function f: Callee, position given: Position, in log: Reg, jump end: Label }
    /// Converts the elements of a to the types of parameters and pushes them.
    ExpandedArguments { in a: Reg, function f: Callee, position given: Position }
    /// Like `Call`, with `given` arguments followed by the elements of a.
    CallExpanded { out d: Reg, in a: Reg, function f: Callee, position given: Position, in log: Reg }
    /// Opens a loop over a; if a is not a usable collection, d = the result and jumps.
    ForBegin { choice build: Build, out d: Reg, in a: Reg, jump end: Label }
    /// Makes the loop variables unknown, for a trial of the `if` clause.
    ForProbe { out key: Reg, out value: Reg }
    /// Checks the clause a after its trial; if it has faults, d = unknown, closes the loop and jumps.
    ForTested { out d: Reg, in a: Reg, in log: Reg, jump end: Label }
    /// Sets the loop variables to the next element, or jumps if there is none.
    ForNext { out key: Reg, out value: Reg, jump exit: Label }
    /// If the loop variables that the clause reads are as in the trial, a = its value in the trial and jumps.
    ForSame { out a: Reg, in key: Reg, in value: Reg, jump take: Label }
    /// Continues if the clause a is true and this is not the trial, else jumps.
    ForInclude { in a: Reg, jump next: Label }
    /// Makes a the key of the element, or jumps if it is not a usable key.
    ForKey { in a: Reg, jump next: Label }
    /// Adds a to the result, under the key set before.
    ForValue { in a: Reg }
    /// d = the result of the loop; closes it.
    ForEnd { out d: Reg }
    /// Opens a splat over a; if there were faults since `log`, or if a alone determines the result, d = the result and jumps.
    SplatBegin { out d: Reg, in a: Reg, in log: Reg, jump end: Label }
    /// d = the next element, or jumps if there is none.
    SplatNext { out d: Reg, jump exit: Label }
    /// Makes a the result for the element; its faults are those since `log`.
    SplatItem { in a: Reg, in log: Reg }
    /// d = the result of the splat; closes it.
    SplatEnd { out d: Reg }
    /// Opens a `try` or `can`; d = the number of faults kept from failed attempts so far.
    TryBegin { out d: Reg }
    /// If there were no faults since `log`, d = a, closes the `try` and jumps; else keeps them as a failed attempt.
    TryTake { out d: Reg, in a: Reg, in log: Reg, in kept: Reg, jump done: Label }
    /// Records that all attempts failed; closes the `try`; d = unknown.
    TryFail { out d: Reg, in kept: Reg }
    /// d = false if there were faults since `log`, which are dropped; else true, or unknown if a is not wholly known. Closes the `can`.
    Can { out d: Reg, in a: Reg, in log: Reg }
    /// d = a converted to the type of the null constant k.
    Convert { out d: Reg, in a: Reg, constant k: Const, in log: Reg }
    /// Jumps.
    Jump { jump to: Label }
    /// Returns a.
    Return { in a: Reg }
    }
}

const _: () = assert!(size_of::<Op>() == 16);
