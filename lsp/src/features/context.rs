//! What is at a position, from the tokens before it: where a name may be written, and the calls around. Unlike the tree,
//! the tokens of a text that is being written are never wrong.

use hclvm::diagnostics::Span;
use hclvm::syntax::tree::{Token, TokenKind};

use crate::analysis::Analysis;

/// The place where a name is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameContext {
    /// At the beginning of an item of a body: the types of the blocks around, and of the last one its labels.
    Item(Vec<String>),
    /// In an expression.
    Expression,
    /// Behind a dot: the range of what is before the dot.
    Member(Span),
    /// Behind `%{`.
    Directive,
    /// In a text.
    Text(Span),
    /// In a comment, or behind the type of a block.
    Nothing,
}

/// A call around a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallContext {
    pub(crate) name: String,
    /// The number of commas before the position.
    pub(crate) argument: usize,
}

/// What encloses a position.
#[derive(Clone, Debug)]
enum EnclosingFrame {
    /// A body: the type of its block, and where its current item is.
    Body(String, Item),
    /// Brackets in an expression: for a call its name and the number of commas.
    Brackets(Option<String>, usize),
    /// `${`, or `%{` with the number of tokens behind it.
    Sequence(bool, usize),
}

/// The place in an item of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Start,
    /// Behind the first name.
    Header,
    /// Behind `=`.
    Expression,
}

/// What is known at a position.
#[derive(Debug)]
pub(crate) struct Surroundings {
    pub(crate) context: NameContext,
    /// The range of the name that is being written, before and behind the position.
    pub(crate) word: Span,
    /// The innermost call.
    pub(crate) call: Option<CallContext>,
}

/// Returns what is at a byte of a text.
pub(crate) fn surroundings(analysis: &Analysis, offset: u32) -> Surroundings {
    let (text, tokens) = (analysis.text(), analysis.tokens());
    let before = tokens.partition_point(|token| token.span.end <= offset && token.kind != TokenKind::Eof);
    let mut frames = vec![EnclosingFrame::Body(String::new(), Item::Start)];
    let mut first_name = "";
    for (at, token) in tokens[..before].iter().enumerate() {
        // A name that ends at the position is being written.
        if token.kind == TokenKind::Ident && token.span.end == offset {
            break;
        }
        step(&mut frames, tokens, at, *token, text, &mut first_name);
    }
    let written =
        tokens[..before].last().filter(|token| token.kind == TokenKind::Ident && token.span.end == offset);
    let inside = tokens.get(before).filter(|token| token.span.start < offset);
    let word = written.or(inside.filter(|token| token.kind == TokenKind::Ident));
    let word = word.map_or(Span::new(offset, offset), |token| token.span);
    let call = frames.iter().rev().take_while(|frame| !matches!(frame, EnclosingFrame::Body(..)));
    let call = call.filter_map(|frame| match frame {
        EnclosingFrame::Brackets(Some(name), commas) => {
            Some(CallContext { name: name.clone(), argument: *commas })
        }
        _ => None,
    });
    let call = call.into_iter().next();
    let previous = tokens[..before]
        .iter()
        .rev()
        .find(|token| token.span.end <= word.start && token.kind != TokenKind::Comment);
    let context = match inside.map(|token| (token.kind, token.span)) {
        Some((TokenKind::Comment | TokenKind::NumberLit, _)) => NameContext::Nothing,
        Some((TokenKind::QuotedLit | TokenKind::StringLit, span)) => NameContext::Text(span),
        _ => of_frames(&frames, previous, tokens, word, offset),
    };
    // A line comment includes its line break, and the position before that is in it.
    let in_comment = tokens[..before].last().is_some_and(|token| {
        token.kind == TokenKind::Comment
            && token.span.end == offset
            && !token.span.slice(text).ends_with('\n')
            && !token.span.slice(text).ends_with("*/")
    });
    let context = if in_comment { NameContext::Nothing } else { context };
    Surroundings { context, word, call }
}

