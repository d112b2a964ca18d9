//! Diagnostics as a SARIF 2.1.0 log, for code scanning and editors.
//!
//! Codes are the rules, second places the related locations, and proposed changes the fixes. Columns count
//! code points, because SARIF has no grapheme clusters.

use std::fmt::Write;

use hclvm::diagnostics::{Code, Severity, Source, Span};
use hclvm::{Diagnostic, Diagnostics};
use serde_json::{Value as Json, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Returns the log of one run.
pub(super) fn log(found: &[Diagnostics]) -> Json {
    let mut rules: Vec<Code> = Vec::new();
    for one in found.iter().flat_map(Diagnostics::iter) {
        if !rules.contains(&one.code()) {
            rules.push(one.code());
        }
    }
    let results: Vec<Json> =
        found.iter().flat_map(|list| list.iter().map(|one| result(list.source(), one, &rules))).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hclvm",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Json {
    let title = code.titles().first().copied().unwrap_or("Other problem").replace("{}", "…");
    let mut rule = json!({
        "id": code.name(),
        "shortDescription": { "text": title },
        "fullDescription": { "text": code.explanation() },
        "defaultConfiguration": { "level": if code.is_lint() { "warning" } else { "error" } },
    });
    if !code.wrong().is_empty() {
        let help = format!("Wrong:\n\n{}\nRight:\n\n{}", code.wrong(), code.right());
        rule["help"] = json!({ "text": help });
    }
    rule
}

fn result(source: &Source, diagnostic: &Diagnostic, rules: &[Code]) -> Json {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut text = format!("{}: {}", diagnostic.title, diagnostic.detail);
    let mut result = json!({
        "ruleId": diagnostic.code().name(),
        "ruleIndex": rules.iter().position(|code| *code == diagnostic.code()),
        "level": level,
        "locations": [location(source, diagnostic.subject)],
    });
    if let Some(additions) = diagnostic.additions.as_deref() {
        for value in &additions.values {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{} is {}", value.path, value.shown);
        }
        if let Some(block) = additions.blocks.last() {
            let around = additions.blocks.join(" / ");
            result["locations"][0]["logicalLocations"] =
                json!([{ "name": block, "fullyQualifiedName": around, "kind": "object" }]);
        }
        let labels = additions.labels.iter().enumerate().map(|(id, label)| {
            let mut place = location(source, Some(label.span));
            place["id"] = id.into();
            place["message"] = json!({ "text": label.text });
            place
        });
        let labels: Vec<Json> = labels.collect();
        if !labels.is_empty() {
            result["relatedLocations"] = labels.into();
        }
        let fixes = additions.replacements.iter().map(|change| fix(source, change.span, &change.text));
        let fixes: Vec<Json> = fixes.collect();
        if !fixes.is_empty() {
            result["fixes"] = fixes.into();
        }
    }
    result["message"] = json!({ "text": text });
    result
}

fn fix(source: &Source, span: Span, text: &str) -> Json {
    json!({ "artifactChanges": [{
        "artifactLocation": { "uri": uri(source.name()) },
        "replacements": [{ "deletedRegion": region(source, span), "insertedContent": { "text": text } }],
    }] })
}

/// A place in a file, or the file.
fn location(source: &Source, span: Option<Span>) -> Json {
    let mut place = json!({ "artifactLocation": { "uri": uri(source.name()) } });
    if let Some(span) = span {
        place["region"] = region(source, span);
    }
    json!({ "physicalLocation": place })
}

fn region(source: &Source, span: Span) -> Json {
    let (start, end) = source.range(span);
    json!({
        "startLine": start.line,
        "startColumn": column(source, start.line, start.byte),
        "endLine": end.line,
        "endColumn": column(source, end.line, end.byte),
        "byteOffset": start.byte,
        "byteLength": end.byte.saturating_sub(start.byte),
    })
}

/// Returns the number of code points of a line before a byte of the text, plus one.
fn column(source: &Source, line: u32, byte: u32) -> usize {
    let start = source.line_start(line).unwrap_or(byte).min(byte);
    Span::new(start, byte).slice(source.text()).chars().count() + 1
}

/// Returns the name of a file as a URI reference.
fn uri(name: &str) -> String {
    let path = name.replace('\\', "/");
    let mut path = path.as_str();
    // As code scanning has the names of files: relative to the root of the repository.
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}
