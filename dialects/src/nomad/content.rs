//! Bodies without a schema, such as `config` of a task: their blocks become attributes, and nothing in them is
//! expanded.
//!
//! ```text
//! config { image = "x", auth { user = "u" }, mount "a" { b = 1 }, log = { c = 2 } }
//!     ─▶ image = "x", auth = [{ user = "u" }], mount = [{ a = [{ b = 1 }] }], log = [{ c = 2 }]
//! ```

use std::collections::HashMap;

use hclvm::expansion::{AttributeView, BodyView, Expansion};
use hclvm::value::{Arena, Entry, Number, View};
use hclvm::{Error, OwnedValue, Value};
use smol_str::SmolStr;

use super::Settings;
use crate::evaluated::Body;
use crate::names::object;
use crate::paths::Siblings;
use crate::problems::{Problems, TextRange};
use crate::watch::Watch;

/// The title of a value that a driver cannot get.
const UNSUITABLE: &str = "unsuitable value type";

/// Evaluates a body without a schema. Unless jobs are only checked, values that are not known are reported. Of expressions with
/// errors Nomad reports as well the attribute or the outermost block that they are in.
pub(super) fn read<'a>(
    expansion: &mut Expansion<'a>,
    view: BodyView<'a>,
    settings: &Settings,
    watch: &Watch<'_>,
    problems: &mut Problems,
) -> Result<Body, Error> {
    JobContentReader { expansion, settings, watch, problems, failed: false, depth: 0 }.body(view)
}

struct JobContentReader<'e, 'a> {
    expansion: &'e mut Expansion<'a>,
    settings: &'e Settings,
    watch: &'e Watch<'e>,
    problems: &'e mut Problems,
    /// True if an expression had errors.
    failed: bool,
    /// The number of blocks around.
    depth: usize,
}

impl<'a> JobContentReader<'_, 'a> {
    fn body(&mut self, view: BodyView<'a>) -> Result<Body, Error> {
        let mut attributes: Vec<(SmolStr, OwnedValue)> = Vec::new();
        for attribute in view.attributes() {
            attributes.push((attribute.name().into(), self.attribute(attribute)?));
        }
        let mut siblings = Siblings::default();
        // By type, in the order of the text.
        let mut lists: Vec<List<'a>> = Vec::new();
        let mut at: HashMap<&str, usize> = HashMap::new();
        for block in view.blocks() {
            let names = std::iter::once(block.kind).chain(block.labels.iter().copied());
            let before = std::mem::take(&mut self.failed);
            self.depth += 1;
            let watch = self.watch;
            let content = watch.among(&mut siblings, names, || self.body(block.body))?;
            self.depth -= 1;
            let failed = std::mem::replace(&mut self.failed, before);
            let mut value = object(content.attributes());
            for label in block.labels.iter().rev() {
                let inner = list(&[value]);
                value = object([(*label, inner.get())]);
            }
            let index = *at.entry(block.kind).or_insert(lists.len());
            if index == lists.len() {
                lists.push(List { kind: block.kind, first: block.body, values: Vec::new(), failed: false });
            }
            if let Some(list) = lists.get_mut(index) {
                list.values.push(value);
                list.failed |= failed;
            }
        }
        for list in lists.iter().filter(|list| list.failed) {
            if self.depth > 0 {
                self.failed = true;
            } else if self.settings.follow_ups {
                let span = list.first.body().span().empty_at_start();
                let detail =
                    format!("`{}` has no value, because an expression in it has an error.", list.kind);
                let place = TextRange::new(list.first.body().document(), span);
                self.problems.error(&place, UNSUITABLE, detail);
            }
        }
        // Of an argument and blocks with one name, the blocks are the value.
        attributes.retain(|(name, _)| !at.contains_key(name.as_str()));
        attributes.extend(lists.into_iter().map(|one| (one.kind.into(), list(&one.values))));
        Ok(Body::of(attributes, Vec::new()))
    }

    fn attribute(&mut self, attribute: AttributeView<'a>) -> Result<OwnedValue, Error> {
        let written = attribute.attribute;
        let value = self.expansion.value(attribute)?;
        self.watch.attribute(self.expansion, attribute)?;
        let found = self.expansion.take_diagnostics();
        let has_failed = found.has_errors();
        self.problems.add(found);
        if has_failed && self.depth > 0 {
            self.failed = true;
        } else if (has_failed && self.settings.follow_ups)
            || !(has_failed || value.is_wholly_known() || self.settings.checking)
        {
            let why = if has_failed { ", because its expression has an error" } else { "" };
            let detail = format!("`{}` has no known value{why}.", attribute.name());
            self.problems.error(&TextRange::of_first_part(written), UNSUITABLE, detail);
        }
        let arena = Arena::new();
        let value = OwnedValue::new(machine_numbers(&arena, value));
        let is_wrapped = written.is_object() && !written.document().is_json();
        Ok(if is_wrapped { list(&[value]) } else { value })
    }
}

/// The blocks of one type in a body.
struct List<'a> {
    kind: &'a str,
    first: BodyView<'a>,
    values: Vec<OwnedValue>,
    /// True if an expression in them had errors.
    failed: bool,
}

fn list(values: &[OwnedValue]) -> OwnedValue {
    let arena = Arena::new();
    let items: Vec<Value<'_>> = values.iter().map(OwnedValue::get).collect();
    OwnedValue::new(Value::tuple(&arena, arena.slice(&items)))
}

/// Replaces numbers that are no 64-bit integers by floats of 64 bits, as drivers get them.
fn machine_numbers<'v>(arena: &'v Arena, value: Value<'v>) -> Value<'v> {
    let items = |items: &[Value<'v>]| -> &'v [Value<'v>] {
        arena.slice(&items.iter().map(|item| machine_numbers(arena, *item)).collect::<Vec<_>>())
    };
    let entries = |entries: &[Entry<'v>]| -> &'v [Entry<'v>] {
        let replaced = entries.iter().map(|one| Entry::new(one.name, machine_numbers(arena, one.value)));
        arena.slice(&replaced.collect::<Vec<_>>())
    };
    match value.view() {
        View::Number(_) if value.as_i64().is_none() => {
            value.as_f64().and_then(Number::from_f64).map_or(value, |number| Value::number(arena, number))
        }
        View::Tuple(of) => Value::tuple(arena, items(of)),
        View::List(of, element) => Value::list(arena, items(of), element),
        View::Object(of) => Value::object(arena, entries(of)),
        View::Map(of, element) => Value::map(arena, entries(of), element),
        View::Marked(inner, marks) => machine_numbers(arena, inner).with_marks(arena, marks),
        _ => value,
    }
}
