//! The features of a case that a selection must cover: constructs of its text, kinds of values in its scope
//! and result, titles of errors, and pairs of these.

use std::collections::BTreeSet;

use hclvm_compiler::source::decode;
use hclvm_compiler::{LexMode, lex};
use serde_json::Value as Json;

use crate::case::base64;

/// Returns the weight of a feature: functions, titles of errors and escapes must not be left out.
pub(super) fn weight(feature: &str) -> usize {
    if ["function ", "title ", "escape "].iter().any(|kind| feature.starts_with(kind)) { 50 } else { 1 }
}

/// Returns the features of a case.
pub(super) fn of(family: &str, case: &Json) -> BTreeSet<String> {
    let kind = case["kind"].as_str().unwrap_or("");
    let mode = case["mode"].as_str().unwrap_or("");
    let (tokens, calls) = constructs(case);
    let (mut given, mut results, mut titles) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    values("", &case["scope"], &mut given);
    values("", &case["value"], &mut given);
    values("", &case["expect"], &mut results);
    errors(&case["expect"], &mut titles);
    let outcome = if titles.is_empty() { kinds(&case["expect"]) } else { titles.clone() };

    let mut all = BTreeSet::from([format!("family {family} {kind} {mode}")]);
    all.extend(given.iter().map(|value| format!("given {value}")));
    all.extend(results.iter().map(|value| format!("result {value}")));
    all.extend(titles.iter().map(|title| format!("title {title}")));
    all.extend(tokens.windows(2).map(|pair| format!("tokens {} {}", pair[0], pair[1])));
    if titles.is_empty() {
        let text = case["src"].as_str().unwrap_or("");
        all.extend(escapes(text).map(|escape| format!("escape {kind} {escape}")));
    }
    let plain = kinds(&case["scope"]);
    for call in &calls {
        all.insert(format!("function {call}"));
        all.extend(outcome.iter().map(|outcome| format!("call {call} {outcome}")));
        all.extend(plain.iter().map(|given| format!("call {call} of {given}")));
    }
    let operands = operands(&case["scope"]);
    for token in tokens.iter().filter(|token| is_operation(token)) {
        all.extend(operands.iter().map(|operands| format!("operation {token} of {operands}")));
        all.extend(outcome.iter().map(|outcome| format!("operation {token} {outcome}")));
        for given in &plain {
            all.extend(outcome.iter().map(|outcome| format!("operation {token} of {given}: {outcome}")));
        }
    }
    for name in ["type", "types", "unsafe", "dynblock"] {
        let mut inner = BTreeSet::new();
        types("", &case[name], &mut inner);
        all.extend(inner.iter().map(|inner| format!("{name} {inner}")));
    }
    all
}

/// Returns the kinds of tokens of a text in order, and the names of the functions that it calls.
fn constructs(case: &Json) -> (Vec<String>, BTreeSet<String>) {
    let bytes = match case["src_b64"].as_str() {
        Some(encoded) => base64::decode(encoded),
        None => case["src"].as_str().unwrap_or("").as_bytes().to_vec(),
    };
    let mode = match (case["kind"].as_str(), case["mode"].as_str()) {
        (Some("config" | "json"), _) | (_, Some("config")) => LexMode::Config,
        (Some("template"), _) | (_, Some("template")) => LexMode::Template,
        _ => LexMode::Expression,
    };
    let text = decode(&bytes);
    let lexed = lex(&text, mode);
    let (mut kinds, mut calls) = (Vec::new(), BTreeSet::new());
    let mut last = "";
    for token in &lexed.tokens {
        let written = token.span.slice(&text.text);
        let name = token.kind.name().trim_start_matches("Token");
        if name == "OParen" && kinds.last().is_some_and(|last| last == "Ident") {
            calls.insert(last.to_owned());
        }
        let is_keyword = ["for", "in", "if", "else", "endif", "endfor", "null", "true"].contains(&written);
        kinds.push(match name {
            "NumberLit" => number_class(written),
            _ if is_keyword => written.to_owned(),
            _ => name.to_owned(),
        });
        last = written;
    }
    (kinds, calls)
}

/// Returns the escape sequences of a text, or what looks like them.
fn escapes(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.char_indices().filter(|(_, c)| matches!(c, '\\' | '$' | '%'));
    starts.map(|(at, _)| {
        let mut ends = text[at..].char_indices().skip(2).map(|(end, _)| at + end);
        &text[at..ends.next().unwrap_or(text.len())]
    })
}

/// Returns true for tokens whose meaning depends on the values beside them.
fn is_operation(token: &str) -> bool {
    let others = [
        "Ident",
        "EOF",
        "Newline",
        "CParen",
        "CBrace",
        "CBrack",
        "Comma",
        "Equal",
        "QuotedLit",
        "StringLit",
        "CQuote",
        "Comment",
    ];
    !others.contains(&token) && !token.contains(' ')
}

/// The names that a value's description has for its kind.
const KINDS: [&str; 11] =
    ["string", "number", "bool", "null", "unknown", "list", "set", "map", "tuple", "object", "marked"];

