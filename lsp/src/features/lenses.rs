//! Code lenses: evaluate an attribute or a block, explain a condition, run the cases of a test file, coverage of the last
//! run, and uses of definitions.

use gen_lsp_types::{CodeLens, Command};
use hclvm::Block;
use hclvm::diagnostics::Span;
use hclvm::policy::PolicySpec;
use hclvm::show::line;
use serde_json::json;

use super::symbols::title;
use crate::analysis::Analysis;
use crate::commands::{EVALUATE, RUN_TEST, WHY};
use crate::coverage::ConditionOutcomes;
use crate::index::NameTarget;
use crate::workspace::Workspace;

/// The most lenses of a text.
const MOST: usize = 1_000;

/// Returns the lenses of a text.
pub(crate) fn lenses(workspace: &Workspace, analysis: &Analysis) -> Vec<CodeLens> {
    let uri = workspace.uri(&analysis.path);
    let mut found = Vec::new();
    let mut add = |span: Span, title: String, command: &str, extra: serde_json::Value| {
        if found.len() >= MOST {
            return;
        }
        let arguments = vec![json!(uri.0), json!(span.start), extra];
        found.push(CodeLens {
            range: analysis.lines.range(span),
            command: Some(Command {
                title,
                command: command.to_owned(),
                arguments: Some(arguments),
                ..Command::default()
            }),
            data: None,
        });
    };
    let body = analysis.document.body();
    if analysis.is_tests() {
        for case in body.blocks().filter(|block| block.labels().next().is_some()) {
            let name: Vec<&str> = case.labels().collect();
            add(case.kind_span(), format!("Run {}", title(case)), RUN_TEST, json!(name.join(" ")));
        }
        return found;
    }
    if analysis.document.is_json() || analysis.is_project() || analysis.application().is_some() {
        return found;
    }
    let condition = condition(analysis);
    for block in body.blocks() {
        if let Some(condition) = block.attribute(condition) {
            let span = block.kind_span();
            add(span, "Evaluate".to_owned(), EVALUATE, json!(condition.name_span().start));
            add(span, "Why".to_owned(), WHY, json!(condition.name_span().start));
            let range = analysis.lines.range(block.span());
            let covered = workspace.coverage.of_lines(&analysis.path, range.start.line..=range.end.line);
            if let Some(ConditionOutcomes { occurred, possible }) = covered {
                add(span, format!("{occurred} of {possible} outcomes tested"), "", json!(null));
            }
        }
        if block.kind() == "locals" {
            for local in block.body().attributes() {
                let count = analysis.index().uses(&NameTarget::Defined(format!("local.{}", local.name())));
                let uses = if count == 1 { "1 use".to_owned() } else { format!("{count} uses") };
                add(local.name_span(), uses, "", json!(null));
            }
        }
    }
    for attribute in body.attributes() {
        add(attribute.name_span(), "Evaluate".to_owned(), EVALUATE, json!(attribute.name_span().start));
    }
    found
}

/// Returns the name of the condition of rules.
fn condition(analysis: &Analysis) -> &str {
    analysis.settings.policy.as_ref().map_or(PolicySpec::default().condition, |policy| policy.condition())
}

/// Returns the value of an attribute under the sample of scopes.
pub(crate) fn evaluate(analysis: &Analysis, at: u32) -> Option<String> {
    let attribute = analysis.document.attribute_at(at)?;
    let value = analysis.values()?.attribute(attribute, line)?;
    Some(format!("{}{} = {value}", path(analysis, at), attribute.name()))
}

/// Returns why an attribute has its value, as a tree.
pub(crate) fn why(analysis: &Analysis, at: u32) -> Option<String> {
    let attribute = analysis.document.attribute_at(at)?;
    analysis.values()?.why(attribute).map(|why| format!("{}{}\n{why}", path(analysis, at), attribute.name()))
}

fn path(analysis: &Analysis, at: u32) -> String {
    let blocks = analysis.document.blocks_at(at);
    let titles: Vec<String> = blocks.into_iter().map(|block: Block<'_>| title(block) + " ").collect();
    titles.concat()
}
