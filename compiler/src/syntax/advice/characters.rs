//! Characters that are no part of the language, with what is written instead: quotes of other kinds,
//! operators on bits, signs of word processors; and invalid escape sequences.

use hclvm_vm::{Span, cast, code_point};

use super::proposal::Advice;
use super::view::{Enclosing, TokenView};
use super::words;
use crate::syntax::token::TokenKind;

/// Characters that are mistaken for signs of the language, with these.
const LOOKALIKES: [(char, &str); 26] = [
    ('\u{A0}', " "),
    ('\u{2009}', " "),
    ('\u{202F}', " "),
    ('\u{3000}', " "),
    ('\u{200B}', ""),
    ('\u{200C}', ""),
    ('\u{200D}', ""),
    ('\u{2060}', ""),
    ('\u{FEFF}', ""),
    ('–', "-"),
    ('—', "-"),
    ('−', "-"),
    ('×', "*"),
    ('÷', "/"),
    ('≠', "!="),
    ('≤', "<="),
    ('≥', ">="),
    ('∧', "&&"),
    ('∨', "||"),
    ('¬', "!"),
    ('…', "..."),
    ('，', ","),
    ('：', ":"),
    ('（', "("),
    ('）', ")"),
    ('＝', "="),
];

/// Quotes that are not straight double ones: the opening and the closing one.
const QUOTES: [(char, char); 9] = [
    ('\'', '\''),
    ('`', '`'),
    ('“', '”'),
    ('”', '”'),
    ('„', '“'),
    ('‘', '’'),
    ('’', '’'),
    ('«', '»'),
    ('＂', '＂'),
];

/// Returns advice about the token `at`, which is no part of the language.
pub(crate) fn character(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let span = view.span(at);
    let replaced = |text: &str| Some(Advice::new("").edit(span, text));
    match view.kind(at) {
        TokenKind::BitwiseAnd => at
            .checked_sub(1)
            .and_then(|before| words::joined_texts(view, before, at + 1))
            .or_else(|| replaced("&&")),
        TokenKind::BitwiseOr => piped(view, at).or_else(|| replaced("||")),
        TokenKind::BitwiseNot
            if at > 0
                && view.touches_next(at - 1)
                && matches!(view.kind(at - 1), TokenKind::Equal | TokenKind::Bang)
                && view.before(at - 1).is_some_and(|value| value > view.item_start(at)) =>
        {
            pattern(view, at)
        }
        TokenKind::BitwiseNot if view.begins_operand(at + 1) => replaced("!"),
        TokenKind::BitwiseXor => power(view, at),
        TokenKind::Semicolon => Some(semicolon(view, at)),
        TokenKind::QuotedNewline => unclosed_quote(view, at),
        TokenKind::Apostrophe | TokenKind::Backtick => quoted(view, span),
        TokenKind::Invalid => match span.slice(view.text) {
            "$" => dollar(view, at),
            "@" if at > 0 && view.touches_next(at - 1) => None,
            "@" if view.touches_next(at) && view.kind(at + 1) == TokenKind::Ident => {
                Some(Advice::new("Names have no sign before them.").edit(span, ""))
            }
            "\\" if view.kind(at + 1) == TokenKind::Newline => Some(
                Advice::new("Inside of brackets and parentheses, expressions continue on the next line.")
                    .edit(span, ""),
            ),
            text => {
                let sign = text.chars().next()?;
                let found = LOOKALIKES.iter().find(|(lookalike, _)| *lookalike == sign);
                match found {
                    Some((sign, " ")) => {
                        let sentence =
                            format!("It is {}, which looks like a blank: write a blank.", code_point(*sign));
                        Some(Advice::new(sentence).edit(span, " "))
                    }
                    Some((sign, "")) => {
                        let sentence = format!("It is {}, which is not seen: remove it.", code_point(*sign));
                        Some(Advice::new(sentence).edit(span, ""))
                    }
                    Some((_, text)) => replaced(text),
                    None => quoted(view, span),
                }
            }
        },
        _ => None,
    }
}

