//! The instructions of the fast tier: the table that the enum, the listing, the verifier, the expansion of
//! superinstructions and the table in the book are generated from. Its syntax is explained in
//! [`table`](crate::code::table); the baseline tier's table is in [`baseline`](crate::code::baseline).
//!
//! Operands by name: `d` receives the result, `a` and `b` are read, `to` is the target of a jump, `when` the
//! truth value on which it is taken. An attribute is found by `symbol`, first at the position in `cache`,
//! an inline cache.

use super::{FastLabel, FastReg, Immediate, InlineCache, IntervalId, Scaled, SwitchId, Symbol};
use crate::code::facts::{Effect, Facts, Faults, Flow, Kind, Reads};
use crate::code::role::{Field, Operand, OperandMut, Role};
use crate::code::saved::{Reader, Saved, Writer};
use crate::code::table::{Instruction, instructions};
use crate::code::{
    Arithmetic, Build, Callee, Comparison, Connective, Const, Count, Rounding, Shape, ShapeId,
};
use crate::memory::cast::index;

instructions! {
    /// An instruction of the fast tier over register indexes, as it is built, or over scaled operands, as it
    /// is executed. Each variant is a row of [`FAST_INSTRUCTIONS`].
    #[derive(Clone, PartialEq)]
    FastOp<Reg = FastReg>, FAST_INSTRUCTIONS, registers: Reg, labels: FastLabel, rows: {
    /// d = a constant.
    Constant { out d: Reg, constant k: Const }
        : [next moves partial pure(0) straight once]
    /// d = a.
    Copy { out d: Reg, in a: Reg }
        : [next opaque partial stateful straight once]
    /// d = a.name
    Attribute { out d: Reg, in a: Reg, cache cache: InlineCache, name symbol: Symbol }
        : [next selects partial pure(20) straight once]
    /// d = a[constant text]
    IndexText { out d: Reg, in a: Reg, constant k: Const }
        : [next opaque partial pure(30) straight once]
    /// d = a[constant number]
    IndexInt { out d: Reg, in a: Reg, number i: Immediate }
        : [next opaque partial pure(30) straight once]
    /// d = a[b]
    Index { out d: Reg, in a: Reg, in b: Reg }
        : [next opaque partial pure(30) straight once]
    /// d = a + b
    Add { out d: Reg, in a: Reg, in b: Reg }
        : [next computes total(Number, Number) pure(15) straight once]
    /// d = a - b
    Subtract { out d: Reg, in a: Reg, in b: Reg }
        : [next computes total(Number, Number) pure(15) straight once]
    /// d = a * b
    Multiply { out d: Reg, in a: Reg, in b: Reg }
        : [next computes total(Number, Number) pure(15) straight once]
    /// d = a / b
    Divide { out d: Reg, in a: Reg, in b: Reg }
        : [next computes partial pure(15) straight once]
    /// d = a % b
    Modulo { out d: Reg, in a: Reg, in b: Reg }
        : [next computes partial pure(15) straight once]
    /// d = a + i
    AddInt { out d: Reg, in a: Reg, number i: Immediate }
        : [next computes total(Number, Number) pure(15) straight once]
    /// d = a * i
    MultiplyInt { out d: Reg, in a: Reg, number i: Immediate }
        : [next computes total(Number, Number) pure(15) straight once]
    /// d = a / i
    DivideInt { out d: Reg, in a: Reg, number i: Immediate }
        : [next computes partial pure(15) straight once]
    /// d = a / 2 to the power of `bits`
    Shift { out d: Reg, in a: Reg, count bits: u8 }
        : [next computes total(Number, Number) pure(15) straight once]
    /// d = a % i
    ModuloInt { out d: Reg, in a: Reg, number i: Immediate }
        : [next computes partial pure(15) straight once]
    /// d = -a
    Negate { out d: Reg, in a: Reg }
        : [next computes total(Number, Number) pure(15) straight once]
    /// d = a == constant text
    EqualText { out d: Reg, in a: Reg, constant k: Const }
        : [next computes total(Primitive, Bool) pure(15) skips once]
    /// d = the text that a template appends for a.
    Text { out d: Reg, in a: Reg }
        : [next computes total(Primitive, Primitive) pure(15) straight once]
    /// Continues if a is a bool, else falls back.
    RequireBool { in a: Reg }
        : [next computes total(Bool, Bool) stateful skips once]
    /// Continues if no part of a is unknown, else falls back.
    RequireKnown { in a: Reg }
        : [next opaque partial stateful skips once]
    /// Jumps if the bool a is `when`.
    Branch { in a: Reg, choice when: bool, jump to: FastLabel }
        : [next computes total(Bool, Bool) stateful skips once]
    BranchAttribute {
        in a: Reg, choice when: bool, cache cache: InlineCache, jump to: FastLabel, name symbol: Symbol
    }
        = [value] Attribute { d: value, a, cache, symbol }; Branch { a: value, when, to }
    BranchAttributeText {
        in a: Reg, choice when: bool, cache cache: InlineCache, jump to: FastLabel, name symbol: Symbol, constant k: Const
    }
        = [value] Attribute { d: value, a, cache, symbol }; BranchText { a: value, when, to, k }
    BranchAttributeInt {
        choice op: Comparison, in a: Reg, cache cache: InlineCache, jump to: FastLabel, name symbol: Symbol, number i: Immediate
    }
        = [value] Attribute { d: value, a, cache, symbol }; BranchInt { op, a: value, to, i }
    BranchAttributeNumber {
        choice op: Comparison, in a: Reg, cache cache: InlineCache, jump to: FastLabel, name symbol: Symbol, constant k: Const
    }
        = [value] Attribute { d: value, a, cache, symbol }; BranchNumber { op, a: value, to, k }
    /// Jumps if a == constant text is `when`.
    BranchText { in a: Reg, choice when: bool, jump to: FastLabel, constant k: Const }
        = [equal] EqualText { d: equal, a, k }; Branch { a: equal, when, to }
    /// Jumps if a op i.
    BranchInt { choice op: Comparison, in a: Reg, jump to: FastLabel, number i: Immediate }
        : [next computes total(Number, Bool) stateful skips once]
    /// Jumps if a op constant number.
    BranchNumber { choice op: Comparison, in a: Reg, jump to: FastLabel, constant k: Const }
        : [next computes total(Number, Bool) stateful skips once]
    /// Jumps if a op b.
    BranchCompare { choice op: Comparison, in a: Reg, in b: Reg, jump to: FastLabel }
        : [next computes total(Number, Bool) stateful skips once]
    /// Jumps if a and b are integers.
    BranchIntegers { in a: Reg, in b: Reg, jump to: FastLabel }
        : [next computes total(Number, Bool) stateful skips once]
    /// Jumps to `to` if the first of two intervals op the second, to `other` if not; continues if the
    /// intervals do not determine it.
    BranchInterval {
        choice op: Comparison, intervals intervals: IntervalId, jump to: FastLabel, jump other: FastLabel
    }
        : [next opaque partial stateful skips once]
    /// Jumps to `to` if a op a bound, to `other` if not; continues if a is within the interval of the bound, or no
    /// number with an interval.
    BranchBound {
        choice op: Comparison, in a: Reg, intervals bound: IntervalId, jump to: FastLabel, jump other: FastLabel
    }
        : [next computes total(Number, Bool) stateful skips once]
    BranchAttributeBound {
        choice op: Comparison, in a: Reg, cache cache: InlineCache, intervals bound: IntervalId, jump to: FastLabel, jump other: FastLabel, name symbol: Symbol
    }
        = [value] Attribute { d: value, a, cache, symbol }; BranchBound { op, a: value, bound, to, other }
    /// d = a computation, rounded by its interval, or exactly if the interval does not determine it.
    Round { choice rounding: Rounding, out d: Reg, intervals intervals: IntervalId }
        : [next opaque partial pure(150) skips once]
    /// Jumps if a == b is `when`.
    BranchEqual { in a: Reg, in b: Reg, choice when: bool, jump to: FastLabel }
        : [next computes total(Primitive, Bool) stateful skips once]
    /// Jumps if a == constant is `when`.
    BranchEqualConstant { in a: Reg, choice when: bool, jump to: FastLabel, constant k: Const }
        : [next computes total(Primitive, Bool) stateful skips once]
    BranchCall {
        function f: Callee, window base: Reg, count count: u8, choice when: bool, jump to: FastLabel
    }
        = [value] Call { d: value, f, base, count }; Branch { a: value, when, to }
    /// Jumps to the arm of the text a.
    Switch { in a: Reg, switch table: SwitchId }
        : [final computes total(Primitive, Primitive) stateful skips once]
    /// Jumps.
    Jump { jump to: FastLabel }
        : [final moves total(Primitive, Primitive) stateful skips once]
    ConstantJump { out d: Reg, constant k: Const, jump to: FastLabel }
        = [] Constant { d, k }; Jump { to }
    /// d = a, converted to the common type of a and b, the arms of a conditional; a is the true arm if `yes`.
    Arm { out d: Reg, in a: Reg, in b: Reg, choice yes: bool }
        : [next computes total(Primitive, Primitive) stateful skips once]
    /// d = f(registers from base)
    Call { out d: Reg, function f: Callee, window base: Reg, count count: u8 }
        : [next calls partial pure(150) skips once]
    /// d = f(registers from base), of which the last one holds a collection of further arguments.
    CallExpanded { out d: Reg, function f: Callee, window base: Reg, count count: u8 }
        : [next opaque partial pure(150) skips iterates]
    /// d = a tuple of the registers from base.
    Tuple { out d: Reg, window base: Reg, count count: u8 }
        : [next makes partial stateful straight once]
    /// d = an object of the registers from base.
    Object { out d: Reg, window base: Reg, shape shape: ShapeId }
        : [next makes partial stateful straight once]
    /// d = an object of the registers from base: keys and values alternate.
    ObjectOfPairs { out d: Reg, window base: Reg, count count: u8 }
        : [next opaque partial stateful skips once]
    /// Opens a template; d = the position at which its text begins.
    TemplateBegin { out d: Reg }
        : [next computes total(Primitive, Primitive) stateful straight once]
    /// Appends literal text to the template opened last.
    TemplateText { constant k: Const }
        : [next computes total(Primitive, Primitive) stateful straight once]
    /// Appends the text a to the template opened last.
    Append { in a: Reg }
        : [next computes total(Primitive, Primitive) stateful straight once]
    TemplateValue { in a: Reg }
        = [text] Text { d: text, a }; Append { a: text }
    TemplateAttribute { in a: Reg, cache cache: InlineCache, name symbol: Symbol }
        = [value] Attribute { d: value, a, cache, symbol }; TemplateValue { a: value }
    AppendText { in a: Reg, constant k: Const }
        = [] Append { a }; TemplateText { k }
    TemplateValueText { in a: Reg, constant k: Const }
        = [] TemplateValue { a }; TemplateText { k }
    TemplateAttributeText { in a: Reg, cache cache: InlineCache, name symbol: Symbol, constant k: Const }
        = [] TemplateAttribute { a, cache, symbol }; TemplateText { k }
    /// Appends the text of each element of a, and literal text behind each.
    TemplateEach { in a: Reg, constant k: Const }
        : [next opaque partial stateful skips iterates]
    /// d = the text of the template that begins at d.
    TemplateEnd { inout d: Reg }
        : [next computes total(Primitive, Primitive) stateful straight once]
    /// Opens a loop over a, each round of which costs `round` instructions; falls back if a is empty and there is an `if` clause.
    LoopBegin { choice build: Build, in a: Reg, choice clause: bool, number round: Immediate }
        : [next selects partial stateful straight iterates]
    /// Opens a loop over a that only appends to a template; otherwise like `LoopBegin`.
    LoopEach { in a: Reg, choice clause: bool, number round: Immediate }
        : [next opaque partial stateful skips iterates]
    /// Opens a loop over the elements of a for a splat, each round of which costs `round` instructions.
    LoopSplat { in a: Reg, number round: Immediate }
        : [next opaque partial stateful skips iterates]
    /// value = the next element, or jumps if there is none.
    LoopNext { out value: Reg, jump to: FastLabel }
        : [next selects partial stateful straight once]
    /// key = the key of the current element.
    LoopKey { out key: Reg }
        : [next moves partial stateful straight once]
    LoopText { in a: Reg, jump to: FastLabel, constant k: Const }
        = [] TemplateValueText { a, k }; Jump { to }
    LoopTextAttribute {
        in a: Reg, cache cache: InlineCache, jump to: FastLabel, name symbol: Symbol, constant k: Const
    }
        = [] TemplateAttributeText { a, cache, symbol, k }; Jump { to }
    /// Adds a to the result and jumps.
    LoopPush { in a: Reg, jump to: FastLabel }
        : [final moves partial stateful straight once]
    LoopPushAttribute { in a: Reg, cache cache: InlineCache, jump to: FastLabel, name symbol: Symbol }
        = [value] Attribute { d: value, a, cache, symbol }; LoopPush { a: value, to }
    /// Adds the bool `truth` to the result and jumps.
    LoopPushBool { choice truth: bool, jump to: FastLabel }
        : [final moves partial stateful skips once]
    LoopPushCall { function f: Callee, window base: Reg, count count: u8, jump to: FastLabel }
        = [value] Call { d: value, f, base, count }; LoopPush { a: value, to }
    LoopPushCallAttribute {
        function f: Callee, in a: Reg, cache cache: InlineCache, jump to: FastLabel, name symbol: Symbol
    }
        = [value] Attribute { d: value, a, cache, symbol }; LoopPushCall { f, base: value, count: 1, to }
    /// Adds a to the result under a key and jumps.
    LoopEntry { in key: Reg, in a: Reg, jump to: FastLabel }
        : [final opaque partial stateful straight once]
    LoopEntryAttribute { in key: Reg, in a: Reg, cache cache: InlineCache, jump to: FastLabel, name symbol: Symbol }
        = [value] Attribute { d: value, a, cache, symbol }; LoopEntry { key, a: value, to }
    LoopEntryAttributes {
        in a: Reg, cache key_cache: InlineCache, cache cache: InlineCache, jump to: FastLabel, name key_symbol: Symbol, name symbol: Symbol
    }
        = [name; a] Attribute { d: name, a, cache: key_cache, symbol: key_symbol };
            LoopEntryAttribute { key: name, a, cache, to, symbol }
    /// d = the result of the loop; closes it.
    LoopEnd { out d: Reg }
        : [next makes partial stateful straight once]
    /// Closes a loop that only appends to a template.
    LoopClose {  }
        : [next opaque partial stateful skips once]
    /// d = a[*].name
    Splat { out d: Reg, in a: Reg, cache cache: InlineCache, name symbol: Symbol }
        : [next opaque partial pure(150) skips iterates]
    /// d = a tuple of e.name for each element e of a
    Map { out d: Reg, in a: Reg, cache cache: InlineCache, name symbol: Symbol }
        : [next selects partial stateful straight iterates]
    /// d = a tuple of e op constant number for each element e of the tuple a
    MapArithmetic { choice op: Arithmetic, out d: Reg, in a: Reg, constant k: Const }
        : [next opaque partial stateful straight iterates]
    /// d = a tuple of e op constant number for each element e of the tuple a
    MapCompare { choice op: Comparison, out d: Reg, in a: Reg, constant k: Const }
        : [next opaque partial stateful skips iterates]
    /// d = a tuple of e op a bound for each element e of the tuple a; jumps if the bound does not decide each
    MapBound { choice op: Comparison, out d: Reg, in a: Reg, intervals bound: IntervalId, jump to: FastLabel }
        : [next opaque partial stateful skips iterates]
    /// d = a tuple of (e == constant) == `when` for each element e of the tuple a
    MapEqual { choice when: bool, out d: Reg, in a: Reg, constant k: Const }
        : [next opaque partial stateful skips iterates]
    /// d = a tuple of !e for each element e of the tuple a
    MapNot { out d: Reg, in a: Reg }
        : [next opaque partial stateful skips iterates]
    /// d = a tuple of e op f for each element e of the tuple a and f of the tuple b at its place
    MapConnective { choice op: Connective, out d: Reg, in a: Reg, in b: Reg }
        : [next opaque partial stateful skips iterates]
    /// Continues at the fault handler around it, or falls back if there is none.
    Trap {  }
        : [final moves total(Primitive, Primitive) stateful straight once]
    ReturnArm { in a: Reg, in b: Reg, choice yes: bool }
        = [value] Arm { d: value, a, b, yes }; Return { a: value }
    /// The next result of a rule set is a; then jumps if `jumps`.
    Emit { in a: Reg, choice jumps: bool, jump to: FastLabel }
        : [emits opaque partial stateful skips once]
    EmitConstant { constant k: Const, choice jumps: bool, jump to: FastLabel }
        = [value] Constant { d: value, k }; Emit { a: value, jumps, to }
    EmitArm { in a: Reg, in b: Reg, choice yes: bool, choice jumps: bool, jump to: FastLabel }
        = [value] Arm { d: value, a, b, yes }; Emit { a: value, jumps, to }
    /// The next result of a rule set is the bool `truth`; then jumps if `jumps`.
    EmitBool { choice truth: bool, choice jumps: bool, jump to: FastLabel }
        : [emits opaque partial stateful skips once]
    /// Begins a rule: leaves out the next `skipped` results, and notes the fuel that is left.
    Begin { count skipped: Count }
        : [begins opaque partial stateful skips once]
    /// Ends a rule set.
    End {  }
        : [ends opaque partial stateful skips once]
    /// Returns a.
    Return { in a: Reg }
        : [returns moves total(Primitive, Primitive) stateful straight once]
    ReturnConstant { constant k: Const }
        = [value] Constant { d: value, k }; Return { a: value }
    /// Returns the bool `truth`.
    ReturnBool { choice truth: bool }
        : [returns moves total(Primitive, Primitive) stateful skips once]
    ReturnCall { function f: Callee, window base: Reg, count count: u8 }
        = [value] Call { d: value, f, base, count }; Return { a: value }
    /// Returns the text of the template that begins at d.
    ReturnTemplate { in d: Reg }
        = [; d] TemplateEnd { d }; Return { a: d }
    }
}

