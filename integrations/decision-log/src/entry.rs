//! What is logged of a decision.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hclvm::Scope;
use hclvm::diagnostics::{Source, Span};
use hclvm::policy::Cause;
use smol_str::SmolStr;

/// Where the policy of a decision comes from. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The number of the configuration in use; `hclvm-reload` counts them.
    pub epoch: u64,
    /// Identifies the text of the policy, such as by its hash.
    pub document: Arc<str>,
}

/// The values that a decision was made for.
#[derive(Clone, Copy, Debug)]
pub enum Inputs<'i> {
    /// The values of a scope.
    Scope(&'i Scope),
    /// The JSON object that the scope was set from, as the host received it. Copying it takes about a tenth of the time
    /// that copying the values takes. Paths are masked as usual, but values that the host marked in the
    /// scope are not recognized: log the scope where there are any, or mask their paths. A text that is not a JSON
    /// object is left out.
    Json(&'i str),
}

impl<'i> From<&'i Scope> for Inputs<'i> {
    fn from(scope: &'i Scope) -> Self {
        Self::Scope(scope)
    }
}

impl<'i> From<&'i mut Scope> for Inputs<'i> {
    fn from(scope: &'i mut Scope) -> Self {
        Self::Scope(scope)
    }
}

/// A decision as it is logged.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// When it was recorded.
    pub time: SystemTime,
    /// Where the policy comes from.
    pub origin: Origin,
    /// The effect.
    pub effect: SmolStr,
    /// Why the effect is that.
    pub cause: Cause,
    /// The first label of the rule that decided.
    pub rule: Option<SmolStr>,
    /// The reason of that rule.
    pub reason: Option<SmolStr>,
    /// The units of work that deciding spent; see [`Limits::fuel`](hclvm::Limits).
    pub fuel: u64,
    /// How long deciding took.
    pub elapsed: Duration,
    /// The rules that the decision left open as a JSON object, because they failed or are unknown, with the codes and
    /// places of their errors; empty if there are none.
    pub open: String,
    /// The values that were decided on as a JSON object, with masks. The thread that writes makes it.
    pub inputs: String,
    /// What explains it as a JSON object, see [`Builder::explain`](crate::Builder::explain); empty if that is off. The
    /// thread that writes makes it.
    pub why: String,
}

impl Entry {
    /// Returns an entry to be read into.
    pub(crate) fn empty() -> Self {
        Self {
            time: SystemTime::UNIX_EPOCH,
            origin: Origin::default(),
            effect: SmolStr::default(),
            cause: Cause::NoRule,
            rule: None,
            reason: None,
            fuel: 0,
            elapsed: Duration::ZERO,
            open: String::new(),
            inputs: String::new(),
            why: String::new(),
        }
    }

    /// Returns the milliseconds from 1970 to the time of the decision, as logs have them.
    pub fn unix_ms(&self) -> u64 {
        let since = self.time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns how long deciding took.
    pub fn nanoseconds(&self) -> u64 {
        nanoseconds(self.elapsed)
    }

    /// Returns the cause in one word: `rule`, `no-rule` or `undecided`.
    pub fn cause_text(&self) -> &'static str {
        match self.cause {
            Cause::Rule => "rule",
            Cause::NoRule => "no-rule",
            _ => "undecided",
        }
    }

    /// Returns the entry as one line of JSON, without a line break.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.append_json(&mut out);
        out
    }

    /// Appends the entry to a text as one line of JSON, without a line break.
    pub fn append_json(&self, out: &mut String) {
        let text = |name: &str, text: Option<&str>, out: &mut String| {
            out.push_str(name);
            match text {
                Some(text) => quote(text, out),
                None => out.push_str("null"),
            }
        };
        // Writing to a string cannot fail.
        let _ = write!(out, "{{\"unix_ms\":{},\"epoch\":{}", self.unix_ms(), self.origin.epoch);
        text(",\"document\":", Some(&self.origin.document), out);
        text(",\"effect\":", Some(&self.effect), out);
        text(",\"cause\":", Some(self.cause_text()), out);
        text(",\"rule\":", self.rule.as_deref(), out);
        text(",\"reason\":", self.reason.as_deref(), out);
        let _ = write!(out, ",\"fuel\":{},\"nanoseconds\":{},\"inputs\":", self.fuel, self.nanoseconds());
        out.push_str(if self.inputs.is_empty() { "{}" } else { &self.inputs });
        if !self.open.is_empty() {
            out.push_str(",\"open\":");
            out.push_str(&self.open);
        }
        if !self.why.is_empty() {
            out.push_str(",\"why\":");
            out.push_str(&self.why);
        }
        out.push('}');
    }
}

/// Returns nanoseconds, which 64 bits have for some hundred years.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Appends a place in a source as a member `at` of a JSON object.
pub(crate) fn append_place(source: &Source, span: Span, out: &mut String) {
    let (start, end) = source.range(span);
    let file = source.file_at(span.start).map(|at| &*source.files()[at].name);
    let name = file.unwrap_or(source.name());
    out.push_str("\"at\":");
    quote(&format!("{name}:{}:{}-{}:{}", start.line, start.column, end.line, end.column), out);
}

/// Appends a text as JSON.
pub(crate) fn quote(text: &str, out: &mut String) {
    // Of the texts here, such as names and reasons, hardly any has characters that are escaped.
    if text.bytes().any(|byte| matches!(byte, 0..=0x1F | b'"' | b'\\')) {
        out.push_str(&serde_json::Value::from(text).to_string());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}
