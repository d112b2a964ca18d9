//! The notation of values in cases: `{:?}` shortens values and hides what is known about unknown and marked
//! ones, which is what cases are about.
//!
//! | value | written as |
//! |---|---|
//! | string, number, bool, null | `"text"`, `12`, `true`, `null`, `null(string)` |
//! | tuple, list, set | `[1, 2]`, `tolist([1, 2])`, `toset([1])`; an empty list `tolist([] of string)` |
//! | object, map | `{a = 1}`, `tomap({a = 1})` |
//! | unknown | `unknown(number, not null, >= 1)`; the prefix of a string, the lengths of a collection |
//! | marked | `marked(1)`; with other marks than `sensitive` their names: `marked(1, "m")` |

use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use hclvm::functions::{CallError, FunctionTable};
use hclvm::run::Tier;
use hclvm::syntax::TypeMode;
use hclvm::value::{Arena, Entry, Number, Refinement, Unknown, View, marks_from};
use hclvm::{Engine, Layout, OwnedValue, Type, Value};
use hclvm_vm::{Accepts, Function, NumberBound, Parameter, convert, copy};

/// Writes a value.
pub(crate) fn written(value: Value<'_>) -> String {
    match value.view() {
        View::Null(Type::Dynamic) => "null".to_owned(),
        View::Null(ty) => format!("null({})", ty.friendly_name()),
        View::Bool(value) => value.to_string(),
        View::Number(number) => number.text_within(1_000).unwrap_or_else(|| number.text_general(Some(30))),
        View::String(text) => format!("{text:?}"),
        View::Tuple(items) => listed(items),
        View::List([], ty) => format!("tolist([] of {})", ty.friendly_name()),
        View::List(items, _) => format!("tolist({})", listed(items)),
        View::Set([], ty) => format!("toset([] of {})", ty.friendly_name()),
        View::Set(items, _) => format!("toset({})", listed(items)),
        View::Object(entries) => keyed(entries),
        View::Map([], ty) => format!("tomap({{}} of {})", ty.friendly_name()),
        View::Map(entries, _) => format!("tomap({})", keyed(entries)),
        View::Unknown(unknown) => {
            format!("unknown({}{})", unknown.ty.friendly_name(), refinement(&unknown.refinement))
        }
        View::Marked(inner, marks) => {
            let mut out = format!("marked({}", written(inner));
            for name in marks.names().iter().filter(|_| marks.names() != ["sensitive"]) {
                let _ = write!(out, ", {name:?}");
            }
            out + ")"
        }
        View::Unset => "unset".to_owned(),
    }
}

fn listed(items: &[Value<'_>]) -> String {
    let items: Vec<String> = items.iter().map(|item| written(*item)).collect();
    format!("[{}]", items.join(", "))
}

fn keyed(entries: &[Entry<'_>]) -> String {
    let entries: Vec<String> =
        entries.iter().map(|entry| format!("{} = {}", entry.name, written(entry.value))).collect();
    format!("{{{}}}", entries.join(", "))
}

fn refinement(known: &Refinement<'_>) -> String {
    let mut out = String::new();
    let mut add = |part: String| {
        let _ = write!(out, ", {part}");
    };
    if known.not_null {
        add("not null".to_owned());
    }
    if !known.prefix.is_empty() {
        add(format!("{:?}…", known.prefix));
    }
    for (bound, strict, inclusive) in [(known.min, ">", ">="), (known.max, "<", "<=")] {
        if let Some(bound) = bound {
            let sign = if bound.inclusive { inclusive } else { strict };
            add(format!("{sign} {}", written(Value::number_ref(bound.value))));
        }
    }
    match (known.min_len, known.max_len) {
        (0, usize::MAX) => {}
        (min, usize::MAX) => add(format!("length {min}…")),
        (min, max) => add(format!("length {min}…{max}")),
    }
    out
}

/// Returns the value of an expression of a scope, computed on the baseline tier.
pub(crate) fn value_of(text: &str) -> OwnedValue {
    static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
        let mut table = hclvm::functions::standard();
        add_builders(&mut table);
        Engine::builder().functions(table).build()
    });
    let layout = Arc::new(Layout::default());
    let program = ENGINE.compile(text, &layout).unwrap_or_else(|error| panic!("{text}: {error}"));
    let (mut session, scope) = (ENGINE.session(), ENGINE.scope(&layout));
    session.set_tier(Tier::Baseline);
    let value = session.run(&program, &scope).unwrap_or_else(|error| panic!("{text}: {error}"));
    OwnedValue::new(value)
}

