//! Expressions and templates by the plain evaluator.

use hclvm::Layout;
use hclvm_compiler::locate::locate;
use hclvm_compiler::lower::{Environment, Undefined};
use hclvm_compiler::source::{Source, decode};
use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, analysis, parse_expression, parse_template};
use hclvm_treewalk::Walker;
use hclvm_vm::arena::Arena;
use hclvm_vm::diagnostic::Diagnostic;
use hclvm_vm::value::Value;
use serde_json::{Value as Json, json};

use super::{Answer, fields};
use crate::case::Case;
use crate::report::diagnostics_to;
use crate::table;
use crate::tv::{self, value_from, value_to};

/// An expression or template, evaluated.
pub(super) fn single(case: &Case) -> Result<Answer, String> {
    let text = decode(&case.source()).text;
    let limits = ParseLimits::default();
    let parsed = if case.kind() == "template" {
        parse_template(&text, &limits)
    } else {
        parse_expression(&text, &limits)
    };
    let source = Source::new("", text.as_str(), parsed.seams);
    if !parsed.diagnostics.is_empty() {
        let errors = diagnostics_to(&source, &parsed.diagnostics);
        return Ok(Some(fields([("phase", json!("parse")), ("errors", errors)])));
    }
    let functions = table::of_case(case.get("functions"))?;
    let arena = tv::arena();
    let (layout, values) = scope(&arena, case, analysis::names(&parsed.tree, NodeId(0), parsed.root))?;
    let environment = Environment {
        layout: Some(&layout),
        functions: functions.as_ref(),
        undefined: Undefined::Error,
        short_circuit: true,
        source: &text,
    };
    let walker = Walker::new(&parsed.tree, NodeId(0), parsed.root, environment);
    let found = walker.run(&values, &arena);
    let diagnostics: Vec<Diagnostic> = found
        .faults
        .iter()
        .map(|record| {
            let (subject, _) = locate(&parsed.tree, NodeId(record.node), record.place);
            Diagnostic::error(record.fault.title(), record.fault.detail(), subject)
        })
        .collect();
    let mut answer = fields([("value", value_to(found.value))]);
    if !diagnostics.is_empty() {
        answer.insert("phase".to_owned(), json!("eval"));
        answer.insert("errors".to_owned(), diagnostics_to(&source, &diagnostics));
    }
    Ok(Some(answer))
}

/// The names of a case and of its expression, with their values.
fn scope<'a>(
    arena: &'a Arena,
    case: &Case,
    used: Vec<smol_str::SmolStr>,
) -> Result<(Layout, Vec<Value<'a>>), String> {
    let given = case.get("scope").and_then(Json::as_object);
    let names = given.into_iter().flat_map(|given| given.keys().map(smol_str::SmolStr::new));
    let layout = Layout::new(used.into_iter().chain(names));
    let mut values = Vec::with_capacity(layout.len());
    for name in layout.names() {
        let json = given.and_then(|given| given.get(name.as_str()));
        values.push(json.map_or(Ok(Value::UNSET), |json| value_from(arena, json))?);
    }
    Ok((layout, values))
}
