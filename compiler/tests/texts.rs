//! Source texts: positions, encodings and limits.

use hclvm_compiler::source::{Source, decode};
use hclvm_compiler::token::TokenKind;
use hclvm_compiler::{
    LexMode, LimitReached, ParseLimits, is_identifier, lex, parse_config, parse_expression,
    parse_json_expression,
};

#[test]
fn columns_count_what_an_editor_shows() {
    let source = Source::new("x", "a\r\ne\u{301}👨\u{200D}👩 b", Vec::new());
    let at = |offset| (source.position(offset).line, source.position(offset).column);
    assert_eq!(at(3), (2, 1));
    assert_eq!(at(6), (2, 2));
    assert_eq!(at(17), (2, 3));
    assert_eq!(source.line(1), Some("a"));
    assert_eq!(source.line_count(), 2);
}

#[test]
fn clusters_do_not_join_across_tokens() {
    let text = "a = \"x\"\u{301}";
    let lexed = lex(text, LexMode::Expression);
    let source = Source::new("x", text, lexed.seams);
    assert_eq!(source.position(hclvm_vm::cast::length(text.len())).column, 9);
}

#[test]
fn a_byte_order_mark_has_no_column() {
    let lexed = lex("\u{FEFF}a", LexMode::Config);
    let source = Source::new("x", "\u{FEFF}a", lexed.seams);
    assert_eq!((source.position(3).column, source.position(4).column), (1, 2));
}

#[test]
fn decoding_keeps_every_offset() {
    let bytes = b"a\xFF\xE2\x82 \xED\xA0\x80\xC0\xAF\xF0\x80\x80\x80z\xC3";
    let decoded = decode(bytes);
    assert_eq!(decoded.text.len(), bytes.len());
    assert_eq!(decoded.bad, [1, 2, 3, 5, 8, 10, 15]);
    assert_eq!(decode("é".as_bytes()).text, "é");
}

#[test]
fn a_bad_byte_is_a_token_of_its_own() {
    let decoded = decode(b"\"a\xFFb\"");
    let kinds: Vec<TokenKind> =
        lex(&decoded, LexMode::Expression).tokens.iter().map(|token| token.kind).collect();
    use TokenKind::*;
    assert_eq!(kinds, [OQuote, QuotedLit, BadUtf8, QuotedLit, CQuote, Eof]);
}

#[test]
fn a_sequence_that_only_looks_like_a_character_is_a_token_of_its_own_in_a_literal() {
    use TokenKind::*;
    let kinds = |bytes: &[u8]| -> Vec<TokenKind> {
        lex(&decode(bytes), LexMode::Expression).tokens.iter().map(|token| token.kind).collect()
    };
    for bad in [&b"\xC0\x80"[..], b"\xC1\xBF", b"\xED\xA0\x80", b"\xE0\x80\x80", b"\xF5\x80\x80\x80"] {
        let quoted = [b"\"a", bad, bad, b"b\""].concat();
        assert_eq!(kinds(&quoted), [OQuote, QuotedLit, BadUtf8, BadUtf8, QuotedLit, CQuote, Eof]);
        let heredoc = [b"<<E\n", bad, b"\nE\n"].concat();
        assert_eq!(kinds(&heredoc), [OHeredoc, BadUtf8, StringLit, CHeredoc, Newline, Eof]);
        let code = [b"a", bad].concat();
        assert_eq!(kinds(&code), [Ident, Invalid, Eof]);
    }
    assert_eq!(kinds("\"\u{80}\u{FFFD}\u{10FFFF}\"".as_bytes()), [OQuote, QuotedLit, CQuote, Eof]);
}

#[test]
fn identifiers_may_hold_dashes_but_no_joiners() {
    assert!(is_identifier("a-1") && is_identifier("été") && is_identifier("_"));
    assert!(
        !is_identifier("1a") && !is_identifier("a\u{200D}b") && !is_identifier("-a") && !is_identifier("")
    );
}

#[test]
fn a_text_beyond_the_size_limit_is_not_read() {
    let limits = ParseLimits { source_bytes: 8, ..ParseLimits::default() };
    let parsed = parse_expression("1 + 2 + 3", &limits);
    assert_eq!(parsed.limit, Some(LimitReached::SourceBytes));
    assert_eq!(parsed.diagnostics.len(), 1);
}

#[test]
fn a_name_beyond_the_length_limit_is_reported() {
    let limits = ParseLimits { identifier_bytes: 3, ..ParseLimits::default() };
    let parsed = parse_config("abcd = 1\n", &limits);
    assert_eq!(parsed.diagnostics[0].title, "Identifier too long");
    let problems = parse_config("abc = abcd\nab = abc\n", &limits).diagnostics;
    assert_eq!(problems.len(), 1, "three bytes are allowed: {problems:?}");
}

#[test]
fn problems_beyond_the_limit_are_counted() {
    let parsed = parse_config(&"a\n".repeat(250), &ParseLimits::default());
    let last = parsed.diagnostics.last().expect("a diagnostic");
    assert_eq!((parsed.diagnostics.len(), last.title.as_ref()), (101, "Too many problems"));
    assert!(last.detail.contains("150"));
}

#[test]
fn nesting_is_allowed_up_to_the_limit() {
    let limits = ParseLimits { nesting: 3, ..ParseLimits::default() };
    for (text, fits) in [("((1))", true), ("(((1)))", false), ("--1", true), ("---1", false), ("[[1]]", true)]
    {
        let problems = parse_expression(text, &limits).diagnostics;
        assert_eq!(problems.is_empty(), fits, "{text}: {problems:?}");
    }
    for (text, fits) in
        [("[[[1]]]", true), ("[[[[1]]]]", false), (r#"{"a": [{}]}"#, true), ("[[[{}]]]", false)]
    {
        let problems = parse_json_expression(text, &limits).diagnostics;
        assert_eq!(problems.is_empty(), fits, "{text}: {problems:?}");
    }
}

#[test]
fn mistakes_that_come_in_numbers_are_reported_a_few_times() {
    let count = |text: &str, title: &str| {
        let problems = parse_config(text, &ParseLimits::default()).diagnostics;
        problems.iter().filter(|problem| problem.title == title).count()
    };
    assert_eq!(count("a = 1 & 2 | 3 ^ 4 & 5 & 6\n", "Unsupported operator"), 4);
    assert_eq!(count("a = `b` `c` `d`\n", "Invalid character"), 2);
    assert_eq!(count("a = 1; b = 2; c = 3;\n", "Invalid character"), 1);
}
