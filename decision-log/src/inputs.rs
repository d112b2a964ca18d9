//! The values of a scope as JSON, without those that are masked.

use hclvm::value::View;
use hclvm::{Json, Scope, Value};

use crate::entry::quoted;

/// What is written for a masked value.
const MASKED: &str = "{\"$masked\":true}";

/// The path of values that are not logged: names separated by dots, `*` for every attribute or element.
#[derive(Clone, Debug)]
pub(crate) struct Mask(Box<[String]>);

impl Mask {
    pub(crate) fn new(path: &str) -> Self {
        Self(path.split('.').map(str::to_owned).collect())
    }
}

/// The masks that apply below a value, without the names of the values around it.
type Below<'m> = Vec<&'m [String]>;

/// Returns the masks below the attribute `name`; `None` if that is masked.
fn below<'m>(masks: &[&'m [String]], name: &str) -> Option<Below<'m>> {
    let matching = masks.iter().filter_map(|mask| {
        let (first, rest) = mask.split_first()?;
        (first == "*" || first == name).then_some(rest)
    });
    let below: Below<'m> = matching.collect();
    below.iter().all(|rest| !rest.is_empty()).then_some(below)
}

/// Returns the values of a scope as a JSON object.
pub(crate) fn to_json(scope: &Scope, masks: &[Mask]) -> String {
    let masks: Below<'_> = masks.iter().map(|mask| &*mask.0).collect();
    let mut out = String::from("{");
    for name in scope.layout().names() {
        if let Some(value) = scope.get(name) {
            member(name, value, &masks, &mut out);
        }
    }
    out.push('}');
    out
}

fn member(name: &str, value: Value<'_>, masks: &[&[String]], out: &mut String) {
    separate(out);
    out.push_str(&quoted(name));
    out.push(':');
    masked(name, value, masks, out);
}

fn separate(out: &mut String) {
    if !out.ends_with(['{', '[']) {
        out.push(',');
    }
}

/// Writes a value that the attribute or element `name` has. The recursion is bounded by the length of the masks.
fn masked(name: &str, value: Value<'_>, masks: &[&[String]], out: &mut String) {
    let Some(masks) = below(masks, name) else {
        out.push_str(MASKED);
        return;
    };
    match value.view() {
        View::Object(entries) if !masks.is_empty() => {
            out.push('{');
            for entry in entries {
                member(entry.name, entry.value, &masks, out);
            }
            out.push('}');
        }
        View::Tuple(items) if !masks.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                separate(out);
                masked(&at.to_string(), *item, &masks, out);
            }
            out.push(']');
        }
        // Values of other kinds are not logged if a part of them is masked.
        view if !masks.is_empty() && !is_simple(&view) => out.push_str(MASKED),
        _ => match Json(value).lenient().to_text() {
            Ok(text) => out.push_str(&text),
            Err(_) => out.push_str("{\"$omitted\":\"too large\"}"),
        },
    }
}

/// Returns true if a value has no parts.
fn is_simple(view: &View<'_>) -> bool {
    matches!(
        view,
        View::Null(..)
            | View::Bool(_)
            | View::Number(_)
            | View::String(_)
            | View::Unknown(_)
            | View::Marked(..)
    )
}
