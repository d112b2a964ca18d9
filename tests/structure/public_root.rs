//! The public names of the crate: few at the root, the others in one module each.
//!
//! Reads the `pub use` declarations of src/lib.rs and of the module pages; what the compiler exports is
//! what they name, because every other item of the crate is below a private module.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The most items that the root may show beside its modules: a list that fits one screen.
const MOST: usize = 30;

fn source(path: impl AsRef<Path>) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The full paths that `pub use` declarations indented by `indent` name.
fn exported(text: &str, indent: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix(indent).and_then(|line| line.strip_prefix("pub use ")) else {
            continue;
        };
        let mut declaration = first.to_owned();
        while !declaration.ends_with(';') {
            declaration.push_str(lines.next().expect("a declaration ends").trim());
        }
        let declaration = declaration.trim_end_matches(';');
        match declaration.split_once('{') {
            Some((prefix, list)) => {
                let leaves = list.trim_end_matches('}').split(',').map(str::trim);
                names.extend(leaves.filter(|leaf| !leaf.is_empty()).map(|leaf| format!("{prefix}{leaf}")));
            }
            None => names.push(declaration.to_owned()),
        }
    }
    names
}

/// The name that a path is exported under.
fn name(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path).rsplit(' ').next().unwrap_or(path)
}

/// The file of a re-exported module; `None` for other items.
fn module_file(path: &str) -> Option<PathBuf> {
    let file = PathBuf::from(format!("{}.rs", path.replace("::", "/")));
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(&file).exists().then_some(file)
}

#[test]
fn the_root_shows_few_items() {
    let root = exported(&source("lib.rs"), "");
    let items: Vec<&str> =
        root.iter().filter(|path| module_file(path).is_none()).map(|path| name(path)).collect();
    assert!(items.contains(&"Engine") && items.contains(&"Error"), "the declarations were read: {items:?}");
    assert!(
        items.len() <= MOST,
        "the root shows {} items, more than {MOST}; put some into a module: {items:?}",
        items.len()
    );
}

#[test]
fn every_item_is_in_one_module() {
    let root = source("lib.rs");
    let mut pages: Vec<(String, String)> = Vec::new();
    for path in exported(&root, "").iter().filter(|path| module_file(path).is_some()) {
        pages.push((path.clone(), source(module_file(path).expect("filtered"))));
    }
    for line in root.lines().filter_map(|line| line.strip_prefix("pub mod ")) {
        if let Some(module) = line.strip_suffix(';') {
            pages.push((module.to_owned(), source(format!("{module}.rs"))));
        } else {
            let (_, body) = root.split_once(&format!("pub mod {line}\n")).expect("the line is there");
            let (body, _) = body.split_once("\n}\n").expect("the module ends");
            let body: Vec<&str> = body.lines().map(str::trim_start).collect();
            pages.push((line.trim_end_matches(" {").to_owned(), body.join("\n")));
        }
    }
    assert!(pages.len() >= 10, "the modules were found");
    let mut homes: HashMap<String, String> = HashMap::new();
    for (module, text) in &pages {
        assert!(text.trim_start().starts_with("//! "), "the module {module} says what it is for");
        for path in exported(text, "") {
            if let Some(other) = homes.insert(name(&path).to_owned(), module.clone()) {
                panic!("{} is exported by {other} and by {module}", name(&path));
            }
        }
    }
}
