//! JSON strings: their escapes, and the template that a string contains.
//!
//! The template is parsed from the decoded string, so ranges inside it count decoded bytes from the
//! opening quote: they are exact unless an escape precedes them. The reference computes them likewise.

use hclvm_vm::{Span, cast};

use super::JsonParser;
use crate::diagnostic;
use crate::limits::ParseLimits;
use crate::syntax::lexer::LexMode;
use crate::syntax::parser::Parser;
use crate::syntax::tree::{Node, NodeId, ProblemId, shifted};

impl JsonParser<'_> {
    /// `string = '"' { character | escape } '"'`
    // See `JsonParser::value`.
    #[inline(never)]
    pub(super) fn string(&mut self) -> Option<NodeId> {
        let span = self.scanner.read().span;
        let decoded = match decode(span.slice(self.text)) {
            Ok(decoded) => decoded,
            Err(at) => {
                let at = span.start + cast::length(at);
                self.complain(diagnostic::json_bad_string(Span::new(at, at + 1)).within(span));
                return None;
            }
        };
        let decoded = self.without_bad_bytes(decoded, span);
        let template = self.template(&decoded, span);
        let text = self.tree.texts.add(&decoded);
        Some(self.node(Node::JsonString { text, template }, span))
    }

    /// Replaces bytes that were not UTF-8 with the replacement character.
    fn without_bad_bytes(&self, decoded: String, span: Span) -> String {
        let raw = span.slice(self.text);
        let is_bad = |at: usize| self.scanner.is_bad(span.start + cast::length(at));
        if raw.is_ascii() || !raw.char_indices().any(|(at, _)| is_bad(at)) {
            return decoded;
        }
        decoded.replace(crate::source::BAD_BYTE, "\u{FFFD}")
    }

    /// Adds the template in `text`, the content of the string at `span`.
    fn template(&mut self, text: &str, span: Span) -> NodeId {
        if !text.contains("${") && !text.contains("%{") {
            let plain = text.strip_prefix('\u{FEFF}').unwrap_or(text);
            let id = self.tree.texts.add(plain);
            return self.node(Node::Text(id), span);
        }
        let mark = self.tree.mark();
        let limits = ParseLimits { nesting: self.limits.nesting.saturating_sub(self.depth), ..self.limits };
        let mut parser = Parser::new(text.into(), LexMode::Template, &limits);
        parser.tree = std::mem::take(&mut self.tree);
        let root = parser.whole_template();
        self.tree = parser.tree;
        let problems = parser.report.finish();
        let by = span.start + 1;
        if problems.is_empty() {
            self.tree.shift(mark, by);
            return root;
        }
        self.tree.take_back(mark);
        self.broken(problems, by, span)
    }

    /// Adds the problems of a string that is not a valid template.
    fn broken(&mut self, problems: Vec<diagnostic::Diagnostic>, by: u32, span: Span) -> NodeId {
        let from = self.children.len();
        for mut problem in problems {
            problem.subject = problem.subject.map(|subject| shifted(subject, by));
            problem.context = problem.context.map(|context| shifted(context, by));
            let subject = problem.subject.unwrap_or(span);
            let id = ProblemId::at(self.tree.problems.len());
            self.tree.problems.push(problem);
            let node = self.node(Node::Problem(id), subject);
            self.children.push(node);
        }
        let list = self.list_since(from);
        self.node(Node::Broken(list), span)
    }
}

/// Decodes a string with its quotes. The error is the end of the invalid escape.
fn decode(raw: &str) -> Result<String, usize> {
    let mut decoded = String::with_capacity(raw.len());
    let mut at = 1;
    loop {
        let rest = raw.get(at..).unwrap_or("");
        let plain = rest.find(['"', '\\']).unwrap_or(rest.len());
        decoded.push_str(&rest[..plain]);
        at += plain;
        match rest.as_bytes().get(plain) {
            Some(b'"') => return Ok(decoded),
            Some(_) => at += escape(raw, at, &mut decoded)?,
            None => return Err(raw.len()),
        }
    }
}

/// Decodes the escape at `at` and returns its length.
fn escape(raw: &str, at: usize, decoded: &mut String) -> Result<usize, usize> {
    let selector = *raw.as_bytes().get(at + 1).ok_or(raw.len())?;
    decoded.push(match selector {
        b'"' | b'\\' | b'/' => char::from(selector),
        b'b' => '\u{8}',
        b'f' => '\u{C}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(raw, at, decoded),
        _ => return Err(at + 2),
    });
    Ok(2)
}

/// `unicode = "\u" 4 * hex`, or two of them that form a surrogate pair. A lone surrogate decodes to
/// the replacement character.
fn unicode(raw: &str, at: usize, decoded: &mut String) -> Result<usize, usize> {
    let first = four_digits(raw, at + 2)?;
    if !(0xD800..0xDC00).contains(&first) {
        decoded.push(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        return Ok(6);
    }
    if raw[at + 6..].starts_with("\\u") {
        let second = four_digits(raw, at + 8)?;
        if (0xDC00..0xE000).contains(&second) {
            let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            decoded.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            return Ok(12);
        }
    }
    decoded.push(char::REPLACEMENT_CHARACTER);
    Ok(6)
}

fn four_digits(raw: &str, from: usize) -> Result<u32, usize> {
    let mut code = 0;
    for at in from..from + 4 {
        let digit = raw.as_bytes().get(at).and_then(|byte| char::from(*byte).to_digit(16));
        code = code * 16 + digit.ok_or(raw.len().min(from + 4))?;
    }
    Ok(code)
}
