//! No source of the command names an application: it works on those of the registry, whatever they are.

use std::fs;
use std::path::{Path, PathBuf};

use hclvm_dialects::registry::applications;

/// Names of applications that are also those of something else: of a format of diagnostics, which such tools read.
const AMBIGUOUS: [&str; 1] = ["terraform"];

/// Returns the applications that a text names.
fn named(text: &str) -> Vec<&'static str> {
    let text = text.to_lowercase();
    let names = applications().map(|application| application.name());
    names.filter(|name| !AMBIGUOUS.contains(name) && text.contains(name)).collect()
}

/// Returns the sources below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|suffix| suffix == "rs") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn no_source_names_an_application() {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(sources.len() > 50, "{} sources", sources.len());
    for path in sources {
        let text = fs::read_to_string(&path).expect("a text");
        assert_eq!(named(&text), [""; 0], "{}", path.display());
    }
}

#[test]
fn a_name_in_a_source_is_found() {
    assert_eq!(named("Some(Application::Nomad)"), ["nomad"]);
    assert_eq!(named("/// A template of Packer"), ["packer"]);
}
