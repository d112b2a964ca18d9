//! Words of other languages: `and`, `not`, `in`, `if … then … else`, comprehensions, and texts that lack
//! their quotes.

use hclvm_vm::Span;

use super::proposal::{Advice, end_of};
use super::view::{Enclosing, TokenView};
use crate::syntax::token::TokenKind;

/// Operators that other languages write as words.
const OPERATORS: [(&str, &str, &str); 15] = [
    ("and", "&&", "Use `&&` for a logical and."),
    ("or", "||", "Use `||` for a logical or."),
    ("is", "==", "Use `==` to compare."),
    ("eq", "==", "Use `==` to compare."),
    ("equals", "==", "Use `==` to compare."),
    ("ne", "!=", "Use `!=` to compare."),
    ("neq", "!=", "Use `!=` to compare."),
    ("lt", "<", "Use `<` to compare."),
    ("le", "<=", "Use `<=` to compare."),
    ("lte", "<=", "Use `<=` to compare."),
    ("gt", ">", "Use `>` to compare."),
    ("ge", ">=", "Use `>=` to compare."),
    ("gte", ">=", "Use `>=` to compare."),
    ("mod", "%", "Use `%` for the remainder of a division."),
    ("div", "/", "Use `/` to divide."),
];

/// Words that begin expressions or definitions elsewhere and mean nothing here.
const SUPERFLUOUS: [&str; 5] = ["return", "new", "await", "yield", "echo"];

/// Words between values that are operators elsewhere: the values are not words of a text.
const NO_TEXT: [&str; 12] = [
    "unless", "isnt", "then", "else", "when", "while", "contains", "matches", "like", "between", "xor", "as",
];

/// Returns advice about a word at or before the token at `at`.
pub(super) fn word(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let before = view.before(at);
    if let Some(before) = before
        && view.ends_operand(before)
        && view.kind(at) == TokenKind::Ident
        && let Some(advice) = operator(view, at, around)
    {
        return Some(advice);
    }
    if let Some(advice) = conditional(view, at) {
        return Some(advice);
    }
    let before = before.filter(|&before| view.same_line(before, at))?;
    if !view.begins_operand(at) || view.begins_line(at) {
        return None;
    }
    if view.is_word(before, "not") && !is_operand_before(view, before) {
        let rest = Span::new(view.span(before).start, view.span(at).start);
        return Some(Advice::new("Use `!` for a logical not.").edit(rest, "!"));
    }
    let word = view.word(before);
    if SUPERFLUOUS.contains(&word) && view.begins_expression(before) && !is_item_name(view, before, around) {
        let rest = Span::new(view.span(before).start, view.span(at).start);
        let sentence = format!("An expression is its own result: leave out `{word}`.");
        return Some(Advice::new(sentence).edit(rest, ""));
    }
    None
}

fn is_operand_before(view: TokenView<'_>, at: usize) -> bool {
    !view.begins_line(at) && at.checked_sub(1).is_some_and(|before| view.ends_operand(before))
}

/// Returns true if the word is where the name of an argument or block is written.
fn is_item_name(view: TokenView<'_>, at: usize, around: Enclosing) -> bool {
    around.minds_newlines() && view.item_start(at) == at
}

/// Advice about a word that is used as an operator.
fn operator(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    if around.is_body() && view.begins_line(at) {
        return None;
    }
    let span = view.span(at);
    let word = view.word(at).to_ascii_lowercase();
    if view.is_word(at + 1, "not") && word == "is" {
        return Some(Advice::new("Use `!=` to compare.").edit(span.to(view.span(at + 1)), "!="));
    }
    let negated = word == "not" && view.is_word(at + 1, "in");
    if word == "in" || negated {
        return Some(membership(view, at, negated));
    }
    if word == "for" {
        return comprehension(view, at, around);
    }
    if !view.begins_operand(at + 1) {
        return None;
    }
    let table = OPERATORS.iter().find(|(name, ..)| *name == word);
    table
        .map(|(_, sign, sentence)| Advice::new(*sentence).edit(span, *sign))
        .or_else(|| infix(view, at, &word))
}

