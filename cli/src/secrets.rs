//! Secrets of modules in what is printed of their values: texts of sensitive variables and locals are replaced wherever
//! they are in a text, as applications do. Diagnostics and explanations show nothing of sensitive values anyway.
//!
//! Names of a value are its structure: a name is replaced only in a value that depends on a sensitive one, because only
//! there it can be a secret, `{ (var.password) = 1 }`.

use std::cmp::Reverse;
use std::iter;
use std::ops::Range;

use hclvm::Value;
use hclvm::value::View;
use hclvm_dialects::Evaluation;
use serde_json::{Map, Value as Json};

use crate::shown::shown;

/// What is shown in place of a secret.
pub(crate) const SENSITIVE: &str = "<sensitive>";

/// The parts of a value that are looked at to find names that depend on sensitive values. Parts may be shared, so that
/// their number is exponential in the size of the value.
const MOST_PARTS: usize = 1 << 20;

/// The texts that are not shown. One may be a part of another.
#[derive(Debug)]
pub(crate) struct HiddenTexts(Vec<String>);

impl HiddenTexts {
    /// Returns the secrets of an evaluation.
    pub(crate) fn of(evaluation: &Evaluation) -> Self {
        let mut secrets = evaluation.secrets();
        secrets.retain(|secret| !secret.is_empty());
        secrets.sort_unstable();
        secrets.dedup();
        Self(secrets)
    }

    /// Returns true if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a text without secrets.
    pub(crate) fn hidden(&self, text: &str) -> String {
        hidden(text, self.0.iter())
    }

    /// Returns an expression without secrets: in its literals, and elsewhere if a secret is no name. Where literals are
    /// nested in each other, everywhere.
    pub(crate) fn hidden_in_expression(&self, text: &str) -> String {
        if ["<<", "${", "%{", "\\"].iter().any(|sign| text.contains(sign)) {
            return self.hidden(text);
        }
        let others = self.0.iter().filter(|secret| !hclvm::syntax::is_identifier(secret));
        let text = hidden(text, others);
        // What is between quotes is at odd positions.
        let parts = text.split('"').enumerate();
        let hide = |(at, part): (usize, &str)| if at % 2 == 1 { self.hidden(part) } else { part.to_owned() };
        parts.map(hide).collect::<Vec<_>>().join("\"")
    }

    /// Returns a value as JSON without secrets and marks. One that is too large is null.
    pub(crate) fn value(&self, value: Value<'_>) -> Json {
        let mut parts = 0;
        self.part(value, false, &mut parts).unwrap_or_default()
    }

    /// Returns a part of a value, `None` for one with too many parts. `depends` is true in a value that depends on a
    /// sensitive one.
    fn part(&self, value: Value<'_>, depends: bool, parts: &mut usize) -> Option<Json> {
        *parts += 1;
        if *parts > MOST_PARTS {
            return None;
        }
        let (inner, marks) = value.unmark();
        let depends = depends || !marks.is_empty();
        if !inner.contains_marks() {
            let mut json = serde_json::to_value(shown(inner)).ok()?;
            self.hide(&mut json, depends, inner.is_wholly_known());
            return Some(json);
        }
        match inner.view() {
            View::Tuple(items) | View::List(items, _) => {
                let items = items.iter().map(|item| self.part(*item, depends, parts));
                items.collect::<Option<Vec<Json>>>().map(Json::Array)
            }
            View::Object(entries) | View::Map(entries, _) => {
                let mut members = Map::new();
                for entry in entries {
                    let name = if depends { self.hidden(entry.name) } else { entry.name.to_owned() };
                    insert(&mut members, name, self.part(entry.value, depends, parts)?);
                }
                Some(Json::Object(members))
            }
            _ => None,
        }
    }

    /// Replaces secrets in all texts of a value, and if it `depends` on a sensitive one in its names. Of a value that is
    /// not `known` the types of the unknown parts stay, which are in the notation of scopes.
    fn hide(&self, json: &mut Json, depends: bool, known: bool) {
        if self.0.is_empty() {
            return;
        }
        match json {
            Json::String(text) => *text = self.hidden(text),
            Json::Array(items) => items.iter_mut().for_each(|item| self.hide(item, depends, known)),
            Json::Object(members) if !(depends || known) && is_unknown(members) => {}
            Json::Object(members) => {
                members.iter_mut().for_each(|(_, member)| self.hide(member, depends, known));
                if depends {
                    let mut hidden = Map::new();
                    for (name, member) in std::mem::take(members) {
                        insert(&mut hidden, self.hidden(&name), member);
                    }
                    *members = hidden;
                }
            }
            _ => {}
        }
    }
}

/// Returns a text without secrets. Where these overlap, one word is in the place of all of them.
fn hidden<'s>(text: &str, secrets: impl Iterator<Item = &'s String>) -> String {
    let mut places: Vec<Range<usize>> = secrets.flat_map(|secret| occurrences(text, secret)).collect();
    places.sort_unstable_by_key(|place| (place.start, Reverse(place.end)));
    let (mut shown, mut end) = (String::new(), 0);
    for place in places {
        if place.start >= end {
            shown.push_str(text.get(end..place.start).unwrap_or_default());
            shown.push_str(SENSITIVE);
        }
        end = end.max(place.end);
    }
    shown.push_str(text.get(end..).unwrap_or_default());
    shown
}

/// Returns where a secret is in a text, also those places that overlap.
fn occurrences<'t>(text: &'t str, secret: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let mut from = 0;
    iter::from_fn(move || {
        let start = from + text.get(from..)?.find(secret)?;
        from = start + text.get(start..)?.chars().next()?.len_utf8();
        Some(start..start + secret.len())
    })
}

/// Returns true for the notation of an unknown value.
fn is_unknown(members: &Map<String, Json>) -> bool {
    members.len() == 1 && members.contains_key("$unknown")
}

/// Inserts a member, under another name if there is one already: several names may be the same without secrets.
fn insert(members: &mut Map<String, Json>, name: String, member: Json) {
    let mut free = name.clone();
    for number in 1.. {
        if !members.contains_key(&free) {
            break;
        }
        free = format!("{name} {number}");
    }
    members.insert(free, member);
}
