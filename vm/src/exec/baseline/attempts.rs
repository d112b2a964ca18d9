//! `try` and `can` beside marks: their results have the marks of everything that decides whether their arguments have
//! faults, so that neither a result nor its marks depend on what is marked. A fault drops the value that would have
//! had the marks, and a value without faults need not have those of all its parts: `can([secret.a, 1][1])`.
//! [`Taint`](super::observe) says the same of conditions in observed runs.

use super::machine::Machine;
use crate::code::Op;
use crate::value::Marks;

impl<'a> Machine<'_, 'a> {
    /// Notes the marks of what the current instruction reads, for the innermost attempt, if it may have a fault.
    // Out of line: most code has no attempts.
    #[inline(never)]
    pub(super) fn note_marks(&mut self, op: Op) {
        let marks = match op {
            // Whether a collection has an element, or what elements there are, does not depend on marks of elements.
            Op::Attribute { a, .. }
            | Op::IndexConstant { a, .. }
            | Op::ForBegin { a, .. }
            | Op::SplatBegin { a, .. }
            // Only primitives are without a fault.
            | Op::Not { a, .. }
            | Op::Negate { a, .. }
            | Op::TemplatePart { a, .. }
            | Op::ForTested { a, .. }
            | Op::ForInclude { a, .. }
            | Op::ForKey { a, .. } => self.own_marks([self.get(a)]),
            Op::ObjectItem { key, .. } | Op::DistinctItem { key, .. } => self.own_marks([self.get(key)]),
            Op::Index { a, b, .. }
            | Op::Arithmetic { a, b, .. }
            | Op::Compare { a, b, .. }
            | Op::Logic { a, b, .. } => self.own_marks([self.get(a), self.get(b)]),
            Op::Conditional { c, a, b, .. } => self.all_marks([self.get(c), self.get(a), self.get(b)]),
            Op::Join { a, .. }
            | Op::Argument { a, .. }
            | Op::Expand { a, .. }
            | Op::ExpandedArguments { a, .. }
            | Op::Convert { a, .. } => self.all_marks([self.get(a)]),
            // Calls note the marks of their arguments as these are converted. The others have no faults that
            // depend on values.
            Op::Constant { .. }
            | Op::Copy { .. }
            | Op::Variable { .. }
            | Op::Fail { .. }
            | Op::Log { .. }
            | Op::Equal { .. }
            | Op::Push { .. }
            | Op::Tuple { .. }
            | Op::Object { .. }
            | Op::ObjectBegin {}
            | Op::ObjectEnd { .. }
            | Op::TemplateBegin {}
            | Op::TemplateText { .. }
            | Op::TemplateEnd { .. }
            | Op::Call { .. }
            | Op::Arity { .. }
            | Op::CallExpanded { .. }
            | Op::ForProbe { .. }
            | Op::ForNext { .. }
            | Op::ForSame { .. }
            | Op::ForValue { .. }
            | Op::ForEnd { .. }
            | Op::SplatNext { .. }
            | Op::SplatItem { .. }
            | Op::SplatEnd { .. }
            | Op::TryBegin { .. }
            | Op::TryTake { .. }
            | Op::TryFail { .. }
            | Op::Can { .. }
            | Op::Jump { .. }
            | Op::Return { .. } => return,
        };
        self.decided_by(marks);
    }

    fn decided_by(&mut self, marks: Marks<'a>) {
        if let Some(attempt) = self.attempts.last_mut() {
            *attempt = attempt.union(self.arena, marks);
        }
    }

    /// Ends the innermost attempt. Returns its marks, which are noted for the one around it.
    pub(super) fn end_attempt(&mut self) -> Marks<'a> {
        let marks = self.attempts.pop().unwrap_or(Marks::NONE);
        self.decided_by(marks);
        marks
    }
}
