//! The nearest of the names that there are, in the sentence and as a change of the text.

use hclvm_vm::{Diagnostic, Fault as Kind, literal_meant, nearest};
use smol_str::SmolStr;

use super::Fault;

impl Fault<'_> {
    /// Adds the nearest other variable of the layout to the diagnostic of one without a value. Not whether that
    /// one has a value: a diagnostic that is kept while other variables change depends on what its expression
    /// reads.
    pub(super) fn suggest(&self, diagnostic: &mut Diagnostic) {
        let Kind::UnsetVariable(name) = self.record.fault else { return };
        let names = self.program.layout().names().iter().map(SmolStr::as_str);
        let others = names.filter(|known| *known != name && !known.contains('.'));
        let Some(near) = literal_meant(name).or_else(|| nearest(name, others)) else { return };
        diagnostic.detail = format!("{} Did you mean \"{near}\"?", diagnostic.detail).into();
        if let Some(subject) = diagnostic.subject {
            diagnostic
                .additions_mut()
                .replacements
                .push(hclvm_vm::Replacement { span: subject, text: near.to_owned() });
        }
    }
}
