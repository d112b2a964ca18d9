//! JSON strings: their escapes, and the template that a string contains.
//!
//! The template is parsed from the decoded string. Its ranges are then moved to where its characters
//! are written in the file ([`CharacterOffsets`]).

use hclvm_vm::{Span, cast};

use super::JsonParser;
use crate::diagnostic;
use crate::limits::ParseLimits;
use crate::source::STAND_INS;
use crate::syntax::lexer::LexMode;
use crate::syntax::parser::Parser;
use crate::syntax::tree::{Node, NodeId, ProblemId, relocated};

impl JsonParser<'_> {
    /// `string = '"' { character | escape } '"'`
    // See `JsonParser::value`.
    #[inline(never)]
    pub(super) fn string(&mut self) -> Option<NodeId> {
        let span = self.scanner.read().span;
        let is_bad = |at: usize| self.scanner.is_bad(span.start + cast::length(at));
        let (decoded, origin) = match decode(span.slice(self.text), span.start, is_bad) {
            Ok(decoded) => decoded,
            Err(at) => {
                let at = span.start + cast::length(at);
                self.complain(diagnostic::json_bad_string(Span::new(at, at + 1)).within(span));
                return None;
            }
        };
        let template = self.template(&decoded, &origin, span);
        let text = self.tree.texts.add(&decoded);
        Some(self.node(Node::JsonString { text, template }, span))
    }

    /// Adds the template in `text`, the decoded content of the string at `span`.
    fn template(&mut self, text: &str, origin: &CharacterOffsets, span: Span) -> NodeId {
        if !text.contains("${") && !text.contains("%{") {
            let plain = text.strip_prefix('\u{FEFF}').unwrap_or(text);
            let id = self.tree.texts.add(plain);
            return self.node(Node::Text(id), span);
        }
        let mark = self.tree.mark();
        let limits = ParseLimits { nesting: self.limits.nesting.saturating_sub(self.depth), ..self.limits };
        let mut parser = Parser::new(text.into(), LexMode::Template, &limits);
        parser.stay_on_line(self.scanner.line);
        parser.tree = std::mem::take(&mut self.tree);
        let root = parser.whole_template();
        self.tree = parser.tree;
        let problems = parser.report.finish();
        if problems.is_empty() {
            self.tree.relocate(mark, |offset| origin.of(offset));
            return root;
        }
        self.tree.take_back(mark);
        self.broken(problems, origin, span)
    }

    /// Adds the problems of a string that is not a valid template.
    fn broken(
        &mut self,
        problems: Vec<diagnostic::Diagnostic>,
        origin: &CharacterOffsets,
        span: Span,
    ) -> NodeId {
        let from = self.children.len();
        let place = |offset| origin.of(offset);
        for mut problem in problems {
            problem.subject = problem.subject.map(|subject| relocated(subject, place));
            problem.context = problem.context.map(|context| relocated(context, place));
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

/// The offsets in the file of the characters of a decoded string.
struct CharacterOffsets {
    /// Ends of the escapes, and of the bytes that were not UTF-8: offset in the decoded string, offset in
    /// the file. The first entry is the start of the content. Between two entries both texts are equal.
    ends: Vec<(u32, u32)>,
}

impl CharacterOffsets {
    /// Returns the offset in the file of an offset in the decoded string.
    fn of(&self, offset: u32) -> u32 {
        let after = self.ends.partition_point(|&(decoded, _)| decoded <= offset);
        let (decoded, file) = after.checked_sub(1).map_or((0, 0), |last| self.ends[last]);
        file + (offset - decoded)
    }
}

/// The characters of a string that are not always copied.
const SPECIAL: [char; 6] = {
    let [byte, two, three, four] = STAND_INS;
    ['"', '\\', byte, two, three, four]
};

/// Decodes a string with its quotes, which begins at `start` in the file. Each byte that was not UTF-8 becomes
/// a replacement character; `is_bad` finds them among the characters that may represent such bytes. The error
/// is the end of the invalid escape.
fn decode(
    raw: &str,
    start: u32,
    is_bad: impl Fn(usize) -> bool,
) -> Result<(String, CharacterOffsets), usize> {
    let mut decoded = String::with_capacity(raw.len());
    let mut origin = CharacterOffsets { ends: vec![(0, start + 1)] };
    let mut at = 1;
    loop {
        let rest = raw.get(at..).unwrap_or("");
        let plain = rest.find(SPECIAL).unwrap_or(rest.len());
        decoded.push_str(&rest[..plain]);
        at += plain;
        match rest[plain..].chars().next() {
            Some('"') => return Ok((decoded, origin)),
            Some('\\') => at += escape(raw, at, &mut decoded)?,
            Some(one) if is_bad(at) => {
                decoded.extend(std::iter::repeat_n(char::REPLACEMENT_CHARACTER, one.len_utf8()));
                at += one.len_utf8();
            }
            Some(one) if !one.is_ascii() => {
                decoded.push(one);
                at += one.len_utf8();
            }
            _ => return Err(raw.len()),
        }
        origin.ends.push((cast::length(decoded.len()), start + cast::length(at)));
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
