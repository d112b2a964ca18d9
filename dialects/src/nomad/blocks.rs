//! Blocks of a job with rules of their own: constraints, affinities and scaling policies.

use hclvm::expansion::{BlockView, ContentView};
use hclvm::value::Arena;
use hclvm::{Document, OwnedValue, Value};
use smol_str::SmolStr;

use super::schema::BodyType;
use crate::evaluated::{Block, Body};
use crate::problems::{Problems, TextRange};

/// Short forms of `constraint`: each is the operator of this name, and its value is the value. Of several the last
/// one counts.
const CONSTRAINTS: [&str; 6] =
    ["version", "semver", "regexp", "set_contains", "distinct_hosts", "distinct_property"];

/// Short forms of `affinity`.
const AFFINITIES: [&str; 6] =
    ["version", "semver", "regexp", "set_contains_any", "set_contains_all", "set_contains"];

/// Adds the operator and the value that a `constraint` or `affinity` has by its short form. Without one the operator is
/// `=` unless it is written, which is left to Nomad like other defaults.
pub(super) fn complete_constraint(kind: &str, attributes: &mut Vec<(SmolStr, OwnedValue)>) {
    let short_forms: &[&str] = match kind {
        "constraint" => &CONSTRAINTS,
        "affinity" => &AFFINITIES,
        _ => return,
    };
    let find = |name: &str| attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let mut operator = None;
    let mut target = None;
    for name in short_forms {
        let Some(value) = find(name).filter(|value| is_given(value.get())) else { continue };
        operator = Some(*name);
        target = match *name {
            "distinct_hosts" => target,
            "distinct_property" => Some(("attribute", value.clone())),
            _ => Some(("value", value.clone())),
        };
    }
    let arena = Arena::new();
    let operator = operator.map(|name| ("operator", OwnedValue::new(Value::str(&arena, name))));
    for (name, value) in operator.into_iter().chain(target) {
        attributes.retain(|(known, _)| known != name);
        attributes.push((name.into(), value));
    }
}

/// Returns true for a value that sets a short form: neither null nor the empty text nor false.
fn is_given(value: Value<'_>) -> bool {
    let value = value.unmark().0;
    value.is_known() && !value.is_null() && value.as_str() != Some("") && value.as_bool() != Some(false)
}

/// Reports the type of a group's scaling policy, which is horizontal.
pub(super) fn check_group_scaling(
    rules: &BodyType,
    content: &ContentView<'_>,
    body: &Body,
    problems: &mut Problems,
) {
    if rules.name != "group_scaling" {
        return;
    }
    let Some(written) = content.attribute("type") else { return };
    if text_of(body, "type").is_some_and(|text| !matches!(text, "" | "horizontal")) {
        let detail = "The scaling policy of a group has the type \"horizontal\", which is the default.";
        problems.error(&TextRange::of_value(written.attribute), "Invalid group scaling type", detail);
    }
}

/// The scaling policies of a task: at most one for each of its resources.
#[derive(Debug, Default)]
pub(super) struct TaskScalings(Vec<&'static str>);

impl TaskScalings {
    /// Reports a policy whose label is no resource or that of an earlier policy. Returns true if it is to be read.
    pub(super) fn accept(
        &mut self,
        document: &Document,
        block: &BlockView<'_>,
        problems: &mut Problems,
    ) -> bool {
        let label = block.labels.first().copied().unwrap_or_default();
        let Some(resource) = resource(label) else {
            let span = block.label_spans.first().copied().unwrap_or(block.header_span);
            let detail =
                format!("The label of a task's scaling policy is \"cpu\" or \"mem\", not {label:?}.");
            problems.error(&TextRange::new(document, span), "Invalid scaling policy name", detail);
            return false;
        };
        if self.0.contains(&resource) {
            let title = format!("Duplicate scaling \"{resource}\" block");
            let detail = "A task has one scaling policy for each of its resources.";
            problems.error(&TextRange::new(document, block.header_span), title, detail);
            return false;
        }
        self.0.push(resource);
        true
    }
}

/// Returns the resource that the label of a task's scaling policy names.
fn resource(label: &str) -> Option<&'static str> {
    ["cpu", "mem"].into_iter().find(|resource| label.eq_ignore_ascii_case(resource))
}

/// Reports the type of a task's scaling policy, which follows from its label.
pub(super) fn check_task_scaling(
    document: &Document,
    block: &BlockView<'_>,
    read: &Block,
    problems: &mut Problems,
) {
    let Some(resource) = block.labels.first().and_then(|label| resource(label)) else { return };
    let is_other = |text: &str| !text.is_empty() && text.strip_prefix("vertical_") != Some(resource);
    if text_of(read.body(), "type").is_some_and(is_other) {
        let detail =
            format!("This scaling policy has the type \"vertical_{resource}\", which is the default.");
        let place = TextRange::new(document, block.header_span);
        problems.error(&place, "Invalid scaling policy type", detail);
    }
}

fn text_of<'b>(body: &'b Body, name: &str) -> Option<&'b str> {
    body.attribute(name)?.unmark().0.as_str()
}
