//! The files of a module: which of a folder belong to it and in which order, and the folders of local modules.
//!
//! ```text
//! main.tf  variables.tf  …                 declarations, in the order of names
//! override.tf  x_override.tf               behind them: they change what is declared
//! main.tofu                                is read in place of main.tf
//! ```

use std::collections::BTreeSet;
use std::path::Path;

use crate::application::{FileRole, FolderFile};
use crate::files::{File, Files};

/// The files of a folder. The order of this list is not that of the application; see [`of_module`].
pub(super) const FOLDER_FILES: [FolderFile; 8] = [
    FolderFile { pattern: "*.tf", role: FileRole::Module },
    FolderFile { pattern: "*.tf.json", role: FileRole::Module },
    FolderFile { pattern: "*.tofu", role: FileRole::Module },
    FolderFile { pattern: "*.tofu.json", role: FileRole::Module },
    FolderFile { pattern: "terraform.tfvars", role: FileRole::Variables },
    FolderFile { pattern: "terraform.tfvars.json", role: FileRole::Variables },
    FolderFile { pattern: "*.auto.tfvars", role: FileRole::Variables },
    FolderFile { pattern: "*.auto.tfvars.json", role: FileRole::Variables },
];

/// Returns true for the names of hidden files and of those that editors leave behind.
pub(super) fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || name.ends_with('~') || (name.starts_with('#') && name.ends_with('#'))
}

/// Returns true for a file of OpenTofu alone.
pub(super) fn is_of_opentofu(name: &str) -> bool {
    FOLDER_FILES[2..4].iter().any(|file| file.matches(name))
}

/// Returns the name of a file without its suffixes, and whether it is in JSON.
fn stem(name: &str) -> (&str, bool) {
    let (name, json) = name.strip_suffix(".json").map_or((name, false), |name| (name, true));
    (name.strip_suffix(".tf").or(name.strip_suffix(".tofu")).unwrap_or(name), json)
}

/// Returns true for a file that changes what others declare.
pub(super) fn is_override(name: &str) -> bool {
    let stem = stem(name).0;
    stem == "override" || stem.ends_with("_override")
}

/// Returns the files of a module in the order in which they are read.
pub(super) fn of_module<'f>(files: impl Iterator<Item = &'f File>) -> Vec<&'f File> {
    let mut files: Vec<&File> = files.filter(|file| !is_ignored(file.base())).collect();
    let of_opentofu = files.iter().filter(|file| is_of_opentofu(file.base()));
    let hidden: BTreeSet<(&str, bool)> = of_opentofu.map(|file| stem(file.base())).collect();
    files.retain(|file| is_of_opentofu(file.base()) || !hidden.contains(&stem(file.base())));
    files.sort_by_key(|file| (is_override(file.base()), file.base()));
    files
}

/// Returns the variable files that are always read, weakest first.
pub(super) fn automatic(files: &Files) -> Vec<&File> {
    let rank = |file: &&File| match file.base() {
        "terraform.tfvars" => 0,
        "terraform.tfvars.json" => 1,
        _ => 2,
    };
    let mut automatic: Vec<&File> = files.automatic.iter().filter(|file| !is_ignored(file.base())).collect();
    automatic.sort_by_key(|file| (rank(file), file.base()));
    automatic
}

/// Returns a path without `.` and `..`, separated by `/`; `.` if nothing is left.
pub(super) fn normalized(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    match (path.starts_with('/'), joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// Returns true for the source of a module that is a folder beside or below.
pub(super) fn is_local(source: &str) -> bool {
    ["./", "../", ".\\", "..\\"].iter().any(|prefix| source.starts_with(prefix))
        || matches!(source, "." | "..")
}

/// Returns the files of the local module at a path below the folder of the root module; `None` if there is none.
pub(super) fn of_folder(files: &Files, path: &str) -> Option<Vec<File>> {
    if let Some(found) = files.folders.get(path) {
        return Some(found.clone());
    }
    if !files.on_disk {
        return None;
    }
    let folder = Path::new(&files.root).join(path);
    let is_module = |name: &str| !is_ignored(name) && FOLDER_FILES[..4].iter().any(|one| one.matches(name));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).ok()?.flatten() {
        let name = entry.file_name();
        if is_module(&name.to_string_lossy()) && entry.path().is_file() {
            found.push(File::read(&entry.path()).ok()?);
        }
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::{is_override, normalized, of_module};
    use crate::files::File;

    #[test]
    fn paths_are_normalized() {
        let cases =
            [("./a", "a"), ("a/../b", "b"), ("../x/./y", "../x/y"), ("a/..", "."), ("../../x", "../../x")];
        for (path, want) in cases {
            assert_eq!(normalized(path), want, "{path}");
        }
    }

    #[test]
    fn overrides_are_last_and_opentofu_replaces() {
        let names = ["z.tf", "override.tf", "a.tf", "a.tofu", "b_override.tf.json", ".hidden.tf", "c.tf~"];
        let files: Vec<File> = names.iter().map(|name| File::new(*name, "")).collect();
        let found: Vec<&str> = of_module(files.iter()).into_iter().map(File::name).collect();
        assert_eq!(found, ["a.tofu", "z.tf", "b_override.tf.json", "override.tf"]);
        assert!(is_override("x_override.tofu") && !is_override("overrides.tf"));
    }
}
