//! Template sequences: unclosed interpolations, and the keywords of directives.

use hclvm_vm::{Diagnostic, Span};

use super::proposal::{Advice, end_of};
use super::view::{Enclosing, TokenView, closes};
use crate::syntax::token::TokenKind;

/// Returns advice about the token `at` inside of `${ }` or `%{ }`.
pub(super) fn sequence(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    match around {
        Enclosing::Interpolation(_) => interpolation(view, at),
        Enclosing::Directive(open) => directive(view, at, open),
        _ => None,
    }
}

fn interpolation(view: TokenView<'_>, at: usize) -> Option<Advice> {
    if view.kind(at) == TokenKind::TemplateSeqEnd && at > 0 && view.kind(at - 1) == TokenKind::TemplateInterp
    {
        return Some(Advice::new("A value is between `${` and `}`."));
    }
    let last = view.before(at).filter(|&last| view.ends_operand(last))?;
    let kind = view.kind(at);
    let sentence = "Close the `${` with `}`.";
    let ends_text = kind == TokenKind::OQuote
        && !view.are(at, &[TokenKind::OQuote, TokenKind::QuotedLit, TokenKind::CQuote]);
    if ends_text || kind == TokenKind::Eof {
        return Some(Advice::new(sentence).edit(end_of(view.span(last)), "}"));
    }
    closes(kind).then(|| Advice::new(sentence).edit(view.span(at), "}"))
}

fn directive(view: TokenView<'_>, at: usize, open: usize) -> Option<Advice> {
    let keyword = open + 1;
    let span = view.span(at);
    let word = view.word(keyword);
    let is_elif = matches!(word.to_ascii_lowercase().as_str(), "elif" | "elseif" | "elsif");
    if is_elif && at == keyword {
        return Some(else_if(view, open, keyword));
    }
    if word == "else" && at == keyword + 1 && view.word(at) == "if" {
        return Some(else_if(view, open, at));
    }
    if at == keyword && word == "end" && matches!(view.word(at + 1), "if" | "for") {
        let text = format!("end{}", view.word(at + 1));
        return Some(Advice::new("").edit(span.to(view.span(at + 1)), text));
    }
    if at == keyword && matches!(word, "end" | "fi" | "done" | "next") {
        let (name, sentence) = match innermost(view, open)? {
            "for" => ("endfor", "A `for` directive ends with `endfor`."),
            _ => ("endif", "An `if` directive ends with `endif`."),
        };
        return Some(Advice::new(sentence).edit(span, name));
    }
    if at == keyword && matches!(&*word.to_ascii_lowercase(), "foreach" | "each" | "endforeach" | "endeach") {
        let name = if word.to_ascii_lowercase().starts_with("end") { "endfor" } else { "for" };
        return Some(Advice::new("").edit(span, name));
    }
    let ends = view.kind(at + 1) == TokenKind::TemplateSeqEnd;
    let superfluous = view.kind(at) == TokenKind::Colon || matches!(view.word(at), "then" | "do");
    let last = view.before(at)?;
    (ends && superfluous).then(|| {
        let rest = Span::new(view.span(last).end, span.end);
        Advice::new("Nothing is between a directive and its `}`.").edit(rest, "")
    })
}

/// `%{ elif c }`: an `if` inside of the `else`, which ends with an `endif` of its own.
fn else_if(view: TokenView<'_>, open: usize, keyword: usize) -> Advice {
    let sentence = "There is no such directive: write `%{ else }%{ if condition }`, and one more `%{ endif }` at the end.";
    let edit = end_of_if(view, keyword).map(|end| {
        let span = view.span(open).to(view.span(end));
        let rest = view.between(view.span(keyword).end, view.span(end).end);
        (span, format!("%{{ else }}%{{ if{rest}%{{ endif }}"))
    });
    Advice::new(sentence).maybe(edit)
}

/// Returns the last token of the `%{ endif }` that ends the `if` around the directive at `from`.
fn end_of_if(view: TokenView<'_>, from: usize) -> Option<usize> {
    let mut inside = 0usize;
    for at in from..view.tokens.len() {
        if view.kind(at) != TokenKind::TemplateControl {
            continue;
        }
        match view.word(at + 1) {
            "if" => inside += 1,
            "endif" if inside > 0 => inside -= 1,
            "endif" => return (view.kind(at + 2) == TokenKind::TemplateSeqEnd).then_some(at + 2),
            _ => {}
        }
    }
    None
}

/// Returns the keyword of the innermost directive that is open before the one at `open`.
fn innermost(view: TokenView<'_>, open: usize) -> Option<&'static str> {
    let mut closed = 0usize;
    for at in (0..open).rev() {
        if view.kind(at) != TokenKind::TemplateControl {
            continue;
        }
        let (keyword, opens) = match view.word(at + 1) {
            "if" => ("if", true),
            "for" => ("for", true),
            "endif" | "endfor" | "end" => ("", false),
            _ => continue,
        };
        match (opens, closed) {
            (false, _) => closed += 1,
            (true, 0) => return Some(keyword),
            (true, _) => closed -= 1,
        }
    }
    None
}

/// Adds the directive that is not closed to a diagnostic, and the end that closes it before `end`, the end
/// of the template.
pub(crate) fn missing_end(
    view: TokenView<'_>,
    problem: Diagnostic,
    keyword: &str,
    open: Span,
    end: Span,
) -> Diagnostic {
    let (line, _) = view.text.split_at(end.start as usize);
    let before_line = end.start - u32::from(line.ends_with('\n'));
    let place = Span::new(before_line, before_line);
    problem
        .label(open, format!("the `%{{ {keyword} }}` that is not closed"))
        .replacement(place, format!("%{{ end{keyword} }}"))
}
