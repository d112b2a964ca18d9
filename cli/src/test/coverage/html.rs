//! Coverage as a page of HTML in one file: the lines of the files, and beside each what its conditions were.

use std::collections::HashMap;
use std::fmt::Write;

use hclvm::diagnostics::steers_terminal;

use super::{Branch, Counted, CoverageByFile, CoveredFile, Share, Totals};

/// Colours also differ in lightness, and the column of marks says the state in a letter.
const STYLE: &str = "\
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; color: #1b1f24; background: #fff }
h2 { margin-top: 2.5rem; font-size: 1.1rem }
table { border-collapse: collapse }
.totals td, .totals th { padding: .2rem 1rem .2rem 0; text-align: right }
.totals td:first-child, .totals th:first-child { text-align: left }
.code { width: 100%; font: 13px/1.5 ui-monospace, monospace }
.code td { padding: 0 .6rem; vertical-align: top; white-space: pre-wrap }
.number, .mark { color: #57606a; text-align: right; user-select: none; width: 1% }
.note { width: 38%; color: #57606a; font-size: 12px }
.covered { background: #e6f6e6 }
.part { background: #fff4cc }
.missed { background: #ffe0dd }
.yes { color: #116329 }
.no { color: #a40e26; font-weight: 600 }
";

/// Returns the page.
pub(super) fn page(coverage: &CoverageByFile) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Coverage</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>Coverage</h1>\n\
         <p>Green lines are covered, yellow ones in part, red ones are not evaluated. A condition is covered if it was \
         true in a case and false in another, and that mattered.</p>\n\
         <table class=\"totals\">\n<tr><th>File</th><th>Attributes</th><th>Conditions</th><th>Rules</th>\
         <th>Covered</th></tr>\n"
    );
    for (number, (name, file)) in coverage.files.iter().enumerate() {
        let link = format!("<a href=\"#file-{number}\">{}</a>", escaped(name));
        totals(&link, Totals::of([file]), &mut out);
    }
    totals("All", Totals::of(coverage.files.values()), &mut out);
    out.push_str("</table>\n");
    for (number, (name, file)) in coverage.files.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<h2 id=\"file-{number}\">{}</h2>\n<table class=\"code\">", escaped(name));
        lines(file, &mut out);
        out.push_str("</table>\n");
    }
    out + "</body>\n</html>\n"
}

fn totals(name: &str, totals: Totals, out: &mut String) {
    let of = |share: Share| format!("{} of {}", share.covered, share.all);
    let Totals { attributes, outcomes, rules } = totals;
    let cells = [of(attributes), of(outcomes), of(rules), totals.whole().percent()];
    let _ = writeln!(out, "<tr><td>{name}</td><td>{}</td></tr>", cells.join("</td><td>"));
}

fn lines(file: &CoveredFile, out: &mut String) {
    let mut by_line: HashMap<u32, LineMarks<'_>> = HashMap::new();
    for attribute in &file.attributes {
        by_line.entry(attribute.line).or_default().attributes.push(attribute);
        for condition in &attribute.conditions {
            by_line.entry(condition.line).or_default().conditions.push((attribute, condition));
        }
    }
    for (text, number) in file.text.lines().zip(1..) {
        let line = by_line.remove(&number).unwrap_or_default();
        let (class, mark) = line.state();
        let evaluated = line.conditions.iter().filter(|(of, _)| of.cases > 0);
        let notes: Vec<String> = evaluated.map(|(_, condition)| note(condition)).collect();
        let _ = writeln!(
            out,
            "<tr{class}><td class=\"number\">{number}</td><td class=\"mark\">{mark}</td><td>{}</td>\
             <td class=\"note\">{}</td></tr>",
            escaped(text),
            notes.join("<br>")
        );
    }
}

/// What begins on a line.
#[derive(Default)]
struct LineMarks<'f> {
    attributes: Vec<&'f Counted>,
    conditions: Vec<(&'f Counted, &'f Branch)>,
}

impl LineMarks<'_> {
    /// Returns the class of a line, and its mark.
    fn state(&self) -> (&'static str, &'static str) {
        if self.attributes.is_empty() && self.conditions.is_empty() {
            return ("", "");
        }
        let mut all = self.attributes.iter().chain(self.conditions.iter().map(|(of, _)| of));
        let is_missed = all.any(|attribute| attribute.cases == 0);
        let is_part = self.conditions.iter().any(|(_, condition)| condition.missing().is_some());
        match (is_missed, is_part) {
            (true, _) => (" class=\"missed\"", "✗"),
            (false, true) => (" class=\"part\"", "~"),
            (false, false) => (" class=\"covered\"", "✓"),
        }
    }
}

/// Returns what a condition was.
fn note(condition: &Branch) -> String {
    let [yes, no] =
        [("true", condition.seen[0]), ("false", condition.seen[1])].map(|(name, cases)| match cases {
            0 => format!("<span class=\"no\">never {name}</span>"),
            cases => format!("<span class=\"yes\">{name} ×{cases}</span>"),
        });
    format!("<code>{}</code> {yes}, {no}", escaped(&condition.text))
}

/// Escapes a text.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push(c),
            _ if steers_terminal(c) => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(c),
        }
    }
    out
}
