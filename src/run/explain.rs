//! The diagnostic of a fault: its sentence and place, the values of the variables involved, the operands, the
//! blocks around it, and what to write instead.
//!
//! Everything here happens when an error is told: a run records a fault with the values that it concerns, and
//! a fault that `try`, `can`, `&&` or `||` drops is never explained. Invariant: of marked values, and of
//! anything in a loop over a marked collection, nothing is told but that it is marked.

mod hints;
mod labels;
mod suggestions;
mod values;

pub(crate) use suggestions::suggest_unread;

use hclvm_vm::{Arena, Diagnostic, Record, Value};

use crate::compile::program::Program;

/// Returns the diagnostic of a fault of `program`, which ran with `values`. The latter are not told if
/// `concealed`, because marks were removed from them.
pub(crate) fn explain(
    program: &Program,
    record: &Record<'_>,
    values: &[Value<'_>],
    concealed: bool,
) -> Diagnostic {
    let arena = Arena::new();
    let record = if concealed { record.concealed(&arena) } else { *record };
    let values = if concealed { &[] } else { values };
    let mut diagnostic = program.diagnostic(&record);
    let place = Fault { program, record: &record, values, arena: &arena };
    let told = place.values();
    let labels = place.labels();
    if !told.is_empty() || !labels.is_empty() {
        let additions = diagnostic.additions_mut();
        additions.values = told;
        additions.labels.extend(labels);
    }
    place.suggest(&mut diagnostic);
    place.hint(&mut diagnostic);
    diagnostic
}

/// A fault of a run of a program, and the values of the slots.
struct Fault<'f> {
    program: &'f Program,
    record: &'f Record<'f>,
    values: &'f [Value<'f>],
    /// Memory for what is computed to explain it.
    arena: &'f Arena,
}
