//! Brackets that are not closed or never opened, and missing commas.

use std::borrow::Cow;

use hclvm_vm::{Diagnostic, Span, cast, nearest};

use super::body;
use super::proposal::{Advice, end_of};
use super::view::{Enclosing, TokenView, closer_of, closes, closing_text, opens};
use crate::syntax::token::{Token, TokenKind};

/// Returns the place where the construct around a token opens, if the token shows that it is not closed.
pub(super) fn opened(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<(Span, Cow<'static, str>)> {
    let open = around.open().filter(|_| !matches!(around, Enclosing::Block(_) | Enclosing::Literal(_)))?;
    let kind = view.kind(at);
    let wrong_closer = closes(kind) && closer_of(view.kind(open)) != Some(kind);
    let ends = matches!(kind, TokenKind::Eof | TokenKind::OQuote) && !view.begins_expression(at);
    let later = view.begins_line(at) && !closes(kind) && !view.same_line(open, at);
    let parens = matches!(around, Enclosing::Parens(_)) && view.ends_operand(at.saturating_sub(1));
    (wrong_closer || ends || later || parens).then(|| {
        (view.span(open), Cow::from(format!("the `{}` that is not closed", view.slice(open).trim_end())))
    })
}

/// Returns advice about a closing bracket: a missing one before the token `at`, or a wrong one there.
pub(super) fn closing(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let kind = view.kind(at);
    let Some(open) = around.open() else { return stray(view, at) };
    let wanted = closing_text(view.kind(open))?;
    if closes(kind) && kind != TokenKind::CQuote {
        return mismatch(view, at, open, wanted);
    }
    if kind == TokenKind::Eof
        && let Some((open, before)) = left_by_indentation(view, open, at)
    {
        return close_before(view, before, open);
    }
    if is_left_open(view, at, around, open) { close_before(view, at, open) } else { None }
}

/// Returns the bracket that is probably not closed, and the token before which it should be, by the
/// indentation of the lines from `open` to `end`: an item that begins where the line of `open` begins is
/// outside, and so is a closing bracket that is further to the left than the line of its opening one.
fn left_by_indentation(view: TokenView<'_>, open: usize, end: usize) -> Option<(usize, usize)> {
    let outer = view.indentation(open);
    let mut inside: Vec<usize> = Vec::new();
    for at in open + 1..end {
        let kind = view.kind(at);
        let begins_line = view.begins_line(at);
        if opens(kind) {
            inside.push(at);
        } else if closes(kind) {
            let inner = inside.pop()?;
            if begins_line
                && view.kind(inner) == TokenKind::OBrace
                && view.indentation(at) < view.indentation(inner)
            {
                return Some((inner, at));
            }
        } else if begins_line
            && inside.is_empty()
            && view.indentation(at) <= outer
            && body::begins_item(view, at)
        {
            return Some((open, at));
        }
    }
    None
}

/// Returns advice about a bracket that is open where the line of `at` begins an argument or a block.
pub(super) fn before_item(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let open = around.open().filter(|_| !around.is_body() && !matches!(around, Enclosing::Literal(_)))?;
    let first = (open + 1..=at).rev().take(12).find(|&first| view.begins_line(first))?;
    if view.same_line(open, first) || !body::begins_item(view, first) {
        return None;
    }
    let outside = view.indentation(first) <= view.indentation(open);
    outside.then(|| close_before(view, first, open)).flatten()
}

/// Closes a bracket behind the token before `at`.
fn close_before(view: TokenView<'_>, at: usize, open: usize) -> Option<Advice> {
    let wanted = closing_text(view.kind(open))?;
    let last = view
        .before(at)
        .filter(|&last| last == open || view.ends_operand(last) || view.kind(last) == TokenKind::Comma)?;
    let sentence = format!("Close the `{}` with `{wanted}`.", view.slice(open));
    let place = end_of(view.span(last));
    Some(match own_line(view, open, last) {
        Some(indentation) => {
            Advice::new(sentence).edit(place, format!("\n{}{wanted}", " ".repeat(indentation)))
        }
        None => Advice::new(sentence).edit(place, wanted),
    })
}

/// Returns the indentation of the closing bracket if it belongs on a line of its own: behind items of which
/// each has a line.
fn own_line(view: TokenView<'_>, open: usize, last: usize) -> Option<usize> {
    let block = view.kind(open) == TokenKind::OBrace && view.kind(open + 1) == TokenKind::Newline;
    (block && last > open).then(|| view.indentation(open))
}

/// Returns true if the token `at` cannot be inside of the bracket that is open there.
fn is_left_open(view: TokenView<'_>, at: usize, around: Enclosing, open: usize) -> bool {
    if view.kind(at) == TokenKind::Eof {
        return true;
    }
    let begins_item = view.begins_line(at) && body::begins_item(view, at);
    match around {
        Enclosing::Block(_) | Enclosing::Object(_) => {
            begins_item && view.indentation(at) <= view.indentation(open)
        }
        Enclosing::Literal(_) => false,
        _ => begins_item,
    }
}

/// A closing bracket that does not match the open one.
fn mismatch(view: TokenView<'_>, at: usize, open: usize, wanted: &str) -> Option<Advice> {
    let kind = view.kind(at);
    if closer_of(view.kind(open)) == Some(kind) {
        return None;
    }
    let outer = view.opener(open).is_some_and(|outer| closer_of(view.kind(outer)) == Some(kind));
    let sentence = format!("Close the `{}` with `{wanted}`.", view.slice(open));
    let last = view.before(at)?;
    if !view.same_line(open, at) && !view.begins_line(at) {
        return Some(Advice::new(sentence));
    }
    let span = if outer { end_of(view.span(last)) } else { view.span(at) };
    Some(Advice::new(sentence).edit(span, wanted))
}

/// A closing bracket outside of every bracket.
fn stray(view: TokenView<'_>, at: usize) -> Option<Advice> {
    matches!(view.kind(at), TokenKind::CBrace | TokenKind::CBrack | TokenKind::CParen).then(|| {
        Advice::new(format!("No bracket is open that `{}` closes.", view.slice(at))).edit(view.span(at), "")
    })
}

/// Returns advice about a missing comma before the token `at`.
pub(super) fn separator(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let before = view.before(at)?;
    let is_list = match around {
        Enclosing::Tuple(_) | Enclosing::Call(_) => true,
        Enclosing::Object(_) => view.same_line(before, at) && view.item_start(at) < before,
        _ => false,
    };
    let begins = match around {
        Enclosing::Object(_) => view
            .operand_from(at)
            .is_some_and(|(_, last)| matches!(view.kind(last + 1), TokenKind::Equal | TokenKind::Colon)),
        _ => view.begins_operand(at) && view.kind(at) != TokenKind::Minus,
    };
    let joined = before + 1 == at && view.touches_next(before);
    (is_list && view.ends_operand(before) && begins && !joined)
        .then(|| Advice::new("Items are separated by commas.").edit(end_of(view.span(before)), ","))
}

/// Adds to a diagnostic where the string or heredoc that ends with `found`, without its end, begins.
pub(crate) fn unclosed_string(view: TokenView<'_>, problem: Diagnostic, found: Token) -> Diagnostic {
    let Some(at) = view.index_of(found) else { return problem };
    let Some(open) = view.opener(at) else { return problem };
    let problem = match super::characters::unclosed_quote(view, at) {
        Some(advice) => advice.add_to(problem),
        None => problem,
    };
    let (kind, open) = (view.kind(open), view.span(open));
    let intro = open.slice(view.text);
    if kind != TokenKind::OHeredoc {
        return problem.label(open, "the string begins here");
    }
    let marker = intro.trim_start_matches("<<").trim_start_matches('-').trim_end();
    let place = Span::new(open.start, open.start + cast::length(intro.trim_end().len()));
    let problem = problem
        .label(place, format!("the heredoc begins here; it ends with a line that is `{marker}` alone"));
    match nearly_marker(view, open.end, marker) {
        Some((line, text)) => problem.label(line, text),
        None => problem,
    }
}

/// Returns the first line of a heredoc that begins with its marker and continues, or is a misspelt marker, and what is wrong
/// with it.
fn nearly_marker(view: TokenView<'_>, start: u32, marker: &str) -> Option<(Span, &'static str)> {
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_misspelt = |content: &str| {
        // Long lines are not compared.
        content.len() <= marker.len() + 1 && is_word(content) && nearest(content, [marker]).is_some()
    };
    let (_, lines) = view.text.split_at(start as usize);
    let mut at = start;
    for line in lines.split_inclusive('\n') {
        let content = line.trim();
        let rest = content.strip_prefix(marker).filter(|_| !marker.is_empty());
        let has_more = rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        if has_more || is_misspelt(content) {
            let from = at + cast::length(line.len() - line.trim_start().len());
            let text = if has_more { "the marker is not alone on this line" } else { "nearly the marker" };
            return Some((Span::new(from, from + cast::length(content.len())), text));
        }
        at += cast::length(line.len());
    }
    None
}
