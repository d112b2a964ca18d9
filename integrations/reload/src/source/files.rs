//! A file, or the files of a folder.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hclvm::{Diagnostics, Document, Engine, Error, LoadError};

use super::{Source, Text, Texts, Unreadable, Watched};

/// A file, or all files `*.hcl` of a folder, which are one document. A file `*.json` is in JSON syntax; it is
/// read by itself, not as a part of a folder.
#[derive(Clone, Debug)]
pub struct Files {
    path: PathBuf,
    most_bytes: u64,
}

/// The most bytes of all texts unless another limit is set: that of trusted texts.
const MOST_BYTES: u64 = 256 << 20;

impl Files {
    /// Reads this file or folder. Neither needs to be there before the first reading.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), most_bytes: MOST_BYTES }
    }

    /// Sets the most bytes of all texts together. Reading ends there, so that an endless file is an error.
    pub fn most_bytes(mut self, most_bytes: u64) -> Self {
        self.most_bytes = most_bytes;
        self
    }

    /// Reads other files of a folder than `*.hcl`: those whose names this function accepts. A path of a file is
    /// read whatever its name.
    pub fn select(self, accepts: impl Fn(&str) -> bool + Send + 'static) -> Selection {
        Selection { files: self, accepts: Box::new(accepts) }
    }

    /// Returns the files that are read, sorted by name.
    fn files(&self) -> Result<Vec<PathBuf>, Unreadable> {
        let files = self.files_with(is_part)?;
        if !self.path.is_dir() {
            return Ok(files);
        }
        if let Some(file) = files.iter().find(|file| is_json(file)) {
            let file = file.display();
            let sentence =
                format!("{file} is in JSON syntax, which is read as a file by itself, not in a folder.");
            return Err(Unreadable::Failed(sentence));
        }
        if files.is_empty() {
            return Err(Unreadable::Failed(format!(
                "There are no files *.hcl in \"{}\".",
                self.path.display()
            )));
        }
        Ok(files)
    }

    /// Returns the file, or the files of the folder with these names, sorted by name.
    fn files_with(&self, accepts: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Unreadable> {
        if !self.path.is_dir() {
            return Ok(vec![self.path.clone()]);
        }
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(|error| unreadable(&self.path, &error))? {
            let path = entry.map_err(|error| unreadable(&self.path, &error))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if accepts(name) && path.is_file() {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    /// Returns what is watched beside the files: the path as a file and as a folder, because one may take the
    /// place of the other. The files of a folder may be links to other folders.
    fn watched_with(&self, files: Vec<PathBuf>) -> Vec<Watched> {
        let paths = [Watched::File(self.path.clone()), Watched::Folder(self.path.clone())];
        paths.into_iter().chain(files.into_iter().map(Watched::File)).collect()
    }

    fn read_all(&self, files: Vec<PathBuf>) -> Result<Vec<Text>, Unreadable> {
        let mut left = self.most_bytes;
        let mut texts = Vec::new();
        for path in files {
            let bytes = read(&path, left)?;
            left -= bytes.len() as u64;
            texts.push(Text { name: path.display().to_string(), bytes });
        }
        Ok(texts)
    }
}

/// A file, or the files of a folder that a host selects by their names, for a [`Loader`](crate::Loader). A folder
/// without such files is no error.
pub struct Selection {
    files: Files,
    accepts: Box<dyn Fn(&str) -> bool + Send>,
}

impl fmt::Debug for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selection").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Texts for Selection {
    fn watched(&self) -> Vec<Watched> {
        self.files.watched_with(self.files.files_with(&self.accepts).unwrap_or_default())
    }

    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        self.files.read_all(self.files.files_with(&self.accepts)?)
    }
}

/// The project file of the command `hclvm`. It is about the files of a folder, and no part of them.
const PROJECT_FILE: &str = "hclvm.hcl";

/// Returns true for a file of a folder that is read or refused. Names that begin with a dot are those of
/// editors and of Kubernetes.
fn is_part(name: &str) -> bool {
    let native = name.trim_end_matches(".json");
    !name.starts_with('.')
        && name != PROJECT_FILE
        && Path::new(native).extension().is_some_and(|suffix| suffix == "hcl")
}

/// Returns true for the path of a file in JSON, such as `policy.hcl.json`.
fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("json"))
}

fn unreadable(path: &Path, error: &io::Error) -> Unreadable {
    Unreadable::Failed(format!("Cannot read {}: {error}.", path.display()))
}

/// Reads a file. One whose size or time differs before and after is being written.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, Unreadable> {
    let failed = |error| unreadable(path, &error);
    let before = fs::metadata(path).map_err(failed)?;
    // Opening a pipe would wait for its writer.
    if !before.is_file() {
        return Err(Unreadable::Failed(format!("{} is not a file.", path.display())));
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    (&mut file).take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most {
        let sentence = format!("{} has more bytes than are read: the limit is {most}.", path.display());
        return Err(Unreadable::Failed(sentence));
    }
    let after = file.metadata().map_err(failed)?;
    if state(&before) != state(&after) || after.len() != bytes.len() as u64 {
        return Err(Unreadable::Changing(path.display().to_string()));
    }
    Ok(bytes)
}

/// Returns what a write to a file changes.
fn state(metadata: &Metadata) -> (u64, Option<SystemTime>) {
    (metadata.len(), metadata.modified().ok())
}

impl Texts for Files {
    fn watched(&self) -> Vec<Watched> {
        self.watched_with(self.files().unwrap_or_default())
    }

    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        self.read_all(self.files()?)
    }
}

impl Source for Files {
    fn parse(
        &mut self,
        engine: &Engine,
        texts: &[Text],
        last: Option<&Document>,
    ) -> Result<Document, Vec<Diagnostics>> {
        match texts {
            [text] if !self.path.is_dir() => parse_one(engine, text, last),
            _ => {
                let named = texts.iter().map(|text| (text.name.as_str(), text.bytes.as_slice()));
                let (document, problems) = engine.parse_files(&self.path.display().to_string(), named);
                document.ok_or(problems)
            }
        }
    }
}

/// Parses the only text of a configuration.
fn parse_one(engine: &Engine, text: &Text, last: Option<&Document>) -> Result<Document, Vec<Diagnostics>> {
    let Text { name, bytes } = text;
    if Engine::is_compiled(bytes) {
        let loaded = engine.load_or_compile(bytes).map(|(document, _)| document);
        return loaded.map_err(|error| match error {
            LoadError::Text(error) => problems(error),
            other => vec![Error::host(other.to_string()).to_diagnostics(name)],
        });
    }
    if let (Some(last), Ok(text)) = (last, std::str::from_utf8(bytes))
        && last.source().name() == name
    {
        return last.reparse(text).map_err(problems);
    }
    let (document, found) = if is_json(Path::new(name)) {
        engine.parse_json_bytes_lenient(name, bytes)
    } else {
        engine.parse_bytes_lenient(name, bytes)
    };
    if found.has_errors() { Err(vec![found]) } else { Ok(document) }
}

fn problems(error: Error) -> Vec<Diagnostics> {
    error.diagnostics().cloned().into_iter().collect()
}
