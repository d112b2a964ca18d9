//! A fast path in front of the logos lexers of code and quoted text, for the tokens that their first bytes identify.
//!
//! Recognizes names, whole numbers, signs, strings without escapes, and interpolations; everything else is left to
//! [`super::modes`]. Debug builds assert that both agree on every token. The workload `compile` takes about 15 % more
//! instructions without it.

use super::identifier::CONTINUES;
use crate::syntax::token::{Token, TokenKind, span};

/// Appends the tokens of code from `at` on to `tokens`, up to the first that is left to logos, and
/// returns where that one begins. Raises `longest` to the length of the longest name.
///
/// Kept out of the scanner so that the cursor and the vector stay in registers.
#[inline(never)]
pub(super) fn read_code(text: &[u8], mut at: usize, tokens: &mut Vec<Token>, longest: &mut usize) -> usize {
    let mut longest_here = *longest;
    let token = |kind, start: usize, end: usize| Token { kind, span: span(start, end) };
    while let Some(&byte) = text.get(at) {
        // Names before blanks: most tokens are names, and the blank before one is a round of its own.
        let (kind, end) = if BEGINS[usize::from(byte)] {
            let Some(end) = end_of_name(text, at) else { break };
            longest_here = longest_here.max(end - at);
            (TokenKind::Ident, end)
        } else if matches!(byte, b' ' | b'\t') {
            at += 1;
            continue;
        } else if let Some(found) = sign_or_number(text, at, byte) {
            found
        } else if let Some(close) = end_of_plain_string(text, at) {
            tokens.extend([
                token(TokenKind::OQuote, at, at + 1),
                token(TokenKind::QuotedLit, at + 1, close),
                token(TokenKind::CQuote, close, close + 1),
            ]);
            at = close + 1;
            continue;
        } else {
            break;
        };
        tokens.push(token(kind, at, end));
        at = end;
    }
    *longest = longest_here;
    at
}

/// Returns the end of the name that begins at `start`, if its characters are ASCII.
// Part of the loop in `read_code`; a call would spill its cursor.
#[inline(always)]
fn end_of_name(text: &[u8], start: usize) -> Option<usize> {
    let end = end_of_run(text, start + 1, |byte| CONTINUES[usize::from(byte)]);
    text.get(end).is_none_or(u8::is_ascii).then_some(end)
}

/// Returns the sign or number that begins at `start` with `byte`, with its end.
// Part of the loop in `read_code`; a call would spill its cursor.
#[inline(always)]
fn sign_or_number(text: &[u8], start: usize, byte: u8) -> Option<(TokenKind, usize)> {
    if let Some(kind) = SIGNS[usize::from(byte)] {
        return Some((kind, start + 1));
    }
    let next = text.get(start + 1).copied().unwrap_or(b'\n');
    let (kind, length) = match (byte, next) {
        (b'.', b'.') | (b':', b':') => return None,
        (b'.', _) => (TokenKind::Dot, 1),
        (b':', _) => (TokenKind::Colon, 1),
        (b'=', b'=') => (TokenKind::EqualOp, 2),
        (b'=', b'>') => (TokenKind::FatArrow, 2),
        (b'=', _) => (TokenKind::Equal, 1),
        (b'!', b'=') => (TokenKind::NotEqual, 2),
        (b'!', _) => (TokenKind::Bang, 1),
        (b'>', b'=') => (TokenKind::GreaterThanEq, 2),
        (b'>', _) => (TokenKind::GreaterThan, 1),
        (b'&', b'&') => (TokenKind::And, 2),
        (b'|', b'|') => (TokenKind::Or, 2),
        (b'0'..=b'9', _) => {
            let end = end_of_run(text, start + 1, |byte| byte.is_ascii_digit());
            let ends = !matches!(text.get(end), Some(b'.' | b'e' | b'E'));
            return ends.then_some((TokenKind::NumberLit, end));
        }
        _ => return None,
    };
    Some((kind, start + length))
}

