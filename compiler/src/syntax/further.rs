//! The mistakes that follow the first one, where the parse itself has given up.
//!
//! A text with a syntax error is repaired where its first problem is and parsed again, until there is no
//! problem or no repair. A repair is the change that the problem proposes; without one, the smallest item
//! around the place is replaced by `null` ([`hole`]). Each parse is an ordinary one, so a further problem
//! is what the parser reports for the text when the mistakes before it are corrected. A problem beside a
//! repair is a consequence of that repair, and a text that can only be repaired by guessing is left alone:
//! neither is reported.

mod hole;
mod patched;

use hclvm_vm::{Diagnostic, Replacement, Span, cast};

use crate::limits::ParseLimits;
use crate::source::Input;
use crate::syntax::advice::{TokenView, closes, opens};
use crate::syntax::lexer::LexMode;
use crate::syntax::parser::Parser;
use crate::syntax::token::{Token, TokenKind};
use patched::Patched;

/// Bytes that all parses of one text may read together: a hundred parses of a file of 160 KiB. The
/// mistakes of larger files take more runs to be reported.
const BYTES: usize = 16 << 20;

/// Repairs that change nothing visible before the search ends: a few nested items.
const SILENT: usize = 12;

/// Returns the problems of a text that its parse did not report, in source order, each marked as a further
/// one. `first` are the problems that the parse reported, all of them; if there are none, or if a limit
/// ended it, there are no further ones.
pub fn further<'t>(
    input: impl Into<Input<'t>>,
    mode: LexMode,
    limits: &ParseLimits,
    first: &[Diagnostic],
) -> Vec<Diagnostic> {
    let input = input.into();
    let room = limits.diagnostics.saturating_sub(first.len());
    if first.is_empty() || !input.bad.is_empty() || input.text.len() > BYTES.min(limits.source_bytes) {
        return Vec::new();
    }
    let mut search = RepairSearch { patched: Patched::new(input.text), repairs: Vec::new(), guessed: false };
    let mut found: Vec<Diagnostic> = Vec::new();
    // The line breaks in the quoted strings of the text.
    let mut strings: Vec<Span> = Vec::new();
    let (mut bytes, mut silent) = (0, 0);
    while found.len() < room && silent < SILENT {
        bytes += search.patched.text().len();
        if bytes > BYTES {
            break;
        }
        let Some((problem, tokens)) = first_problem(search.patched.text(), mode, limits) else { break };
        let Some(place) = problem.subject else { break };
        if search.repairs.is_empty() {
            let ends = tokens.iter().filter(|token| token.kind == TokenKind::QuotedNewline);
            strings = ends.map(|token| token.span).collect();
        }
        let told = search.patched.original(problem.clone());
        let is_known = first.iter().chain(&found).any(|one| is_beside(one, &told, input.text));
        let beside = search.is_beside_repair(&tokens, &problem, place)
            || search.guessed && (leans(&problem, &tokens, place) || search.is_on_line_of_repair(place))
            || !is_known && strings.iter().any(|end| is_of_string(*end, &told, input.text));
        if beside {
            silent += 1;
        } else if !is_known {
            silent = 0;
            found.push(told);
        }
        if !search.repair(&problem, &tokens, mode, beside) {
            break;
        }
    }
    for problem in &mut found {
        problem.additions_mut().further = true;
    }
    found.sort_by_key(|problem| problem.subject.map(|span| span.start));
    found
}

/// Returns true if two problems begin at one place, or if only blanks are between them.
fn is_beside(one: &Diagnostic, other: &Diagnostic, text: &str) -> bool {
    let (Some(one), Some(other)) = (one.subject, other.subject) else { return false };
    let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
    let gap = Span::new(first.end.min(second.start), second.start).slice(text);
    one.start == other.start || first.end <= second.start && gap.trim_matches([' ', '\t']).is_empty()
}

/// Returns true if a string that does not end on its line, with its line break at `end`, is on the line of a
/// problem or before it: the quotes there may be those of other strings.
fn is_of_string(end: Span, problem: &Diagnostic, text: &str) -> bool {
    let Some(place) = problem.subject else { return false };
    let between = Span::new(place.start.min(end.start), end.start.max(place.start)).slice(text);
    let between = if end.start < place.start { between.trim_start() } else { between };
    !between.contains('\n')
}

/// Parses a text and returns its first problem, with the tokens; `None` if it has none, or if it exceeds a
/// limit.
fn first_problem(text: &str, mode: LexMode, limits: &ParseLimits) -> Option<(Diagnostic, Vec<Token>)> {
    let limits = ParseLimits { diagnostics: 1, ..*limits };
    let mut parser = Parser::new(Input::from(text), mode, &limits);
    match mode {
        LexMode::Config => drop(parser.file()),
        LexMode::Expression => drop(parser.whole_expression()),
        LexMode::Template => drop(parser.whole_template()),
    }
    if parser.limit.is_some() {
        return None;
    }
    let (problems, tokens) = parser.into_problems();
    Some((problems.into_iter().next()?, tokens))
}

