//! Comments that allow warnings.

use std::collections::HashSet;

use hclvm_compiler::source::Source;
use hclvm_compiler::token::TokenKind;
use hclvm_compiler::{LexMode, lex};
use hclvm_vm::{Code, Diagnostic, Span, cast, codes};

const MARKER: &str = "hclvm:allow";

/// The suffix of the marker in comments about the whole file.
const OF_FILE: &str = "-file";

/// The warnings that the comments of a file allow.
#[derive(Default)]
pub(super) struct Allowed {
    /// The names of codes with the line of the comment; `None` for the file.
    codes: HashSet<(&'static str, Option<u32>)>,
    problems: Vec<Diagnostic>,
}

impl Allowed {
    /// Reads the comments of a file.
    pub(super) fn of(source: &Source) -> Self {
        let mut allowed = Self::default();
        // Files without such comments are not split into tokens again.
        if !source.text().contains(MARKER) {
            return allowed;
        }
        for token in lex(&**source.text(), LexMode::Config).tokens {
            if token.kind == TokenKind::Comment {
                allowed.read(source, token.span);
            }
        }
        allowed
    }

    fn read(&mut self, source: &Source, comment: Span) {
        let text = comment.slice(source.text());
        let Some(start) = text.find(MARKER) else { return };
        let mut at = start + MARKER.len();
        let mut line = Some(source.position(comment.start).line);
        if text[at..].starts_with(OF_FILE) {
            at += OF_FILE.len();
            line = None;
        }
        let rest = text[at..].split(['\n', '\r']).next().unwrap_or_default();
        for part in rest.trim_end_matches("*/").split(',') {
            // What follows a code is a reason.
            let name = part.split_whitespace().next().unwrap_or_default();
            if let Some(code) = Code::find(name) {
                self.codes.insert((code.name(), line));
            } else {
                let place = comment.start + cast::length(at + part.find(name).unwrap_or(0));
                self.unknown(name, Span::new(place, place + cast::length(name.len())));
            }
            at += part.len() + 1;
        }
    }

    fn unknown(&mut self, name: &str, span: Span) {
        let near = Code::nearest(name);
        let hint = near.map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
        let detail = format!("There is no code `{name}`.{hint}");
        let warning = Diagnostic::error("Unknown code in a comment", detail, span).warning();
        let replaced = near.map(|near| warning.clone().replacement(span, near.name()));
        self.problems.push(replaced.unwrap_or(warning));
    }

    /// Returns true if a comment allows a warning.
    pub(super) fn allows(&self, source: &Source, warning: &Diagnostic) -> bool {
        if self.codes.is_empty() {
            return false;
        }
        let allowed = |line: Option<u32>| self.codes.contains(&(warning.code().name(), line));
        let at = warning.subject.map(|subject| source.position(subject.start).line);
        allowed(None) || at.is_some_and(|at| allowed(Some(at)) || allowed(at.checked_sub(1)))
    }

    /// Returns the warnings about the comments.
    pub(super) fn into_problems(self) -> Vec<Diagnostic> {
        let allowed = self.codes.iter().any(|(code, _)| *code == codes::UNKNOWN_CODE.name());
        if allowed { Vec::new() } else { self.problems }
    }
}
