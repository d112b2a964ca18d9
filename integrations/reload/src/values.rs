//! The values under a given scope, and their differences from one reload to the next.

use hclvm::OwnedValue;
use hclvm::module::Live;

use crate::candidate::{Candidate, SetScope};
use crate::report::{Report, ValueChange};
use crate::status::Problems;

/// The values of the configuration in use.
pub(crate) struct Values {
    set: SetScope,
    live: Option<Live>,
    /// Those that were evaluated last, until the host accepts them.
    next: Option<Live>,
}

impl Values {
    pub(crate) fn new(set: SetScope) -> Self {
        Self { set, live: None, next: None }
    }

    /// Evaluates a candidate, and compares its values with those in use.
    pub(crate) fn evaluate(
        &mut self,
        candidate: &Candidate<'_>,
        report: &mut Report,
    ) -> Result<(), Problems> {
        let module = candidate.module()?;
        let mut scope = module.scope();
        (self.set)(&mut scope, candidate)?;
        let mut live = module.follow(candidate.document().engine().session());
        live.update(&scope)?;
        candidate.keep_scope(scope);
        let problems = live.diagnostics();
        if problems.has_errors() {
            return Err(problems.clone().into());
        }
        if let Some(before) = &self.live {
            let owned = OwnedValue::new;
            let changes = live.values().changes_from(&before.values());
            let change = |change: &hclvm::module::Change<'_>| ValueChange {
                path: change.path().clone(),
                before: change.before().map(owned),
                after: change.after().map(owned),
            };
            report.values = changes.iter().map(change).collect();
        }
        self.next = Some(live);
        Ok(())
    }

    /// Keeps the values that were evaluated last.
    pub(crate) fn accept(&mut self) {
        self.live = self.next.take();
    }

    /// Returns the values in use.
    pub(crate) fn live(&self) -> Option<&Live> {
        self.live.as_ref()
    }
}
