//! Errors as objects: a message, a report, and diagnostics with places and fixes.

use hclvm::diagnostics::Severity;
use hclvm::{Diagnostics, Error};

use crate::border::{Text, free, store};

/// An error, with its diagnostics.
pub struct ErrorHandle {
    message: String,
    report: String,
    is_limit: bool,
    diagnostics: Option<Diagnostics>,
}

impl ErrorHandle {
    pub(crate) fn new(error: &Error) -> Self {
        let is_limit = error.is_limit();
        let handle = error.diagnostics().cloned().map(Self::of);
        let plain =
            || Self { message: String::new(), report: error.to_string(), is_limit, diagnostics: None };
        Self { message: error.to_string(), ..handle.unwrap_or_else(plain) }
    }

    /// Returns the object of diagnostics, which may be warnings.
    pub(crate) fn of(diagnostics: Diagnostics) -> Self {
        let (message, report) = (diagnostics.to_string(), diagnostics.report().to_string());
        Self { message, report, is_limit: false, diagnostics: Some(diagnostics) }
    }
}

/// An error or a warning about a text. Its texts are valid as long as the error.
#[repr(C)]
pub struct Diagnostic {
    /// True for errors, false for warnings.
    pub is_error: bool,
    /// The stable name of the problem, such as `unknown-variable`.
    pub code: Text,
    /// Its short title.
    pub title: Text,
    /// What was found, what was expected, what to do.
    pub detail: Text,
    /// The name of the text, absent without a place.
    pub filename: Text,
    /// The line, from 1; 0 without a place.
    pub line: u32,
    /// The column in characters as people see them, from 1.
    pub column: u32,
    /// The first byte, from 0.
    pub start: u32,
    /// The byte behind the place.
    pub end: u32,
    /// How many changes would each solve the problem: see `hclvm_error_fix`.
    pub fix_count: usize,
}

/// A change to the text: `text` in place of the bytes from `start` to `end`.
#[repr(C)]
pub struct Fix {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
    /// The new text.
    pub text: Text,
}

impl Diagnostic {
    fn of(all: &Diagnostics, one: &hclvm::Diagnostic) -> Self {
        let place = one.subject.map(|span| (span, all.source().position(span.start)));
        Self {
            is_error: one.severity == Severity::Error,
            code: Text::of(one.code().name()),
            title: Text::of(&one.title),
            detail: Text::of(&one.detail),
            filename: place.map_or(Text::NONE, |_| Text::of(all.source().name())),
            line: place.map_or(0, |(_, at)| at.line),
            column: place.map_or(0, |(_, at)| at.column),
            start: place.map_or(0, |(span, _)| span.start),
            end: place.map_or(0, |(span, _)| span.end),
            fix_count: one.additions.as_ref().map_or(0, |additions| additions.replacements.len()),
        }
    }
}

/// Returns the message: a line for each diagnostic.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_error_message(error: *const ErrorHandle) -> Text {
    // SAFETY: the caller passes null or a valid handle.
    unsafe { error.as_ref() }.map_or(Text::NONE, |error| Text::of(&error.message))
}

/// Returns the report for people, with source lines, values and fixes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_error_report(error: *const ErrorHandle) -> Text {
    // SAFETY: the caller passes null or a valid handle.
    unsafe { error.as_ref() }.map_or(Text::NONE, |error| Text::of(&error.report))
}

/// Returns true if a limit of the engine was exceeded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_error_is_limit(error: *const ErrorHandle) -> bool {
    // SAFETY: the caller passes null or a valid handle.
    unsafe { error.as_ref() }.is_some_and(|error| error.is_limit)
}

/// Stores a diagnostic. Returns false if the number is too large.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_error_diagnostic(
    error: *const ErrorHandle,
    index: usize,
    to: *mut Diagnostic,
) -> bool {
    // SAFETY: the caller passes null or a valid handle.
    let all = unsafe { error.as_ref() }.and_then(|error| error.diagnostics.as_ref());
    let Some((all, one)) = all.and_then(|all| Some((all, all.iter().nth(index)?))) else { return false };
    // SAFETY: the caller passes null or memory for a diagnostic.
    unsafe { store(to, Diagnostic::of(all, one)) };
    true
}

/// Stores a change that would solve the problem of a diagnostic. Returns false if the number is too large.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_error_fix(
    error: *const ErrorHandle,
    index: usize,
    fix: usize,
    to: *mut Fix,
) -> bool {
    // SAFETY: the caller passes null or a valid handle.
    let one = unsafe { error.as_ref() }.and_then(|error| error.diagnostics.as_ref()?.iter().nth(index));
    let change = one.and_then(|one| one.additions.as_ref()?.replacements.get(fix));
    let Some(change) = change else { return false };
    // SAFETY: the caller passes null or memory for a fix.
    unsafe {
        store(to, Fix { start: change.span.start, end: change.span.end, text: Text::of(&change.text) });
    };
    true
}

/// Frees an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_error_free(error: *mut ErrorHandle) {
    // SAFETY: the caller passes null or a handle that it no longer uses.
    unsafe { free(error) }
}
