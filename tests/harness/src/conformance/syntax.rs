//! Cases that only read text: tokens and traversals. They evaluate nothing.

use hclvm_compiler::source::{Source, decode};
use hclvm_compiler::token::Token;
use hclvm_compiler::{LexMode, ParseLimits, ParsedStep, StepKey, lex, parse_traversal};
use serde_json::{Map, Value as Json, json};
use unicode_normalization::UnicodeNormalization;

use super::fields;
use crate::case::{Case, base64};
use crate::report::{diagnostics_to, position_to, range_to};

/// Returns the tokens of a text.
pub(super) fn tokens(case: &Case) -> Result<Map<String, Json>, String> {
    let mode = match case.mode() {
        "config" => LexMode::Config,
        "template" => LexMode::Template,
        "expression" => LexMode::Expression,
        other => return Err(format!("there is no lexer mode {other}")),
    };
    let bytes = case.source();
    let text = decode(&bytes);
    let lexed = lex(&text, mode);
    let source = Source::new("", text.text.as_str(), lexed.seams);
    let tokens: Vec<Json> = lexed.tokens.iter().map(|token| token_to(&source, &bytes, *token)).collect();
    let mut answer = fields([("tokens", json!(tokens))]);
    if !lexed.diagnostics.is_empty() {
        answer.insert("errors".to_owned(), diagnostics_to(&source, &lexed.diagnostics));
    }
    Ok(answer)
}

fn token_to(source: &Source, bytes: &[u8], token: Token) -> Json {
    let covered = bytes.get(token.span.start as usize..token.span.end as usize).unwrap_or(b"");
    let text = match std::str::from_utf8(covered) {
        Ok(text) => json!(text),
        Err(_) => json!({ "b64": base64::encode(covered) }),
    };
    let (start, end) = source.range(token.span);
    json!([token.kind.name(), text, position_to(start), position_to(end)])
}

/// Parses a traversal that is the whole text.
pub(super) fn traversal(case: &Case) -> Map<String, Json> {
    let text = decode(&case.source());
    let parsed = parse_traversal(&text, &ParseLimits::default(), case.mode() == "partial");
    let source = Source::new("", text.text.as_str(), parsed.seams);
    if !parsed.diagnostics.is_empty() {
        let errors = diagnostics_to(&source, &parsed.diagnostics);
        return fields([("phase", json!("parse")), ("errors", errors)]);
    }
    let root =
        parsed.root.map(|(name, span)| json!({ "root": name.as_str(), "range": range_to(&source, span) }));
    let steps = parsed.steps.iter().map(|step| step_to(&source, step));
    fields([("traversal", root.into_iter().chain(steps).collect())])
}

fn step_to(source: &Source, step: &ParsedStep) -> Json {
    let range = range_to(source, step.span);
    match &step.key {
        StepKey::Attribute(name) => json!({ "attr": name.as_str(), "range": range }),
        StepKey::Number(number) => {
            json!({ "index": { "number": number.borrow().to_string() }, "range": range })
        }
        StepKey::Text(text) => {
            // A key is a value, so it is compared in normal form.
            json!({ "index": { "string": text.nfc().to_string() }, "range": range })
        }
        StepKey::Splat => json!({ "splat": true, "range": range }),
    }
}
