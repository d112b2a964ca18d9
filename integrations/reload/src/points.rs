//! Which folders are watched for which names, so that every way of replacing a file is seen.
//!
//! ```text
//! /etc/app/game.hcl ─▶ ..data/game.hcl         watched: /etc/app for game.hcl and ..data,
//! /etc/app/..data   ─▶ ..2026_11/                       /etc/app/..2026_11 for game.hcl
//! ```
//! A watch on a file ends when another file is renamed over it, so folders are watched: that of the path, and
//! those of all symbolic links on the way.

#[cfg(all(test, unix))]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::source::Watched;

/// The most symbolic links that are followed: the limit of Linux.
const MOST_LINKS: usize = 40;

/// Folders with the names of which changes matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Points {
    folders: BTreeMap<PathBuf, Names>,
}

/// The names of a folder that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Names {
    all: bool,
    some: BTreeSet<OsString>,
}

impl Points {
    /// Returns the points of files and folders as they are now.
    pub(crate) fn of(watched: &[Watched]) -> Self {
        let mut points = Self::default();
        for watched in watched {
            match watched {
                Watched::File(path) => drop(points.resolve(path)),
                Watched::Folder(path) => {
                    if let Some(folder) = points.resolve(path).filter(|folder| folder.is_dir()) {
                        points.folders.entry(folder).or_default().all = true;
                    }
                }
            }
        }
        points
    }

    /// Returns the folders.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.keys().map(PathBuf::as_path)
    }

    /// Returns true if a change of this path matters.
    pub(crate) fn concern(&self, path: &Path) -> bool {
        let inside = path.parent().zip(path.file_name()).and_then(|(folder, name)| {
            let names = self.folders.get(folder)?;
            Some(names.all || names.some.contains(name))
        });
        // A watched folder itself may be moved or deleted.
        inside == Some(true) || self.folders.contains_key(path)
    }

    fn add(&mut self, folder: &Path, name: &OsStr) {
        self.folders.entry(folder.to_owned()).or_default().some.insert(name.to_owned());
    }

    /// Notes the last name of a path and all symbolic links that lead to it. Returns where it leads to. Of a
    /// path that is missing, the first name that is.
    fn resolve(&mut self, path: &Path) -> Option<PathBuf> {
        let path = std::path::absolute(path).ok()?;
        let mut rest: Vec<OsString> = reversed(&path);
        let mut at = PathBuf::new();
        let mut links = 0;
        while let Some(name) = rest.pop() {
            let component = Path::new(&name);
            if component.has_root() || matches!(component.components().next(), Some(Component::Prefix(_))) {
                at.push(component);
                continue;
            }
            if name == ".." {
                at.pop();
                continue;
            }
            let here = at.join(&name);
            let Ok(metadata) = fs::symlink_metadata(&here) else {
                self.add(&at, &name);
                return None;
            };
            if metadata.is_symlink() {
                self.add(&at, &name);
                links += 1;
                // The root of an absolute one replaces what comes before it.
                let target = fs::read_link(&here).ok().filter(|_| links <= MOST_LINKS)?;
                rest.extend(reversed(&target));
                continue;
            }
            if rest.is_empty() {
                self.add(&at, &name);
            }
            at = here;
        }
        Some(at)
    }
}

/// Returns the parts of a path, the last one first, without those that mean the current folder.
fn reversed(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter(|part| !matches!(part, Component::CurDir));
    let mut parts: Vec<OsString> = parts.map(|part| part.as_os_str().to_owned()).collect();
    parts.reverse();
    parts
}
