//! Cases of static analysis: the variables of an expression, and its static forms.

use hclvm_compiler::analysis::{self, Key, Traversal};
use hclvm_compiler::source::{Source, decode};
use hclvm_compiler::tree::{NodeId, Tree};
use hclvm_compiler::{
    ParseLimits, ParsedExpression, parse_expression, parse_json_expression, parse_template,
};
use hclvm_vm::Diagnostic;
use serde_json::{Value as Json, json};

use super::{Answer, fields};
use crate::case::Case;
use crate::report::diagnostics_to;

/// Parses a text. Returns the result of the case if it has errors.
fn parsed(case: &Case, parse: fn(&str) -> ParsedExpression) -> Result<(ParsedExpression, Source), Answer> {
    let text = decode(&case.source()).text;
    let mut parsed = parse(&text);
    let source = Source::new("", text, std::mem::take(&mut parsed.seams));
    if parsed.diagnostics.is_empty() {
        return Ok((parsed, source));
    }
    let errors = diagnostics_to(&source, &parsed.diagnostics);
    Err(Some(fields([("phase", json!("parse")), ("errors", errors)])))
}

fn expression(text: &str) -> ParsedExpression {
    parse_expression(text, &ParseLimits::default())
}

fn template(text: &str) -> ParsedExpression {
    parse_template(text, &ParseLimits::default())
}

fn json_expression(text: &str) -> ParsedExpression {
    parse_json_expression(text, &ParseLimits::default())
}

/// Returns the variables that an expression uses.
pub(super) fn variables(case: &Case) -> Answer {
    let parse = match case.mode() {
        "json" => json_expression,
        "expression" => expression,
        "template" => template,
        _ => return None,
    };
    let (parsed, _) = match parsed(case, parse) {
        Ok(parsed) => parsed,
        Err(answer) => return answer,
    };
    let used = analysis::variables(&parsed.tree, parsed.root);
    let texts: Vec<String> = used.iter().map(shown).collect();
    Some(fields([("variables", json!(texts))]))
}

/// Formats a traversal. The recorded notation writes keys that select nothing as `[?]`.
fn shown(traversal: &Traversal<'_>) -> String {
    let mut text = traversal.root().to_owned();
    for (key, _) in traversal.steps() {
        text.push_str(&match key {
            Key::Bool(_) | Key::Null => "[?]".to_owned(),
            key => key.to_string(),
        });
    }
    text
}

/// Returns every static form of an expression.
pub(super) fn forms(case: &Case) -> Answer {
    let (parsed, source) = match parsed(case, expression) {
        Ok(parsed) => parsed,
        Err(answer) => return answer,
    };
    let form = Form { tree: &parsed.tree, source: &source };
    let root = parsed.root;
    let traversal = analysis::absolute_traversal(form.tree, root).map(|traversal| shown(&traversal));
    Some(fields([
        ("list", form.given(analysis::list(form.tree, root).map(|items| form.texts(items)))),
        (
            "map",
            form.given(
                analysis::map(form.tree, root).map(|items| {
                    items.map(|(key, value)| json!([form.text(key), form.text(value)])).collect()
                }),
            ),
        ),
        (
            "call",
            form.given(analysis::call(form.tree, root).map(
                |call| json!({ "name": call.name.as_str(), "args": form.texts(form.tree.list(call.args)) }),
            )),
        ),
        ("rel_traversal", form.given(traversal.clone().map(|text| json!(format!(".{text}"))))),
        ("abs_traversal", form.given(traversal.map(|text| json!(text)))),
        ("keyword", json!(analysis::keyword(form.tree, root).unwrap_or(""))),
    ]))
}

/// A text with its tree.
struct Form<'t> {
    tree: &'t Tree,
    source: &'t Source,
}

impl Form<'_> {
    fn given(&self, form: Result<Json, Diagnostic>) -> Json {
        form.unwrap_or_else(|problem| json!({ "errors": diagnostics_to(self.source, [&problem]) }))
    }

    fn text(&self, node: NodeId) -> &str {
        self.tree.span(node).slice(self.source.text())
    }

    fn texts(&self, nodes: &[NodeId]) -> Json {
        nodes.iter().map(|node| json!(self.text(*node))).collect()
    }
}
