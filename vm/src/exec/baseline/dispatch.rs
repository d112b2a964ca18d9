//! The interpreter loop of the baseline tier. Every arm is one call, so that the loop reads as the list of
//! all instructions.

use super::machine::Machine;
use super::observe::Observer;
use crate::code::Op;
use crate::memory::cast;
use crate::value::Value;

impl<'a> Machine<'_, 'a> {
    /// Runs until `Return`, or until the budget is exhausted.
    pub(super) fn run_loop(&mut self, observer: &mut impl Observer<'a>) -> Value<'a> {
        loop {
            observer.before(self);
            let mut next = self.pc + 1;
            let mut jump = |taken: Option<crate::code::Label>| {
                if let Some(label) = taken {
                    next = label.0 as usize;
                }
            };
            let op = self.code.ops[self.pc];
            if !self.attempts.is_empty() {
                self.note_marks(op);
            }
            match op {
                Op::Constant { d, k } => self.set(d, self.constant(k)),
                Op::Copy { d, a } => self.set(d, self.get(a)),
                Op::Variable { d, slot } => jump(self.variable(d, slot)),
                Op::Fail { d, failure } => self.fail(d, failure),
                Op::Log { d } => self.count(d, self.log.len()),
                Op::Attribute { d, a, name, step } => jump(self.attribute(d, a, name, step)),
                Op::IndexConstant { d, a, k, step } => jump(self.index_constant(d, a, k, step)),
                Op::Index { d, a, b } => self.index(d, a, b),
                Op::Arithmetic { op, d, a, b, log } => self.arithmetic(op, d, [a, b], log),
                Op::Compare { op, d, a, b, log } => self.compare(op, d, [a, b], log),
                Op::Equal { negated, d, a, b, log } => self.equal(negated, d, [a, b], log),
                Op::Logic { op, d, a, b, left, right } => self.logic(op, d, [a, b], [left, right]),
                Op::Not { d, a, log } => self.not(d, a, log),
                Op::Negate { d, a, log } => self.negate(d, a, log),
                Op::Conditional { d, c, a, b, yes, no, test } => {
                    self.conditional(d, [c, a, b], [yes, no, test]);
                }
                Op::Push { a } => self.stack.push(self.get(a)),
                Op::Tuple { d, count } => self.tuple(d, count),
                Op::Object { d, shape } => self.object(d, shape),
                Op::ObjectBegin {} => self.object_begin(),
                Op::ObjectItem { key, a, log, after } => self.object_item(key, a, log, after),
                Op::DistinctItem { key, a } => self.distinct_item(key, a),
                Op::ObjectEnd { d } => self.object_end(d),
                Op::TemplateBegin {} => self.template_begin(),
                Op::TemplateText { k } => self.template_text(k),
                Op::TemplatePart { a, part } => self.template_part(a, part),
                Op::TemplateEnd { d } => self.template_end(d),
                Op::Join { d, a } => self.join(d, a),
                Op::Argument { a, f, index } => self.argument(a, f, index),
                Op::Call { d, f, count, log } => self.call(d, f, count.0 as usize, log),
                Op::Arity { d, f, count } => self.arity(d, f, count.0 as usize),
                Op::Expand { d, a, f, given, log, end } => jump(self.expand(d, a, f, given, log, end)),
                Op::ExpandedArguments { a, f, given } => self.expanded_arguments(a, f, given),
                Op::CallExpanded { d, a, f, given, log } => self.call_expanded(d, a, f, given, log),
                Op::ForBegin { build, d, a, end } => jump(self.for_begin(build, d, a, end)),
                Op::ForProbe { key, value } => self.for_probe(key, value),
                Op::ForTested { d, a, log, end } => jump(self.for_tested(d, a, log, end)),
                Op::ForNext { key, value, exit } => jump(self.for_next(key, value, exit)),
                Op::ForSame { a, key, value, take } => jump(self.for_same(a, [key, value], take)),
                Op::ForInclude { a, next } => jump(self.for_include(a, next)),
                Op::ForKey { a, next } => jump(self.for_key(a, next)),
                Op::ForValue { a } => self.for_value(a),
                Op::ForEnd { d } => self.for_end(d),
                Op::SplatBegin { d, a, log, end } => jump(self.splat_begin(d, a, log, end)),
                Op::SplatNext { d, exit } => jump(self.splat_next(d, exit)),
                Op::SplatItem { a, log } => self.splat_item(a, log),
                Op::SplatEnd { d } => self.splat_end(d),
                Op::TryBegin { d } => self.try_begin(d),
                Op::TryTake { d, a, log, kept, done } => jump(self.try_take(d, a, log, kept, done)),
                Op::TryFail { d, kept } => self.try_fail(d, kept),
                Op::Can { d, a, log } => self.can(d, a, log),
                Op::Convert { d, a, k, log } => self.convert_to(d, a, k, log),
                Op::Jump { to } => jump(Some(to)),
                Op::Return { a } => return self.get(a),
            }
            observer.after(self, next);
            if next != self.pc + 1 && !self.jump(next) {
                return Value::DYNAMIC;
            }
            self.pc = next;
        }
    }

    /// Counts the instructions before a jump that is taken, and charges for them if it goes backwards.
    /// Returns false if the budget is exhausted.
    ///
    /// Only backward jumps and functions can run without bound, and functions charge for themselves.
    fn jump(&mut self, to: usize) -> bool {
        self.walked += (self.pc + 1).saturating_sub(self.landed) as u64;
        self.landed = to;
        to > self.pc || self.arena.charge(std::mem::take(&mut self.walked))
    }

    /// Stores a count in a register.
    pub(super) fn count(&mut self, d: crate::code::Reg, count: usize) {
        self.set(d, Value::short(cast::signed(count)));
    }
}
