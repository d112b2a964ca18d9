//! Arguments, blocks and items of objects: the sign after the name, and what ends them.

use hclvm_vm::Span;

use super::proposal::{Advice, end_of};
use super::view::{Enclosing, TokenView};
use super::words::behind;
use crate::syntax::lexer::is_identifier;
use crate::syntax::token::TokenKind::{self, *};

/// Words that declare variables in other languages.
const DECLARES: [&str; 12] =
    ["let", "var", "const", "set", "export", "local", "def", "val", "static", "string", "int", "bool"];

/// Signs that set a value elsewhere.
const SETS: [&[TokenKind]; 9] = [
    &[Colon, Equal],
    &[Minus, GreaterThan],
    &[LessThan, Minus],
    &[Plus, Equal],
    &[Minus, Equal],
    &[Question, Equal],
    &[EqualOp],
    &[FatArrow],
    &[Colon],
];

/// Returns true if an argument or a block begins at `at`.
pub(super) fn begins_item(view: TokenView<'_>, at: usize) -> bool {
    if view.kind(at) != Ident {
        return false;
    }
    let mut next = at + 1;
    while matches!(view.kind(next), Ident | OQuote | QuotedLit | CQuote) && next < at + 12 {
        next += 1;
    }
    match view.kind(next) {
        Equal => next == at + 1,
        OBrace => true,
        _ => false,
    }
}

/// Returns advice about a token where an item of a body should begin, continue or end.
pub(super) fn item(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let start = view.item_start(at);
    if start == at {
        return beginning(view, at).or_else(|| continuation(view, at));
    }
    let before = at - 1;
    if view.kind(at) == Newline && is_header(view, start, at) {
        return header_end(view, start, at);
    }
    if view.kind(start) == Ident && start == before {
        return after_name(view, at);
    }
    if let Some(advice) = header(view, start, at) {
        return Some(advice);
    }
    match view.kind(at) {
        Comma if view.find_inside(start, at, Question).is_none() => comma(view, at),
        Equal => header_with_equals(view, start, at),
        Ident if view.kind(start + 1) == Equal && view.are_in_order(at, &[Ident, Equal]) => view
            .opener(at)
            .filter(|&open| view.same_line(open, at))
            .and_then(|open| one_line_block(view, open)),
        Dot | OParen | OBrack | EqualOp | NotEqual | LessThan | GreaterThan | And | Or
            if before == start + 1 =>
        {
            value_without_sign(view, start, at)
        }
        Ident if view.kind(before) == CBrace => {
            let gap = Span::new(view.span(before).end, view.span(at).start);
            let line = format!("\n{}", " ".repeat(view.indentation(start)));
            Some(Advice::new("").edit(gap, line))
        }
        _ => None,
    }
}

/// A comma behind an argument: superfluous at the end of a line, else in place of a line break.
fn comma(view: TokenView<'_>, at: usize) -> Option<Advice> {
    if matches!(view.kind(at + 1), Newline | Eof) {
        return Some(Advice::new("").edit(view.span(at), ""));
    }
    if at > 0
        && view.are(at - 1, &[NumberLit, Comma, NumberLit])
        && matches!(view.kind(at + 2), Newline | Eof)
    {
        return Some(Advice::new("A fraction is written with a dot.").edit(view.span(at), "."));
    }
    let open = view.opener(at);
    let Some(open) = open.filter(|&open| view.same_line(open, at)) else {
        let gap = Span::new(view.span(at).start, view.span(at + 1).start);
        return Some(Advice::new("").edit(gap, format!("\n{}", " ".repeat(view.indentation(at)))));
    };
    one_line_block(view, open)
}

/// A block with several arguments on one line: each gets a line of its own.
fn one_line_block(view: TokenView<'_>, open: usize) -> Option<Advice> {
    let close = view.closer(open).filter(|&close| view.same_line(open, close))?;
    let begins = |at: usize| view.are_in_order(at, &[Ident, Equal]) && view.opener(at) == Some(open);
    let mut items = String::new();
    let (mut first, line) = (open + 1, format!("\n{}", " ".repeat(view.indentation(open))));
    while first < close {
        let next = (first + 1..close).find(|&at| begins(at)).unwrap_or(close);
        let last = if view.kind(next - 1) == Comma { next.checked_sub(2)? } else { next - 1 };
        if last >= first {
            items.extend([line.as_str(), "  ", view.text_of((first, last))]);
        }
        first = next;
    }
    let span = view.span(open).to(view.span(close));
    Some(Advice::new("").edit(span, format!("{{{items}{line}}}")))
}

