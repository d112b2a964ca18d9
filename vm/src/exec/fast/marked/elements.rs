//! Runs of a `for` expression over a tuple whose `if` clause reads marked attributes of the elements.
//!
//! The result receives the marks of the clause for every element, included or not. The marks of the value expression
//! belong to single items of the result. So the clause may run on unmarked copies, and the value expression must read no
//! marks:
//!
//! ```text
//! 0  LoopBegin    a=r0
//! 1  LoopNext     value=r2
//! 2  Branch…      … to->1         the clause: ends with the last conditional branch to LoopNext
//! 4  LoopPush…    … to->1         the value expression
//! 5  LoopEnd      d=r1
//! 6  Return       a=r1
//! ```
//! The code is followed once for each element that contains marks, and for the first element in any case, because the
//! clause may read marked variables.

use std::ops::Range;

use super::{CodeWalk, RegisterContent};
use crate::code::fast::{Fast, FastOp, FastReg, InlineCache, Scaled, Symbol};
use crate::code::{Build, Operand};
use crate::value::Value;

/// The most elements of a collection. The values of its elements are copied: 64 KiB.
const MOST_ELEMENTS: usize = 4096;

/// The parts of the code of a `for` expression.
struct ForParts<'f> {
    /// The instructions that read the collection.
    before: &'f [FastOp<Scaled>],
    collection: Scaled,
    element: Scaled,
    key: Option<Scaled>,
    /// The positions of the clause's instructions.
    clause: Range<usize>,
    /// The positions of the value expression's instructions.
    values: Range<usize>,
}

/// Returns the parts of code that is one `for` expression whose result is a tuple.
fn parts(fast: &Fast) -> Option<ForParts<'_>> {
    let ops = fast.ops.as_slice();
    let begin = ops.iter().position(|op| matches!(op, FastOp::LoopBegin { build: Build::Tuple, .. }))?;
    let [FastOp::LoopBegin { a: collection, .. }, FastOp::LoopNext { value: element, .. }, ..] =
        &ops[begin..]
    else {
        return None;
    };
    let key = if let Some(FastOp::LoopKey { key }) = ops.get(begin + 2) { Some(*key) } else { None };
    let (next, from) = (begin + 1, begin + 2 + usize::from(key.is_some()));
    let end = ops.len().checked_sub(2).filter(|end| from < *end)?;
    let [FastOp::LoopEnd { d }, FastOp::Return { a }] = &ops[end..] else { return None };
    let skips = |at: &usize| !ops[*at].facts().is_final() && jumps_to(&ops[*at], next);
    let values = (from..end).rev().find(skips).map_or(from, |last| last + 1);
    let is_one = !ops[from..end].iter().any(|op| op.facts().iterates || matches!(op, FastOp::Switch { .. }));
    (is_one && fast.register(*d) == fast.register(*a)).then_some(ForParts {
        before: &ops[..begin],
        collection: *collection,
        element: *element,
        key,
        clause: from..values,
        values: values..end,
    })
}

/// Returns true if an instruction may jump to a position.
fn jumps_to(op: &FastOp<Scaled>, position: usize) -> bool {
    let mut jumps = false;
    op.operands(|_, operand| {
        jumps = jumps || matches!(operand, Operand::Jump(to) if usize::from(to.0) == position);
    });
    jumps
}

