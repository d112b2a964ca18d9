//! The marks of sensitive values: what an evaluation computes with, and what its results have.
//!
//! ```text
//! var.pw ─marked─▶ expressions ─▶ local.url      diagnostics and explanations show nothing of it
//!                                     ╰─result─▶ Evaluation::local("url"), marked only if the host wants it
//! ```
//! The application itself has no marks: where it needs a plain name or number, a value is read without them.

use hclvm::value::{Arena, marks_from};
use hclvm::{OwnedValue, Value};
use smol_str::SmolStr;

/// The text that the application shows in place of a sensitive value.
pub(crate) const SENSITIVE: &str = "<sensitive>";

/// Where sensitive values are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marking {
    /// Nowhere.
    Off,
    /// In evaluations alone, by a mark that no host uses.
    Evaluation,
    /// In results as well.
    Results,
}

impl Marking {
    const fn name(self) -> &'static str {
        match self {
            Self::Off | Self::Evaluation => "sensitive value of a module",
            Self::Results => "sensitive",
        }
    }

    /// Returns a sensitive value with its mark.
    pub(crate) fn marked(self, value: OwnedValue) -> OwnedValue {
        if self == Self::Off {
            return value;
        }
        let arena = Arena::new();
        OwnedValue::new(value.get().with_marks(&arena, marks_from(&arena, &[self.name()])))
    }

    /// Returns a computed value as results have it. Marks of the host stay.
    pub(crate) fn result(self, value: OwnedValue) -> OwnedValue {
        if self == Self::Evaluation { value.without_mark(self.name()) } else { value }
    }
}

/// A value as expressions read it, and as results have it.
#[derive(Clone, Debug)]
pub(crate) struct MarkedResult {
    value: OwnedValue,
    result: OwnedValue,
}

impl MarkedResult {
    pub(crate) fn new(value: OwnedValue, marking: Marking) -> Self {
        Self { result: marking.result(value.clone()), value }
    }

    /// Creates it of a value and the form of it that hosts read.
    pub(crate) fn with_result(value: OwnedValue, result: OwnedValue) -> Self {
        Self { value, result }
    }

    /// Returns the value that expressions read.
    pub(crate) fn value(&self) -> Value<'_> {
        self.value.get()
    }

    /// Returns the value that hosts read.
    pub(crate) fn result(&self) -> Value<'_> {
        self.result.get()
    }
}

impl From<OwnedValue> for MarkedResult {
    fn from(value: OwnedValue) -> Self {
        Self::new(value, Marking::Off)
    }
}

/// A name or label that an expression may give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExpressionName {
    pub(crate) text: SmolStr,
    /// True if it depends on a sensitive value.
    pub(crate) sensitive: bool,
}

impl ExpressionName {
    pub(crate) fn new(text: impl Into<SmolStr>, sensitive: bool) -> Self {
        Self { text: text.into(), sensitive }
    }

    /// Returns it as messages and paths show it.
    pub(crate) fn shown(&self) -> &str {
        if self.sensitive { SENSITIVE } else { &self.text }
    }

    /// Returns the value that expressions read.
    pub(crate) fn value(&self, marking: Marking) -> OwnedValue {
        let text = OwnedValue::new(Value::str(&Arena::new(), &self.text));
        if self.sensitive { marking.marked(text) } else { text }
    }
}
