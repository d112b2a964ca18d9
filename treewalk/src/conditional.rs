//! `condition ? yes : no`: evaluates both arms, finds their common type, then looks at the condition.

use std::cmp::Ordering;

use hclvm_compiler::tree::NodeId;
use hclvm_vm::{
    Fault, NumberBound, Place, Record, Refinement, Safety, Type, Unknown, Value, View, convert,
    convert_unified, number, unify,
};

use crate::walk::{Found, Walk};

impl<'a> Walk<'_, 'a> {
    /// Evaluates a conditional. If the arms have no common type, that is the only fault, and the
    /// condition is ignored. Otherwise the faults of the condition and the chosen arm remain; the
    /// result has the marks of the condition and both arms.
    pub(crate) fn conditional(
        &self,
        id: NodeId,
        [yes, no]: [Found<'a>; 2],
        condition: impl FnOnce() -> Found<'a>,
    ) -> Found<'a> {
        let (yes_type, no_type) = (yes.0.type_of(self.arena), no.0.type_of(self.arena));
        let (condition, mut faults) = condition();
        self.note_all(&[condition, yes.0, no.0]);
        let mut marks = self.note_own(&[condition, yes.0, no.0]);
        let mut add = |dropped: &[Record<'a>]| {
            marks = marks.union(self.arena, Record::marks_of(self.arena, dropped));
            marks
        };
        let Some(ty) = self.shared_type([yes.0, no.0], [yes_type, no_type]) else {
            add(&yes.1);
            add(&no.1);
            let fault = self.record_under(add(&faults), Fault::Arms(yes_type, no_type), id, Place::Arms);
            return (Value::DYNAMIC, vec![fault]);
        };
        if condition.is_null() {
            add(&yes.1);
            faults.push(self.record_under(add(&no.1), Fault::NullCondition, id, Place::Condition));
            return (Value::unknown_of(self.arena, ty), faults);
        }
        if !condition.is_known() {
            add(&yes.1);
            let marks = add(&no.1);
            return (
                self.either(yes.0.unmark().0, no.0.unmark().0, ty).with_marks(self.arena, marks),
                faults,
            );
        }
        let chosen = match convert(self.arena, condition, Type::Bool).map(|value| value.unmark().0) {
            Ok(condition) => condition.as_bool().unwrap_or(false),
            Err(mismatch) => {
                add(&yes.1);
                let fault = Fault::Condition(mismatch);
                faults.push(self.record_under(add(&no.1), fault, id, Place::Condition));
                return (Value::unknown_of(self.arena, ty), faults);
            }
        };
        let marks = add(if chosen { &no.1 } else { &yes.1 });
        let ((value, of_arm), other, place) =
            if chosen { (yes, no_type, Place::Yes) } else { (no, yes_type, Place::No) };
        faults.extend(of_arm);
        let value = convert_unified(self.arena, value, other, ty).unwrap_or_else(|mismatch| {
            faults.push(self.record_under(marks, Fault::Arm(chosen, mismatch), id, place));
            Value::unknown_of(self.arena, ty)
        });
        (value.with_marks(self.arena, marks), faults)
    }

    /// Returns the common type. The literal null takes the other type; if either type is unknown, so is the common one.
    fn shared_type(&self, arms: [Value<'a>; 2], [yes, no]: [Type<'a>; 2]) -> Option<Type<'a>> {
        let literal_null = |value: Value<'a>| matches!(value.view(), View::Null(Type::Dynamic));
        if literal_null(arms[0]) {
            Some(no)
        } else if literal_null(arms[1]) {
            Some(yes)
        } else if yes.is_dynamic() || no.is_dynamic() {
            Some(Type::Dynamic)
        } else {
            unify(self.arena, &[yes, no], Safety::Unsafe)
        }
    }

    /// Returns the refinement of the result under an unknown condition. The arms are not converted yet.
    fn either(&self, yes: Value<'a>, no: Value<'a>, ty: Type<'a>) -> Value<'a> {
        if yes.is_null() && no.is_null() {
            return Value::null(self.arena, ty);
        }
        let mut refinement =
            Refinement { not_null: never_null(yes) && never_null(no), ..Refinement::default() };
        let (yes_type, no_type) = (yes.type_of(self.arena), no.type_of(self.arena));
        if yes_type == Type::Number && no_type == Type::Number {
            let ((yes_min, yes_max), (no_min, no_max)) = (bounds(yes), bounds(no));
            refinement.min = outer(yes_min, no_min, Ordering::Less);
            refinement.max = outer(yes_max, no_max, Ordering::Greater);
        } else if yes_type.is_collection() && yes_type.same(self.arena, no_type) {
            let ((yes_min, yes_max), (no_min, no_max)) = (lengths(yes), lengths(no));
            (refinement.min_len, refinement.max_len) = (yes_min.min(no_min), yes_max.max(no_max));
        }
        Unknown { ty, refinement }.settle(self.arena)
    }
}

fn never_null(value: Value<'_>) -> bool {
    match value.view() {
        View::Unknown(unknown) => unknown.refinement.not_null,
        _ => !value.is_null(),
    }
}

/// Returns the range of a number. That of a known number has one element.
fn bounds(value: Value<'_>) -> (Option<NumberBound<'_>>, Option<NumberBound<'_>>) {
    match value.view() {
        View::Number(value) => {
            let bound = Some(NumberBound { value, inclusive: true });
            (bound, bound)
        }
        View::Unknown(unknown) => (unknown.refinement.min, unknown.refinement.max),
        _ => (None, None),
    }
}

/// Returns the range of a length. Sets with unknown elements have none, because elements may be equal.
fn lengths(value: Value<'_>) -> (usize, usize) {
    let (min, max) = value.length_range();
    if value.is_known() && min != max { (0, usize::MAX) } else { (min, max) }
}

/// Returns the bound farther in the direction `outward`, the second of equal ones. Returns `None` if
/// either side has no bound, or if it is an infinity of the host.
fn outer<'a>(
    a: Option<NumberBound<'a>>,
    b: Option<NumberBound<'a>>,
    outward: Ordering,
) -> Option<NumberBound<'a>> {
    let (a, b) = (a?, b?);
    let bound = if number::compare(a.value, b.value) == outward {
        a
    } else {
        let shared = a.inclusive && number::equal(a.value, b.value);
        NumberBound { inclusive: b.inclusive || shared, ..b }
    };
    let no_bound = bound.value.is_host_infinity() && bound.value.is_negative() == outward.is_lt();
    (!no_bound).then_some(bound)
}
