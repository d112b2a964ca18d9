//! A name of a type means one thing: it is declared once in the library, its crates, the command and the language server.

use std::collections::BTreeMap;

use crate::arrows::modules::sources;

/// The folders whose types have one name space.
const FOLDERS: [&str; 8] =
    ["src", "vm/src", "compiler/src", "functions/src", "dialects/src", "cli/src", "lsp/src", "project/src"];

/// Names of public types that are told apart by their modules, as in `terraform::Module` and `packer::Module`.
const BY_MODULE: [&str; 28] = [
    "Block",
    "Body",
    "Build",
    "Code",
    "Condition",
    "Engine",
    "Entry",
    "Environment",
    "Evaluation",
    "Failure",
    "Files",
    "Label",
    "Limits",
    "Module",
    "Observed",
    "Origin",
    "Outcome",
    "Output",
    "Plan",
    "Position",
    "Random",
    "Readme",
    "Reads",
    "Report",
    "Settings",
    "Source",
    "Update",
    "Values",
];

/// Returns the name of the type or trait that a line declares.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) => rest.split_once(") ").map_or(rest, |(_, rest)| rest).trim_start(),
        None => line,
    };
    let (keyword, rest) = line.split_once(' ')?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let is_type = ["struct", "enum", "union", "trait"].contains(&keyword);
    rest.get(..end).filter(|name| is_type && name.starts_with(char::is_uppercase))
}

/// Returns the names that are declared more than once, with the files that declare them.
fn repeated<'s>(files: impl IntoIterator<Item = (&'s str, &'s str)>) -> BTreeMap<&'s str, Vec<&'s str>> {
    let mut places = BTreeMap::<&str, Vec<&str>>::new();
    for (file, text) in files {
        let product = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
        for name in product.lines().filter_map(declared) {
            places.entry(name).or_default().push(file);
        }
    }
    places.retain(|_, files| files.len() > 1);
    places
}

#[test]
fn a_name_of_a_type_is_declared_once() {
    let all = FOLDERS.map(|folder| (folder, sources(folder)));
    let files =
        all.iter().flat_map(|(_, sources)| sources).map(|(file, text)| (file.as_str(), text.as_str()));
    let mut repeated = repeated(files);
    for name in BY_MODULE {
        assert!(repeated.remove(name).is_some(), "{name} is declared once and needs no exception");
    }
    assert!(repeated.is_empty(), "declared more than once: {repeated:#?}");
}

#[test]
fn a_planted_name_is_found() {
    let planted =
        [("a.rs", "pub struct Line;"), ("b.rs", "fn f() {}\nenum Line { A }"), ("c.rs", "trait Lines {}")];
    assert_eq!(repeated(planted), BTreeMap::from([("Line", vec!["a.rs", "b.rs"])]));
}
