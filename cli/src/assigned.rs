//! Notes about variables of the command line whose type may not be the one that was meant: `--var NAME=VALUE` reads JSON
//! where it can, and a string otherwise.

use std::io::{self, Write as _};

use hclvm::check::Declared;
use hclvm::diagnostics::codes;
use hclvm::lint::Lints;
use hclvm::value::Arena;
use hclvm::{Diagnostic, Document, Value};
use hclvm_project::notation;

use crate::application::Assignment;

/// Notes on standard error which variables look like JSON and are strings, and which are numbers or bools where a string
/// was probably meant.
pub(crate) fn note(assignments: &[Assignment], documents: &[Document]) {
    for assignment in assignments {
        if let Some(note) = string(assignment).or_else(|| no_string(assignment, documents)) {
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
fn no_string(Assignment { name, json, text }: &Assignment, documents: &[Document]) -> Option<String> {
    let text = text.as_ref()?;
    let arena = Arena::new();
    let value = notation::value(&arena, json).ok().filter(|_| json.is_number() || json.is_boolean())?;
    let why = documents.iter().find_map(|document| comparison(document, name, value)).or_else(|| {
        let printed = value.to_string();
        (printed != *text && json.is_number())
            .then(|| format!("--var {name}={text} is the number {printed}."))
    })?;
    Some(format!("{why} To pass a string, write --var '{name}:=\"{text}\"'."))
}

/// Returns the warning about a comparison of a variable with a string.
fn comparison(document: &Document, name: &str, value: Value<'_>) -> Option<String> {
    let with_value = document.lints(&Lints::new().declared(&Declared::new().sample_value(name, value)));
    let without_value = document.lints(&Lints::new());
    let is_of_value = |one: &&Diagnostic| {
        [codes::QUOTED_NUMBER, codes::UNEQUAL_TYPES].contains(&one.code())
            && without_value.iter().all(|other| other.subject != one.subject)
    };
    with_value.iter().find(is_of_value).map(|one| one.detail.to_string())
}
