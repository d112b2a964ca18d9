//! [`Error`], the one error type of the crate: diagnostics about a text, an exceeded limit, or a host
//! value that cannot be used.
//!
//! `Debug` prints the same report as [`Diagnostics::report`], because `fn main() -> Result<(), Error>`
//! prints errors with `Debug`. Titles and details of diagnostics are made where they are found, in
//! the `problem` modules.

use std::fmt;
use std::sync::Arc;

use hclvm_vm::{Diagnostic, Exhausted, Misfit, Span};

use crate::diagnostics::report::Report;
use hclvm_compiler::source::Source;

/// Diagnostics about one text, in the order in which they were found.
///
/// `Display` writes one line for each; [`Diagnostics::report`] and `Debug` add the source lines.
#[derive(Clone)]
pub struct Diagnostics {
    source: Arc<Source>,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Creates diagnostics about `source`.
    pub fn new(source: Arc<Source>, list: Vec<Diagnostic>) -> Self {
        Self { source, list }
    }

    /// Returns the text they are about.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Returns true if at least one of them is an error, not a warning.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(Diagnostic::is_error)
    }

    /// Iterates over the diagnostics.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Returns the number of diagnostics.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns a printable report with the source lines.
    pub fn report(&self) -> Report<'_> {
        Report::new(&self.source, &self.list)
    }
}

/// Adds diagnostics about the same text behind the others.
impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, more: I) {
        self.list.extend(more);
    }
}

impl<'d> IntoIterator for &'d Diagnostics {
    type Item = &'d Diagnostic;
    type IntoIter = std::slice::Iter<'d, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_report(f, &self.source, &self.list)
    }
}

/// Writes diagnostics as a report without the final newline, which callers of `Debug` add.
fn debug_report(f: &mut fmt::Formatter<'_>, source: &Source, list: &[Diagnostic]) -> fmt::Result {
    f.write_str(Report::new(source, list).to_string().trim_end())
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, diagnostic) in self.list.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            let place = diagnostic.subject.map(|span| self.source.position(span.start));
            if let Some(place) = place {
                write!(f, "{}:{}:{}: ", self.source.name(), place.line, place.column)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

/// A limit that ended an evaluation, and where.
#[derive(Clone)]
pub struct LimitError {
    /// The limit.
    pub exhausted: Exhausted,
    /// The source of the program.
    pub source: Arc<Source>,
    /// The expression that was being evaluated.
    pub span: Span,
}

impl LimitError {
    /// Returns the limit as a diagnostic at the expression that was being evaluated.
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error("Limit exceeded", self.message(), self.span)
    }

    /// Returns the message without its position.
    fn message(&self) -> String {
        let what = match self.exhausted {
            Exhausted::Fuel => "more work",
            Exhausted::Memory => "more memory",
            Exhausted::Depth => "deeper nested values",
            Exhausted::Digits => "longer numbers",
            Exhausted::Text => "longer texts",
            Exhausted::Time => "more time",
            Exhausted::Cancelled => return "the evaluation was stopped by the host".to_owned(),
            Exhausted::Calls => "deeper calls of functions",
        };
        format!("the evaluation needs {what} than its limits allow")
    }
}

impl fmt::Debug for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_report(f, &self.source, &[self.diagnostic()])
    }
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.source.position(self.span.start);
        write!(f, "{}:{}:{}: ", self.source.name(), place.line, place.column)?;
        f.write_str(&self.message())
    }
}

/// The kinds of [`Error`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Errors in a text or an evaluation.
    Diagnostics(Diagnostics),
    /// A limit was exceeded.
    Limit(LimitError),
    /// A host value cannot be converted, or a result cannot be converted to a host type.
    Value(String),
    /// A scope and a program have different layouts, engines or projections, programs have different
    /// layouts, or a variable is set that no program of a layout reads.
    Layout(String),
}

/// The error of every fallible operation of this crate. One pointer wide.
///
/// `Display` is a line for each diagnostic; `Debug` is the report with the source lines, so that
/// returning it from `main` shows it:
///
/// ```
/// let error = hclvm::Engine::new().parse("app.hcl", "port = 80 +\n").unwrap_err();
/// let printed = format!("{error:?}");
/// assert!(printed.starts_with("error[invalid-expression]: "));
/// assert!(printed.contains("--> app.hcl:1:12"), "{printed}");
/// assert!(printed.contains("1 | port = 80 +"));
/// ```
#[derive(Clone)]
pub struct Error(Box<ErrorKind>);

impl Error {
    /// Returns the kind of error, with its details.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Returns the diagnostics, if this is [`ErrorKind::Diagnostics`].
    pub fn diagnostics(&self) -> Option<&Diagnostics> {
        match &*self.0 {
            ErrorKind::Diagnostics(diagnostics) => Some(diagnostics),
            _ => None,
        }
    }

    /// Returns the error as diagnostics, of whatever kind it is. Errors that no text has are attributed to
    /// the text `name`, without a place.
    pub fn to_diagnostics(&self, name: &str) -> Diagnostics {
        match &*self.0 {
            ErrorKind::Diagnostics(diagnostics) => diagnostics.clone(),
            ErrorKind::Limit(limit) => Diagnostics::new(Arc::clone(&limit.source), vec![limit.diagnostic()]),
            ErrorKind::Value(message) | ErrorKind::Layout(message) => {
                let mut one = Diagnostic::error("Invalid value", format!("{message}."), Span::default());
                one.subject = None;
                Diagnostics::new(Arc::new(Source::new(name, "", Vec::new())), vec![one])
            }
        }
    }

    /// Returns true if a limit was exceeded.
    pub fn is_limit(&self) -> bool {
        matches!(&*self.0, ErrorKind::Limit(_))
    }

    /// Creates an error for a [`HostObject`](crate::ingest::HostObject) that cannot return an attribute.
    pub fn host(message: impl Into<String>) -> Self {
        Self::value(message)
    }

    pub(crate) fn value(message: impl Into<String>) -> Self {
        ErrorKind::Value(message.into()).into()
    }

    pub(crate) fn layout(message: impl Into<String>) -> Self {
        ErrorKind::Layout(message.into()).into()
    }

    pub(crate) fn too_large(source: &Arc<Source>, span: Span) -> Self {
        let diagnostic = Diagnostic::error(
            "Expression too large",
            "The expression needs more registers than an instruction can address. Split it into several attributes.",
            span,
        );
        Diagnostics::new(Arc::clone(source), vec![diagnostic]).into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl From<Misfit> for Error {
    fn from(misfit: Misfit) -> Self {
        Self::value(misfit.to_string())
    }
}

impl From<Diagnostics> for Error {
    fn from(diagnostics: Diagnostics) -> Self {
        ErrorKind::Diagnostics(diagnostics).into()
    }
}

impl From<LimitError> for Error {
    fn from(limit: LimitError) -> Self {
        ErrorKind::Limit(limit).into()
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::Diagnostics(diagnostics) => fmt::Debug::fmt(diagnostics, f),
            ErrorKind::Limit(limit) => fmt::Debug::fmt(limit, f),
            ErrorKind::Value(message) | ErrorKind::Layout(message) => f.write_str(message),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::Diagnostics(diagnostics) => fmt::Display::fmt(diagnostics, f),
            ErrorKind::Limit(limit) => fmt::Display::fmt(limit, f),
            ErrorKind::Value(message) | ErrorKind::Layout(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

const _: () = assert!(size_of::<Error>() == size_of::<usize>());
