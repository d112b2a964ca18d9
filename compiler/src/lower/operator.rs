//! What all lowerings share about operators: the kind of collection for a for expression, and the limits of comparisons.

use hclvm_vm::Value;
use hclvm_vm::code::Build;

use crate::tree::For;

/// The deepest nesting of conditions that gets fast code or steps over columns. Each level takes stack in lowering,
/// and a chain of `&&` is nested as deeply as it is long, which the parser does not limit.
pub(super) const MOST_LEVELS: u16 = 500;

/// The longest text that instructions and steps compare without charging the budget.
const SHORT_TEXT: usize = 256;

/// Returns true for a text that is compared without charging the budget.
pub(super) fn is_short_text(value: Value<'_>) -> bool {
    value.as_str().is_some_and(|text| text.len() <= SHORT_TEXT)
}

/// Returns the kind of collection that a for expression builds.
pub(super) const fn build(details: &For) -> Build {
    match (details.key, details.group) {
        (None, _) => Build::Tuple,
        (Some(_), false) => Build::Object,
        (Some(_), true) => Build::Groups,
    }
}
