//! Conditionals: `condition ? yes : no`, after all three operands have been evaluated. The faults of each
//! operand are a segment of the log.
//!
//! ```text
//! log:  … | faults of yes | faults of no | faults of the condition
//!         yes             no             test
//! result: the condition's faults, then those of the chosen arm; the others are dropped
//! ```

use super::machine::Machine;
use crate::code::Reg;
use crate::fault::{Fault, Place};
use crate::memory::arena::Arena;
use crate::ops::conditional::hull;
use crate::types::Type;
use crate::types::convert::{convert, convert_unified};
use crate::types::unify::{Safety, unify};
use crate::value::{Marks, Value, View};

impl<'a> Machine<'_, 'a> {
    pub(super) fn conditional(&mut self, d: Reg, [c, a, b]: [Reg; 3], [yes, no, test]: [Reg; 3]) {
        let arms = [self.get(a), self.get(b)];
        let segments = [self.logged(yes), self.logged(no), self.logged(test)];
        let result = self.choose(self.get(c), arms, segments);
        self.set(d, result);
    }

    /// Returns the result, and leaves its faults in the log. `yes`, `no` and `test` are the starts of the
    /// segments.
    fn choose(
        &mut self,
        condition: Value<'a>,
        arms: [Value<'a>; 2],
        [yes, no, test]: [usize; 3],
    ) -> Value<'a> {
        let arena = self.arena;
        if let Some(chosen) = condition.as_bool()
            && arms[0].same_primitive_type(arms[1])
            && self.log.len() == yes
        {
            return arms[usize::from(!chosen)];
        }
        let Some(ty) = arms_type(arena, arms) else {
            let of_test = self.drop_faults(test, self.log.len());
            let of_no = self.drop_faults(no, test);
            let of_yes = self.drop_faults(yes, no);
            // Whether an arm has faults of its own is not shown if it depends on marked values.
            let arms = [arms[0].with_marks(arena, of_yes), arms[1].with_marks(arena, of_no)];
            let [yes, no] = arms.map(|arm| arm.type_of(arena));
            self.fault_of(Fault::Arms(yes, no), Place::Arms, arms);
            let own = self.own_marks([condition, arms[0], arms[1]]);
            return self.failed(Type::Dynamic, own.union(arena, of_test));
        };
        if condition.is_null() {
            let dropped = self.drop_faults(yes, test);
            self.fault_of(Fault::NullCondition, Place::Condition, [condition]);
            let own = self.own_marks([condition, arms[0], arms[1]]);
            return self.failed(ty, own.union(arena, dropped));
        }
        let tested = condition;
        let (condition, test_marks) = condition.unmark();
        let [(yes_value, yes_marks), (no_value, no_marks)] = arms.map(Value::unmark);
        let mut marks = test_marks.union(arena, yes_marks).union(arena, no_marks);
        if !condition.is_known() {
            if !self.exploring {
                marks = marks.union(arena, self.drop_faults(yes, test));
            } else if let Err(mismatch) = convert(arena, condition, Type::Bool) {
                self.fault(Fault::Condition(mismatch), Place::Condition);
            }
            return hull(arena, yes_value, no_value, ty).with_marks(arena, marks);
        }
        let chosen = match convert(arena, condition, Type::Bool) {
            Ok(condition) => condition.as_bool().unwrap_or(false),
            Err(mismatch) => {
                marks = marks.union(arena, self.drop_faults(yes, test));
                let fault = Fault::Condition(mismatch).concealed_under(arena, test_marks);
                self.fault_of(fault, Place::Condition, [tested]);
                return self.failed(ty, marks);
            }
        };
        marks = marks.union(arena, self.keep_arm(chosen, [yes, no, test]));
        let (value, arm_marks) = if chosen { (yes_value, yes_marks) } else { (no_value, no_marks) };
        let other = if chosen { no_value } else { yes_value };
        let value = convert_unified(arena, value, other.type_of(arena), ty).unwrap_or_else(|mismatch| {
            let place = if chosen { Place::Yes } else { Place::No };
            let fault = Fault::Arm(chosen, mismatch).concealed_under(arena, arm_marks);
            self.fault_of(fault, place, arms);
            self.failed(ty, marks)
        });
        value.with_marks(arena, marks)
    }

    /// Moves the chosen arm's faults behind the condition's and drops the other arm's, whose marks it returns.
    fn keep_arm(&mut self, chosen: bool, [yes, no, test]: [usize; 3]) -> Marks<'a> {
        if yes == test {
            return Marks::NONE;
        }
        let (dropped, kept) = if chosen {
            (self.drop_faults(no, test), no - yes)
        } else {
            (self.drop_faults(yes, no), test - no)
        };
        self.log[yes..].rotate_left(kept);
        dropped
    }
}

/// Returns the common type of two arms; `None` if they have none.
pub fn arms_type<'a>(arena: &'a Arena, [yes, no]: [Value<'a>; 2]) -> Option<Type<'a>> {
    // Most arms are primitives, for which types need not be built.
    let primitive = |value: Value<'a>| {
        let plain = value.unmark().0;
        plain.primitive_type().or_else(|| plain.unknown_type()).filter(|ty| ty.is_primitive())
    };
    if let (Some(yes), Some(no)) = (primitive(yes), primitive(no))
        && yes == no
    {
        return Some(yes);
    }
    let bare_null = |value: Value<'a>| matches!(value.view(), View::Null(Type::Dynamic));
    let [yes_type, no_type] = [yes.type_of(arena), no.type_of(arena)];
    if bare_null(yes) {
        Some(no_type)
    } else if bare_null(no) {
        Some(yes_type)
    } else if yes_type.is_dynamic() || no_type.is_dynamic() {
        Some(Type::Dynamic)
    } else if yes_type == no_type {
        Some(yes_type)
    } else {
        unify(arena, &[yes_type, no_type], Safety::Unsafe)
    }
}
