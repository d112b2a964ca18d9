//! Carriage returns, line breaks and the end of the text in heredocs and templates.

use hclvm_compiler::token::TokenKind::{self, *};
use hclvm_compiler::{LexMode, ParseLimits, lex, parse_config, parse_expression};

/// Returns the tokens of a text with their texts.
fn tokens(text: &str, mode: LexMode) -> Vec<(TokenKind, &str)> {
    lex(text, mode).tokens.iter().map(|token| (token.kind, token.span.slice(text))).collect()
}

fn titles(problems: &[hclvm_vm::Diagnostic]) -> Vec<&str> {
    problems.iter().map(|problem| &*problem.title).collect()
}

#[test]
fn a_carriage_return_makes_the_rest_of_a_template_literal() {
    assert_eq!(tokens("\r${1}", LexMode::Template), [(StringLit, "\r${1}"), (Eof, "")]);
    assert_eq!(
        tokens("a\nb\rc\n${1}", LexMode::Template),
        [(StringLit, "a\n"), (StringLit, "b"), (StringLit, "\rc\n${1}"), (Eof, "")]
    );
    assert_eq!(tokens("a\r\nb", LexMode::Template), [(StringLit, "a\r\n"), (StringLit, "b"), (Eof, "")]);
}

#[test]
fn a_carriage_return_makes_the_rest_of_a_heredoc_invalid() {
    assert_eq!(
        tokens("<<E\nx\ry\nE\n", LexMode::Expression),
        [(OHeredoc, "<<E\n"), (StringLit, "x"), (Invalid, "\ry\nE\n"), (Eof, "")]
    );
    let parsed = parse_config("a = <<E\r\nE\r\r\nb = 1\n", &ParseLimits::default());
    assert_eq!(titles(&parsed.diagnostics), ["Invalid character", "Unterminated template string"]);
    let parsed = parse_config("a = <<E\n\rE\nb = 1\n", &ParseLimits::default());
    assert_eq!(titles(&parsed.diagnostics), ["Invalid character", "Unterminated template string"]);
    let parsed = parse_config("a = <<E\r\n\r\nE\r\nb = 1\r\n", &ParseLimits::default());
    assert!(parsed.diagnostics.is_empty());
}

#[test]
fn a_sign_takes_one_character_before_a_line_feed() {
    let texts = |text| -> Vec<&str> {
        tokens(text, LexMode::Template)
            .into_iter()
            .map(|(_, text)| text)
            .filter(|it| !it.is_empty())
            .collect()
    };
    assert_eq!(texts("$\r\n${~1}"), ["$\r", "\n", "${~", "1", "}"]);
    assert_eq!(texts("%\n\n${1}"), ["%\n", "\n", "${", "1", "}"]);
    assert_eq!(texts("%x\ny"), ["%x", "\n", "y"]);
    assert_eq!(texts("%\ny"), ["%", "\n", "y"]);
    assert_eq!(texts("$é\n"), ["$", "é\n"]);
}

#[test]
fn a_sign_takes_one_character_before_a_carriage_return() {
    for (text, expected) in [
        ("5% \r\n", &["5", "% ", "\r\n"][..]),
        ("5%\t\r\n", &["5", "%\t", "\r\n"]),
        ("a$$\r\nb", &["a", "$$", "\r\n", "b"]),
        ("$%\n", &["$%", "\n"]),
        ("%%%\r\n", &["%", "%%", "\r\n"]),
        ("%%\t\r\n", &["%", "%\t", "\r\n"]),
        ("%  \r\n", &["%", "  \r\n"]),
        ("x$\r\r\ny", &["x", "$\r", "\r\n", "y"]),
        ("$2\r", &["$2", "\r"]),
        ("$${a}%%{b}", &["$${", "a}", "%%{", "b}"]),
    ] {
        let found: Vec<&str> = tokens(text, LexMode::Template).into_iter().map(|(_, text)| text).collect();
        assert_eq!(found.split_last().map(|(_, texts)| texts), Some(expected), "{text:?}");
    }
}

#[test]
fn a_sign_at_the_end_is_text_in_a_template_and_invalid_in_a_heredoc() {
    assert_eq!(tokens("a$", LexMode::Template), [(StringLit, "a"), (StringLit, "$"), (Eof, "")]);
    for text in ["<<E\n$", "<<E\n  %"] {
        let parsed = parse_expression(text, &ParseLimits::default());
        assert_eq!(titles(&parsed.diagnostics), ["Invalid character", "Unterminated template string"]);
        let places: Vec<&str> =
            parsed.diagnostics.iter().filter_map(|it| it.subject).map(|span| span.slice(text)).collect();
        assert_eq!(places, [&text[text.len() - 1..]; 2]);
    }
}
