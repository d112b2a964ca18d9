//! Code actions: the replacements that diagnostics propose, explanations of codes, and comments that allow warnings.

use std::collections::HashMap;

use gen_lsp_types::{CodeAction, CodeActionKind, Command, Position, Range, TextEdit, WorkspaceEdit};
use hclvm::Diagnostic;
use hclvm::diagnostics::{Code, Span};
use serde_json::json;

use crate::analysis::Analysis;
use crate::commands::EXPLAIN;
use crate::workspace::Workspace;

/// Returns the actions for the diagnostics that touch a range.
pub(crate) fn actions(workspace: &Workspace, analysis: &Analysis, range: Range) -> Vec<CodeAction> {
    let wanted = analysis.lines.span(analysis.text(), range);
    let touches = |one: &&Diagnostic| {
        let subject = one.subject.unwrap_or_default();
        subject.start <= wanted.end && wanted.start <= subject.end
    };
    let all = analysis.problems().iter().flat_map(|problems| problems.iter());
    let mut found = Vec::new();
    let mut codes: Vec<Code> = Vec::new();
    for one in all.filter(touches) {
        let proposals = one.additions.iter().flat_map(|additions| &additions.replacements);
        let proposals: Vec<_> = proposals.collect();
        for proposal in &proposals {
            let edit = edit(workspace, analysis, proposal.span, &proposal.text);
            found.push(CodeAction {
                title: title(analysis, proposal.span, &proposal.text),
                kind: Some(CodeActionKind::QuickFix),
                diagnostics: None,
                is_preferred: Some(proposals.len() == 1),
                edit: Some(edit),
                ..CodeAction::default()
            });
        }
        if codes.contains(&one.code()) {
            continue;
        }
        codes.push(one.code());
        if one.code().is_lint() && !analysis.document.is_json() {
            found.push(allow(workspace, analysis, one));
        }
        let title = format!("Explain {}", one.code().name());
        found.push(CodeAction {
            title: title.clone(),
            kind: Some(CodeActionKind::QuickFix),
            command: Some(Command {
                title,
                command: EXPLAIN.to_owned(),
                arguments: Some(vec![json!(one.code().name())]),
                ..Command::default()
            }),
            ..CodeAction::default()
        });
    }
    found
}

/// Returns the explanation of a code as Markdown.
pub(crate) fn explanation(code: Code) -> String {
    let mut text = format!("# {}\n\n{}\n", code.name(), code.explanation());
    for (title, example) in [("Wrong", code.wrong()), ("Right", code.right())] {
        if !example.is_empty() {
            text = format!("{text}\n{title}:\n\n```hcl\n{}\n```\n", example.trim_end());
        }
    }
    text
}

fn title(analysis: &Analysis, span: Span, text: &str) -> String {
    let before = span.slice(analysis.text());
    let quoted = |text: &str| {
        let line: String = text.trim().chars().take_while(|c| *c != '\n').take(40).collect();
        if line.len() == text.trim().len() { format!("`{line}`") } else { format!("`{line}…`") }
    };
    match (before.trim().is_empty(), text.trim().is_empty()) {
        (true, _) => format!("Insert {}", quoted(text)),
        (false, true) => format!("Remove {}", quoted(before)),
        (false, false) => format!("Replace {} by {}", quoted(before), quoted(text)),
    }
}

fn edit(workspace: &Workspace, analysis: &Analysis, span: Span, text: &str) -> WorkspaceEdit {
    of_edits(
        workspace,
        analysis,
        vec![TextEdit { range: analysis.lines.range(span), new_text: text.to_owned() }],
    )
}

fn of_edits(workspace: &Workspace, analysis: &Analysis, edits: Vec<TextEdit>) -> WorkspaceEdit {
    let changes = HashMap::from([(workspace.uri(&analysis.path), edits)]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

/// Returns the action that writes a comment above a warning.
fn allow(workspace: &Workspace, analysis: &Analysis, one: &Diagnostic) -> CodeAction {
    let line = analysis.lines.position(one.subject.unwrap_or_default().start).line;
    let text = analysis.document.source().line(line + 1).unwrap_or_default();
    let indentation: String = text.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    let comment = format!("{indentation}# hclvm:allow {}\n", one.code().name());
    let start = Position { line, character: 0 };
    let edit = TextEdit { range: Range { start, end: start }, new_text: comment };
    CodeAction {
        title: format!("Allow {} here", one.code().name()),
        kind: Some(CodeActionKind::QuickFix),
        edit: Some(of_edits(workspace, analysis, vec![edit])),
        ..CodeAction::default()
    }
}