/// Returns the closing quote of the string that begins at `open` if the string is one literal
/// without escapes, as most strings are.
// Part of the loop in `read_code`; a call would spill its cursor.
#[inline(always)]
fn end_of_plain_string(text: &[u8], open: usize) -> Option<usize> {
    if text.get(open) != Some(&b'"') {
        return None;
    }
    let close = end_of_run(text, open + 1, |byte| !SPECIAL[usize::from(byte)]);
    (close > open + 1 && text.get(close) == Some(&b'"')).then_some(close)
}

/// Returns the kind of the token of code at `at` if it is one byte that changes the mode, or may.
pub(super) fn mode_sign(text: &[u8], at: usize) -> Option<TokenKind> {
    match text.get(at)? {
        b'"' => Some(TokenKind::OQuote),
        b'{' => Some(TokenKind::OBrace),
        b'}' => Some(TokenKind::CBrace),
        _ => None,
    }
}

/// Returns the token of quoted text that begins at `start`, with its end: text without escapes before a quote or
/// an interpolation, or one of these.
pub(super) fn quoted_token(text: &[u8], start: usize) -> Option<(TokenKind, usize)> {
    let end = end_of_run(text, start, |byte| !SPECIAL[usize::from(byte)]);
    let (kind, length) = match text.get(end..)? {
        [b'"', ..] => (TokenKind::CQuote, 1),
        [b'$', b'{', b'~', ..] => (TokenKind::TemplateInterp, 3),
        [b'$', b'{', ..] => (TokenKind::TemplateInterp, 2),
        _ => return None,
    };
    Some(if end > start { (TokenKind::QuotedLit, end) } else { (kind, end + length) })
}

/// Returns where the run of bytes from `start` on that satisfy `belongs` ends.
// Each caller's test has to be compiled into its loop.
#[inline(always)]
fn end_of_run(text: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let mut end = start;
    // Unrolled, so that eight bytes share one check of the text's end.
    while let Some(&[a, b, c, d, e, f, g, h]) = text.get(end..end + 8) {
        if !belongs(a) {
            return end;
        } else if !belongs(b) {
            return end + 1;
        } else if !belongs(c) {
            return end + 2;
        } else if !belongs(d) {
            return end + 3;
        } else if !belongs(e) {
            return end + 4;
        } else if !belongs(f) {
            return end + 5;
        } else if !belongs(g) {
            return end + 6;
        } else if !belongs(h) {
            return end + 7;
        }
        end += 8;
    }
    end_of_last_run(text, end, belongs)
}

/// [`end_of_run`] for the last bytes of the text.
// Out of line: at most once for a text. A second loop would take registers from the first one.
#[cold]
#[inline(never)]
fn end_of_last_run(text: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.iter().take_while(|byte| belongs(**byte)).count()
}

/// The bytes that begin a name. These tables are indexed by byte, so that a lookup needs no comparison.
const BEGINS: [bool; 256] = {
    let mut table = CONTINUES;
    table[b'-' as usize] = false;
    let mut digit = b'0';
    while digit <= b'9' {
        table[digit as usize] = false;
        digit += 1;
    }
    table
};

/// The tokens of code that are one byte and begin no other token.
const SIGNS: [Option<TokenKind>; 256] = {
    let mut signs = [None; 256];
    signs[b'\n' as usize] = Some(TokenKind::Newline);
    signs[b'[' as usize] = Some(TokenKind::OBrack);
    signs[b']' as usize] = Some(TokenKind::CBrack);
    signs[b'(' as usize] = Some(TokenKind::OParen);
    signs[b')' as usize] = Some(TokenKind::CParen);
    signs[b'*' as usize] = Some(TokenKind::Star);
    signs[b'+' as usize] = Some(TokenKind::Plus);
    signs[b'-' as usize] = Some(TokenKind::Minus);
    signs[b'%' as usize] = Some(TokenKind::Percent);
    signs[b',' as usize] = Some(TokenKind::Comma);
    signs[b'?' as usize] = Some(TokenKind::Question);
    signs
};

/// The bytes that are not literal text between quotes.
const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let bytes = b"\"\\$%\r\n\x1A";
    let mut at = 0;
    while at < bytes.len() {
        special[bytes[at] as usize] = true;
        at += 1;
    }
    special
};