/// A token that begins no item.
fn beginning(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let span = view.span(at);
    match view.kind(at) {
        OQuote if view.are(at, &[OQuote, QuotedLit, CQuote]) && is_identifier(view.slice(at + 1)) => {
            let (last, sign) = if view.kind(at + 3) == Colon { (at + 3, " =") } else { (at + 2, "") };
            Some(Advice::new("").edit(span.to(view.span(last)), format!("{}{sign}", view.slice(at + 1))))
        }
        Minus if view.are(at, &[Minus, Minus]) => {
            Some(Advice::new("A comment begins with `#` or `//`.").edit(span.to(view.span(at + 1)), "#"))
        }
        LessThan if view.are(at, &[LessThan, Bang]) => {
            let rest = span.to(view.span(at + 1));
            let sentence = "A comment begins with `#` or `//`, or is between `/*` and `*/`.";
            Some(Advice::new(sentence).edit(rest, "#"))
        }
        Percent => Some(Advice::new("A comment begins with `#` or `//`.").edit(span, "#")),
        Slash if view.are(at, &[Slash, Star]) => {
            Some(Advice::new("A comment that begins with `/*` ends with `*/`."))
        }
        _ => None,
    }
}

/// A line that continues the expression of the line before it.
fn continuation(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let before = view.before(at).filter(|&before| view.ends_operand(before))?;
    let continues = |at: usize| view.is_operator(at) || matches!(view.kind(at), Question | Colon | Dot);
    if !continues(at) {
        return None;
    }
    let start = view.item_start(before);
    if view.kind(start) != Ident || view.kind(start + 1) != Equal {
        return None;
    }
    let mut last = at;
    while continues(last) {
        while !matches!(view.kind(last + 1), Newline | Eof) {
            last = view.operand_from(last + 1).map_or(last + 1, |(_, end)| end);
        }
        last = view.from(last + 1);
    }
    let last = view.before(last)?;
    let value = view.span(start + 2).to(view.span(last));
    let sentence = "An expression ends with its line; to continue it, put it in parentheses.";
    Some(Advice::new(sentence).edit(value, format!("({})", value.slice(view.text))))
}

/// What follows the name of an argument.
fn after_name(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let name = at - 1;
    let sentence = "An argument is written `name = value`.";
    let space = |text: &str| if view.touches_next(name) { format!(" {text}") } else { text.to_owned() };
    if let Some(sign) = SETS.iter().find(|sign| view.are(at, sign)) {
        let span = view.span(at).to(view.span(at + sign.len() - 1));
        let has_value = !matches!(view.kind(at + sign.len()), Newline | Eof);
        return Some(Advice::new(sentence).maybe(has_value.then(|| (span, space("=")))));
    }
    match view.kind(at) {
        OBrack if view.closer(at).is_none() => None,
        OParen => {
            let close = view.closer(at).filter(|close| view.kind(close + 1) == OBrace)?;
            let label = view.text_of((at + 1, close - 1));
            let span = view.span(at).to(view.span(close));
            Some(Advice::new("Labels have no parentheses.").edit(span, format!(" {label}")))
        }
        NumberLit if view.indentation(view.from(at + 1)) > view.indentation(name) => None,
        NumberLit if view.kind(at + 1) == OBrace => {
            let label = format!("\"{}\"", view.slice(at));
            Some(Advice::new("A label that is not a name is in quotes.").edit(view.span(at), label))
        }
        NumberLit | OBrack | OHeredoc | Bang if !view.touches_next(name) => {
            Some(Advice::new(sentence).maybe(behind(view, at).map(|place| (place, " =".to_owned()))))
        }
        Dot => Some(Advice::new(
            "An attribute of an object is set inside of the object: `name = { attribute = value }`.",
        )),
        _ => None,
    }
}

/// `let a = 1`, `my name = 1`, `block "label" = {`
fn header_with_equals(view: TokenView<'_>, start: usize, at: usize) -> Option<Advice> {
    let next = view.from(at + 1);
    if view.kind(next) == OBrace && at > start + 1 {
        let span = Span::new(view.span(at).start, view.span(next).start);
        return Some(Advice::new("").edit(span, ""));
    }
    if view.kind(start) != Ident || view.kind(start + 1) != Ident || at != start + 2 {
        return None;
    }
    let gap = Span::new(view.span(start).start, view.span(start + 1).start);
    if DECLARES.contains(&view.word(start)) {
        let sentence = format!("Arguments are not declared: leave out `{}`.", view.word(start));
        return Some(Advice::new(sentence).edit(gap, ""));
    }
    Some(Advice::new("The name of an argument is one word."))
}

/// Signs between the parts of a block's header: `rule "a": {`, `rule "a", "b" {`, `rule = "a" {`.
fn header(view: TokenView<'_>, start: usize, at: usize) -> Option<Advice> {
    let ends_with_brace = view.kind(view.line_end(at)) == OBrace;
    if !ends_with_brace {
        return None;
    }
    match view.kind(at) {
        Colon if is_header(view, start, at) && view.kind(at + 1) == OBrace => {
            Some(Advice::new("").edit(view.span(at), ""))
        }
        Comma if is_header(view, start, at) => {
            Some(Advice::new("Blanks are between labels.").edit(view.span(at), ""))
        }
        Dot if is_header(view, start, at) && view.are(at - 1, &[Ident, Dot, Ident]) && at > start + 1 => {
            let label = view.span(at - 1).to(view.span(at + 1));
            let sentence = "A label that is not a name is in quotes.";
            Some(Advice::new(sentence).edit(label, format!("\"{}\"", label.slice(view.text))))
        }
        NumberLit if is_header(view, start, at) => {
            let label = format!("\"{}\"", view.slice(at));
            Some(Advice::new("A label that is not a name is in quotes.").edit(view.span(at), label))
        }
        OBrace if view.are_in_order(start, &[Ident, Equal, OQuote, QuotedLit, CQuote]) && at == start + 5 => {
            let gap = Span::new(view.span(start).end, view.span(start + 1).end);
            Some(Advice::new("A block has no equals sign.").edit(gap, ""))
        }
        _ => None,
    }
}

