//! Ranges of nodes compared with recorded evaluation errors: the subject of every error is the range
//! of some node or part of one, and literal strings decode as recorded.

use std::collections::HashSet;

use hclvm_compiler::source::Source;
use hclvm_compiler::tree::{Node, NodeId, Tree};
use hclvm_compiler::{ParseLimits, ParsedExpression, parse_expression, parse_template};
use hclvm_vm::Span;
use hclvm_vm::text::nfc_code_points;
use libtest_mimic::Failed;
use serde_json::Value;

use crate::recorded;

fn parse(case: &Value) -> (ParsedExpression, Source) {
    let text = case["src"].as_str().unwrap_or_default();
    let parsed = match case["kind"].as_str() {
        Some("template") => parse_template(text, &ParseLimits::default()),
        _ => parse_expression(text, &ParseLimits::default()),
    };
    let source = Source::new("", text, parsed.seams.clone());
    (parsed, source)
}

/// Returns the ranges that can be the subject of an evaluation error.
fn places(tree: &Tree) -> HashSet<Span> {
    let mut places = HashSet::new();
    for id in (0..hclvm_vm::cast::length(tree.len())).map(NodeId) {
        let span = tree.span(id);
        places.extend([span, tree.start_span(id), tree.root_span(id)]);
        match tree.node(id) {
            Node::Traversal { steps, .. } | Node::RelativeTraversal { steps, .. } => {
                places.extend(tree.steps(steps).iter().map(|step| step.span));
                let start = span.start;
                places.extend(tree.steps(steps).iter().map(|step| Span::new(start, step.span.end)));
            }
            Node::Call(call) => {
                let call = tree.call(call);
                places.extend([call.name_span, call.name_span.to(call.close_paren)]);
                places.extend([call.open_paren.to(call.close_paren), call.close_paren]);
            }
            Node::Conditional { yes, no, .. } => {
                places.insert(tree.span(yes).to(tree.span(no)));
            }
            Node::Index { open, .. } => {
                places.insert(Span::new(open, span.end));
            }
            Node::Splat { item, .. } => {
                places.insert(tree.span(item));
            }
            _ => {}
        }
    }
    places
}

pub(crate) fn evaluation_errors_are_at_ranges_of_nodes(cases: &[Value]) -> Result<(), Failed> {
    let cases = recorded::of_kinds(cases, &["expr", "template"]);
    let mut disagreements = Vec::new();
    for case in cases.iter().filter(|case| case["expect"]["phase"] == "eval") {
        let (parsed, source) = parse(case);
        let known: HashSet<String> = places(&parsed.tree)
            .into_iter()
            .map(|span| {
                let (start, end) = source.range(span);
                format!("{:?}-{:?}", recorded::place(start), recorded::place(end))
            })
            .collect();
        for error in case["expect"]["errors"].as_array().into_iter().flatten() {
            let wanted = recorded::wanted(error);
            let title = error["summary"].as_str().unwrap_or_default();
            let place = wanted[title.len()..].trim();
            if !known.contains(place) && error["start"].is_array() {
                disagreements.push(format!("{} {:?}\n  wanted {wanted}", case["id"], case["src"]));
            }
        }
    }
    recorded::judge(cases.len(), &disagreements)
}

/// Returns the text of a template without sequences.
fn literal(parsed: &ParsedExpression) -> Option<String> {
    let Node::Template(parts) = parsed.tree.node(parsed.root) else { return None };
    let texts = parsed.tree.list(parts).iter().map(|&part| match parsed.tree.node(part) {
        Node::Text(text) => Some(parsed.tree.text(text)),
        _ => None,
    });
    Some(nfc_code_points(&texts.collect::<Option<String>>()?).collect())
}

pub(crate) fn literal_strings_read_as_recorded(cases: &[Value]) -> Result<(), Failed> {
    let cases = recorded::of_kinds(cases, &["expr", "template"]);
    let mut compared = 0;
    let mut disagreements = Vec::new();
    for case in cases.iter().filter(|case| case["expect"]["value"]["string"].is_string()) {
        let (parsed, _) = parse(case);
        let Some(found) = literal(&parsed) else { continue };
        compared += 1;
        if Some(found.as_str()) != case["expect"]["value"]["string"].as_str() {
            disagreements
                .push(format!("{} {:?}\n  found {found:?}\n  {}", case["id"], case["src"], case["expect"]));
        }
    }
    recorded::judge(compared, &disagreements)
}
