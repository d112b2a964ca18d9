//! Collections as other languages write them: `...` before a list, slices, ranges, lists in parentheses, and
//! `for` expressions without their brackets or in the wrong ones.

use hclvm_vm::Span;

use super::proposal::Advice;
use super::view::{Enclosing, TokenView};
use crate::syntax::token::TokenKind::{self, *};

/// Returns advice about the token `at`.
pub(super) fn collection(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    match view.kind(at) {
        Ellipsis => spread(view, at, around),
        Dot => two_dots(view, at, around),
        Colon => slice(view, at, around),
        Comma => list_in_parentheses(view, at, around),
        CBrack if matches!(around, Enclosing::Index(open) if open + 1 == at) => {
            let place = Span::new(view.span(at).start, view.span(at).start);
            Some(Advice::new("All elements are selected by `[*]`.").edit(place, "*"))
        }
        Ident => for_without_brackets(view, at, around),
        _ => None,
    }
}

/// `f(...xs)`, `[...xs, 1]`, `{ ...m, a = 1 }`
fn spread(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let value = view.operand_from(at + 1)?;
    match around {
        Enclosing::Call(open) => {
            let sentence = "The `...` that expands a list is behind the last argument.";
            let is_last = view.closer(open) == Some(view.from(value.1 + 1));
            let span = view.span(at).to(view.span(value.1));
            let edit = is_last.then(|| (span, format!("{}...", view.text_of(value))));
            Some(Advice::new(sentence).maybe(edit))
        }
        Enclosing::Tuple(open) => {
            let sentence = "Lists are joined by `concat(list, [value])`.";
            Some(Advice::new(sentence).maybe(joined(view, open, "concat", ["[", "]"])))
        }
        Enclosing::Object(open) => {
            let sentence = "Objects are joined by `merge(object, { name = value })`.";
            Some(Advice::new(sentence).maybe(joined(view, open, "merge", ["{ ", " }"])))
        }
        _ => None,
    }
}

/// Returns the call that joins the expanded items of a collection with the others, which keep their brackets.
fn joined(view: TokenView<'_>, open: usize, function: &str, brackets: [&str; 2]) -> Option<(Span, String)> {
    let close = view.closer(open)?;
    let mut arguments = Vec::new();
    let mut items: Vec<&str> = Vec::new();
    let flush = |items: &mut Vec<&str>, arguments: &mut Vec<String>| {
        if !items.is_empty() {
            arguments.push(format!("{}{}{}", brackets[0], items.join(", "), brackets[1]));
            items.clear();
        }
    };
    let mut first = view.from(open + 1);
    while first < close {
        let end = view.find_inside(first, close, Comma).unwrap_or(close);
        let last = view.before(end).filter(|last| *last >= first)?;
        if view.kind(first) == Ellipsis {
            flush(&mut items, &mut arguments);
            arguments.push(view.text_of((first + 1, last)).to_owned());
        } else {
            items.push(view.text_of((first, last)));
        }
        first = view.from(end + 1);
    }
    flush(&mut items, &mut arguments);
    Some((view.span(open).to(view.span(close)), format!("{function}({})", arguments.join(", "))))
}

/// `f(xs..)`, `1..n`
fn two_dots(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let first = at.checked_sub(1).filter(|&first| view.are(first, &[Dot, Dot]))?;
    let signs = view.span(first).to(view.span(at));
    if view.kind(at + 1) == CParen && matches!(around, Enclosing::Call(_)) {
        return Some(Advice::new("Three dots expand a list.").edit(signs, "..."));
    }
    first.checked_sub(1).and_then(|value| super::words::joined_texts(view, value, at + 1))
}

/// Returns advice about `1..3`, which the lexer takes for one number.
pub(super) fn range(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let (from, to) = view.slice(at).split_once("..")?;
    let inclusive = !to.starts_with('.');
    let (from, to): (i64, i64) = (from.parse().ok()?, to.trim_start_matches('.').parse().ok()?);
    let end = if inclusive { to.checked_add(1)? } else { to };
    let whole = match around {
        Enclosing::Tuple(open) if open + 1 == at && view.kind(at + 1) == CBrack => {
            view.span(open).to(view.span(at + 1))
        }
        _ => view.span(at),
    };
    let sentence = "`range(first, end)` lists whole numbers; `end` is not among them.";
    Some(Advice::new(sentence).edit(whole, format!("range({from}, {end})")))
}

/// `xs[1:2]`, `xs[1:]`, `xs[:2]`
fn slice(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let Enclosing::Index(open) = around else { return None };
    let sentence =
        "A part of a list is `slice(list, start, end)`, a part of a string is `substr(text, start, length)`.";
    let edit = view.closer(open).zip(view.operand_before(open)).and_then(|(close, list)| {
        let range = |first: usize, end: usize| (first < end).then(|| view.text_of((first, end - 1)));
        let second = view.find_inside(at + 1, close, Colon);
        let (start, end) = (range(open + 1, at), range(at + 1, close));
        let list_text = view.text_of(list);
        let end = end.map_or_else(|| format!("length({list_text})"), str::to_owned);
        let text = format!("slice({list_text}, {}, {end})", start.unwrap_or("0"));
        second.is_none().then(|| (view.span(list.0).to(view.span(close)), text))
    });
    Some(Advice::new(sentence).maybe(edit))
}

/// `(1, 2)`
fn list_in_parentheses(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let Enclosing::Parens(open) = around else { return None };
    let after_operand = at.checked_sub(1).is_some_and(|before| view.ends_operand(before))
        && view.find_inside(open + 1, at, Question).is_none();
    let edit = view.closer(open).map(|close| {
        let inner = view.between(view.span(open).end, view.span(close).start);
        (view.span(open).to(view.span(close)), format!("[{inner}]"))
    });
    after_operand.then(|| Advice::new("A list is in square brackets.").maybe(edit))
}

/// `a = for x in xs : x`: `at` is the name behind `for`.
fn for_without_brackets(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let word = at.checked_sub(1).filter(|&word| view.word(word) == "for")?;
    if !view.begins_expression(word) || view.item_start(at) == word && around.is_body() {
        return None;
    }
    let (_, last) = view.expression_around(at)?;
    let last = if around.is_body() { view.line_end(last) } else { last };
    let is_in = (at..=last).any(|inner| view.word(inner) == "in");
    let value = view.span(word).to(view.span(last));
    let has_key = view.find_inside(at, last, FatArrow).is_some();
    let [open, close] = if has_key { ["{", "}"] } else { ["[", "]"] };
    let edit = is_in.then(|| (value, format!("{open}{}{close}", value.slice(view.text))));
    Some(Advice::new("A `for` expression is in brackets: `[for x in list : x]`.").maybe(edit))
}

/// Returns the advice to write a `for` expression in the other brackets.
pub(crate) fn other_brackets(text: &str, whole: Span, close: TokenKind) -> Advice {
    let [open, close] = if close == CBrace { ["[", "]"] } else { ["{", "}"] };
    let inner = Span::new(whole.start + 1, whole.end.saturating_sub(1)).slice(text);
    Advice::new("").edit(whole, format!("{open}{inner}{close}"))
}
