//! Further diagnostics of files with one mistake, where each would be a consequence of it, and of files with
//! two.
//!
//! Every valid file of the corpus is damaged in four ways at random places: a token is removed, written
//! twice, exchanged with the next one, or replaced by another token of the file.

use std::path::Path;

use hclvm_compiler::source::decode;
use hclvm_compiler::token::{Token, TokenKind};
use hclvm_compiler::{LexMode, ParseLimits, further, lex, parse_config};
use hclvm_vm::Diagnostic;
use libtest_mimic::Failed;

/// Files in a thousand that may have a further diagnostic. 13 of 4,111 have one, of which most exchange two
/// tokens on different lines.
const MOST: usize = 5;

/// Files in a hundred in which the second of two mistakes has to be reported: 3,067 of 3,801, and 2,254 without
/// further diagnostics.
const LEAST: usize = 70;

/// A linear congruential generator, so that every run damages the files alike.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

const DAMAGES: [&str; 4] = ["removed", "doubled", "exchanged", "replaced"];

/// Damages a text at a random token.
fn damaged(text: &str, tokens: &[Token], damage: &str, random: &mut Random) -> String {
    let bytes = |token: &Token| token.span.start as usize..token.span.end as usize;
    let at = random.below(tokens.len());
    let (token, range) = (&tokens[at], bytes(&tokens[at]));
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let own = &text[range.clone()];
    match damage {
        "removed" => format!("{before}{after}"),
        "doubled" => format!("{before}{own} {own}{after}"),
        "exchanged" => {
            let next = tokens.get(at + 1).unwrap_or(token);
            let (gap, other) =
                (&text[range.end.min(bytes(next).start)..bytes(next).start], &text[bytes(next)]);
            format!("{before}{other}{gap}{own}{}", &text[bytes(next).end..])
        }
        _ => {
            let other = &tokens[random.below(tokens.len())];
            format!("{before}{}{after}", &text[bytes(other)])
        }
    }
}

/// Returns the tokens of a text that a mistake can be about.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = lex(text, LexMode::Config).tokens;
    tokens.retain(|token| !matches!(token.kind, TokenKind::Comment | TokenKind::Newline | TokenKind::Eof));
    tokens
}

/// The valid files of the corpus up to 64 KiB.
fn files(corpus: &Path) -> Vec<(String, String)> {
    let index = std::fs::read_to_string(corpus.join("INDEX.tsv")).expect("an index");
    let mut files = Vec::new();
    for row in index.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let (path, mode, verdict) = (columns[0], columns[10], columns[11]);
        let text = decode(&std::fs::read(corpus.join(path)).expect("a file")).text;
        if mode != "template" && verdict == "valid" && text.len() <= 64 << 10 && !tokens(&text).is_empty() {
            files.push((path.to_owned(), text));
        }
    }
    files
}

fn problems(text: &str) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let limits = ParseLimits::default();
    let first = parse_config(text, &limits).diagnostics;
    let more = further(text, LexMode::Config, &limits, &first);
    (first, more)
}

/// One mistake has no further diagnostics but for a few per mille of the files.
pub(crate) fn one_mistake_has_no_further_diagnostics(corpus: &Path) -> Result<(), Failed> {
    let mut random = Random(18);
    let (mut all, mut examples) = (0, Vec::new());
    for (path, text) in files(corpus) {
        for damage in DAMAGES {
            let damaged = damaged(&text, &tokens(&text), damage, &mut random);
            let (first, more) = problems(&damaged);
            all += usize::from(!first.is_empty());
            if !more.is_empty() {
                examples.push(example(&path, damage, &damaged, &first, &more));
            }
        }
    }
    let summary = format!("{} of {all} files with one mistake have further diagnostics", examples.len());
    if examples.len() * 1000 > all * MOST {
        return Err(format!("{summary}\n{}", examples.join("\n")).into());
    }
    Ok(())
}

/// Of two mistakes, one in each half of a file, the second is reported in most files. Without further
/// diagnostics it is reported in about half of them.
pub(crate) fn two_mistakes_are_told(corpus: &Path) -> Result<(), Failed> {
    let mut random = Random(19);
    let (mut all, mut before, mut told) = (0usize, 0usize, 0usize);
    for (_, text) in files(corpus) {
        let half = text.match_indices('\n').map(|(at, _)| at + 1).find(|at| *at > text.len() / 2);
        let Some(middle) = half else { continue };
        let (one, two) = text.split_at(middle);
        if tokens(one).is_empty() || tokens(two).is_empty() {
            continue;
        }
        for damage in DAMAGES {
            let one_damaged = damaged(one, &tokens(one), damage, &mut random);
            let two_damaged = damaged(two, &tokens(two), damage, &mut random);
            let alone = parse_config(&format!("{one}{two_damaged}"), &ParseLimits::default()).diagnostics;
            let Some(place) = alone.first().and_then(|problem| problem.subject) else { continue };
            let Some(place) = (place.start as usize).checked_sub(one.len()) else { continue };
            let both = format!("{one_damaged}{two_damaged}");
            let line = |at: usize| both[..at].matches('\n').count();
            let wanted = line(place + one_damaged.len());
            let has = |problems: &[Diagnostic]| {
                problems
                    .iter()
                    .filter_map(|problem| problem.subject)
                    .any(|span| line(span.start as usize) == wanted)
            };
            let (first, more) = problems(&both);
            all += 1;
            before += usize::from(has(&first));
            told += usize::from(has(&first) || has(&more));
        }
    }
    let summary = format!(
        "the second of two mistakes is told in {told} of {all} files, without further diagnostics in {before}"
    );
    if told * 100 < all * LEAST {
        return Err(summary.into());
    }
    Ok(())
}

fn example(path: &str, damage: &str, text: &str, first: &[Diagnostic], more: &[Diagnostic]) -> String {
    let line = |problem: &Diagnostic| {
        let at = problem.subject.map_or(0, |span| span.start as usize);
        let number = text[..at].matches('\n').count() + 1;
        let line = text.lines().nth(number - 1).unwrap_or_default();
        let changes = problem.additions.iter().flat_map(|additions| &additions.replacements);
        let change: Vec<String> =
            changes.map(|change| format!(" {:?} -> {:?}", change.span.slice(text), change.text)).collect();
        let change = change.concat();
        format!("  {number}: {} | {}{change}", problem.title, line.trim_end())
    };
    let list = |problems: &[_]| problems.iter().map(line).take(4).collect::<Vec<_>>().join("\n");
    format!("{path} ({damage})\n{}\n further:\n{}", list(first), list(more))
}
