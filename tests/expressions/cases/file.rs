//! Case files: a title and sections.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hclvm::OwnedValue;
use serde_json::Value as Tree;

use crate::cases::notation;

/// A text to evaluate, with its scope and the expected results.
#[derive(Clone, Default)]
pub(crate) struct Case {
    /// The file, with the line if it holds several cases.
    pub(crate) place: String,
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// The variables by name.
    pub(crate) scope: Arc<[(String, OwnedValue)]>,
    /// As JSON, as `Json::lenient` writes it.
    pub(crate) value: Option<Tree>,
    /// In the notation of `notation::written`.
    pub(crate) written: Option<String>,
    pub(crate) error: Option<String>,
    /// As `main::told` writes the problems.
    pub(crate) told: Option<String>,
    pub(crate) code: Option<String>,
    /// The names of the instructions of the fast code, separated by spaces.
    pub(crate) fast_code: Option<String>,
    /// True if the fast tier has to answer it.
    pub(crate) fast: bool,
}

/// How the text of a case is read.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Kind {
    #[default]
    Expression,
    Template,
    Body,
}

/// Reads the cases of a file. A file has one case, or one for each line of its sections of lines.
fn read(path: &Path) -> Vec<Case> {
    let place = path.display().to_string();
    let content = fs::read_to_string(path).expect("the file is there");
    let mut sections = content.split("\n=== ");
    let title = sections.next().unwrap_or_default();
    assert!(title.ends_with('.') && title.lines().count() == 1, "{place}: the title is a sentence");
    let (mut whole, mut lines) = (Case { place: place.clone(), ..Case::default() }, Vec::new());
    for section in sections {
        let (name, text) = section.split_once('\n').unwrap_or((section, ""));
        let text = text.strip_suffix('\n').unwrap_or(text);
        let of_kind = |kind| Case { kind, text: text.to_owned(), ..whole.clone() };
        match name {
            "expr" => whole = of_kind(Kind::Expression),
            "template" => whole = of_kind(Kind::Template),
            "body" => whole = of_kind(Kind::Body),
            "scope" => {
                let pairs = text.lines().map(|line| split(line, " = ", &place));
                whole.scope = pairs.map(|(name, value)| (name, notation::value_of(&value))).collect();
            }
            "value" => {
                let value = serde_json::from_str(text);
                whole.value = Some(value.unwrap_or_else(|error| panic!("{place}: {error}")));
            }
            "error" => whole.error = Some(text.to_owned()),
            "code" => whole.code = Some(text.to_owned()),
            "lines" | "fast lines" | "fast code" | "sentences" => {
                lines.extend(text.lines().map(|line| (line, name)));
            }
            other => panic!("{place}: no section is called {other}"),
        }
    }
    if lines.is_empty() {
        assert!(!whole.text.is_empty(), "{place}: nothing to evaluate");
        let expected = whole.value.is_some() || whole.error.is_some() || whole.code.is_some();
        assert!(expected, "{place}: nothing is expected");
        return vec![whole];
    }
    let case = |(line, section): (&str, &str)| {
        let (text, written) = split(line, " => ", &place);
        let case = Case { place: format!("{place}: {text}"), text, ..whole.clone() };
        if section == "fast code" {
            return Case { fast_code: Some(written), ..case };
        }
        if section == "sentences" {
            return Case { told: Some(written), ..case };
        }
        let error = written.strip_prefix("error ").map(|errors| errors.replace("; ", "\n"));
        let written = Some(written).filter(|_| error.is_none());
        Case { written, error, fast: section == "fast lines", ..case }
    };
    lines.into_iter().map(case).collect()
}

/// Splits a line at the last separator, so that the left side may contain it.
fn split(line: &str, separator: &str, place: &str) -> (String, String) {
    let parts = if separator == " = " { line.split_once(separator) } else { line.rsplit_once(separator) };
    let (left, right) = parts.unwrap_or_else(|| panic!("{place}: no {separator:?} in {line}"));
    (left.to_owned(), right.to_owned())
}

/// Returns all cases in the order of their files.
pub(crate) fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let listed = |directory: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).expect("the directory can be read");
        entries.map(|entry| entry.expect("it can be read").path()).collect()
    };
    let areas = listed(&root).into_iter().filter(|path| path.is_dir());
    let mut paths: Vec<PathBuf> = areas.flat_map(|area| listed(&area)).collect();
    paths.sort();
    assert!(paths.len() >= 40, "there are cases");
    paths.iter().flat_map(|path| read(path)).collect()
}
