//! The list of all mutants of a tree.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::config::{Config, Selection};
use crate::constants::Constants;
use crate::find::{self, Functions};
use crate::mutant::{Mutant, key};
use crate::rewrite::{Rewritten, rewrite};

/// A file that gets mutants.
#[derive(Debug)]
pub struct Source {
    /// Its text.
    pub text: String,
    /// Its parts that the instrumented text lacks.
    removed: Vec<std::ops::Range<usize>>,
}

/// The mutants of a tree.
#[derive(Debug, Default)]
pub struct List {
    /// All mutants by id.
    pub mutants: Vec<Mutant>,
    /// The files that get mutants, by path.
    pub sources: BTreeMap<String, Source>,
    /// Functions that must remain constant although no constant was seen to need them.
    pub constant: Vec<String>,
}

struct Filter<'c> {
    config: &'c Config,
    constants: &'c Constants,
    file: &'c str,
}

impl Functions for Filter<'_> {
    fn stays_const(&self, name: &str) -> bool {
        self.constants.needs(name)
    }

    fn is_excluded(&self, name: &str) -> bool {
        self.config.excludes(self.file, name)
    }
}

impl List {
    /// Lists the mutants of the selected files. The functions `constant` remain constant.
    pub fn of(
        root: &Path,
        config: &Config,
        selection: &Selection,
        constant: Vec<String>,
    ) -> Result<Self, String> {
        let mut texts = BTreeMap::new();
        let mut constants = Constants::default();
        for name in &constant {
            constants.need(name);
        }
        for path in files(root)?.into_iter().filter(|path| path.extension().is_some_and(|name| name == "rs"))
        {
            let name = path.to_string_lossy().into_owned();
            let text = fs::read_to_string(root.join(&path)).map_err(|error| format!("{name}: {error}"))?;
            let file = syn::parse_file(&text).map_err(|error| format!("{name}: {error}"))?;
            constants.add(&file);
            texts.insert(name, text);
        }
        constants.close();

        let mut list = Self { constant, ..Self::default() };
        for (file, text) in texts {
            let room = config.room_of(&file).filter(|_| config.selects(selection, &file));
            let Some(room) = room else { continue };
            let filter = Filter { config, constants: &constants, file: &file };
            let found = find::find(&text, &filter).map_err(|error| format!("{file}: {error}"))?;
            let mut ordinals: BTreeMap<(&str, String, String), usize> = BTreeMap::new();
            for change in found.changes {
                let range = &change.splice.range;
                let around =
                    text.get(range.start.min(change.changed.start)..range.end.max(change.changed.end));
                let around = around.unwrap_or_default().to_owned();
                let name = (change.operator, around, change.replacement.clone());
                let ordinal = ordinals.entry(name.clone()).or_default();
                let key = key(&file, name.0, &name.1, &name.2, *ordinal);
                *ordinal += 1;
                let id = u32::try_from(list.mutants.len()).map_err(|_| "too many mutants".to_owned())?;
                let line = text.get(..change.changed.start).unwrap_or_default().matches('\n').count() + 1;
                list.mutants.push(Mutant { id, key, file: file.clone(), line, room, change });
            }
            list.sources.insert(file, Source { text, removed: found.removed });
        }
        Ok(list)
    }

    /// Returns the instrumented text of a file, without the mutants that `is_dropped` names.
    pub fn rewritten(&self, file: &str, is_dropped: &dyn Fn(&Mutant) -> bool) -> Option<Rewritten> {
        let source = self.sources.get(file)?;
        let mutants = self.mutants.iter().filter(|mutant| mutant.file == file && !is_dropped(mutant));
        Some(rewrite(&source.text, mutants, &source.removed))
    }

    /// Returns the change of a mutant as a difference of two texts.
    pub fn diff(&self, mutant: &Mutant) -> String {
        let Some(source) = self.sources.get(&mutant.file) else { return String::new() };
        let (text, changed) = (&source.text, &mutant.change.changed);
        let start = text.get(..changed.start).unwrap_or_default().rfind('\n').map_or(0, |at| at + 1);
        let rest = text.get(changed.end..).unwrap_or_default();
        let end = changed.end + rest.find('\n').unwrap_or(rest.len());
        let before = text.get(start..end).unwrap_or_default();
        let head = text.get(start..changed.start).unwrap_or_default();
        let tail = text.get(changed.end..end).unwrap_or_default();
        let after = format!("{head}{}{tail}", mutant.change.replacement);
        let marked = |sign: char, text: &str| {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            lines.fold(String::new(), |marked, line| marked + &format!("{sign}{line}\n"))
        };
        let header = format!(
            "--- {}:{} mutant {} ({})\n",
            mutant.file, mutant.line, mutant.id, mutant.change.operator
        );
        header + &marked('-', before) + &marked('+', &after)
    }
}

/// Returns the files of a workspace, sorted; without build folders, Git's folder and this package.
pub fn files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let entries =
            fs::read_dir(root.join(&folder)).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let entry = entry.map_err(|error| error.to_string())?;
            let path = folder.join(entry.file_name());
            let kind = entry.file_type().map_err(|error| error.to_string())?;
            let name = entry.file_name();
            if kind.is_dir() && name != "target" && name != ".git" && path != Path::new("tests/mutants") {
                open.push(path);
            } else if kind.is_file() && name != ".git" {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
