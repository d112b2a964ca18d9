//! The files of a package as a graph: which file names items of which other file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::arrows::reader::{By, Named, paths};

/// The sources of a package: the path of each file below its source folder, and its text.
pub(crate) type Sources = BTreeMap<String, String>;

/// Reads the Rust files below a folder of the repository.
pub(crate) fn sources(folder: &str) -> Sources {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Sources::new();
    let mut pending = vec![root.clone()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).expect("the source folder is readable").flatten() {
            let path = entry.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&root).expect("it is below the root");
                let text = fs::read_to_string(&path).expect("the source file is readable");
                found.insert(name.to_string_lossy().into_owned(), text);
            }
        }
    }
    assert!(!found.is_empty(), "{folder} holds no Rust files");
    found
}

/// Which files each file names items of.
pub(crate) type Graph = BTreeMap<String, BTreeSet<String>>;

/// Builds the graph of a package. An arrow leads from a file to the file that defines what it names:
/// re-exports are followed, and are no arrows themselves, nor are declarations such as `mod a;`.
pub(crate) fn graph(sources: &Sources) -> Graph {
    let package = Package::new(sources);
    sources
        .keys()
        .map(|file| {
            let named = package.named[file].iter().filter(|named| named.by != By::Reexport);
            let targets = named.filter_map(|named| package.target(file, named));
            (file.clone(), targets.filter(|to| to != file).collect())
        })
        .collect()
}

/// The modules of a package.
struct Package {
    /// The file of each module, by its path from the root of the package.
    files: BTreeMap<Vec<String>, String>,
    /// What each file names.
    named: BTreeMap<String, Vec<Named>>,
}

impl Package {
    fn new(sources: &Sources) -> Self {
        Self {
            files: sources.keys().map(|file| (module_path(file), file.clone())).collect(),
            named: sources.iter().map(|(file, text)| (file.clone(), paths(text))).collect(),
        }
    }

    /// The file that defines what `file` names, if it is in the package.
    fn target(&self, file: &str, named: &Named) -> Option<String> {
        let mut path = self.absolute(&module_path(file), &named.segments)?;
        // No chain of re-exports is longer; a circle of them is an error of the compiler.
        for _ in 0..8 {
            let (length, file) =
                (0..=path.len()).rev().find_map(|length| Some((length, self.files.get(&path[..length])?)))?;
            let imported = path.get(length).and_then(|name| self.import(file, name));
            match imported {
                Some(origin) => path = origin,
                None => return Some(file.clone()),
            }
        }
        None
    }

    /// Where a name comes from that a file imports from another one.
    fn import(&self, file: &str, name: &str) -> Option<Vec<String>> {
        let imports = self.named[file].iter().filter(|named| named.by != By::Code);
        let import =
            imports.into_iter().find(|import| import.segments.last().is_some_and(|last| last == name))?;
        let origin = self.absolute(&module_path(file), &import.segments)?;
        (!self.files.contains_key(&origin)).then_some(origin)
    }

    /// A path from the root of the package, if it leads into the package.
    fn absolute(&self, from: &[String], path: &[String]) -> Option<Vec<String>> {
        let supers = path.iter().take_while(|segment| *segment == "super").count();
        let (base, rest) = match path.first()?.as_str() {
            "crate" => (&[][..], &path[1..]),
            "self" => (from, &path[1..]),
            "super" => (from.get(..from.len().checked_sub(supers)?)?, &path[supers..]),
            // A child module may be named without `self::`.
            child => {
                let is_child = self.files.contains_key(&[from, &[child.to_owned()]].concat());
                if !is_child {
                    return None;
                }
                (from, path)
            }
        };
        let rest = rest.iter().filter(|segment| *segment != "self");
        Some(base.iter().chain(rest).cloned().collect())
    }
}

/// The module that a file holds: `["run", "scope"]` for `run/scope.rs`, `[]` for `lib.rs`.
fn module_path(file: &str) -> Vec<String> {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let mut path: Vec<String> = stem.split('/').map(str::to_owned).collect();
    if matches!(path.last().map(String::as_str), Some("lib" | "main" | "mod")) {
        path.pop();
    }
    path
}

/// Returns the circles of a graph: sets of files that reach each other, largest first.
pub(crate) fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        graph.keys().map(|file| (file, reachable(graph, file))).collect();
    let mut circles: Vec<Vec<String>> = Vec::new();
    for (file, targets) in &reached {
        if circles.iter().any(|circle| circle.contains(file)) {
            continue;
        }
        let circle: Vec<String> = targets
            .iter()
            .filter(|other| reached[**other].contains(*file))
            .map(|other| (*other).clone())
            .collect();
        if circle.len() > 1 {
            circles.push(circle);
        }
    }
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

fn reachable<'g>(graph: &'g Graph, from: &'g String) -> BTreeSet<&'g String> {
    let mut reached = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(file) = pending.pop() {
        for target in graph.get(file).into_iter().flatten() {
            if reached.insert(target) {
                pending.push(target);
            }
        }
    }
    reached
}
