//! Prints diagnostics: as text, and in the forms of the files below. Results are printed by `shown`.

mod github;
mod sarif;
mod terraform;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Write};
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use hclvm::diagnostics::{Source, Span, codes};
use hclvm::{Diagnostic, Diagnostics, Error, ErrorKind};

use crate::limits;
pub(crate) use terraform::list;

/// The format of diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiagnosticFormat {
    /// Text with the source lines
    Text,
    /// One JSON object, like `terraform validate -json`
    Json,
    /// One SARIF 2.1.0 log, for code scanning and editors
    Sarif,
    /// Workflow commands, which GitHub shows beside the lines of a change
    Github,
}

impl DiagnosticFormat {
    /// Prints diagnostics on standard error.
    pub(crate) fn print(self, diagnostics: &Diagnostics) {
        let found = std::slice::from_ref(diagnostics);
        match self {
            _ if diagnostics.is_empty() => {}
            Self::Text => print_all(found),
            _ => print_text(&self.data(found)),
        }
    }

    /// Prints the diagnostics of several files on standard error, as data in one document.
    pub(crate) fn print_together(self, found: &[Diagnostics]) {
        let found: Vec<Diagnostics> = found.iter().filter(|one| !one.is_empty()).cloned().collect();
        match self {
            _ if found.is_empty() => {}
            Self::Text => print_all(&found),
            _ => print_text(&self.data(&found)),
        }
    }

    /// Prints the diagnostics of all files: text on standard error, data as results.
    pub(crate) fn print_results(self, found: &[Diagnostics], out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Text => print_all(found),
            _ => out.write_all(self.data(found).as_bytes())?,
        }
        Ok(())
    }

    /// Returns true if results may have other text than the diagnostics beside them.
    pub(crate) fn is_lines(self) -> bool {
        matches!(self, Self::Text | Self::Github)
    }

    /// Returns diagnostics in a form for programs.
    fn data(self, found: &[Diagnostics]) -> String {
        match self {
            Self::Text => found.iter().map(|one| one.report().to_string()).collect(),
            Self::Json => format!("{}\n", terraform::summary(found)),
            Self::Sarif => format!("{}\n", sarif::log(found)),
            Self::Github => github::commands(found),
        }
    }
}

/// Returns true if standard output is a terminal that shows colours and the environment does not refuse them.
pub(crate) fn colored_output() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// Prints several lists of diagnostics as text, separated by blank lines. They are coloured if standard
/// error is a terminal that shows colours and the environment does not refuse them.
fn print_all(found: &[Diagnostics]) {
    let colored = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let columns = console::Term::stderr().size_checked().map(|(_, columns)| columns);
    let text = |one: &Diagnostics| {
        let one = &once_for_each_variable(one);
        let report = match columns {
            Some(columns) => one.report().columns(usize::from(columns)),
            None => one.report(),
        };
        if colored { report.colored().to_string() } else { report.to_string() }
    };
    print_text(&found.iter().map(text).collect::<Vec<_>>().join("\n"));
}

/// Returns diagnostics in which each variable without a value is reported where it is first read, with the number of the
/// other places: without its scope, a file may have an error in every line.
fn once_for_each_variable(found: &Diagnostics) -> Diagnostics {
    let mut list: Vec<Diagnostic> = Vec::with_capacity(found.len());
    // By the sentence: the position in the list, and the number of other places.
    let mut first: HashMap<&str, (usize, usize)> = HashMap::new();
    for one in found {
        if one.code() == codes::UNSET_VARIABLE {
            match first.entry(&*one.detail) {
                Entry::Occupied(mut known) => {
                    known.get_mut().1 += 1;
                    continue;
                }
                Entry::Vacant(new) => {
                    new.insert((list.len(), 0));
                }
            }
        }
        list.push(one.clone());
    }
    for (at, others) in first.into_values() {
        let read = match others {
            0 => continue,
            1 => "Another place reads it as well.".to_owned(),
            _ => format!("{others} other places read it as well."),
        };
        list[at].detail = format!("{} {read}", list[at].detail).into();
    }
    Diagnostics::new(Arc::clone(found.source()), list)
}

/// Writes to standard error. If it is closed, the diagnostics are not wanted.
fn print_text(text: &str) {
    // The stream translates colours for terminals that do not know escape sequences.
    let _ = AutoStream::auto(io::stderr()).lock().write_all(text.as_bytes());
}

/// Converts any error to diagnostics. Errors about values are attributed to the file `name`.
pub(crate) fn diagnostics_of(error: &Error, name: &str) -> Diagnostics {
    match error.kind() {
        ErrorKind::Diagnostics(diagnostics) => diagnostics.clone(),
        ErrorKind::Limit(limit) => {
            let one = Diagnostic::error("Evaluation limit exceeded", limits::exceeded(limit), limit.span);
            Diagnostics::new(Arc::clone(&limit.source), vec![one])
        }
        _ => sentence("Invalid value", &format!("{error}."), name),
    }
}

/// Returns a diagnostic about a file as a whole.
pub(crate) fn sentence(title: &'static str, detail: &str, name: &str) -> Diagnostics {
    let source = Source::new(name, "", Vec::new());
    let mut one = Diagnostic::error(title, detail.to_owned(), Span::new(0, 0));
    one.subject = None;
    Diagnostics::new(Arc::new(source), vec![one])
}

/// Returns the diagnostics of two lists, which are shown in the source of the first.
pub(crate) fn together(first: &Diagnostics, second: &Diagnostics) -> Diagnostics {
    Diagnostics::new(Arc::clone(first.source()), first.iter().chain(second.iter()).cloned().collect())
}
