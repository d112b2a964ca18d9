//! The baseline tier's code: the table of its instructions, and what they refer to. The enum, the listing,
//! the verifier and the table in ARCHITECTURE.md are generated from the table; its syntax is explained in
//! [`table`](super::table). [`fast`](super::fast) is the code of the fast tier; neither refers to the
//! other.
//!
//! Operands by name: `d` receives the result, `a` and `b` are read; `log` is a register that holds how
//! many faults were recorded at an earlier point (see `Log`).

use std::borrow::Cow;
use std::sync::Arc;

use smol_str::SmolStr;

use super::Shape;
use super::operand::{
    Arithmetic, Build, Callee, Comparison, Connective, Const, Count, FailureId, Label, Position, Reg,
    ShapeId, Slot,
};
use super::role::{Field, Operand, OperandMut, Role};
use super::table::{Instruction, instructions};
use crate::fault::Place;
use crate::function::Function;
use crate::value::Constants;

/// The baseline code of one expression: for every value. Immutable, shared between threads.
/// [`Fast`](super::fast::Fast) is the code for plain values.
#[derive(Debug, Default)]
pub struct Code {
    /// The instructions; the last is a `Return` and every path ends in one.
    pub ops: Box<[Op]>,
    /// Where each instruction came from.
    pub origins: Box<[Origin]>,
    /// Constants.
    pub constants: Constants,
    /// Functions called.
    pub functions: Box<[Arc<Function>]>,
    /// Keys of object constructors.
    pub shapes: Box<[Shape]>,
    /// Problems that are faults when reached.
    pub failures: Box<[Failure]>,
    /// Names of the layout's slots that are read, by slot.
    pub slots: Box<[(Slot, SmolStr)]>,
    /// Number of registers needed.
    pub registers: u16,
}

/// A problem known when compiling that is only one if evaluation reaches it, because `&&`,
/// `||`, `?:` and `try` may drop it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A variable that the layout does not have.
    UnknownVariable {
        /// The name.
        name: SmolStr,
        /// A name that exists and looks like it.
        suggestion: Option<SmolStr>,
    },
    /// A variable where none may be used.
    VariablesNotAllowed,
    /// A function where none may be called.
    FunctionsNotAllowed,
    /// A function that the table does not have.
    UnknownFunction {
        /// The name, namespaces included.
        name: SmolStr,
        /// A name that exists and looks like it.
        suggestion: Option<SmolStr>,
    },
    /// A multi-step traversal as an object key.
    AmbiguousKey,
    /// A problem that the compiler puts into words, such as an argument that should describe a
    /// type and does not.
    Described {
        /// The established title.
        title: Cow<'static, str>,
        /// The sentence.
        detail: Cow<'static, str>,
    },
}

/// Where an instruction came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The node of the tree, counted from the first node of the expression.
    pub node: u32,
    /// The part of the node that the instruction's faults point at, unless they say it.
    pub place: Place,
}