fn of_frames(
    frames: &[EnclosingFrame],
    previous: Option<&Token>,
    tokens: &[Token],
    word: Span,
    offset: u32,
) -> NameContext {
    let quoted =
        |token: &Token| matches!(token.kind, TokenKind::OQuote | TokenKind::QuotedLit | TokenKind::StringLit);
    if let Some(token) = previous.filter(|token| quoted(token) && token.span.end == offset) {
        let start = if token.kind == TokenKind::OQuote { offset } else { token.span.start };
        return NameContext::Text(Span::new(start, offset));
    }
    let is_expression = match frames.last() {
        Some(EnclosingFrame::Body(_, Item::Start)) => {
            let kinds = frames.iter().filter_map(|frame| match frame {
                EnclosingFrame::Body(kind, _) => Some(kind.clone()),
                _ => None,
            });
            return NameContext::Item(kinds.skip(1).collect());
        }
        Some(EnclosingFrame::Body(_, Item::Header)) => return NameContext::Nothing,
        Some(EnclosingFrame::Sequence(true, 0)) => return NameContext::Directive,
        _ => true,
    };
    if let Some(dot) =
        previous.filter(|token| is_expression && token.kind == TokenKind::Dot && token.span.end <= word.start)
    {
        return NameContext::Member(Span::new(traversal_start(tokens, dot.span.start), dot.span.start));
    }
    NameContext::Expression
}

/// Returns where the traversal begins that ends before a dot.
fn traversal_start(tokens: &[Token], dot: u32) -> u32 {
    let behind = tokens.partition_point(|token| token.span.start < dot);
    let (mut start, mut depth, mut after_name) = (dot, 0_usize, false);
    for token in tokens[..behind].iter().rev() {
        match token.kind {
            TokenKind::CBrack => depth += 1,
            TokenKind::OBrack if depth > 0 => {
                depth -= 1;
                after_name = false;
                start = token.span.start;
                continue;
            }
            _ if depth > 0 => {}
            TokenKind::Ident if !after_name => after_name = true,
            TokenKind::Dot if after_name || start == token.span.end => after_name = false,
            _ => break,
        }
        start = token.span.start;
    }
    start
}

fn step<'t>(
    frames: &mut Vec<EnclosingFrame>,
    tokens: &[Token],
    at: usize,
    token: Token,
    text: &'t str,
    first_name: &mut &'t str,
) {
    if let Some(EnclosingFrame::Sequence(_, count)) = frames.last_mut() {
        *count += 1;
    }
    match token.kind {
        TokenKind::Newline | TokenKind::Comment => {
            let ends = token.kind == TokenKind::Newline || token.span.slice(text).ends_with('\n');
            if let Some(EnclosingFrame::Body(_, item)) = frames.last_mut()
                && ends
            {
                *item = Item::Start;
            }
        }
        TokenKind::Ident => {
            if let Some(EnclosingFrame::Body(_, item @ Item::Start)) = frames.last_mut() {
                *item = Item::Header;
                *first_name = token.span.slice(text);
            }
        }
        TokenKind::Equal => {
            if let Some(EnclosingFrame::Body(_, item)) = frames.last_mut() {
                *item = Item::Expression;
            }
        }
        TokenKind::OBrace => match frames.last() {
            Some(EnclosingFrame::Body(_, Item::Header | Item::Start)) => {
                frames.push(EnclosingFrame::Body((*first_name).to_owned(), Item::Start));
            }
            _ => frames.push(EnclosingFrame::Brackets(None, 0)),
        },
        TokenKind::OBrack => frames.push(EnclosingFrame::Brackets(None, 0)),
        TokenKind::OParen => frames.push(EnclosingFrame::Brackets(called(tokens, at, text), 0)),
        TokenKind::TemplateInterp => frames.push(EnclosingFrame::Sequence(false, 0)),
        TokenKind::TemplateControl => frames.push(EnclosingFrame::Sequence(true, 0)),
        TokenKind::CBrace | TokenKind::CBrack | TokenKind::CParen | TokenKind::TemplateSeqEnd => {
            if frames.len() > 1 {
                frames.pop();
            }
            if let (Some(EnclosingFrame::Body(_, item)), TokenKind::CBrace) = (frames.last_mut(), token.kind)
                && *item == Item::Header
            {
                *item = Item::Expression;
            }
        }
        TokenKind::Comma => {
            if let Some(EnclosingFrame::Brackets(_, commas)) = frames.last_mut() {
                *commas += 1;
            }
        }
        _ => {}
    }
}

/// Returns the name of the function before a parenthesis, with its namespaces.
fn called(tokens: &[Token], open: usize, text: &str) -> Option<String> {
    let mut parts = Vec::new();
    for token in tokens[..open].iter().rev().take(16) {
        let wanted = if parts.len() % 2 == 0 { TokenKind::Ident } else { TokenKind::DoubleColon };
        if token.kind != wanted {
            break;
        }
        parts.push(token.span.slice(text));
    }
    parts.reverse();
    (!parts.is_empty()).then(|| parts.concat())
}
