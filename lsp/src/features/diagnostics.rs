//! Diagnostics, as `hclvm check` reports them.

use gen_lsp_types::{
    Code, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Message, Uri,
};
use hclvm::diagnostics::{Severity, Span, codes};

use crate::analysis::Analysis;
use crate::workspace::Workspace;

/// The page that explains the codes.
const CODES: &str = "https://github.com/hclvm/hclvm/blob/main/docs/codes.md";

/// The name of the server beside diagnostics.
pub(crate) const SOURCE: &str = "hclvm";

/// The most values that a message shows.
const MOST_VALUES: usize = 8;

/// Returns the diagnostics of a text.
pub(crate) fn diagnostics(workspace: &Workspace, analysis: &Analysis) -> Vec<Diagnostic> {
    let uri = workspace.uri(&analysis.path);
    let all = analysis.problems().iter().flat_map(|problems| problems.iter());
    all.map(|one| diagnostic(analysis, &uri, one)).collect()
}

fn diagnostic(analysis: &Analysis, uri: &Uri, one: &hclvm::Diagnostic) -> Diagnostic {
    let range = |span: Span| analysis.lines.range(span);
    let additions = one.additions.as_deref();
    let mut message = one.to_string();
    for value in additions.iter().flat_map(|additions| &additions.values).take(MOST_VALUES) {
        message = format!("{message}\n{} = {}", value.path, value.shown);
    }
    let related = additions.map(|additions| {
        let related = additions.labels.iter().map(|label| DiagnosticRelatedInformation {
            location: gen_lsp_types::Location { uri: uri.clone(), range: range(label.span) },
            message: label.text.to_string(),
        });
        related.collect::<Vec<_>>()
    });
    let is_unused = one.code() == codes::UNUSED_LOCAL;
    Diagnostic {
        range: range(one.subject.unwrap_or_default()),
        severity: Some(match one.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
        }),
        code: Some(Code::String(one.code().name().to_owned())),
        code_description: Some(CodeDescription { href: Uri(format!("{CODES}#{}", one.code().name())) }),
        source: Some(SOURCE.to_owned()),
        message: Message::String(message),
        tags: is_unused.then(|| vec![DiagnosticTag::Unnecessary]),
        related_information: related.filter(|related| !related.is_empty()),
        data: None,
    }
}