/// `${x | upper}`, as in other template languages.
fn piped(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let Enclosing::Interpolation(_) = view.around(at) else { return None };
    let name = at + 1;
    if view.kind(name) != TokenKind::Ident || view.kind(name + 1) != TokenKind::TemplateSeqEnd {
        return None;
    }
    let value = view.operand_before(at)?;
    let text = format!("{}({})", view.word(name), view.text_of(value));
    let span = view.span(value.0).to(view.span(name));
    Some(Advice::new("A function is called with its arguments in parentheses.").edit(span, text))
}

/// `a =~ b`, `a !~ b`
fn pattern(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let (text, pattern) = (view.operand_before(at - 1)?, view.operand_from(at + 1)?);
    let sign = if view.kind(at - 1) == TokenKind::Bang { "!" } else { "" };
    let call = format!("{sign}can(regex({}, {}))", view.text_of(pattern), view.text_of(text));
    let span = view.span(text.0).to(view.span(pattern.1));
    Some(Advice::new("Use `can(regex(pattern, text))` to match a pattern.").edit(span, call))
}

/// `a ^ b`
fn power(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let advice = Advice::new("Use `pow(base, exponent)` for powers.");
    let (base, exponent) = (view.operand_before(at)?, view.operand_from(at + 1)?);
    let text = format!("pow({}, {})", view.text_of(base), view.text_of(exponent));
    Some(advice.edit(view.span(base.0).to(view.span(exponent.1)), text))
}

/// A semicolon: at the end of a line superfluous, between items of a collection a comma, else a line break.
fn semicolon(view: TokenView<'_>, at: usize) -> Advice {
    use TokenKind::{CBrace, Comment, Eof, Newline};
    let (span, around) = (view.span(at), view.around(at));
    let ends = matches!(view.kind(at + 1), Newline | Comment | Eof | CBrace);
    let text = match around {
        Enclosing::Tuple(_) | Enclosing::Call(_) => ",",
        Enclosing::Object(_) if !ends => ",",
        _ if ends || !around.is_body() => "",
        _ => "\n",
    };
    Advice::new("").edit(span, text)
}

/// `"""`: `open` is the third quote. Lines between such quotes become a heredoc.
pub(super) fn triple_quotes(view: TokenView<'_>, open: usize) -> Option<Advice> {
    use TokenKind::{CQuote, OQuote};
    let first = open.checked_sub(2).filter(|&first| view.are(first, &[OQuote, CQuote, OQuote]))?;
    let start = view.span(first).start;
    let content_start = view.span(open).end;
    let (_, rest) = view.text.split_at(content_start as usize);
    let sentence =
        "There are no triple quotes; lines of text are a heredoc, which begins with `<<` and a marker.";
    let edit = rest.split_once("\"\"\"").map(|(content, _)| {
        let span = Span::new(start, content_start + cast::length(content.len() + 3));
        match content.strip_prefix('\n') {
            Some(lines) => (span, format!("<<EOT\n{}\nEOT", lines.trim_end())),
            None => (span, format!("\"{content}\"")),
        }
    });
    let is_one = edit.as_ref().is_none_or(|(_, text)| text.starts_with('<') || !text.contains('\n'));
    Some(Advice::new(sentence).maybe(edit.filter(|_| is_one)))
}