/// Words between two values that are functions here, or have no operator.
fn infix(view: TokenView<'_>, at: usize, word: &str) -> Option<Advice> {
    let (left, right) = (view.operand_before(at)?, view.operand_from(at + 1)?);
    let whole = view.span(left.0).to(view.span(right.1));
    let [value, other] = [view.text_of(left), view.text_of(right)];
    let call = |sentence: &'static str, text: String| Some(Advice::new(sentence).edit(whole, text));
    match word {
        "contains" | "includes" | "has" => {
            call("Use `contains(list, value)` to search a list.", format!("contains({value}, {other})"))
        }
        "startswith" | "endswith" => {
            call("A function takes both values as arguments.", format!("{word}({value}, {other})"))
        }
        "matches" | "like" | "ilike" | "regex" => {
            let sentence = "Use `can(regex(pattern, text))` to match a pattern.";
            if word == "like" || word == "ilike" {
                return Some(Advice::new(sentence));
            }
            call(sentence, format!("can(regex({other}, {value}))"))
        }
        "between" => Some(Advice::new("For a range, write `value >= first && value <= last`.")),
        "unless" => {
            let word = Span::new(view.span(at).start, view.span(right.0).start);
            Some(Advice::new("Write `&& !` for an exception.").edit(word, "&& !"))
        }
        "xor" => Some(Advice::new("Use `!=` for an exclusive or.").edit(view.span(at), "!=")),
        _ => None,
    }
}

/// `value in list`
fn membership(view: TokenView<'_>, at: usize, negated: bool) -> Advice {
    let list = view.operand_from(at + 1 + usize::from(negated));
    let edit = view.operand_before(at).zip(list).map(|(value, list)| {
        let sign = if negated { "!" } else { "" };
        let span = view.span(value.0).to(view.span(list.1));
        (span, format!("{sign}contains({}, {})", view.text_of(list), view.text_of(value)))
    });
    Advice::new("Use `contains(list, value)` to search a list.").maybe(edit)
}

/// `[x + 1 for x in xs if x > 1]`
fn comprehension(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    let Enclosing::Tuple(open) = around else { return None };
    let advice = Advice::new("The result of a `for` expression is behind its colon: `[for x in list : x]`.");
    let Some(close) = view.closer(open).filter(|close| *close > at + 1) else { return Some(advice) };
    let clauses = (at + 1..close).find(|&inner| view.is_word(inner, "if")).unwrap_or(close);
    let (value, source) = ((open + 1, at.checked_sub(1)?), (at + 1, clauses - 1));
    if clauses < at + 4 {
        return Some(advice);
    }
    let condition =
        if clauses < close { format!(" {}", view.text_of((clauses, close - 1))) } else { String::new() };
    let text = format!("for {} : {}{condition}", view.text_of(source), view.text_of(value));
    let span = view.span(open + 1).to(view.span(close - 1));
    Some(advice.edit(span, text))
}

/// `if c then a else b`, `if (c) a else b` and `a if c else b`.
fn conditional(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let (first, last) = view.expression_around(at.checked_sub(1)?)?;
    let words: Vec<usize> = (first..=last.min(first + 200)).collect();
    let find = |word: &str| words.iter().copied().find(|&at| view.is_word(at, word));
    let advice = Advice::new("Write a condition as `condition ? value : other`.");
    let begins = view.is_word(first, "if");
    let infix = find("if").filter(|at| !begins && view.ends_operand(at.saturating_sub(1)));
    let otherwise = find("else").filter(|other| *other < last);
    let parts = match (otherwise, find("then"), infix) {
        (Some(other), Some(then), _) if begins && first + 1 < then && then + 1 < other => {
            Some(((first + 1, then - 1), (then + 1, other - 1), (other + 1, last)))
        }
        (Some(other), None, _) if begins && view.kind(first + 1) == TokenKind::OParen => {
            let close = view.closer(first + 1).filter(|close| close + 1 < other)?;
            Some(((first + 1, close), inside(view, close + 1, other - 1), inside(view, other + 1, last)))
        }
        (Some(other), Some(then), None) if !begins && first < then && then + 1 < other => {
            Some(((first, then - 1), (then + 1, other - 1), (other + 1, last)))
        }
        (Some(other), None, Some(word)) if word + 1 < other => {
            Some(((word + 1, other - 1), (first, word - 1), (other + 1, last)))
        }
        _ if begins && at <= first + 2 => None,
        (_, Some(then), _) if then == at && at > first => None,
        _ => return None,
    };
    let edit = parts.map(|(condition, yes, no)| {
        let [condition, yes, no] = [condition, yes, no].map(|part| view.text_of(part));
        (view.span(first).to(view.span(last)), format!("{condition} ? {yes} : {no}"))
    });
    Some(advice.maybe(edit))
}

