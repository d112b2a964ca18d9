//! Lints of texts: references in quotes, and what looks like an interpolation or a pattern but is literal.

use std::collections::HashSet;

use hclvm_compiler::tree::{CallId, Node, NodeId};
use hclvm_vm::{Span, cast, codes};

use super::file::LintedFile;

/// Warns about the texts of a file.
pub(super) fn lint(file: &mut LintedFile<'_>) {
    let mut keys = HashSet::new();
    let mut operands = HashSet::new();
    let nodes: Vec<NodeId> = file.nodes().collect();
    for id in &nodes {
        match file.tree.node(*id) {
            Node::ObjectKey { expr, .. } => file.visit(expr, |part| {
                keys.insert(part);
            }),
            Node::Binary { op, lhs, rhs } if !op.is_logical() => {
                operands.extend([file.bare(lhs), file.bare(rhs)]);
            }
            _ => {}
        }
    }
    for id in nodes.into_iter().filter(|id| !keys.contains(id)) {
        match file.tree.node(id) {
            Node::Template(_) => in_quotes(file, id, operands.contains(&id)),
            Node::Text(_) => in_text(file, id),
            Node::Call(call) => in_replace(file, call),
            _ => {}
        }
    }
}

/// Warns about a text that is a reference. A variable's path is only meant as one beside an operator.
fn in_quotes(file: &mut LintedFile<'_>, id: NodeId, is_operand: bool) {
    let Some(text) = file.literal(id) else { return };
    if file.text(id) != format!("\"{text}\"") {
        return;
    }
    let is_local = file.local_named(text).is_some();
    if is_path(text) && (is_local || is_operand && file.is_known(text)) {
        file.mention(file.local_named(text).unwrap_or_default());
        let detail = format!("`\"{text}\"` is a string; without quotes, `{text}` is a value.");
        let span = file.tree.span(id);
        let path = text.to_owned();
        file.warn(codes::REFERENCE_IN_QUOTES, detail, span).additions_mut().propose(span, path);
    }
}

/// Characters that a text between slashes hardly has unless it is a pattern.
const OF_PATTERNS: [char; 9] = ['[', '(', '*', '+', '?', '^', '$', '|', '\\'];

/// Warns about a pattern between slashes in a `replace` that is literal: where the table has `regex_replace`.
fn in_replace(file: &mut LintedFile<'_>, call: CallId) {
    let call = file.tree.call(call);
    let [_, pattern, _] = file.tree.list(call.args) else { return };
    let functions = file.document.engine().settings().dialect.functions.as_ref();
    let is_literal = functions.is_some_and(|functions| functions.get("regex_replace").is_some());
    if call.name != "replace" || !is_literal {
        return;
    }
    let Some(text) = file.literal(*pattern) else { return };
    let inner = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    if inner.is_some_and(|inner| inner.contains(OF_PATTERNS)) {
        let quoted = file.quoted(*pattern);
        let detail = format!(
            "`replace` looks for {quoted} itself. `regex_replace` replaces the matches of a pattern, which has no slashes around it."
        );
        file.warn(codes::LITERAL_PATTERN, detail, file.tree.span(*pattern));
    }
}

/// Signs around an interpolation elsewhere, with those that follow it. The longest come first.
const SIGNS: [(&str, &str); 7] =
    [("{{~", "~}}"), ("{{", "}}"), ("<%=", "%>"), ("#{", "}"), ("$(", ")"), ("{", "}"), ("$", "")];

/// Warns about `$local.n`, `{local.n}` and the like in literal text.
fn in_text(file: &mut LintedFile<'_>, id: NodeId) {
    let span = file.tree.span(id);
    let text = span.slice(file.document.source().text());
    let mut at = 0;
    while let Some(found) = text[at..].find(['$', '{', '#', '<']) {
        let start = at + found;
        at = start + 1;
        if let Some(end) = directive_slip(&text[start..]) {
            let place = Span::new(span.start + cast::length(start), span.start + cast::length(start + end));
            let detail = format!(
                "`{}` is literal text. A directive is written `%{{ if condition }}` or `%{{ for x in list }}`.",
                &text[start..start + end]
            );
            file.warn(codes::SUSPICIOUS_TEMPLATE, detail, place);
            at = start + end;
            continue;
        }
        let Some((end, path)) = slip(file, text, start) else { continue };
        at = end;
        let place = Span::new(span.start + cast::length(start), span.start + cast::length(end));
        let detail =
            format!("`{}` is literal text. Write `${{{path}}}` to insert the value.", &text[start..end]);
        file.mention(file.local_named(path).unwrap_or_default());
        file.warn(codes::SUSPICIOUS_TEMPLATE, detail, place)
            .additions_mut()
            .propose(place, format!("${{{path}}}"));
    }
}

/// Characters behind the first word of a directive in which its end is looked for.
const LONGEST_DIRECTIVE: usize = 200;

/// Returns the length of what looks like a directive of another language at the beginning of a text: `{% if x %}`,
/// `{~% for`.
fn directive_slip(text: &str) -> Option<usize> {
    let inner =
        ["{%-", "{%", "{~%"].iter().find_map(|open| text.strip_prefix(open))?.trim_start_matches(['~', ' ']);
    let word = inner.split(|c: char| !c.is_ascii_alphabetic()).next()?;
    if !matches!(word, "if" | "else" | "elif" | "endif" | "for" | "endfor") {
        return None;
    }
    let rest = &inner[word.len()..];
    let mut line = rest.char_indices().take(LONGEST_DIRECTIVE).take_while(|(_, c)| !matches!(c, '\n' | '"'));
    let end = line.find(|(_, c)| *c == '}').map_or(0, |(at, _)| at + 1);
    Some(text.len() - rest.len() + end)
}

/// Returns the end and the path of what looks like an interpolation at `start`.
fn slip<'t>(file: &LintedFile<'_>, text: &'t str, start: usize) -> Option<(usize, &'t str)> {
    let rest = &text[start..];
    let before = text[..start].chars().next_back();
    // `$${` and `%%{` are literal on purpose.
    let is_escaped = matches!(before, Some('$' | '%')) && rest.starts_with(['{', '$']);
    let (open, close) = SIGNS.iter().find(|(open, _)| rest.starts_with(open)).filter(|_| !is_escaped)?;
    let inner = rest[open.len()..].trim_start_matches(' ');
    if *open == "$" && inner.len() + 1 != rest.len() {
        return None;
    }
    let path = path_in(inner);
    let after = if *open == "$" { &inner[path.len()..] } else { inner[path.len()..].trim_start_matches(' ') };
    let end = after.strip_prefix(close)?;
    (file.is_known(path) && !(*open == "{" && end.starts_with('}'))).then(|| (text.len() - end.len(), path))
}

/// Returns the reference at the beginning of a text: names with dots between them.
fn path_in(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let path = text[..end].trim_end_matches(['.', '-']);
    if path.starts_with(|c: char| c.is_alphabetic() || c == '_') { path } else { "" }
}

/// Returns true if a text is names with dots between them.
fn is_path(text: &str) -> bool {
    path_in(text).len() == text.len()
}
