//! The functions of policies: those of OpenTofu, and those that only policies have. Each is also `core::NAME`, which is
//! how policies write it.

use std::cmp::Ordering;
use std::fmt::Write;
use std::sync::Arc;

use hclvm::functions::{self, Accepts, CallError, Function, FunctionTable, Parameter};
use hclvm::value::{Arena, Entry, View};
use hclvm::{Json, Type, Value};

use super::host::{Reach, get_data, get_http, get_resources};
use crate::versions::{Constraint, Version, VersionRules};

/// Functions of which the documentation of policies has a page, by their names without `core::`. Others are those of
/// OpenTofu alone.
pub(super) const DOCUMENTED: &[&str] = &[
    "abs",
    "alltrue",
    "anytrue",
    "can",
    "ceil",
    "chomp",
    "chunklist",
    "coalescelist",
    "compact",
    "concat",
    "contains",
    "contains_substring",
    "csvdecode",
    "distinct",
    "element",
    "endswith",
    "flatten",
    "floor",
    "format",
    "formatdate",
    "formatlist",
    "getdatasource",
    "gethttprequest",
    "getresources",
    "indent",
    "issensitive",
    "join",
    "jsondecode",
    "jsonencode",
    "keys",
    "length",
    "log",
    "lower",
    "max",
    "merge",
    "min",
    "nonsensitive",
    "one",
    "parseint",
    "pow",
    "range",
    "regex",
    "regex_match",
    "regexall",
    "reverse",
    "semvercmp",
    "semverconstraint",
    "sensitive",
    "setintersection",
    "setproduct",
    "setsubtract",
    "setunion",
    "signum",
    "slice",
    "sort",
    "split",
    "startswith",
    "strrev",
    "substr",
    "timeadd",
    "timecmp",
    "timestamp",
    "title",
    "tolist",
    "toset",
    "trim",
    "trimprefix",
    "trimspace",
    "trimsuffix",
    "try",
    "type",
    "upper",
    "values",
    "valuetostring",
    "yamldecode",
    "yamlencode",
    "zipmap",
];

/// Functions whose results depend on more than their arguments: on other resources, data, answers, the time.
pub(super) const REACHING: [&str; 4] = ["getresources", "getdatasource", "gethttprequest", "timestamp"];

const TEXT: Type<'static> = Type::String;
/// Everything but marked values, whose marks the machine moves to the result.
const ANY: Accepts = Accepts::PLAIN.null().unknown().dynamic();

/// Returns the functions of policies.
pub(super) fn table() -> FunctionTable {
    let mut table = functions::opentofu();
    for name in ["contains", "index"] {
        if let Some(function) = table.get(name).map(|function| with_typed_nulls(function)) {
            insert(&mut table, function);
        }
    }
    for function in own() {
        insert(&mut table, function);
    }
    table
}

fn insert(table: &mut FunctionTable, function: Function) {
    let function = Arc::new(function);
    table.insert(function.name.clone(), Arc::clone(&function));
    table.insert(format!("core::{}", function.name), function);
}

