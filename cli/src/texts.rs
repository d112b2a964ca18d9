//! The texts of configurations: files, folders and standard input. Files in JSON are recognized by their
//! suffix.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use hclvm::diagnostics::Source;
use hclvm::syntax::repeated;
use hclvm::{Diagnostics, Document, Engine, Error, LoadError};
use hclvm_project::PROJECT_FILE;

use crate::input::{self, STANDARD_INPUT};
use crate::outcome::EarlyEnd;

/// A configuration that was read.
pub(crate) struct ReadText {
    /// The documents; none if there are errors. One, but for a folder with files in both syntaxes: its files
    /// in the native syntax are one document, and each file in JSON is another.
    pub(crate) documents: Vec<Document>,
    /// The problems of each file.
    pub(crate) problems: Vec<Diagnostics>,
    /// The number of files.
    pub(crate) files: usize,
}

/// Reads a file, all files of a folder, or standard input for `-`.
pub(crate) fn configuration(engine: &Engine, path: &str) -> Result<ReadText, EarlyEnd> {
    configuration_of_parts(engine, path, |_, _| true)
}

/// Returns the configuration of one text.
pub(crate) fn configuration_of_text(engine: &Engine, name: &str, text: &[u8]) -> ReadText {
    let (document, problems) = parse(engine, name, text);
    configuration_of(1, [(Some(document), vec![problems])])
}

/// Reads a file, or those files of a folder for whose path and text `is_part` returns true.
pub(crate) fn configuration_of_parts(
    engine: &Engine,
    path: &str,
    mut is_part: impl FnMut(&str, &[u8]) -> bool,
) -> Result<ReadText, EarlyEnd> {
    if !Path::new(path).is_dir() {
        return Ok(configuration_of_text(engine, path, &source(path)?));
    }
    let (json, native): (Vec<String>, Vec<String>) = files(path)?.into_iter().partition(|file| is_json(file));
    let mut parsed = Vec::new();
    let texts = native.into_iter().map(|file| Ok((source(&file)?, file)));
    let mut native = texts.collect::<Result<Vec<_>, EarlyEnd>>()?;
    native.retain(|(text, file)| is_part(file, text));
    if !native.is_empty() {
        let named = native.iter().map(|(text, name)| (name.as_str(), text.as_slice()));
        parsed.push(engine.parse_files(path, named));
    }
    for file in &json {
        let (document, problems) = parse(engine, file, &source(file)?);
        parsed.push((Some(document), vec![problems]));
    }
    Ok(configuration_of(native.len() + json.len(), parsed))
}

fn configuration_of(
    files: usize,
    parsed: impl IntoIterator<Item = (Option<Document>, Vec<Diagnostics>)>,
) -> ReadText {
    let (documents, problems): (Vec<_>, Vec<_>) = parsed.into_iter().unzip();
    let documents: Vec<Document> = documents.into_iter().flatten().collect();
    let problems = problems.into_iter().flatten().chain(repeated(&documents));
    let problems: Vec<Diagnostics> = problems.filter(|problems| !problems.is_empty()).collect();
    let sound = !problems.iter().any(Diagnostics::has_errors);
    ReadText { documents: documents.into_iter().filter(|_| sound).collect(), problems, files }
}

/// Returns true for the name of a file or folder that is not read as a part of the folder around: those of editors, of
/// version control and of other tools begin with a dot. They are read if a path names them.
pub(crate) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Returns the files of a folder, by name: `*.hcl` and `*.hcl.json`, but for the project file. Other JSON may be anything.
pub(crate) fn files(folder: &str) -> Result<Vec<String>, EarlyEnd> {
    let listed = || -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if !is_hidden(&name) && name != PROJECT_FILE && entry.path().is_file() {
                found.extend(entry.path().to_str().map(str::to_owned));
            }
        }
        Ok(found)
    };
    let mut files = listed().map_err(|error| EarlyEnd::Refused(format!("Cannot read {folder}: {error}.")))?;
    files.retain(|file| {
        let file = if is_json(file) { file.trim_end_matches(".json") } else { file };
        Path::new(file).extension().is_some_and(|suffix| suffix == "hcl")
    });
    if files.is_empty() {
        return Err(EarlyEnd::Refused(format!("There are no files *.hcl or *.hcl.json in \"{folder}\".")));
    }
    files.sort();
    Ok(files)
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &str) -> io::Result<Vec<u8>> {
    if path == STANDARD_INPUT { input::standard() } else { input::source(path) }
}

/// Reads a text that has to be there.
pub(crate) fn source(path: &str) -> Result<Vec<u8>, EarlyEnd> {
    let name = input::display_name(path);
    read(path).map_err(|error| {
        let is_expression =
            error.kind() == io::ErrorKind::NotFound && path.contains(['(', '"', '=', ' ', '[', '{']);
        let hint = if is_expression { " An expression is evaluated by hclvm eval -e 'EXPR'." } else { "" };
        EarlyEnd::Refused(format!("Cannot read {name}: {error}.{hint}"))
    })
}

/// Parses a text: in JSON if the path says so, else in the native syntax. A compiled document is loaded; if another
/// version or dialect compiled it, its text is compiled again, with a note.
pub(crate) fn parse(engine: &Engine, path: &str, text: &[u8]) -> (Document, Diagnostics) {
    let name = input::display_name(path);
    if Engine::is_compiled(text) {
        match engine.load_or_compile(text) {
            Ok((document, reason)) => {
                if let Some(reason) = reason {
                    // If standard error is closed, the document is still usable.
                    let _ = writeln!(io::stderr(), "note: {name}: {reason}");
                }
                (document, Diagnostics::new(Arc::new(Source::new(name, "", Vec::new())), Vec::new()))
            }
            Err(LoadError::Text(error)) => (engine.parse_lenient(name, "").0, error.to_diagnostics(name)),
            Err(error) => {
                let problem = Error::host(format!("{error}."));
                (engine.parse_lenient(name, "").0, problem.to_diagnostics(name))
            }
        }
    } else if is_json(path) {
        engine.parse_json_bytes_lenient(name, text)
    } else {
        engine.parse_bytes_lenient(name, text)
    }
}

/// Returns a folder and those below it, by name. Hidden ones and links are left out, since links may form a circle.
pub(crate) fn folders_below(path: &str) -> Result<Vec<String>, EarlyEnd> {
    let mut found = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        let refused = |error| EarlyEnd::Refused(format!("Cannot read {folder}: {error}."));
        for entry in fs::read_dir(&folder).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            if entry.file_type().map_err(refused)?.is_dir() && !is_hidden(&entry.file_name()) {
                open.extend(entry.path().to_str().map(str::to_owned));
            }
        }
        found.push(folder);
    }
    found.sort();
    Ok(found)
}

/// Returns true for the path of a file in JSON, such as `policy.hcl.json`.
pub(crate) fn is_json(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("json"))
}