/// `name user.role == "x"`: an argument without its sign, which the parser takes for a block with a label.
fn value_without_sign(view: TokenView<'_>, start: usize, at: usize) -> Option<Advice> {
    let is_block = view.kind(view.line_end(at)) == OBrace;
    let is_word = matches!(view.word(start), "if" | "for" | "while" | "return" | "assert");
    (view.kind(start) == Ident && view.kind(start + 1) == Ident && !is_block && !is_word)
        .then(|| Advice::new("An argument is written `name = value`.").edit(end_of(view.span(start)), " ="))
}

/// Returns true if a name and labels fill the range.
fn is_header(view: TokenView<'_>, start: usize, end: usize) -> bool {
    view.kind(start) == Ident
        && (start + 1..end).all(|at| matches!(view.kind(at), Ident | OQuote | QuotedLit | CQuote))
}

/// `name "text"` at the end of a line: an argument without `=`, or a block whose brace is on the next line.
fn header_end(view: TokenView<'_>, start: usize, at: usize) -> Option<Advice> {
    let next = view.from(at);
    if view.kind(next) == OBrace {
        let span = Span::new(view.span(at - 1).end, view.span(next).start);
        return Some(Advice::new("").edit(span, " "));
    }
    if next > at && view.indentation(next) > view.indentation(start) && view.kind(next) != Eof {
        return Some(Advice::new("").edit(end_of(view.span(at - 1)), " {"));
    }
    let label = view.are(start + 2, &[QuotedLit, CQuote]) && at == start + 4;
    let sentence = "An argument is written `name = value`.";
    (label && view.kind(start + 1) == OQuote)
        .then(|| Advice::new(sentence).edit(end_of(view.span(start)), " ="))
}

/// Returns advice about a token after the key of an object's item.
pub(super) fn object_item(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let Enclosing::Object(_) = around else { return None };
    let key = view.item_start(at);
    if key == at || (key..at).any(|before| matches!(view.kind(before), Equal | Colon)) {
        return None;
    }
    let before = at.checked_sub(1).filter(|&before| view.ends_operand(before))?;
    let sentence = "An item is written `key = value`.";
    if let Some(sign) = SETS.iter().find(|sign| view.are(at, sign)) {
        let span = view.span(at).to(view.span(at + sign.len() - 1));
        return Some(Advice::new(sentence).edit(span, "="));
    }
    let name = Span::new(view.span(key).start, view.span(before).end);
    match view.kind(at) {
        Dot => dotted_key(view, key, at),
        Comma | CBrace if key == before && view.kind(key) == Ident => {
            let word = view.word(key);
            Some(Advice::new(sentence).edit(name, format!("{word} = {word}")))
        }
        OBrace if !opens_items(view, at) => None,
        Ident if view.same_line(before, at) && is_name_of_words(view, key, at) => {
            let mut last = at;
            while view.kind(last + 1) == Ident {
                last += 1;
            }
            let words = view.span(key).to(view.span(last));
            let sentence = "A key of several words is in quotes.";
            Some(Advice::new(sentence).edit(words, format!("\"{}\"", words.slice(view.text))))
        }
        NumberLit | OQuote | OBrace | OBrack | Ident | OHeredoc | Bang if view.same_line(before, at) => {
            Some(Advice::new(sentence).edit(end_of(name), " ="))
        }
        _ => None,
    }
}

/// Returns true if only words are from the key on, up to the sign that sets the item.
fn is_name_of_words(view: TokenView<'_>, key: usize, at: usize) -> bool {
    let end = (at..at + 8).find(|&end| view.kind(end) != Ident);
    (key..at).all(|word| view.kind(word) == Ident)
        && end.is_some_and(|end| matches!(view.kind(end), Equal | Colon))
}

/// Returns true if the brace at `at` is that of an object: closed, and empty or followed by an item.
fn opens_items(view: TokenView<'_>, at: usize) -> bool {
    let first = view.from(at + 1);
    let closed = view.closer(at).is_some();
    closed && (view.kind(first) == CBrace || matches!(view.kind(first + 1), Equal | Colon) || first > at + 1)
}

/// `a.b = 1` in an object.
fn dotted_key(view: TokenView<'_>, key: usize, at: usize) -> Option<Advice> {
    let mut last = at;
    while view.are(last, &[Dot, Ident]) && view.touches_next(last - 1) {
        last += 2;
    }
    let span = Span::new(view.span(key).start, view.span(last - 1).end);
    (last > at).then(|| Advice::new("").edit(span, format!("\"{}\"", span.slice(view.text))))
}
