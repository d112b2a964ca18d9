//! Reads which paths a Rust source file names, from its tokens.
//!
//! Tokens rather than syntax trees, so that paths inside macros count as well. Attributes, and with
//! them doc comments, do not count, nor do paths that begin with `$crate`.

use std::iter::Peekable;
use std::str::FromStr;

use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

type Tokens = Peekable<IntoIter>;

/// A path of two or more segments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) segments: Vec<String>,
    pub(crate) by: By,
}

/// The statement in which a path occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// An import, `use`.
    Import,
    /// An import that makes the name part of the module, `pub use` or `pub(crate) use`.
    Reexport,
    /// Anything else.
    Code,
}

/// Returns every path of two or more segments that a source file names, in source order.
///
/// A `use` tree counts as its paths: `use a::{b, c::d}` names `a::b` and `a::c::d`.
pub(crate) fn paths(source: &str) -> Vec<Named> {
    let tokens = TokenStream::from_str(source).expect("the source file is Rust");
    let mut found = Vec::new();
    collect(tokens, &[], None, &mut found);
    found.retain(|path| path.segments.len() > 1);
    found
}

/// Collects the paths of a token stream, each continued from `prefix`. `by` is given inside of a `use`
/// tree.
fn collect(tokens: TokenStream, prefix: &[String], by: Option<By>, found: &mut Vec<Named>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut after_dollar = false;
    let mut is_public = false;
    let mut statement = by.unwrap_or(By::Code);
    while let Some(token) = tokens.next() {
        let is_dollar = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '$');
        match token {
            TokenTree::Ident(name) if name == "pub" => is_public = true,
            TokenTree::Ident(name) if name == "use" => {
                statement = if is_public { By::Reexport } else { By::Import };
            }
            // `use a::b as c` names nothing more.
            TokenTree::Ident(name) if name == "as" => drop(tokens.next()),
            TokenTree::Ident(name) => {
                is_public = false;
                let mut segments = prefix.to_vec();
                segments.push(name.to_string());
                let mut ignored = Vec::new();
                let into = if after_dollar { &mut ignored } else { &mut *found };
                path(&mut tokens, Named { segments, by: statement }, into);
            }
            TokenTree::Punct(sign) if sign.as_char() == '#' => skip_attribute(&mut tokens),
            TokenTree::Punct(sign) if sign.as_char() == ';' => statement = By::Code,
            TokenTree::Group(group) if is_public && group.delimiter() == Delimiter::Parenthesis => {}
            TokenTree::Group(group) => collect(group.stream(), prefix, by, found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        after_dollar = is_dollar;
    }
}

/// Collects the path that begins with `start` and continues with the next tokens.
fn path(tokens: &mut Tokens, start: Named, found: &mut Vec<Named>) {
    let Named { mut segments, by } = start;
    while takes_separator(tokens) {
        match tokens.peek() {
            Some(TokenTree::Ident(name)) => {
                segments.push(name.to_string());
                tokens.next();
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                collect(group.stream(), &segments, Some(by), found);
                tokens.next();
                return;
            }
            _ => break,
        }
    }
    found.push(Named { segments, by });
}

/// Takes `::` if it comes next.
fn takes_separator(tokens: &mut Tokens) -> bool {
    let mut ahead = tokens.clone();
    let is_colon =
        |token: Option<TokenTree>| matches!(token, Some(TokenTree::Punct(sign)) if sign.as_char() == ':');
    let found = is_colon(ahead.next()) && is_colon(ahead.next());
    if found {
        *tokens = ahead;
    }
    found
}

/// Takes the rest of an attribute, `[..]` or `![..]`.
fn skip_attribute(tokens: &mut Tokens) {
    if matches!(tokens.peek(), Some(TokenTree::Punct(sign)) if sign.as_char() == '!') {
        tokens.next();
    }
    if matches!(tokens.peek(), Some(TokenTree::Group(_))) {
        tokens.next();
    }
}

#[test]
fn paths_are_read_from_uses_expressions_and_macros_but_not_from_comments() {
    let source = r#"
        //! See [`crate::not::here`].
        use crate::a::{self, b::C, d as e};
        pub(crate) use f::G;
        #[doc = "crate::nor::here"]
        pub fn h() { super::i(crate::j::<u8>()); println!("{}", self::k()); $crate::l(); alone; }
    "#;
    let shown: Vec<String> =
        paths(source).iter().map(|path| format!("{:?} {}", path.by, path.segments.join("::"))).collect();
    let expected = [
        "Import crate::a::self",
        "Import crate::a::b::C",
        "Import crate::a::d",
        "Reexport f::G",
        "Code super::i",
        "Code crate::j",
        "Code self::k",
    ];
    assert_eq!(shown, expected);
}