/// A string that does not end on its line.
pub(super) fn unclosed_quote(view: TokenView<'_>, at: usize) -> Option<Advice> {
    let open = view.opener(at).filter(|&open| view.kind(open) == TokenKind::OQuote)?;
    // A string that was left open on an earlier line has advice there.
    if (open..at).any(|before| view.kind(before) == TokenKind::QuotedNewline) {
        return None;
    }
    if let Some(advice) = triple_quotes(view, open) {
        return Some(advice);
    }
    let end = view.span(at).start;
    let line = view.between(view.span(open).end, end);
    let mut kept = line.trim_end();
    let mut outer = open;
    while let Some(last) = kept.chars().next_back().filter(|last| matches!(last, ',' | ')' | ']' | '}')) {
        let around = view.around(outer);
        let matches = match around {
            Enclosing::Tuple(_) | Enclosing::Index(_) => last == ']',
            Enclosing::Call(_) | Enclosing::Parens(_) => last == ')',
            Enclosing::Object(_) => last == '}',
            _ => false,
        };
        if matches {
            outer = around.open()?;
        } else if last != ',' || around.is_body() {
            break;
        }
        kept = kept[..kept.len() - 1].trim_end();
    }
    let place = view.span(open).end + cast::length(kept.len());
    let only = line.len() < 200 && !kept.is_empty();
    let edit = only.then(|| (Span::new(place, place), "\"".to_owned()));
    Some(Advice::new("").maybe(edit))
}

/// Text between quotes of another kind, up to the closing one on the line.
fn quoted(view: TokenView<'_>, open: Span) -> Option<Advice> {
    let sign = open.slice(view.text).chars().next()?;
    let (_, close) = QUOTES.iter().find(|(quote, _)| *quote == sign)?;
    let (_, rest) = view.text.split_at(open.end as usize);
    let line = rest.lines().next().unwrap_or_default();
    let (line_before, _) = view.text.split_at(open.start as usize);
    let before = line_before.rsplit('\n').next().unwrap_or_default();
    if matches!(sign, '”' | '’')
        && QUOTES.iter().any(|(quote, end)| *end == sign && *quote != sign && before.contains(*quote))
    {
        return None;
    }
    let content = &line[..line.find([*close, '“', '”'])?];
    let end = line[content.len()..].chars().next().map_or(0, char::len_utf8);
    let span = Span::new(open.start, open.end + cast::length(content.len() + end));
    let text = content.replace("\\'", "'").replace('"', "\\\"");
    Some(Advice::new("").edit(span, format!("\"{text}\"")))
}

/// `$local.a`, `${local.a}` outside of quotes.
fn dollar(view: TokenView<'_>, at: usize) -> Option<Advice> {
    if !view.touches_next(at) {
        return None;
    }
    let span = view.span(at);
    match view.kind(at + 1) {
        TokenKind::Ident => Some(Advice::new("Names have no sign before them.").edit(span, "")),
        TokenKind::OBrace => {
            let close = view.closer(at + 1).filter(|close| *close > at + 2 && view.same_line(at, *close))?;
            let inner = view.text_of((at + 2, close - 1)).to_owned();
            let sentence = "Outside of quotes, an expression is written without `${` and `}`.";
            Some(Advice::new(sentence).edit(span.to(view.span(close)), inner))
        }
        _ => None,
    }
}

/// Returns the escape sequence that is written for an unknown one: `selector` behind a backslash at `span`.
pub(crate) fn escape(text: &str, selector: &str, span: Span) -> Advice {
    let replaced = match selector {
        "'" | "`" | "/" | " " => selector.to_owned(),
        "0" => "\\u0000".to_owned(),
        "a" => "\\u0007".to_owned(),
        "b" => "\\u0008".to_owned(),
        "e" => "\\u001b".to_owned(),
        "f" => "\\u000c".to_owned(),
        "v" => "\\u000b".to_owned(),
        "$" | "%" => {
            let advice = Advice::new("A literal `${` is written `$${`, a literal `%{` is written `%%{`.");
            let rest = text.get(span.end as usize..).unwrap_or_default();
            let text = if rest.starts_with('{') { selector.repeat(2) } else { selector.to_owned() };
            return advice.edit(span, text);
        }
        _ => format!("\\\\{selector}"),
    };
    Advice::new("").edit(span, replaced)
}
