//! Which conditions decide: those that flip the result if they are negated, alone or together.
//!
//! ```text
//! a && b, false:   the false operands           a && b, true:   both
//! a || b, true:    the true operands            a || b, false:  both
//! c ? a : b:       the chosen arm; also c, if the other arm differs
//! ```
//! Operands that decide are followed to their own operands. What depends on a marked value decides nothing that can
//! be reported, so the search ends above it.

use hclvm_vm::code::ConditionKind;
use hclvm_vm::exec::Truth;

use super::{Explained, Outcome};

/// Marks the conditions that decide the value of a condition. Recursion is bounded by the depth of the tree.
pub(super) fn decide(condition: &mut Explained) {
    let Some(is) = condition.outcome.as_bool() else {
        return decide_other(condition);
    };
    let mut found = false;
    match condition.kind {
        ConditionKind::And | ConditionKind::Or => {
            for part in &mut condition.parts {
                // As an operand of `&&`, null counts as false; as one of `||` that is false, it is an error.
                let is_null = !is && part.outcome == Outcome::Once(Truth::Null);
                if part.outcome.as_bool() == Some(is) || is_null {
                    decide(part);
                    found = true;
                }
            }
        }
        ConditionKind::Not => {
            if let [part] = &mut *condition.parts {
                decide(part);
                found = true;
            }
        }
        ConditionKind::Conditional => found = decide_conditional(&mut condition.parts, is),
        _ => {
            if let Some(definition) = condition.definition_mut()
                && definition.outcome.as_bool() == Some(is)
            {
                decide(definition);
            }
        }
    }
    condition.decides = !found;
}

/// Returns the least number of false conditions that would have to be true for a condition that is false to be true; a
/// condition that depends on marked values, and one of which nothing is known, counts as one. Recursion is bounded by the
/// depth of the tree.
pub(crate) fn distance(condition: &Explained) -> usize {
    if condition.outcome.as_bool() == Some(true) {
        return 0;
    }
    if condition.outcome.as_bool().is_none() {
        return 1;
    }
    let of_parts = condition.parts.iter().map(distance);
    let distance = match condition.kind {
        ConditionKind::And => of_parts.fold(0, usize::saturating_add),
        ConditionKind::Or => of_parts.min().unwrap_or(1),
        ConditionKind::Not | ConditionKind::Conditional => 1,
        _ => condition.definition().map_or(1, distance),
    };
    distance.max(1)
}

/// Marks what decides a conditional: its predicate, its arms. Returns false if its parts were left out.
fn decide_conditional(parts: &mut [Explained], is: bool) -> bool {
    let [predicate, yes, no] = parts else { return false };
    let is_first = predicate.outcome.as_bool() == Some(true);
    let (arm, other) = if is_first { (yes, no) } else { (no, yes) };
    let by_predicate = other.outcome.as_bool() == Some(!is);
    if by_predicate {
        decide(predicate);
    }
    if !(by_predicate && arm.kind == ConditionKind::Constant) {
        decide(arm);
    }
    true
}

/// Marks what decides a value that is no bool, or no value at all: predicates and clauses, or conditions that have the
/// same outcome.
fn decide_other(condition: &mut Explained) {
    let outcome = condition.outcome;
    if matches!(outcome, Outcome::Sensitive | Outcome::Never) {
        return;
    }
    let mut parts: Vec<&mut Explained> = condition.parts.iter_mut().filter(|part| part.needed).collect();
    if parts.iter().any(|part| part.outcome == outcome) {
        parts.retain(|part| part.outcome == outcome);
    }
    for part in parts {
        match part.outcome {
            Outcome::Each(_) | Outcome::Some(_) => part.decides = true,
            Outcome::Once(_) => decide(part),
            Outcome::Sensitive | Outcome::Never => {}
        }
    }
    let found = condition.parts.iter().any(|part| part.needed && part.name.is_none());
    condition.decides = !found && condition.is_condition;
}
