//! Formats differences: values with marks and refinements, faults with their positions.

use std::fmt::Write;

use hclvm_compiler::lower::Undefined;
use hclvm_vm::{Entry, Record, Refinement, Value, View};

use super::compare::{Setting, compare};
use super::scopes::NAMES;

/// Formats everything needed to reproduce a difference.
pub(crate) fn report(source: &str, setting: &Setting<'_>, scopes: &[Vec<Value<'_>>]) -> String {
    let mut text = String::new();
    let Setting { layout, functions, undefined, short_circuit, .. } = setting;
    if !layout || functions.is_none() || *undefined != Undefined::Error || !short_circuit {
        let functions = functions.is_some();
        let _ = writeln!(
            text,
            "with layout {layout}, functions {functions}, undefined {undefined:?}, short circuit {short_circuit}"
        );
    }
    let Some((at, results)) = compare(source, setting, scopes).and_then(|compared| compared.difference)
    else {
        return text;
    };
    for ((name, ..), value) in NAMES.iter().zip(scopes.get(at).into_iter().flatten()) {
        if source.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == *name) {
            let _ = writeln!(text, "  {name} = {}", shown(*value));
        }
    }
    text + &results
}

/// Formats the result of one evaluator.
pub(crate) fn outcome(who: &str, value: Value<'_>, faults: &[Record<'_>]) -> String {
    let mut text = format!("{who}: {}\n", shown(value));
    for record in faults {
        let Record { fault, node, place, .. } = record;
        let _ = writeln!(text, "  {} | {} | node {node} {place:?}", fault.title(), fault.detail());
    }
    text
}

fn shown(value: Value<'_>) -> String {
    match value.view() {
        View::String(text) => format!("{text:?}"),
        View::Tuple(items) => format!("[{}]", all(items)),
        View::List(items, of) => format!("list({of:?})[{}]", all(items)),
        View::Set(items, of) => format!("set({of:?})[{}]", all(items)),
        View::Object(entries) => format!("{{{}}}", named(entries)),
        View::Map(entries, of) => format!("map({of:?}){{{}}}", named(entries)),
        View::Null(ty) => format!("null({ty:?})"),
        View::Number(number) => number.to_string(),
        View::Unknown(unknown) => format!("unknown({:?}{})", unknown.ty, refined(&unknown.refinement)),
        View::Marked(inner, marks) => format!("{}<{}>", shown(inner), marks.names().join(",")),
        View::Bool(_) | View::Unset => format!("{value:?}"),
    }
}

fn all(items: &[Value<'_>]) -> String {
    items.iter().map(|item| shown(*item)).collect::<Vec<_>>().join(", ")
}

fn named(entries: &[Entry<'_>]) -> String {
    entries
        .iter()
        .map(|entry| format!("{}={}", entry.name, shown(entry.value)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn refined(known: &Refinement<'_>) -> String {
    let mut text = String::new();
    if known.not_null {
        text += " not null";
    }
    if !known.prefix.is_empty() {
        let _ = write!(text, " {:?}…", known.prefix);
    }
    for (bound, sign) in [(known.min, '>'), (known.max, '<')] {
        if let Some(bound) = bound {
            let _ = write!(text, " {sign}{}{}", if bound.inclusive { "=" } else { "" }, bound.value);
        }
    }
    if known.min_len > 0 || known.max_len != usize::MAX {
        let _ = write!(text, " length {}..={}", known.min_len, known.max_len);
    }
    text
}
