//! Diagnostics as data: `Serialize`, with everything a report shows and the positions of all places.
//!
//! ```json
//! [{"code": "unknown-variable", "severity": "error", "title": "Unknown variable", "detail": "…",
//!   "range": {"filename": "a.hcl", "start": {"line": 1, "column": 5, "byte": 4}, "end": {…}}}]
//! ```
//!
//! Absent are `range` and `context` without a place, and what is empty: `labels`, `replacements`, `values`,
//! `blocks`, `further`.

use hclvm_compiler::source::{Position, Source};
use hclvm_vm::{Diagnostic, NamedValue, Severity, Span};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::diagnostics::error::Diagnostics;

impl Serialize for Diagnostics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|diagnostic| Located::new(self.source(), diagnostic)))
    }
}

/// A diagnostic with the positions of its places.
#[derive(Serialize)]
struct Located<'d> {
    code: &'static str,
    severity: &'static str,
    title: &'d str,
    detail: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<SerializedRange<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<SerializedRange<'d>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<Labelled<'d>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replacements: Vec<Labelled<'d>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Valued<'d>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    blocks: &'d [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    further: bool,
}

/// A place with a text: what is said about it, or what should be there.
#[derive(Serialize)]
struct Labelled<'d> {
    range: SerializedRange<'d>,
    text: &'d str,
}

/// A path with its value.
#[derive(Serialize)]
pub(crate) struct Valued<'d> {
    path: &'d str,
    value: &'d str,
}

impl<'d> Valued<'d> {
    pub(crate) fn new(one: &'d NamedValue) -> Self {
        Self { path: &one.path, value: &one.shown }
    }
}

/// A range of a text, with its name and positions.
#[derive(Serialize)]
pub(crate) struct SerializedRange<'d> {
    filename: &'d str,
    start: SerializedPosition,
    end: SerializedPosition,
}

impl<'d> SerializedRange<'d> {
    pub(crate) fn new(source: &'d Source, span: Span) -> Self {
        let (start, end) = source.range(span);
        Self { filename: source.name(), start: SerializedPosition(start), end: SerializedPosition(end) }
    }
}

/// A position, with the names of its parts.
struct SerializedPosition(Position);

impl Serialize for SerializedPosition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut place = serializer.serialize_struct("Position", 3)?;
        place.serialize_field("line", &self.0.line)?;
        place.serialize_field("column", &self.0.column)?;
        place.serialize_field("byte", &self.0.byte)?;
        place.end()
    }
}

impl<'d> Located<'d> {
    fn new(source: &'d Source, diagnostic: &'d Diagnostic) -> Self {
        let range = |span: Span| SerializedRange::new(source, span);
        let labelled = |span, text| Labelled { range: range(span), text };
        let additions = diagnostic.additions.as_deref();
        let all = |additions: &'d hclvm_vm::Additions| {
            (
                additions.labels.iter().map(|label| labelled(label.span, &label.text)).collect(),
                additions.replacements.iter().map(|change| labelled(change.span, &change.text)).collect(),
                additions.values.iter().map(Valued::new).collect(),
            )
        };
        let (labels, replacements, values) = additions.map(all).unwrap_or_default();
        Self {
            code: diagnostic.code().name(),
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            title: &diagnostic.title,
            detail: &diagnostic.detail,
            range: diagnostic.subject.map(range),
            context: diagnostic.context.map(range),
            labels,
            replacements,
            values,
            blocks: additions.map_or(&[], |additions| &additions.blocks),
            further: additions.is_some_and(|additions| additions.further),
        }
    }
}
