//! The work of a whole module: its evaluations share one budget, so that many small ones end as one large one does.

use std::sync::Arc;

use hclvm::diagnostics::{Exhausted, LimitError, Source, Span};
use hclvm::{Error, Limits};

/// The fuel that the evaluations of a module have left; see [`Limits::fuel`].
#[derive(Debug)]
pub(crate) struct Fuel(u64);

impl Fuel {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self(limits.fuel)
    }

    /// Spends the fuel of an evaluation at a place.
    ///
    /// # Errors
    /// The limit, if there is not as much left.
    pub(crate) fn spend(&mut self, fuel: u64, source: &Arc<Source>, span: Span) -> Result<(), Error> {
        let Some(left) = self.0.checked_sub(fuel) else {
            let (exhausted, source) = (Exhausted::Fuel, Arc::clone(source));
            return Err(LimitError { exhausted, source, span }.into());
        };
        self.0 = left;
        Ok(())
    }
}
