//! Families of recorded cases: one file each.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

/// The cases of one file, in its order: those of a group are consecutive.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) name: String,
    pub(crate) cases: Vec<Json>,
}

/// Reads the families of a directory, by name.
///
/// # Panics
/// A file that cannot be read, or is not made of lines of JSON.
pub(crate) fn families(directory: &Path) -> Vec<Family> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    let families = paths.iter().map(|path| Family {
        name: path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned(),
        cases: cases(path),
    });
    families.filter(|family| !family.cases.is_empty()).collect()
}

/// Returns the cases of a file. Other data beside the cases has no kind.
fn cases(path: &Path) -> Vec<Json> {
    let text = fs::read_to_string(path).expect("a text");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
    lines.filter(|case: &Json| case["kind"].is_string()).collect()
}
