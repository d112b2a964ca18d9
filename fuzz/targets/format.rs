//! Any text without syntax errors can be formatted; formatting keeps its tokens, and formatting again
//! changes nothing.
#![no_main]

use hclvm_compiler::token::TokenKind;
use hclvm_compiler::{LexMode, lex};
use libfuzzer_sys::fuzz_target;

/// The tokens of a text without the blanks between them.
fn tokens(text: &str) -> Vec<(TokenKind, &str)> {
    lex(text, LexMode::Config).tokens.iter().map(|token| (token.kind, token.span.slice(text))).collect()
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let engine = hclvm_fuzz::engine();
    // A text that cannot be formatted has errors, or would be too long.
    let Ok(formatted) = engine.format("fuzz.hcl", text) else { return };
    assert_eq!(tokens(&formatted), tokens(text));
    let again = engine.format("fuzz.hcl", &formatted).expect("formatted text has no errors");
    assert_eq!(again, formatted);
});
