//! The diagnostic of a fault: its sentence and place, the values of the variables involved, the operands, the
//! blocks around it, and what to write instead.
//!
//! Everything here happens when an error is reported: a run records a fault with the values that it concerns, and
//! a fault that `try`, `can`, `&&` or `||` drops is never explained. Invariant: of marked values, and of
//! anything in a loop over a marked collection, nothing is reported but that it is marked.

mod arms;
mod context;
mod hints;
mod labels;
mod sensitive;
mod suggestions;
mod values;

pub(crate) use suggestions::suggest_unread;
pub(crate) use values::{ExplainedRun, MarkedPaths};

use hclvm_vm::{Arena, Comparisons, Diagnostic, Entry, Record, Value};

use crate::compile::program::Program;

/// Returns the diagnostic of a fault of `program`, which ran with `values`. These are not reported if
/// `concealed`, because marks were removed from them, or if the fault is about a call of `sensitive`, and only those without
/// parts if they are `partial`. Suggestions are left out when `comparisons` are used up.
pub(crate) fn explain(
    program: &Program,
    record: &Record<'_>,
    (values, partial): (&[Value<'_>], bool),
    concealed: bool,
    comparisons: &Comparisons,
) -> Diagnostic {
    let arena = Arena::new();
    let concealed = concealed || sensitive::is_concerned(program, program.node(record.node));
    let mut record = if concealed { record.concealed(&arena) } else { *record };
    let values = if concealed { &[] } else { values };
    if partial {
        record.fault = record.fault.with_names(None);
    } else if let Some(object) = record.fault.names_of() {
        let place = FaultSite { program, record: &record, values, partial, arena: &arena, comparisons };
        if let Some(variable) = place.derived_variable(object) {
            // A selection evaluates some of the locals, but all of them can be read.
            let may_list = comparisons.may_sort(program.layout().len());
            let names = may_list.then(|| derived(program, variable, &arena));
            record.fault = record.fault.with_names(names);
        }
    }
    if record.concerned.iter().any(|value| !value.is_unset())
        && !record.concerned.iter().any(|value| value.contains_marks())
    {
        record.fault = record.fault.showing(&arena);
    }
    let mut diagnostic = program.diagnostic(&record, comparisons);
    let place = FaultSite { program, record: &record, values, partial, arena: &arena, comparisons };
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

/// Returns an object with the names of all attributes of a variable that have slots.
fn derived<'a>(program: &'a Program, variable: &str, arena: &'a Arena) -> Value<'a> {
    let names = program.layout().names().iter();
    let mut names: Vec<&str> =
        names.filter_map(|name| name.strip_prefix(variable)?.strip_prefix('.')).collect();
    names.sort_unstable();
    let mut entries = arena.list_with(names.len());
    entries.extend(names.into_iter().map(|name| Entry::new(name, Value::NULL)));
    Value::object(arena, entries.into_bump_slice())
}

/// A fault of a run of a program, and the values of the slots.
struct FaultSite<'f> {
    program: &'f Program,
    record: &'f Record<'f>,
    values: &'f [Value<'f>],
    /// True if objects may lack attributes that no program reads.
    partial: bool,
    /// Memory for what is computed to explain it.
    arena: &'f Arena,
    /// The remaining budget of comparisons for suggestions.
    comparisons: &'f Comparisons,
}

impl<'f> FaultSite<'f> {
    /// Returns the variable whose value is `object` if its attributes have slots of their own, as the locals of
    /// a module have.
    fn derived_variable(&self, object: Value<'_>) -> Option<&'f str> {
        let layout = self.program.layout();
        let mut variables =
            layout.names().iter().zip(self.values).filter(|(name, _)| layout.has_derived(name));
        // All empty objects are one word, so it matters where this one is from.
        let found = variables.find(|(name, value)| value.is_word(object) && self.reads_object(name));
        found.map(|(name, _)| name.as_str())
    }
}