fn own() -> Vec<Function> {
    let text = |name: &str| Parameter::new(name, TEXT);
    let any = |name: &str| Parameter::new(name, Type::Dynamic).accepting(ANY);
    let host = |name: &str, ty| Parameter::new(name, ty).accepting(ANY.marked());
    vec![
        truth("alltrue", false),
        truth("anytrue", true),
        Function::new("contains_substring", [text("str"), text("substr")], Type::Bool, |arena, args, _| {
            let (text, part) = (text_of(args, 0), text_of(args, 1));
            if !arena.spend(work(text)) {
                return Ok(Value::DYNAMIC);
            }
            Ok(Value::bool(text.contains(part)))
        })
        .metered(),
        regex_match(),
        Function::new(
            "semverconstraint",
            [text("version"), text("constraint")],
            Type::Bool,
            |arena, args, _| {
                let texts = work(text_of(args, 0)) + work(text_of(args, 1));
                if !arena.spend(texts) {
                    return Ok(Value::DYNAMIC);
                }
                let version = version(args, 0)?;
                let constraint =
                    Constraint::parse(text_of(args, 1), VersionRules::Terraform).ok_or_else(|| {
                        let detail = format!(
                            "{:?} is not a version constraint such as \">= 1.2, < 2\"",
                            shortened(text_of(args, 1))
                        );
                        CallError::argument(1, detail)
                    })?;
                Ok(Value::bool(constraint.allows(&version)))
            },
        )
        .metered(),
        Function::new("semvercmp", [text("a"), text("b")], Type::Number, |arena, args, _| {
            if !arena.spend(work(text_of(args, 0)) + work(text_of(args, 1))) {
                return Ok(Value::DYNAMIC);
            }
            Ok(Value::int(match version(args, 0)?.order(&version(args, 1)?) {
                Ordering::Less => -1,
                Ordering::Equal => 0,
                Ordering::Greater => 1,
            }))
        })
        .metered(),
        Function::new("valuetostring", [any("value")], TEXT, |arena, args, _| {
            let mut text = String::new();
            write_value(&mut text, arena, first(args), 0)?;
            Ok(Value::text(arena, &text))
        })
        .metered(),
        Function::new("type", [any("value")], TEXT, |arena, args, _| {
            let ty = first(args).type_of(arena);
            Ok(Value::text(arena, &ty.friendly_name().to_string()))
        })
        .metered(),
        Function::new("timestamp", [], TEXT, |arena, _, ty| {
            let now = Reach::current(|reach| reach.now.clone()).flatten();
            Ok(now.map_or_else(|| Value::unknown_of(arena, ty), |now| Value::text(arena, &now)))
        })
        .impure(),
        Function::new("getresources", [host("type", TEXT)], Type::Dynamic, |arena, args, _| {
            get_resources(arena, args)
        })
        .variadic(host("filter", Type::Dynamic))
        .typed(|_, _| Ok(Type::Dynamic))
        .refined(None)
        .impure(),
        Function::new(
            "getdatasource",
            [host("type", TEXT), host("config", Type::Dynamic)],
            Type::Dynamic,
            |arena, args, _| get_data(arena, args),
        )
        .typed(|_, _| Ok(Type::Dynamic))
        .refined(None)
        .impure(),
        Function::new("gethttprequest", [host("url", TEXT)], Type::Dynamic, |arena, args, _| {
            Ok(get_http(arena, first(args)))
        })
        .variadic(any("settings"))
        .typed(|_, _| Ok(Type::Dynamic))
        .refined(None)
        .impure(),
    ]
}

fn first<'a>(args: &[Value<'a>]) -> Value<'a> {
    args.first().copied().unwrap_or(Value::NULL)
}

fn text_of<'a>(args: &[Value<'a>], at: usize) -> &'a str {
    args.get(at).and_then(|value| value.as_str()).unwrap_or_default()
}

/// Returns the fuel that reading a text costs.
fn work(text: &str) -> u64 {
    1 + text.len() as u64 / 16
}

fn version(args: &[Value<'_>], at: usize) -> Result<Version, CallError> {
    let text = text_of(args, at);
    Version::parse(text, VersionRules::Terraform).ok_or_else(|| {
        CallError::argument(at, format!("{:?} is not a version such as \"1.4.2\"", shortened(text)))
    })
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST).collect::<String>() + "…"
    }
}

/// Returns a function that takes a null of unknown type as a null of the type that it wants: a null of JSON has a type,
/// which only the schema of the provider says.
fn with_typed_nulls(function: &Function) -> Function {
    let body = Arc::clone(&function.body);
    let mut typed = function.clone();
    for parameter in &mut typed.parameters {
        parameter.accepts.dynamic |= parameter.accepts.null;
    }
    typed.body = Arc::new(move |arena, args, ty| {
        let is_unknown =
            |value: &Value<'_>| matches!(value.view(), View::Unknown(unknown) if unknown.ty == Type::Dynamic);
        if args.iter().any(is_unknown) {
            return Ok(Value::DYNAMIC);
        }
        let mut plain = arena.list_with(args.len());
        plain.extend(args.iter().map(|value| match value.view() {
            View::Null(Type::Dynamic) => Value::null(arena, Type::String),
            _ => *value,
        }));
        body(arena, &plain, ty)
    });
    typed
}

