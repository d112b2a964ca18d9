//! Files of a module and of its inputs: a name and the bytes; which files of a folder are a module.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

use hclvm::schema::Schema;
use hclvm::{Diagnostics, Document, Engine};

use crate::application::{Application, FileRole};
use crate::output::matches;
use crate::problems::Problems;

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

impl File {
    /// Creates a file. The name is shown in diagnostics, and its last suffix shows the syntax.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }

    /// Reads a file of the file system, called by its path.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        Ok(Self::new(path.to_string_lossy(), std::fs::read(path)?))
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the last part of its name.
    pub(crate) fn base(&self) -> &str {
        self.name.rsplit(['/', '\\']).next().unwrap_or(&self.name)
    }

    /// Returns what follows the last dot of its name.
    pub(crate) fn suffix(&self) -> &str {
        self.base().rsplit('.').next().unwrap_or_default()
    }

    /// Parses it in HCL's JSON syntax or in the native one.
    pub(crate) fn parse(&self, engine: &Engine, json: bool) -> (Document, Diagnostics) {
        if json {
            engine.parse_json_bytes_lenient(&self.name, &self.bytes)
        } else {
            engine.parse_bytes_lenient(&self.name, &self.bytes)
        }
    }
}

/// The files of a module and its automatic variable files, in the order in which the application reads them.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The folder, as it was given.
    pub(crate) root: String,
    /// True if this is a whole folder, not a single file that may belong to one.
    pub(crate) is_folder: bool,
    /// True if the application may read further folders that the files name.
    pub(crate) on_disk: bool,
    /// Further folders by their paths below this one.
    pub(crate) folders: BTreeMap<String, Vec<File>>,
    modules: Vec<File>,
    /// The other files of the folder of a single file, of which names count alone.
    others: Vec<File>,
    pub(crate) automatic: Vec<File>,
}

impl Files {
    /// Selects the files of a module among those of a folder, in the order of [`Application::folder_files`], those of
    /// one pattern in the order of their names. `root` is the folder, as expressions see it.
    pub fn of(
        application: &dyn Application,
        root: impl Into<String>,
        files: impl IntoIterator<Item = File>,
    ) -> Self {
        let mut files: Vec<File> = files.into_iter().collect();
        files.sort_by(|a, b| a.base().cmp(b.base()));
        let of_role = |role: FileRole| -> Vec<File> {
            let patterns = application.folder_files().iter().filter(|group| group.role == role);
            let files =
                patterns.flat_map(|group| files.iter().filter(|file| matches(group.pattern, file.base())));
            files.cloned().collect()
        };
        Self {
            root: root.into().replace('\\', "/"),
            is_folder: true,
            modules: of_role(FileRole::Module),
            automatic: of_role(FileRole::Variables),
            ..Self::default()
        }
    }

    /// Returns a module of one file, whatever its name, without automatic variable files.
    pub fn one(file: File) -> Self {
        let folder = file.name().rsplit_once(['/', '\\']).map_or(".", |(folder, _)| folder);
        let root = folder.replace('\\', "/");
        Self { root, modules: vec![file], ..Self::default() }
    }

    /// Adds the other files of the folder of a single file, to check it: what they declare exists, but has no value.
    #[must_use]
    pub fn beside(mut self, others: impl IntoIterator<Item = File>) -> Self {
        self.others.extend(others);
        self
    }

    /// Adds the other files of a module in the folder of a single file at `path`, as [`Files::beside`] does. Those that
    /// cannot be read declare nothing.
    #[must_use]
    pub fn beside_on_disk(self, application: &dyn Application, path: &Path) -> Self {
        let own = path.file_name().unwrap_or_default();
        let is_module = |name: &OsStr| application.role(&name.to_string_lossy()) == Some(FileRole::Module);
        if !is_module(own) {
            return self;
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path()).filter(|one| {
            one.file_name().is_some_and(|name| name != own && is_module(name)) && one.is_file()
        });
        let others: Vec<File> = paths.filter_map(|path| File::read(&path).ok()).collect();
        self.beside(others)
    }

    /// Adds the files of a further folder that the files of the module may name, such as a local module of Terraform, by
    /// its path below the folder of the module: `modules/network`, `../shared`.
    pub fn with_folder(mut self, path: impl Into<String>, files: impl IntoIterator<Item = File>) -> Self {
        self.folders.insert(path.into(), files.into_iter().collect());
        self
    }

    /// Lets the application read further folders that the files of the module name from the file system, wherever they
    /// are. [`Files::read`] does so for a folder.
    pub fn with_folders_on_disk(mut self) -> Self {
        self.on_disk = true;
        self
    }

    /// Reads the module of a folder, without its subfolders, or of one file.
    ///
    /// # Errors
    /// A folder or file that cannot be read, and a folder without files of a module.
    pub fn read(application: &dyn Application, path: &Path) -> io::Result<Self> {
        if !path.is_dir() {
            return File::read(path).map(Self::one);
        }
        let mut files = Vec::new();
        for entry in std::fs::read_dir(path)? {
            let found = entry?.path();
            let name = found.file_name().unwrap_or_default().to_string_lossy();
            if application.role(&name).is_some() && found.is_file() {
                files.push(File::read(&found)?);
            }
        }
        let found = Self::of(application, path.to_string_lossy(), files);
        if found.modules.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("Could not find any config file in {}", path.display()),
            ));
        }
        Ok(found.with_folders_on_disk())
    }

    /// Iterates over the files of the module, without variable files.
    pub fn iter(&self) -> impl Iterator<Item = &File> {
        self.modules.iter()
    }

    /// Parses the other files of the folder of a single file. What is wrong with them is not reported.
    pub(crate) fn parse_others(&self, engine: &Engine) -> Vec<Document> {
        self.others.iter().map(|file| file.parse(engine, file.suffix() == "json").0).collect()
    }

    /// Parses the files of the module, each in the syntax of its suffix.
    pub(crate) fn parse(&self, engine: &Engine, problems: &mut Problems) -> Vec<Document> {
        let parse = |file: &File| {
            let (document, found) = file.parse(engine, file.suffix() == "json");
            problems.add(found);
            document
        };
        self.modules.iter().map(parse).collect()
    }
}

/// Returns true if a file has nothing but blocks of a schema. In JSON, blocks are properties.
pub(crate) fn has_only(document: &Document, schema: &Schema) -> bool {
    let is_block = |name: &str| schema.block_type(name).is_some();
    document.body().attributes().all(|one| document.is_json() && is_block(one.name()))
        && document.body().blocks().all(|block| is_block(block.kind()))
}
