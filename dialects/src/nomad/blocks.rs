//! Blocks of a job whose values are read in a way of their own: constraints and durations.

use hclvm::value::{Arena, View, convert};
use hclvm::{OwnedValue, Type, Value};
use smol_str::SmolStr;

use crate::durations::is_duration;
use crate::problems::{Place, Problems};

/// Short forms of `constraint`: each is the operator of this name, and its value is the value. Of several the last
/// one counts.
const CONSTRAINTS: [&str; 8] = [
    "version",
    "semver",
    "regexp",
    "set_contains",
    "set_contains_all",
    "set_contains_any",
    "distinct_hosts",
    "distinct_property",
];

/// Short forms of `affinity`.
const AFFINITIES: [&str; 6] =
    ["version", "semver", "regexp", "set_contains_any", "set_contains_all", "set_contains"];

/// Adds the operator and the value that a `constraint` or `affinity` has by its short form; the operator `=` is the
/// default.
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
    if operator.is_none() && !find("operator").is_some_and(|value| is_given(value.get())) {
        operator = Some("=");
    }
    let arena = Arena::new();
    let operator = operator.map(|name| ("operator", OwnedValue::new(Value::str(&arena, name))));
    for (name, value) in operator.into_iter().chain(target) {
        attributes.retain(|(known, _)| known != name);
        attributes.push((name.into(), value));
    }
    for (name, value) in attributes {
        if matches!(name.as_str(), "attribute" | "operator" | "value") {
            *value =
                convert(&arena, value.get(), Type::String).map_or_else(|_| value.clone(), OwnedValue::new);
        }
    }
}

/// Returns true for a value that sets a short form: neither null nor the empty text nor false.
fn is_given(value: Value<'_>) -> bool {
    let arena = Arena::new();
    let value = value.unmark().0;
    let is_false = convert(&arena, value, Type::Bool).is_ok_and(|one| one.as_bool() == Some(false));
    !value.is_null() && !is_false && value.as_str() != Some("")
}

/// Returns true if an attribute of a block is a duration.
pub(super) fn is_duration_of(block: &str, attribute: &str) -> bool {
    matches!(
        (block, attribute),
        ("update" | "migrate", "min_healthy_time" | "healthy_deadline" | "progress_deadline" | "stagger")
            | ("restart" | "reschedule", "interval" | "delay" | "max_delay")
            | ("group", "stop_after_client_disconnect" | "max_client_disconnect" | "shutdown_delay")
            | ("disconnect", "lost_after" | "stop_on_client_after")
            | ("task" | "sidecar_task", "kill_timeout" | "shutdown_delay")
            | ("check", "interval" | "timeout")
            | ("check_restart", "grace")
            | ("template", "splay")
            | ("wait", "min" | "max")
            | ("change_script", "timeout")
    )
}

/// Reports a duration that is neither a text such as `30s` nor a number of nanoseconds.
pub(super) fn check_duration(name: &str, value: Value<'_>, place: &Place, problems: &mut Problems) {
    let title = match value.unmark().0.view() {
        View::Unknown(_) => return,
        View::String(text) if is_duration(text) => return,
        View::Number(number) if number.is_integer() => return,
        View::Null(_) => "Unsuitable value",
        _ => "Unsuitable value type",
    };
    let shown = hclvm::show::line(value);
    let detail = format!("`{name}` is a duration such as \"30s\" or \"1h30m\", not {shown}.");
    problems.error(place, title, detail);
}