/// A text under repair.
struct RepairSearch {
    patched: Patched,
    /// Where the text was repaired, as ranges of the repaired text.
    repairs: Vec<Span>,
    /// True once a repair was a guess: what opens, closes or repeats something elsewhere may then be a
    /// consequence.
    guessed: bool,
}

/// Returns how many brackets and quotes of each kind a text leaves open.
fn depth(text: &str) -> [isize; 4] {
    let count = |sign: char| isize::try_from(text.matches(sign).count()).unwrap_or_default();
    [count('(') - count(')'), count('[') - count(']'), count('{') - count('}'), count('"') % 2]
}

/// Returns true if a problem depends on another place: on an open bracket, or on the end of a string.
fn leans(problem: &Diagnostic, tokens: &[Token], place: Span) -> bool {
    let labelled = problem.additions.as_ref().is_some_and(|additions| !additions.labels.is_empty());
    let at = tokens.partition_point(|token| token.span.start < place.start);
    let kind = tokens.get(at).map_or(TokenKind::Eof, |token| token.kind);
    let behind = tokens[..at.min(tokens.len())].iter().rev().find(|token| token.kind != TokenKind::Newline);
    labelled
        || behind.is_some_and(|token| closes(token.kind) && token.kind != TokenKind::CQuote)
        || closes(kind)
        || opens(kind)
        || matches!(kind, TokenKind::Eof)
}

impl RepairSearch {
    /// Returns true if a repair touches a place, or is in front of the token there.
    fn is_beside_repair(&self, tokens: &[Token], problem: &Diagnostic, place: Span) -> bool {
        // Words in place of operators come in rows: `a and b and c`.
        let word =
            |change: &Replacement| change.span.slice(self.patched.text()).chars().all(char::is_alphabetic);
        let changes = problem.additions.iter().flat_map(|additions| &additions.replacements);
        let near = if changes.filter(|change| !change.span.is_empty()).any(word) { 1 } else { 2 };
        let at = tokens.partition_point(|token| token.span.start < place.start);
        let start = at.checked_sub(near).map_or(0, |before| tokens[before].span.start);
        let end = tokens.get(at + near).map_or(place.end, |after| after.span.end).max(place.end);
        self.repairs.iter().any(|repair| repair.start <= end && start <= repair.end)
    }

    /// Returns true if a repair is on the line of a place.
    fn is_on_line_of_repair(&self, place: Span) -> bool {
        let between = |start: u32, end: u32| Span::new(start, end.max(start)).slice(self.patched.text());
        self.repairs.iter().any(|repair| {
            let (first, second) =
                if repair.start < place.start { (*repair, place) } else { (place, *repair) };
            !between(first.end.min(second.start), second.start).contains('\n')
        })
    }

    /// Repairs the text for a problem; false if that is not possible. `beside` says that the repair before
    /// has caused it.
    fn repair(&mut self, problem: &Diagnostic, tokens: &[Token], mode: LexMode, beside: bool) -> bool {
        let proposed = problem.additions.as_ref().and_then(|additions| additions.replacements.first());
        if let Some(change) = proposed.filter(|_| !beside) {
            // A string or bracket in the wrong place changes how all that follows is read.
            let next = tokens
                .iter()
                .find(|token| token.span.start >= change.span.end && token.kind != TokenKind::Newline);
            let closes_before_item =
                change.span.is_empty() && next.is_some_and(|token| token.kind == TokenKind::Ident);
            self.guessed |=
                !closes_before_item && depth(change.span.slice(self.patched.text())) != depth(&change.text);
            self.change(change.span, &change.text);
            return true;
        }
        if mode == LexMode::Template {
            return false;
        }
        let view = TokenView { text: self.patched.text(), tokens };
        match problem.subject.and_then(|place| hole::around(view, place)) {
            Some((span, text)) => {
                self.guessed |= !hole::is_contained(view, span);
                self.change(span, &text);
                true
            }
            None => false,
        }
    }

    fn change(&mut self, span: Span, text: &str) {
        self.patched.replace(span, text);
        let (length, shift) = (cast::length(text.len()), span.end - span.start);
        self.repairs.retain(|repair| repair.end < span.start || span.end < repair.start);
        for repair in &mut self.repairs {
            if repair.start >= span.end {
                repair.start = repair.start - shift + length;
                repair.end = repair.end - shift + length;
            }
        }
        self.repairs.push(Span::new(span.start, span.start + length));
    }
}