/// Adds the functions with which the scopes of cases are written:
///
/// - `unknown("list(number)")`, with a refinement as second argument, such as
///   `{not_null = true, prefix = "a", min = 1, above = 1, max = 9, below = 9, lengths = [0, 3]}`
/// - `marked(1)`, `marked(1, "mark")`
/// - `typed("list(number)", [])`, which converts
/// - `float(1.5)`, the number as a host's float
fn add_builders(table: &mut FunctionTable) {
    let plain = |name: &str| Parameter::new(name, Type::Dynamic);
    let any = |name: &str| plain(name).accepting(Accepts::PLAIN.null().unknown().dynamic().marked());
    let text = |name: &str| Parameter::new(name, Type::String);
    let unknown = Function::new("unknown", [text("type")], Type::Dynamic, |arena, args, _| {
        let ty = type_of(arena, args[0])?;
        let refinement = args.get(1).map_or_else(|| Ok(Refinement::default()), |known| refined(*known))?;
        Ok(Unknown { ty, refinement }.settle(arena))
    });
    let marked = Function::new("marked", [any("value")], Type::Dynamic, |arena, args, _| {
        let mark = args.get(1).and_then(|mark| mark.as_str()).unwrap_or("sensitive");
        Ok(args[0].with_marks(arena, marks_from(arena, &[mark])))
    });
    let typed = Function::new("typed", [text("type"), any("value")], Type::Dynamic, |arena, args, _| {
        let ty = type_of(arena, args[0])?;
        convert(arena, args[1], ty).map_err(|mismatch| CallError::new(mismatch.to_string()))
    });
    let float = Function::new("float", [plain("number")], Type::Number, |arena, args, _| {
        let number = args[0].as_number().and_then(|number| Number::from_f64(number.to_f64()));
        Ok(Value::number(arena, number.ok_or_else(|| CallError::new("a number is required"))?))
    });
    table.insert("unknown", unknown.variadic(plain("refinement")).refined(None));
    table.insert("marked", marked.variadic(text("mark")).refined(None));
    table.insert("typed", typed.refined(None));
    table.insert("float", float);
}

fn type_of<'a>(arena: &'a Arena, text: Value<'a>) -> Result<Type<'a>, CallError> {
    let text = text.as_str().unwrap_or_default();
    let constraint = Engine::standard().type_constraint(text, TypeMode::Constraint);
    let constraint = constraint.map_err(|error| CallError::new(error.to_string()))?;
    // A copied null has its type in the arena.
    let own = Arena::new();
    match copy(arena, Value::null(&own, constraint.ty())).view() {
        View::Null(ty) => Ok(ty),
        _ => Ok(Type::Dynamic),
    }
}

fn refined(known: Value<'_>) -> Result<Refinement<'_>, CallError> {
    let mut out = Refinement::default();
    for entry in known.as_entries().unwrap_or_default() {
        let value = entry.value;
        let bound = |inclusive| value.as_number().map(|value| NumberBound { value, inclusive });
        match entry.name {
            "not_null" => out.not_null = value.as_bool() == Some(true),
            "prefix" => out.prefix = value.as_str().unwrap_or_default(),
            "min" => out.min = bound(true),
            "above" => out.min = bound(false),
            "max" => out.max = bound(true),
            "below" => out.max = bound(false),
            "lengths" => {
                let lengths = value.as_items().unwrap_or_default().iter();
                let lengths = lengths.filter_map(|len| usize::try_from(len.as_number()?.to_i64()?).ok());
                let lengths: Vec<usize> = lengths.collect();
                (out.min_len, out.max_len) = (lengths[0], lengths.get(1).copied().unwrap_or(usize::MAX));
            }
            other => return Err(CallError::new(format!("no refinement is called {other}"))),
        }
    }
    Ok(out)
}
