//! Comments that end earlier than they seem to: `/* a /* b */ c */` and `/* x = "*/" */` end at their first `*/`.
//! What follows is code, and its mistakes point back to the comment.

use hclvm_vm::{Diagnostic, Span, cast};

use super::lexer::{LexMode, lex};
use super::token::TokenKind;
use crate::source::Input;

/// Adds to the first problem behind such a comment, on the line where the comment ends, that it ends there. Of several
/// comments in front of a problem, only the last one is named.
pub fn explain_comment_ends<'t>(input: impl Into<Input<'t>>, mode: LexMode, problems: &mut [Diagnostic]) {
    let input = input.into();
    let text = input.text;
    if problems.is_empty() || !text.contains("/*") {
        return;
    }
    let tokens = lex(input, mode).tokens;
    let comments = tokens.iter().filter(|token| token.kind == TokenKind::Comment).map(|token| token.span);
    let mut comments: Vec<Span> = comments.filter(|comment| seems_longer(comment.slice(text))).collect();
    let mut order: Vec<usize> = (0..problems.len()).collect();
    order.sort_by_key(|at| problems[*at].subject.map(|subject| subject.start));
    for problem in order {
        let problem = &mut problems[problem];
        let Some(subject) = problem.subject else { continue };
        // The last one in front of it, which explains no other.
        let before = comments.partition_point(|comment| comment.end <= subject.start);
        let Some(comment) = comments.drain(..before).next_back() else { continue };
        if Span::new(comment.end, subject.start).slice(text).contains('\n') {
            continue;
        }
        let line = text[..cast::index(comment.start)].matches('\n').count() + 1;
        let sentence = format!(
            " The comment that begins on line {line} ends at its first `*/`, which may be in quotes or behind another `/*`."
        );
        problem.detail.to_mut().push_str(&sentence);
        problem.additions_mut().labels.push(hclvm_vm::Label {
            span: Span::new(comment.end - 2, comment.end),
            text: "the comment ends here".into(),
        });
    }
}

/// Returns true if the end of a comment in slashes may not be the one that was meant: it is in quotes, or there is
/// another beginning in the comment.
fn seems_longer(comment: &str) -> bool {
    let Some(content) = comment.strip_prefix("/*").and_then(|rest| rest.strip_suffix("*/")) else {
        return false;
    };
    let last_line = content.rsplit('\n').next().unwrap_or_default();
    content.contains("/*") || last_line.matches('"').count() % 2 == 1
}
