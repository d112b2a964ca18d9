//! Notes about variables of the command line whose type may not be the one that was meant: `--var NAME=VALUE` reads JSON
//! where it can, and a string otherwise.

use std::collections::HashSet;
use std::io::{self, Write as _};

use hclvm::check::Declared;
use hclvm::diagnostics::{Span, codes};
use hclvm::lint::Lints;
use hclvm::value::Arena;
use hclvm::{Diagnostic, Document};
use hclvm_project::notation;

use crate::application::Assignment;

/// Notes on standard error which variables look like JSON and are strings, and which are numbers or bools where a string
/// was probably meant.
pub(crate) fn note(assignments: &[Assignment], documents: &[Document]) {
    let comparisons = comparisons(assignments, documents);
    for assignment in assignments {
        if let Some(note) = string(assignment).or_else(|| no_string(assignment, &comparisons)) {
            // If standard error is closed, the note is not wanted.
            let _ = writeln!(io::stderr(), "note: {note}");
        }
    }
}

/// Explains that a value that looks like JSON is a string.
fn string(Assignment { name, json, text }: &Assignment) -> Option<String> {
    let looks_like_json = text.as_ref()?.trim_start().starts_with(['{', '[']);
    (looks_like_json && json.is_string()).then(|| {
        format!(
            "--var {name} is a string, because its value is not JSON. --var '{name}:=JSON' accepts only JSON."
        )
    })
}

/// Explains that a value is a number or a bool, if it is compared with strings, or if the number is written differently
/// from the way it is printed.
fn no_string(assignment: &Assignment, comparisons: &[String]) -> Option<String> {
    let Assignment { name, json, text } = assignment;
    let text = text.as_ref().filter(|_| is_plain(assignment))?;
    let quoted = format!("`{name}`");
    let why = comparisons.iter().find(|why| why.contains(&quoted)).cloned().or_else(|| {
        let printed = notation::value(&Arena::new(), json).ok()?.to_string();
        (printed != *text && json.is_number())
            .then(|| format!("--var {name}={text} is the number {printed}."))
    })?;
    Some(format!("{why} To pass a string, write --var '{name}:=\"{text}\"'."))
}

/// Returns true for a number or a bool that is not marked as JSON.
fn is_plain(Assignment { json, text, .. }: &Assignment) -> bool {
    text.is_some() && (json.is_number() || json.is_boolean())
}

/// Returns the warnings about comparisons of numbers and bools of the command line with strings.
fn comparisons(assignments: &[Assignment], documents: &[Document]) -> Vec<String> {
    let arena = Arena::new();
    let plain = assignments.iter().filter(|assignment| is_plain(assignment)).fold(None, |found, one| {
        let value = notation::value(&arena, &one.json).ok()?;
        Some(found.unwrap_or_else(Declared::new).sample_value(&one.name, value))
    });
    let Some(declared) = plain else { return Vec::new() };
    let warnings = documents.iter().flat_map(|document| {
        let without_values = document.lints(&Lints::new());
        let known: HashSet<Option<Span>> = without_values.iter().map(|one| one.subject).collect();
        let found = document.lints(&Lints::new().declared(&declared));
        let of_values = |one: &&Diagnostic| {
            [codes::QUOTED_NUMBER, codes::UNEQUAL_TYPES].contains(&one.code())
                && !known.contains(&one.subject)
        };
        found.iter().filter(of_values).map(|one| one.detail.to_string()).collect::<Vec<_>>()
    });
    warnings.collect()
}
