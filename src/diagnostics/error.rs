//! One public error: diagnostics about a text, an exceeded limit, or a value that does not fit.

use std::fmt;
use std::sync::Arc;

use hclvm_vm::{Diagnostic, Exhausted, Span};

use crate::diagnostics::report::Report;
use hclvm_compiler::source::Source;

/// Diagnostics about one text.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    source: Arc<Source>,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Diagnostics about `source`.
    pub fn new(source: Arc<Source>, list: Vec<Diagnostic>) -> Self {
        Self { source, list }
    }

    /// The text.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Whether there is an error among them.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(Diagnostic::is_error)
    }

    /// The diagnostics in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Text with the source lines, for people.
    pub fn report(&self) -> Report<'_> {
        Report::new(&self.source, &self.list)
    }
}

impl<'d> IntoIterator for &'d Diagnostics {
    type Item = &'d Diagnostic;
    type IntoIter = std::slice::Iter<'d, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
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
#[derive(Clone, Debug)]
pub struct LimitError {
    /// What ran out.
    pub exhausted: Exhausted,
    /// The text of the program.
    pub source: Arc<Source>,
    /// The part of it that was being evaluated.
    pub span: Span,
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.source.position(self.span.start);
        write!(f, "{}:{}:{}: ", self.source.name(), place.line, place.column)?;
        let what = match self.exhausted {
            Exhausted::Fuel => "more work",
            Exhausted::Memory => "more memory",
            Exhausted::Depth => "deeper nested values",
            Exhausted::Digits => "longer numbers",
            Exhausted::Text => "longer texts",
            Exhausted::Time => "more time",
            Exhausted::Cancelled => return f.write_str("the evaluation was stopped by the host"),
            Exhausted::Calls => "deeper calls of functions",
        };
        write!(f, "the evaluation needs {what} than its limits allow")
    }
}

/// What went wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Errors in a text or an evaluation.
    Diagnostics(Diagnostics),
    /// A limit was exceeded.
    Limit(LimitError),
    /// A value given by the host cannot be used.
    Value(String),
    /// What was brought together does not belong together: a scope of another layout, engine or
    /// projection than the program's, programs of different layouts.
    Layout(String),
}

/// What went wrong, behind one pointer.
#[derive(Clone, Debug)]
pub struct Error(Box<ErrorKind>);

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// The diagnostics, when this is about a text.
    pub fn diagnostics(&self) -> Option<&Diagnostics> {
        match &*self.0 {
            ErrorKind::Diagnostics(diagnostics) => Some(diagnostics),
            _ => None,
        }
    }

    /// Whether a limit was exceeded.
    pub fn is_limit(&self) -> bool {
        matches!(&*self.0, ErrorKind::Limit(_))
    }

    /// What keeps an [object of the host](crate::ingest::HostObject) from giving an attribute.
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
            "This expression needs more registers than an instruction can name. Split it into several attributes.",
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::Diagnostics(diagnostics) => diagnostics.fmt(f),
            ErrorKind::Limit(limit) => limit.fmt(f),
            ErrorKind::Value(message) | ErrorKind::Layout(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

const _: () = assert!(size_of::<Error>() == 8);