/// Collects every kind of value in a description with the kind around it, and its particulars.
fn values(around: &str, described: &Json, found: &mut BTreeSet<String>) {
    match described {
        Json::Array(items) => items.iter().for_each(|item| values(around, item, found)),
        Json::Object(fields) => {
            for (name, field) in fields {
                let is_kind = KINDS.contains(&name.as_str());
                match (name.as_str(), field) {
                    ("number", Json::String(number)) => {
                        found.insert(format!("{around} number {}", number_class(number)));
                    }
                    ("string", Json::String(text)) => {
                        let is_ascii = if text.is_ascii() { "ASCII" } else { "other" };
                        found.insert(format!("{around} string {is_ascii} {}", text.len().min(2)));
                    }
                    ("bool" | "refine", field) => {
                        found.insert(format!("{around} {name} {}", shape(field)));
                    }
                    ("null" | "unknown" | "of", kind) => {
                        found.insert(format!(
                            "{around} {name} {}",
                            kind.as_str().unwrap_or(&kind[0].to_string())
                        ));
                    }
                    (_, Json::Array(_) | Json::Object(_)) if is_kind => {
                        let size = field
                            .as_array()
                            .map_or(0, Vec::len)
                            .max(field.as_object().map_or(0, |all| all.len()));
                        found.insert(format!("{around} {name} {}", size.min(2)));
                    }
                    _ => {}
                }
                values(if is_kind { name } else { around }, field, found);
            }
        }
        _ => {}
    }
}

/// Collects every name in the notation of a type with the name around it.
fn types(around: &str, described: &Json, found: &mut BTreeSet<String>) {
    match described {
        Json::Array(items) => {
            let (name, rest) = match items.split_first() {
                Some((Json::String(name), rest)) => (name.as_str(), rest),
                _ => (around, items.as_slice()),
            };
            found.insert(format!("{around} {name}"));
            for item in rest {
                types(name, item, found);
            }
        }
        Json::Object(fields) => fields.values().for_each(|field| types(around, field, found)),
        Json::Null => {}
        other => {
            found.insert(format!("{around} {other}"));
        }
    }
}

/// Returns the names of the refinements of an unknown value, or a bool.
fn shape(field: &Json) -> String {
    match field {
        Json::Object(fields) => fields.keys().map(String::as_str).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Returns outlines of the variables of a small scope, together; `None` for larger ones.
fn operands(scope: &Json) -> Option<String> {
    let variables = scope.as_object().filter(|variables| variables.len() <= 2)?;
    let mut outlines: Vec<String> = variables.values().map(outline).collect();
    outlines.sort();
    Some(outlines.join(" and "))
}

/// Returns what distinguishes a value for an operator: its kind, refinements and marks.
fn outline(value: &Json) -> String {
    let Some((name, inner)) = value.as_object().and_then(|fields| fields.iter().next()) else {
        return String::new();
    };
    match name.as_str() {
        "marked" => format!("marked {}", outline(inner)),
        "unknown" => format!("unknown {} {}", kind_of(inner), shape(&value["refine"])),
        "null" => format!("null {}", kind_of(inner)),
        "number" => number_class(inner.as_str().unwrap_or("")),
        _ => name.clone(),
    }
}

/// Returns the outermost name of a type.
fn kind_of(described: &Json) -> &str {
    described.as_str().or_else(|| described[0].as_str()).unwrap_or("")
}

/// Returns the kinds of values in a description, without what is around them.
fn kinds(described: &Json) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![described];
    while let Some(next) = open.pop() {
        match next {
            Json::Array(items) => open.extend(items),
            Json::Object(fields) => {
                found.extend(fields.keys().filter(|name| KINDS.contains(&name.as_str())).cloned());
                open.extend(fields.values());
            }
            _ => {}
        }
    }
    found
}

/// Returns the kind of number that a text denotes, as the engine distinguishes them.
fn number_class(text: &str) -> String {
    let sign = if text.starts_with('-') { "negative" } else { "" };
    let digits = text.trim_start_matches('-');
    let class = match digits {
        "0" => "zero",
        "+Inf" | "Inf" => "infinite",
        _ if digits.contains('.') && digits.len() > 19 => "long fraction",
        _ if digits.contains('.') => "fraction",
        _ if digits.len() > 18 => "big",
        _ => "whole",
    };
    format!("{sign} {class}")
}

/// Collects the titles of errors.
fn errors(result: &Json, titles: &mut BTreeSet<String>) {
    match result {
        Json::Array(items) => items.iter().for_each(|item| errors(item, titles)),
        Json::Object(fields) => {
            let listed = fields.get("errors").and_then(Json::as_array).into_iter().flatten();
            for error in listed {
                let title = error["summary"].as_str().filter(|title| title.len() < 60).unwrap_or("");
                titles.insert(title.to_owned());
            }
            fields.values().for_each(|field| errors(field, titles));
        }
        _ => {}
    }
}