impl<'a> CodeWalk<'a> {
    /// Removes the marks of the values that the clause of a `for` expression reads. Returns `None` if the code is not such
    /// an expression, if the clause may have a fault with an element that contains marks, or if the value expression may
    /// read a mark.
    pub(super) fn follow_elements(&mut self) -> Option<()> {
        let fast = self.fast;
        let parts = parts(fast)?;
        for op in parts.before {
            let FastOp::Attribute { d, a, cache, symbol, .. } = op else { return None };
            self.read_attribute(fast.register(*d), fast.register(*a), cache, *symbol)?;
        }
        let collection = self.fast.register(parts.collection);
        let items = self.unmarked(collection)?.as_tuple().filter(|items| items.len() <= MOST_ELEMENTS)?;
        let before = self.temporaries.len();
        let mut copies: Option<&mut [Value<'a>]> = None;
        for (at, item) in items.iter().enumerate() {
            if at > 0 && !item.contains_marks() {
                continue;
            }
            let followed = self.follow_element(&parts, *item, before)?;
            if item.contains_marks() {
                let copies = match &mut copies {
                    Some(copies) => copies,
                    None => copies.insert(self.arena.copied(items)?),
                };
                *copies.get_mut(at)? = followed;
            }
        }
        if let Some(copies) = copies {
            let copy = Value::tuple(self.arena, copies);
            if let Some(slot) = self.slot(collection) {
                *self.values.get_mut(slot)? = copy;
            } else {
                let from = self.temporary(collection)?.from?;
                self.replace(from, copy)?;
            }
        }
        Some(())
    }

    /// Follows the code for an element. Returns the element without the marks that the clause reads.
    fn follow_element(
        &mut self,
        parts: &ForParts<'_>,
        element: Value<'a>,
        before: usize,
    ) -> Option<Value<'a>> {
        if element.is_marked() {
            return None;
        }
        let (fast, register) = (self.fast, self.fast.register(parts.element));
        let key = parts.key.map(|key| fast.register(key));
        self.fixed = [Some(register), key];
        // The value expression first: following the clause removes marks.
        for (range, is_clause) in [(&parts.values, false), (&parts.clause, true)] {
            self.temporaries.truncate(before);
            self.set(register, RegisterContent::Value(element), None);
            if let Some(key) = key {
                self.set(key, RegisterContent::Number, None);
            }
            for at in range.clone() {
                self.join(at);
                let op = fast.ops.get(at)?;
                let follows = fast.all_parts_of(op, &mut |part| {
                    let done = if is_clause { self.follow_op(part) } else { self.reads_no_marks(part) };
                    done.is_some()
                });
                if !follows {
                    return None;
                }
            }
        }
        let RegisterContent::Value(followed) = self.held(register)? else { return None };
        Some(followed)
    }

    /// Returns `None` if an instruction, which is no superinstruction, may read marks.
    fn reads_no_marks(&mut self, op: &FastOp) -> Option<()> {
        if let FastOp::Attribute { d, a, cache, symbol, .. } = op {
            return self.read_attribute(*d, *a, cache, *symbol);
        }
        let mut has_none = true;
        op.operands(|_, operand| {
            if let Operand::In(reg) | Operand::InOut(reg) = operand {
                has_none = has_none && self.has_no_marks(reg);
            }
        });
        if let Some((FastReg(base), count)) = op.window(&self.fast.shapes) {
            has_none = has_none && (base..=u8::MAX).take(count).all(|reg| self.has_no_marks(FastReg(reg)));
        }
        if let Some(written) = op.written() {
            self.set(written, RegisterContent::Primitive, None);
        }
        has_none.then_some(())
    }

    /// Follows an instruction that reads an attribute. Returns `None` if the attribute is marked.
    fn read_attribute(&mut self, d: FastReg, a: FastReg, cache: &InlineCache, symbol: Symbol) -> Option<()> {
        let (found, position) = self.find(self.unmarked(a)?, cache, symbol)?;
        self.set(d, RegisterContent::Value(found), Some((a, position)));
        found.is_plain().then_some(())
    }

    /// Returns the value of a register if it is known and not marked.
    fn unmarked(&self, register: FastReg) -> Option<Value<'a>> {
        let value = match self.slot(register) {
            Some(slot) => self.values.get(slot).copied()?,
            None => self.temporary(register)?.value()?,
        };
        value.is_plain().then_some(value)
    }

    /// Returns true if a register has a value without marks in it.
    fn has_no_marks(&self, register: FastReg) -> bool {
        if let Some(slot) = self.slot(register) {
            return self.values.get(slot).is_some_and(|value| value.is_plain() && !value.contains_marks());
        }
        self.temporary(register).is_some_and(|temporary| match temporary.held {
            RegisterContent::Value(value) => !value.contains_marks(),
            RegisterContent::Uncertain => false,
            RegisterContent::Bool | RegisterContent::Number | RegisterContent::Primitive => true,
        })
    }
}