/// Leaves out braces around a range.
fn inside(view: TokenView<'_>, first: usize, last: usize) -> (usize, usize) {
    let braces =
        view.kind(first) == TokenKind::OBrace && view.closer(first) == Some(last) && first + 1 < last;
    if braces { (view.from(first + 1), view.before(last).unwrap_or(last)) } else { (first, last) }
}

/// Values without quotes: units, numbers of other notations, words; and calls without parentheses.
pub(super) fn unquoted(view: TokenView<'_>, at: usize, around: Enclosing) -> Option<Advice> {
    if let Some(advice) = unquoted_text(view, at) {
        return Some(advice);
    }
    let before = at.checked_sub(1).filter(|&before| view.ends_operand(before))?;
    if view.kind(at) == TokenKind::OQuote
        && view.kind(before) == TokenKind::CQuote
        && view.same_line(before, at)
        && !view.touches_next(before)
        && let Some(advice) = joined_texts(view, at - 1, at)
    {
        return Some(advice);
    }
    if view.kind(before) == TokenKind::NumberLit && view.touches_next(before) {
        return number_with_letters(view, before, at);
    }
    if view.kind(before) == TokenKind::CQuote && view.touches_next(before) {
        return super::characters::triple_quotes(view, at)
            .or_else(|| Some(Advice::new("A quote inside of a string is written `\\\"`.")));
    }
    if view.kind(before) != TokenKind::Ident || !around.minds_newlines() {
        return None;
    }
    let (first, last) = view.expression_around(at)?;
    let value = view.span(first).to(view.span(last));
    if first == before && view.kind(at) == TokenKind::OQuote && view.operand_from(at) == Some((at, last)) {
        let text = format!("{}({})", view.slice(first), view.text_of((at, last)));
        return Some(Advice::new("Arguments of a function are in parentheses.").edit(value, text));
    }
    let is_plain = |at: usize| matches!(view.kind(at), TokenKind::Ident | TokenKind::NumberLit);
    let is_operator = |at: usize| NO_TEXT.contains(&view.word(at));
    ((first..=last).all(is_plain)
        && !(first..=last).any(is_operator)
        && first > 0
        && matches!(view.kind(first - 1), TokenKind::Equal | TokenKind::Colon))
    .then(|| {
        Advice::new("Text is written in double quotes.")
            .edit(value, format!("\"{}\"", value.slice(view.text)))
    })
}

/// `10:30`, `/etc/hosts`, `http://host`: `at` is the sign that no value has.
fn unquoted_text(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let start = match view.kind(at) {
        TokenKind::Colon => {
            let before = at.checked_sub(1).filter(|&before| view.touches_next(before))?;
            let is_time = view.are(before, &[TokenKind::NumberLit, TokenKind::Colon, TokenKind::NumberLit]);
            let (_, rest) = view.text.split_at(view.span(at).end as usize);
            let is_address = view.kind(before) == TokenKind::Ident && rest.starts_with("//");
            if is_address {
                let line = rest.lines().next().unwrap_or_default();
                let end = view.span(at).end + hclvm_vm::cast::length(line.trim_end().len());
                let whole = Span::new(view.span(before).start, end);
                return Some(text_in_quotes(view, whole));
            }
            is_time.then_some(before)?
        }
        TokenKind::Slash
            if view.begins_expression(at) && view.are(at, &[TokenKind::Slash, TokenKind::Ident]) =>
        {
            at
        }
        _ => return None,
    };
    Some(text_in_quotes(view, view.span(start).to(run_from(view, at))))
}

fn text_in_quotes(view: TokenView<'_>, whole: Span) -> Advice {
    Advice::new("Text is written in double quotes.").edit(whole, format!("\"{}\"", whole.slice(view.text)))
}

