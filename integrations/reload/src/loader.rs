//! What texts become: the trait by which a host watches more than documents, such as the modules of an application.

use hclvm::module::Live;

use crate::candidate::Candidate;
use crate::report::Report;
use crate::source::{Text, Texts};
use crate::status::Problems;

/// Makes of texts what is put in use, and shows what that changes. [`Reload::builder`](crate::Reload::builder) has
/// one for documents; implement it for what is not one document, and pass it to
/// [`Reload::open`](crate::Reload::open). Reading, epochs, status, subscribers and watching do not depend on it.
pub trait Loader: Texts {
    /// What texts become.
    type Content;

    /// Makes the content of texts. `last` is the content in use; `None` for the first. What it changes and the times
    /// of parts are reported in `report`.
    ///
    /// # Errors
    /// The problems of the texts. The last content stays in use.
    fn load(
        &mut self,
        texts: &[Text],
        last: Option<&Self::Content>,
        report: &mut Report,
    ) -> Result<Self::Content, Problems>;

    /// Evaluates what was loaded, before the host is asked whether it accepts it.
    ///
    /// # Errors
    /// The problems of the evaluation. The last content stays in use.
    fn evaluate(
        &mut self,
        _candidate: &Candidate<'_, Self::Content>,
        _report: &mut Report,
    ) -> Result<(), Problems> {
        Ok(())
    }

    /// Notes that the host accepted what was evaluated last: it is compared with the next one.
    fn accepted(&mut self) {}

    /// Returns the values in use of a document, if there is a [scope](crate::Builder::scope).
    fn live(&self) -> Option<&Live> {
        None
    }
}
