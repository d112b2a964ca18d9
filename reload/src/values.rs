//! The values under a given scope, and their differences from one reload to the next.

use hclvm::module::Live;
use hclvm::{Diagnostics, OwnedValue};

use crate::candidate::{Candidate, SetScope};
use crate::report::ValueChange;
use crate::status::Problems;

/// The values of the configuration in use.
pub(crate) struct ValuesInUse {
    set: SetScope,
    live: Option<Live>,
}

/// What an evaluation found.
pub(crate) struct Evaluated {
    live: Live,
    pub(crate) changes: Vec<ValueChange>,
    pub(crate) problems: Vec<Diagnostics>,
}

impl ValuesInUse {
    pub(crate) fn new(set: SetScope) -> Self {
        Self { set, live: None }
    }

    /// Evaluates a candidate, and compares its values with those in use.
    pub(crate) fn evaluate(&mut self, candidate: &Candidate<'_>) -> Result<Evaluated, Problems> {
        let module = candidate.module()?;
        let mut scope = module.scope();
        (self.set)(&mut scope, candidate)?;
        let mut live = module.follow(candidate.document().engine().session());
        live.update(&scope)?;
        let problems = live.diagnostics();
        if problems.has_errors() {
            return Err(problems.clone().into());
        }
        let problems: Vec<Diagnostics> = problems.by_file();
        let owned = OwnedValue::new;
        let changes = match &self.live {
            None => Vec::new(),
            Some(before) => {
                let changes = live.values().changes_from(&before.values());
                let change = |change: &hclvm::module::Change<'_>| ValueChange {
                    path: change.path().clone(),
                    before: change.before().map(owned),
                    after: change.after().map(owned),
                };
                changes.iter().map(change).collect()
            }
        };
        let problems = problems.into_iter().filter(|one| !one.is_empty()).collect();
        Ok(Evaluated { live, changes, problems })
    }

    /// Keeps the values of a candidate that was accepted.
    pub(crate) fn accept(&mut self, evaluated: Evaluated) {
        self.live = Some(evaluated.live);
    }

    /// Returns the values in use.
    pub(crate) fn live(&self) -> Option<&Live> {
        self.live.as_ref()
    }
}
