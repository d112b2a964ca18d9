//! Errors of the engine as JavaScript exceptions, and diagnostics as objects.

use hclvm::diagnostics::{Position, Severity, Source};
use hclvm::{Diagnostics, Error};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// The result of a method that may throw.
pub(crate) type Thrown<T> = Result<T, JsValue>;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// Creates an `HclError` or a `LimitError`. The diagnostics are JSON.
    #[wasm_bindgen(js_name = createError)]
    fn create_error(message: &str, report: &str, diagnostics: &str, is_limit: bool) -> JsValue;
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = JSON, js_name = parse, catch)]
    pub(crate) fn parse_json(text: &str) -> Thrown<JsValue>;
}

/// A position in a text. Lines and columns start at 1. The offset is an index of JavaScript's strings, which are in UTF-16.
#[derive(Serialize)]
struct Place {
    line: u32,
    column: u32,
    byte: u32,
    offset: usize,
}

impl Place {
    fn new(text: &str, position: Position) -> Self {
        let Position { line, column, byte } = position;
        let before = text.as_bytes().get(..byte as usize).unwrap_or(text.as_bytes());
        let starts = before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        let pairs = before.iter().filter(|&&byte| byte >= 0xF0).count();
        Self { line, column, byte, offset: starts + pairs }
    }
}

#[derive(Serialize)]
struct Range<'d> {
    filename: &'d str,
    start: Place,
    end: Place,
}

impl<'d> Range<'d> {
    fn new(source: &'d Source, span: hclvm::diagnostics::Span) -> Self {
        let (start, end) = source.range(span);
        let place = |position| Place::new(source.text(), position);
        Self { filename: source.name(), start: place(start), end: place(end) }
    }
}

/// A change to the text that would solve a problem: `text` in place of `range`.
#[derive(Serialize)]
struct Fix<'d> {
    range: Range<'d>,
    text: &'d str,
}

#[derive(Serialize)]
struct Diagnostic<'d> {
    severity: &'static str,
    code: &'static str,
    title: &'d str,
    detail: &'d str,
    range: Option<Range<'d>>,
    fixes: Vec<Fix<'d>>,
}

impl<'d> Diagnostic<'d> {
    fn new(source: &'d Source, diagnostic: &'d hclvm::Diagnostic) -> Self {
        let changes = diagnostic.additions.iter().flat_map(|additions| &additions.replacements);
        Self {
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            code: diagnostic.code().name(),
            title: &diagnostic.title,
            detail: &diagnostic.detail,
            range: diagnostic.subject.map(|span| Range::new(source, span)),
            fixes: changes
                .map(|change| Fix { range: Range::new(source, change.span), text: &change.text })
                .collect(),
        }
    }
}

fn json<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostics>) -> String {
    let listed: Vec<Diagnostic<'_>> = diagnostics
        .into_iter()
        .flat_map(|all| all.iter().map(|diagnostic| Diagnostic::new(all.source(), diagnostic)))
        .collect();
    serde_json::to_string(&listed).unwrap_or_default()
}

/// Returns diagnostics as an array of objects.
pub(crate) fn listed<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostics>) -> Thrown<JsValue> {
    parse_json(&json(diagnostics))
}

/// Returns the exception of an error.
pub(crate) fn exception(error: &Error) -> JsValue {
    let message = error.to_string();
    let report = error.diagnostics().map_or_else(|| message.clone(), |all| all.report().to_string());
    create_error(&message, &report, &json(error.diagnostics()), error.is_limit())
}

/// Returns an exception with a message alone.
pub(crate) fn refusal(message: impl Into<String>) -> JsValue {
    exception(&Error::host(message))
}

/// Results of the engine as results of JavaScript.
pub(crate) trait OrThrow<T> {
    /// Returns the value, or the exception of the error.
    fn or_throw(self) -> Thrown<T>;
}

impl<T> OrThrow<T> for Result<T, Error> {
    fn or_throw(self) -> Thrown<T> {
        self.map_err(|error| exception(&error))
    }
}
