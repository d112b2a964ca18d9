//! The nearest of the names that there are, in the sentence and as a change of the text.

use std::sync::Arc;

use hclvm_compiler::is_identifier;
use hclvm_vm::{
    Comparisons, Diagnostic, Fault, Replacement, codes, did_you_mean, literal_meant, may_replace,
};
use smol_str::SmolStr;

use super::FaultSite;
use crate::diagnostics::error::Diagnostics;

impl FaultSite<'_> {
    /// Adds the nearest other variable of the layout to the diagnostic of one without a value. Not whether that
    /// one has a value: a diagnostic that is kept while other variables change depends on what its expression
    /// reads.
    pub(super) fn suggest(&self, diagnostic: &mut Diagnostic) {
        let Fault::UnsetVariable(name) = self.record.fault else { return };
        let names = self.program.layout().names().iter().map(SmolStr::as_str);
        let others = names.filter(|known| *known != name && !known.contains('.'));
        if let Some(near) = literal_meant(name).or_else(|| self.comparisons.nearest(name, others)) {
            propose(diagnostic, name, near);
        }
    }
}

/// Proposes the nearest of variables that no program reads where one that a program reads has no value.
pub(crate) fn suggest_unread(diagnostics: &Diagnostics, names: &[SmolStr]) -> Diagnostics {
    let (source, comparisons) = (diagnostics.source(), Comparisons::new());
    let mut list: Vec<Diagnostic> = diagnostics.iter().cloned().collect();
    for diagnostic in list.iter_mut().filter(|one| one.code() == codes::UNSET_VARIABLE) {
        let has_proposal = diagnostic.additions.as_ref().is_some_and(|known| !known.replacements.is_empty());
        let name = diagnostic.subject.map_or("", |subject| subject.slice(source.text()));
        if !has_proposal && let Some(near) = comparisons.nearest(name, names.iter().map(SmolStr::as_str)) {
            propose(diagnostic, name, near);
        }
    }
    Diagnostics::new(Arc::clone(source), list)
}

/// Proposes a name in the place of `name` at the subject.
fn propose(diagnostic: &mut Diagnostic, name: &str, near: &str) {
    diagnostic.detail = format!("{}{}", diagnostic.detail, did_you_mean(name, near)).into();
    if let Some(span) = diagnostic.subject.filter(|_| is_identifier(near) && may_replace(name, near)) {
        diagnostic.additions_mut().replacements.push(Replacement { span, text: near.to_owned() });
    }
}