impl Op {
    /// The label to which this instruction may jump. No instruction has two.
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
    /// d = the variable in a slot; a fault when the slot is empty.
    Variable { out d: Reg, slot slot: Slot }
    /// Records a failure known since compiling; d = unknown.
    Fail { out d: Reg, failure failure: FailureId }
    /// d = how many faults are recorded so far.
    Log { out d: Reg }
    /// d = a.name
    Attribute { out d: Reg, in a: Reg, constant name: Const, position step: Position }
    /// d = a[constant]
    IndexConstant { out d: Reg, in a: Reg, constant k: Const, position step: Position }
    /// d = a[b]
    Index { out d: Reg, in a: Reg, in b: Reg }
    /// d = a op b for + - * / %; faults since `log` are the operands'.
    Arithmetic { choice op: Arithmetic, out d: Reg, in a: Reg, in b: Reg, in log: Reg }
    /// d = a op b for < <= > >=
    Compare { choice op: Comparison, out d: Reg, in a: Reg, in b: Reg, in log: Reg }
    /// d = a == b, or a != b when negated.
    Equal { choice negated: bool, out d: Reg, in a: Reg, in b: Reg, in log: Reg }
    /// d = a && b or a || b; the left operand's faults are those from `left` to `right`, the right operand's follow.
    Logic { choice op: Connective, out d: Reg, in a: Reg, in b: Reg, in left: Reg, in right: Reg }
    /// d = !a
    Not { out d: Reg, in a: Reg, in log: Reg }
    /// d = -a
    Negate { out d: Reg, in a: Reg, in log: Reg }
    /// d = c ? a : b; faults of the true arm from `yes` to `no`, of the false arm from `no` to `test`, of the condition after that.
    Conditional { out d: Reg, in c: Reg, in a: Reg, in b: Reg, in yes: Reg, in no: Reg, in test: Reg }
    /// Pushes a.
    Push { in a: Reg }
    /// d = a tuple of the last values pushed.
    Tuple { out d: Reg, count count: Count }
    /// d = an object with constant keys and the last values pushed.
    Object { out d: Reg, shape shape: ShapeId }
    /// Opens an object whose keys are computed.
    ObjectBegin {  }
    /// Adds an item; faults of the key are those from `log` to `after`.
    ObjectItem { in key: Reg, in a: Reg, in log: Reg, in after: Reg }
    /// Adds an item whose name must not be there yet; without a usable name the item is left out.
    DistinctItem { in key: Reg, in a: Reg }
    /// d = the object opened last.
    ObjectEnd { out d: Reg }
    /// Opens a template.
    TemplateBegin {  }
    /// Appends literal text to the template opened last.
    TemplateText { constant k: Const }
    /// Appends a.
    TemplatePart { in a: Reg, position part: Position }
    /// d = the template opened last.
    TemplateEnd { out d: Reg }
    /// d = the elements of the tuple a concatenated.
    Join { out d: Reg, in a: Reg }
    /// Converts a to the type of a parameter and pushes it.
    Argument { in a: Reg, function f: Callee, position index: Position }
    /// d = f(the last values pushed), unless faults were recorded since `log`.
    Call { out d: Reg, function f: Callee, count count: Count, in log: Reg }
    /// Records that f does not take that many arguments; d = unknown.
    Arity { out d: Reg, function f: Callee, count count: Count }
    /// Checks the collection a that is expanded into arguments after `given` others; without a usable one: d = unknown, jump.
    Expand { out d: Reg, in a: Reg, function f: Callee, position given: Position, in log: Reg, jump end: Label }
    /// Converts and pushes the elements of a as arguments.
    ExpandedArguments { in a: Reg, function f: Callee, position given: Position }
    /// Like `Call`, with `given` arguments and the elements of a.
    CallExpanded { out d: Reg, in a: Reg, function f: Callee, position given: Position, in log: Reg }
    /// Opens a loop over a; without a usable collection: d = the result, jump.
    ForBegin { choice build: Build, out d: Reg, in a: Reg, jump end: Label }
    /// Makes the loop variables unknown, to try the `if` clause on them.
    ForProbe { out key: Reg, out value: Reg }
    /// Checks the clause a if it was tried: on any problem d = unknown, closes the loop, jumps.
    ForTested { out d: Reg, in a: Reg, in log: Reg, jump end: Label }
    /// Sets the loop variables to the next element, or jumps when there is none.
    ForNext { out key: Reg, out value: Reg, jump exit: Label }
    /// When the loop variables that the clause reads are still those it was tried on: a = its value, jump.
    ForSame { out a: Reg, in key: Reg, in value: Reg, jump take: Label }
    /// Continues if the clause a is true and was not only tried, else jumps.
    ForInclude { in a: Reg, jump next: Label }
    /// Takes a as the key of the element, or jumps when it is no usable key.
    ForKey { in a: Reg, jump next: Label }
    /// Adds a to the result, under the key taken before.
    ForValue { in a: Reg }
    /// d = what the loop built; closes it.
    ForEnd { out d: Reg }
    /// Opens a splat over a, unless its source had faults since `log` or decides the result: then d = it, jump.
    SplatBegin { out d: Reg, in a: Reg, in log: Reg, jump end: Label }
    /// d = the next element, or jumps when there is none.
    SplatNext { out d: Reg, jump exit: Label }
    /// Takes a as the result for the element; its faults are those since `log`.
    SplatItem { in a: Reg, in log: Reg }
    /// d = what the splat built; closes it.
    SplatEnd { out d: Reg }
    /// d = how many failed attempts are kept so far.
    TryBegin { out d: Reg }
    /// When a had no faults since `log`: d = a, jump; else keeps them as a failed attempt.
    TryTake { out d: Reg, in a: Reg, in log: Reg, in kept: Reg, jump done: Label }
    /// Records that all attempts failed; d = unknown.
    TryFail { out d: Reg, in kept: Reg }
    /// d = whether a had no faults since `log`; forgets them.
    Can { out d: Reg, in a: Reg, in log: Reg }
    /// d = a converted to the type of the null constant k.
    Convert { out d: Reg, in a: Reg, constant k: Const, in log: Reg }
    /// Jumps.
    Jump { jump to: Label }
    /// The result is a.
    Return { in a: Reg }
    }
}

const _: () = assert!(size_of::<Op>() == 16);