/// Texts with a sign between them that joins texts elsewhere: the operand that ends before `first`, and the one
/// that begins at `next`.
pub(super) fn joined_texts(view: TokenView<'_>, first: usize, next: usize) -> Option<Advice> {
    let (left, right) = (view.operand_before(first + 1)?, view.operand_from(next)?);
    let is_text =
        |(from, to): (usize, usize)| view.kind(from) == TokenKind::OQuote && view.closer(from) == Some(to);
    if !is_text(left) && !is_text(right) {
        return None;
    }
    let part = |range: (usize, usize)| {
        let text = view.text_of(range);
        if is_text(range) { text[1..text.len() - 1].to_owned() } else { format!("${{{text}}}") }
    };
    let whole = view.span(left.0).to(view.span(right.1));
    let sentence = "Texts are joined in one pair of quotes, with `${name}` for values.";
    Some(Advice::new(sentence).edit(whole, format!("\"{}{}\"", part(left), part(right))))
}

/// `10k`, `5s`, `1_000`, `0x1F`, and `x.56net`
fn number_with_letters(view: TokenView<'_>, number: usize, at: usize) -> Option<Advice> {
    if let Some(dot) = number.checked_sub(1).filter(|dot| view.kind(*dot) == TokenKind::Dot)
        && dot > 0
    {
        return name_with_digits(view, dot, at);
    }
    let span = view.span(number).to(view.span(at));
    let (digits, letters) = (view.slice(number), view.word(at));
    if !letters.is_empty() && letters.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit()) {
        let text = span.slice(view.text).replace('_', "");
        return Some(Advice::new("Digits are written without separators.").edit(span, text));
    }
    let radix = match letters.as_bytes().first()? {
        b'x' | b'X' => 16,
        b'o' | b'O' => 8,
        b'b' | b'B' => 2,
        _ => 0,
    };
    if digits == "0"
        && radix > 0
        && let Ok(value) = u128::from_str_radix(&letters[1..], radix)
    {
        return Some(Advice::new("Numbers are decimal.").edit(span, value.to_string()));
    }
    let mut first = number;
    while first > 0
        && view.touches_next(first - 1)
        && matches!(view.kind(first - 1), TokenKind::NumberLit | TokenKind::Minus)
    {
        first -= 1;
    }
    let run = view.span(first).to(run_from(view, at));
    let sentence = "A number has no unit; quote it if it is text.";
    Some(Advice::new(sentence).edit(run, format!("\"{}\"", run.slice(view.text))))
}

/// A name that begins with digits behind a dot, up to the token `at`.
fn name_with_digits(view: TokenView<'_>, dot: usize, at: usize) -> Option<Advice> {
    let name = view.between(view.span(dot).end, view.span(at).end);
    // An index behind `.*` applies to the whole list, and `.5.6a` is an index before the name.
    let object = view.operand_before(dot);
    let is_splat = |(from, to): (usize, usize)| {
        (from..to).any(|star| view.are(star, &[TokenKind::Dot, TokenKind::Star]))
    };
    let edit = object.is_some_and(|object| !is_splat(object)) && !name.contains('.');
    let span = view.span(dot).to(view.span(at));
    Some(
        Advice::new("A name that begins with a digit is in brackets and quotes.")
            .maybe(edit.then(|| (span, format!("[\"{name}\"]")))),
    )
}

/// Advice about a number literal that is none: a version, an address.
pub(super) fn not_a_number(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let span = view.span(at).to(run_from(view, at));
    Some(
        Advice::new("Versions and addresses are texts, in quotes.")
            .edit(span, format!("\"{}\"", span.slice(view.text))),
    )
}

/// Returns the last of the tokens from `at` on that have nothing between them and can be parts of an unquoted
/// text, such as a date.
fn run_from(view: TokenView<'_>, at: usize) -> Span {
    let mut last = at;
    let joins = |at: usize| {
        use TokenKind::*;
        matches!(view.kind(at), NumberLit | Ident | Slash | Minus | Dot | Colon)
    };
    while view.touches_next(last) && joins(last + 1) {
        last += 1;
    }
    view.span(last)
}

/// Returns where a word is inserted behind the token before `at`, for `name = value` without a sign.
pub(super) fn behind(view: TokenView<'_>, at: usize) -> Option<Span> {
    view.before(at).map(|before| end_of(view.span(before)))
}
