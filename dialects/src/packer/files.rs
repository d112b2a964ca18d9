//! The files of a template: which of a folder belong to it, and in which order.

use std::io;
use std::path::Path;

use hclvm::{Document, Engine};

use crate::files::File;
use crate::problems::{Place, Problems};

/// The files of a template and its automatic variable files, in the order in which Packer reads them.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The folder, as it was given.
    pub(super) root: String,
    modules: Vec<File>,
    pub(super) automatic: Vec<File>,
}

impl Files {
    /// Selects the files of a template among those of a folder: `*.pkr.hcl` and then `*.pkr.json`, and as variable
    /// files `*.auto.pkrvars.hcl` and then `*.auto.pkrvars.json`, each in the order of their names. `root` is the
    /// folder, which templates see as `path.root`.
    pub fn of(root: impl Into<String>, files: impl IntoIterator<Item = File>) -> Self {
        let mut files: Vec<File> = files.into_iter().collect();
        files.sort_by(|a, b| a.base().cmp(b.base()));
        let with = |suffix: &str| -> Vec<File> {
            files.iter().filter(|file| file.base().ends_with(suffix)).cloned().collect()
        };
        let both = |native, json| [with(native), with(json)].concat();
        let root = root.into().replace('\\', "/");
        Self {
            root,
            modules: both(".pkr.hcl", ".pkr.json"),
            automatic: both(".auto.pkrvars.hcl", ".auto.pkrvars.json"),
        }
    }

    /// Returns a template of one file, whatever its name, without automatic variable files.
    pub fn one(file: File) -> Self {
        let folder = file.name().rsplit_once(['/', '\\']).map_or(".", |(folder, _)| folder);
        Self { root: folder.replace('\\', "/"), modules: vec![file], automatic: Vec::new() }
    }

    /// Reads the template of a folder, without its subfolders, or of one file.
    ///
    /// # Errors
    /// A folder or file that cannot be read, and a folder without files of a template.
    pub fn read(path: &Path) -> io::Result<Self> {
        if !path.is_dir() {
            return File::read(path).map(Self::one);
        }
        let mut files = Vec::new();
        for entry in std::fs::read_dir(path)? {
            let found = entry?.path();
            let name = found.file_name().unwrap_or_default().to_string_lossy();
            if is_of_template(&name) && found.is_file() {
                files.push(File::read(&found)?);
            }
        }
        let found = Self::of(path.to_string_lossy(), files);
        if found.modules.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("Could not find any config file in {}", path.display()),
            ));
        }
        Ok(found)
    }

    /// Iterates over the files of the template, without variable files.
    pub fn iter(&self) -> impl Iterator<Item = &File> {
        self.modules.iter()
    }

    pub(super) fn parse(&self, engine: &Engine, problems: &mut Problems) -> Vec<Document> {
        let parse = |file: &File| {
            let (document, found) = file.parse(engine, file.suffix() == "json");
            problems.add(found);
            document
        };
        self.modules.iter().map(parse).collect()
    }
}

fn is_of_template(name: &str) -> bool {
    [".pkr.hcl", ".pkr.json", ".auto.pkrvars.hcl", ".auto.pkrvars.json"]
        .iter()
        .any(|suffix| name.ends_with(suffix))
}

/// Returns true if a variable file is in JSON; `None` after reporting a name that does not tell.
pub(super) fn is_json(file: &File, problems: &mut Problems) -> Option<bool> {
    match file.suffix() {
        "hcl" => Some(false),
        "json" => Some(true),
        _ => {
            let title = format!("Could not guess format of {}", file.name());
            let detail = "The name of a variable file ends in .hcl or .json.";
            problems.error(&Place::nowhere(file.name()), title, detail);
            None
        }
    }
}
