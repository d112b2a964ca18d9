//! Explanations as data.
//!
//! ```json
//! {"result": "false", "reason": "false, because `a` is false", "deciding": ["a"],
//!  "conditions": {"text": "a && b", "kind": "and", "outcome": "false", "needed": true, "decides": false,
//!    "range": {"filename": …}, "values": [{"path": …, "value": …}], "parts": […]}}
//! ```
//! `outcome` is a word, or for a condition in a loop an object of counts, or a list of words if it was recorded. Absent is what is empty: `name`, `values`,
//! `parts`, `waits_for`, `diagnostics`.

use std::collections::BTreeMap;

use hclvm_compiler::source::Source;
use hclvm_vm::code::ConditionKind;
use hclvm_vm::exec::Truth;
use serde::{Serialize, Serializer};

use super::{Explained, Outcome, Why};
use crate::diagnostics::error::Diagnostics;
use crate::diagnostics::serialize::{SerializedRange, Valued};

#[derive(Serialize)]
struct SerializedWhy<'w> {
    result: &'w str,
    reason: String,
    deciding: Vec<&'w str>,
    conditions: SerializedCondition<'w>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    waits_for: &'w [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<&'w Diagnostics>,
}

#[derive(Serialize)]
struct SerializedCondition<'w> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'w str>,
    text: &'w str,
    kind: &'static str,
    outcome: Was,
    needed: bool,
    decides: bool,
    range: SerializedRange<'w>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Valued<'w>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Self>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Was {
    Word(&'static str),
    Counts(BTreeMap<&'static str, u64>),
    Words(Vec<&'static str>),
}

impl Serialize for Why {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = SerializedWhy {
            result: &self.result,
            reason: self.reason(),
            deciding: self.deciding().into_iter().map(|condition| condition.text.as_str()).collect(),
            conditions: SerializedCondition::new(&self.source, &self.root),
            waits_for: &self.waits_for,
            diagnostics: Some(&self.diagnostics).filter(|diagnostics| !diagnostics.is_empty()),
        };
        whole.serialize(serializer)
    }
}

impl<'w> SerializedCondition<'w> {
    /// Recursion is bounded by the depth of the tree.
    fn new(source: &'w Source, condition: &'w Explained) -> Self {
        Self {
            name: condition.name.as_deref(),
            text: &condition.text,
            kind: kind(condition.kind),
            outcome: match condition.outcome {
                Outcome::Once(truth) => Was::Word(truth.word()),
                Outcome::Each(counts) => {
                    let counts = Truth::ALL.into_iter().map(Truth::word).zip(counts);
                    Was::Counts(counts.filter(|(_, count)| *count > 0).collect())
                }
                Outcome::Some(were) => Was::Words(super::text::outcomes(were).map(Truth::word).collect()),
                Outcome::Sensitive => Was::Word("sensitive"),
                Outcome::Never => Was::Word("never"),
            },
            needed: condition.needed,
            decides: condition.decides,
            range: SerializedRange::new(source, condition.span),
            values: condition.values.iter().map(Valued::new).collect(),
            parts: condition.parts.iter().map(|part| Self::new(source, part)).collect(),
        }
    }
}

fn kind(kind: ConditionKind) -> &'static str {
    match kind {
        ConditionKind::And => "and",
        ConditionKind::Or => "or",
        ConditionKind::Not => "not",
        ConditionKind::Comparison => "comparison",
        ConditionKind::Conditional => "conditional",
        ConditionKind::Constant => "constant",
        _ => "value",
    }
}