// A cache line holds four instructions.
const _: () = assert!(size_of::<FastOp<Scaled>>() == 16);
impl<Reg: Copy> FastOp<Reg> {
    /// Returns the first of the consecutive registers that it reads, and their number.
    pub(crate) fn window(&self, shapes: &[Shape]) -> Option<(Reg, usize)> {
        let (mut base, mut count) = (None, 0);
        self.operands(|_, operand| match operand {
            Operand::Window(reg) => base = Some(reg),
            Operand::Count(number) => count = index(number),
            Operand::Shape(ShapeId(shape)) => {
                count = shapes.get(index(shape)).map_or(0, |shape| index(shape.pushed));
            }
            _ => {}
        });
        base.map(|base| (base, count))
    }

    /// Returns true if all parts of a superinstruction meet a test, in their order until one does not, or the
    /// instruction itself if it has no parts. `between` are registers for the values between them.
    pub(crate) fn all_parts(&self, between: [Reg; 2], test: &mut impl FnMut(&Self) -> bool) -> bool {
        let [value, other] = between;
        match self.parts(Some(value)) {
            Some(parts) => parts.iter().all(|part| part.all_parts([other, value], test)),
            None => test(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [`FastOp::written`] and [`FastOp::window`] return at most one each.
    #[test]
    fn an_instruction_writes_one_register_and_reads_one_window_of_known_length() {
        for row in FAST_INSTRUCTIONS {
            let count =
                |roles: &[Role]| row.operands.iter().filter(|field| roles.contains(&field.role)).count();
            assert!(count(&[Role::Out, Role::InOut]) <= 1, "{}", row.name);
            let windows = count(&[Role::Window]);
            assert!(windows <= 1, "{}", row.name);
            assert!(windows == 0 || count(&[Role::Count, Role::Shape]) == 1, "{}", row.name);
        }
    }
}
