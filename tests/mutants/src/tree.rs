//! The instrumented tree: a copy of the workspace below `target/mutants`, with the mutants in it.
//!
//! Files are written only if they change, so that a second build compiles only these. There is nothing
//! beside the tree, so tests that look for recorded cases outside of the repository find none.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::list::files;

/// The source of the crate that every instrumented package depends on.
const SWITCH: &str = include_str!("switch.rs");
const SWITCH_MANIFEST: &str = "[package]\nname = \"mutant_switch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
                               [lib]\ndoctest = false\ntest = false\n";

/// The folders of a run.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The main workspace.
    pub root: PathBuf,
    /// The folder of the workspace whose tests are run, relative to that; empty for the main one.
    pub workspace: String,
    /// The folder of all files that this program writes.
    pub target: PathBuf,
}

impl Folders {
    /// Returns the folders for a workspace in the main one.
    pub fn of(root: &Path, workspace: &str) -> Self {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        Self { root: root.to_owned(), workspace: workspace.to_owned(), target: target.join("mutants") }
    }

    /// The instrumented tree.
    pub fn tree(&self) -> PathBuf {
        self.file("tree")
    }

    /// The build folder of all instrumented trees, which share what is not instrumented.
    pub fn build(&self) -> PathBuf {
        self.target.join("build")
    }

    /// A file or folder of this workspace.
    pub fn file(&self, name: &str) -> PathBuf {
        self.target.join(self.workspace.replace('/', "-")).join(name)
    }
}

/// Copies everything but the instrumented files `except`, and adds the switch to the packages that hold
/// these. Returns a hash of the whole workspace, of which files are instrumented, and of the packages whose tests run.
pub fn copy(folders: &Folders, except: &BTreeSet<&str>, packages: &[String]) -> Result<u64, String> {
    let (root, tree) = (&folders.root, folders.tree());
    fs::create_dir_all(&tree).map_err(|error| format!("{}: {error}", tree.display()))?;
    let manifests: BTreeSet<String> = except.iter().filter_map(|file| manifest_of(file)).collect();
    let mut hasher = DefaultHasher::new();
    (except, packages).hash(&mut hasher);
    let wanted = files(root)?;
    for path in &wanted {
        let name = path.to_string_lossy();
        let mut text = fs::read(root.join(path)).map_err(|error| format!("{name}: {error}"))?;
        // Tests read documents and cases as well, so every file counts.
        (&name, &text).hash(&mut hasher);
        if except.contains(&*name) {
            continue;
        }
        if manifests.contains(&*name) || name == "Cargo.toml" {
            let depends = manifests.contains(&*name);
            text = manifest(&String::from_utf8_lossy(&text), &name, depends).into_bytes();
        }
        write(&tree.join(path), &text)?;
    }
    write(&tree.join("mutant_switch/Cargo.toml"), SWITCH_MANIFEST.as_bytes())?;
    write(&tree.join("mutant_switch/src/lib.rs"), SWITCH.as_bytes())?;
    for path in files(&tree)? {
        let is_ours = path.starts_with("mutant_switch") || path == Path::new("Cargo.lock");
        if !is_ours && wanted.binary_search(&path).is_err() {
            fs::remove_file(tree.join(&path)).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(hasher.finish())
}

/// Writes a file unless it has this content already.
pub fn write(path: &Path, text: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(told)?;
    }
    fs::write(path, text).map_err(told)
}

/// The manifest of the package that a source file belongs to.
fn manifest_of(file: &str) -> Option<String> {
    let (package, _) = file.rsplit_once("src/").filter(|(_, rest)| !rest.contains("src/"))?;
    let first = file.find("src/").map_or(package, |at| file.get(..at).unwrap_or_default());
    Some(format!("{first}Cargo.toml"))
}

/// Returns a manifest with the switch as a member and, if `depends`, as a dependency.
fn manifest(text: &str, name: &str, depends: bool) -> String {
    let up = "../".repeat(name.matches('/').count());
    let lines = text.lines().map(|line| {
        if line.starts_with("members = [") {
            line.replace(", \"tests/mutants\"", "").replace("members = [", "members = [\"mutant_switch\", ")
        } else if line == "[dependencies]" && depends {
            format!("{line}\nmutant_switch = {{ path = \"{up}mutant_switch\" }}")
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}