/// Creates a function that decides a list of bools: one that is `deciding` decides whatever is unknown.
fn truth(name: &'static str, deciding: bool) -> Function {
    Function::new(name, [Parameter::new("list", Type::Dynamic)], Type::Bool, move |arena, args, ty| {
        let Some(items) = first(args).as_items() else {
            return Err(CallError::argument(0, "a list of bools is required"));
        };
        if !arena.spend(items.len() as u64) {
            return Ok(Value::DYNAMIC);
        }
        let (mut is_decided, mut is_unknown) = (false, false);
        for item in items {
            match item.view() {
                View::Bool(truth) => is_decided |= truth == deciding,
                // A null is not true.
                View::Null(_) => is_decided |= !deciding,
                View::Unknown(unknown) if matches!(unknown.ty, Type::Bool | Type::Dynamic) => {
                    is_unknown = true;
                }
                _ => return Err(CallError::argument(0, "each element must be true or false")),
            }
        }
        Ok(match (is_decided, is_unknown) {
            (true, _) => Value::bool(deciding),
            (false, true) => Value::unknown_of(arena, ty),
            (false, false) => Value::bool(!deciding),
        })
    })
    .metered()
}

/// `regex_match(str, pattern)`: the function `regexall` with its arguments in the other order finds something.
fn regex_match() -> Function {
    let parameters = [Parameter::new("str", TEXT), Parameter::new("pattern", TEXT)];
    let all = functions::opentofu().get("regexall").cloned();
    Function::new("regex_match", parameters, Type::Bool, move |arena, args, _| {
        let Some(all) = &all else { return Err(CallError::new("this build has no regular expressions")) };
        let [text, pattern] = args else { return Err(CallError::new("a text and a pattern are required")) };
        let found = all.call(arena, &[*pattern, *text]).map_err(|error| {
            let argument = error.argument.map(|at| 1 - at.min(1));
            CallError { argument, ..error }
        })?;
        Ok(match found.as_items() {
            Some(items) => Value::bool(!items.is_empty()),
            None => Value::DYNAMIC,
        })
    })
}

/// Writes a value: texts as they are, collections as indented JSON, what has no value in parentheses. The recursion is
/// bounded by the depth of values.
fn write_value(out: &mut String, arena: &Arena, value: Value<'_>, depth: usize) -> Result<(), CallError> {
    if !arena.spend(1) {
        return Ok(());
    }
    match value.view() {
        View::Unknown(_) => *out += "(unknown)",
        View::Null(_) => *out += "(null)",
        View::String(text) if depth == 0 => *out += text,
        View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
            let items = items.iter().map(|item| (None, *item));
            write_members(out, arena, ('[', ']'), items, depth)?;
        }
        View::Object(entries) | View::Map(entries, _) => {
            let entries = entries.iter().map(|Entry { name, value, .. }| (Some(*name), *value));
            write_members(out, arena, ('{', '}'), entries, depth)?;
        }
        _ => *out += &Json(value).to_text().map_err(|error| CallError::new(error.to_string()))?,
    }
    Ok(())
}

fn write_members<'a>(
    out: &mut String,
    arena: &Arena,
    (open, close): (char, char),
    members: impl ExactSizeIterator<Item = (Option<&'a str>, Value<'a>)>,
    depth: usize,
) -> Result<(), CallError> {
    out.push(open);
    let count = members.len();
    for (at, (name, value)) in members.enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(out, "\n{:1$}", "", 2 * (depth + 1));
        if let Some(name) = name {
            *out += &Json(Value::text(&Arena::new(), name))
                .to_text()
                .map_err(|error| CallError::new(error.to_string()))?;
            *out += ": ";
        }
        match value.view() {
            // Inside of JSON they are texts.
            View::Unknown(_) => *out += "\"(unknown)\"",
            View::Null(_) => *out += "\"(null)\"",
            _ => write_value(out, arena, value, depth + 1)?,
        }
        if at + 1 < count {
            out.push(',');
        }
    }
    if count > 0 {
        let _ = write!(out, "\n{:1$}", "", 2 * depth);
    }
    out.push(close);
    Ok(())
}
