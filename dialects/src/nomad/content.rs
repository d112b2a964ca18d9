//! Bodies without a schema, such as `config` of a task: their blocks become attributes, and nothing in them is
//! expanded.
//!
//! ```text
//! config { image = "x", auth { user = "u" }, mount "a" { b = 1 }, log = { c = 2 } }
//!     ─▶ image = "x", auth = [{ user = "u" }], mount = [{ a = [{ b = 1 }] }], log = [{ c = 2 }]
//! ```

use hclvm::expansion::{BodyView, Expansion};
use hclvm::value::{Arena, Entry, Number, View};
use hclvm::{Error, OwnedValue, Value};
use smol_str::SmolStr;

use crate::evaluated::Body;
use crate::names::object;
use crate::paths::Siblings;
use crate::problems::{Place, Problems};
use crate::watch::Watch;

/// Evaluates a body without a schema. If `accepts_unknown` is false, unknown values are reported.
pub(super) fn read<'a>(
    expansion: &mut Expansion<'a>,
    view: BodyView<'a>,
    accepts_unknown: bool,
    watch: &Watch<'_>,
    problems: &mut Problems,
) -> Result<Body, Error> {
    let mut attributes: Vec<(SmolStr, OwnedValue)> = Vec::new();
    for attribute in view.attributes() {
        let written = attribute.attribute;
        let value = expansion.value(attribute)?;
        watch.attribute(expansion, attribute)?;
        let found = expansion.take_diagnostics();
        if !found.has_errors() && !value.is_wholly_known() && !accepts_unknown {
            let name = attribute.name();
            let detail = format!("`{name}` is {}, where a known value is needed.", hclvm::show::line(value));
            problems.error(&Place::of_value(written), "unsuitable value type", detail);
        }
        problems.add(found);
        let arena = Arena::new();
        let value = OwnedValue::new(machine_numbers(&arena, value));
        let is_wrapped = written.is_object() && !written.document().is_json();
        attributes.push((attribute.name().into(), if is_wrapped { list(&[value]) } else { value }));
    }
    let mut siblings = Siblings::default();
    let mut lists: Vec<(&'a str, Vec<OwnedValue>)> = Vec::new();
    for block in view.blocks() {
        let names = std::iter::once(block.kind).chain(block.labels.iter().copied());
        let content = watch
            .among(&mut siblings, names, || read(expansion, block.body, accepts_unknown, watch, problems))?;
        let mut value = object(content.attributes());
        for label in block.labels.iter().rev() {
            let inner = list(&[value]);
            value = object([(*label, inner.get())]);
        }
        match lists.iter_mut().find(|(kind, _)| *kind == block.kind) {
            Some((_, values)) => values.push(value),
            None => lists.push((block.kind, vec![value])),
        }
    }
    attributes.extend(lists.into_iter().map(|(kind, values)| (kind.into(), list(&values))));
    Ok(Body::of(attributes, Vec::new()))
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
