//! The files of the client: open ones with their texts, and those of its folders.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

use gen_lsp_types::{Location, TextDocumentContentChangeEvent as Change, Uri};
use hclvm::diagnostics::Span;
use hclvm::{Document, Limits};
use hclvm_dialects::FileRole;
use hclvm_project::{PROJECT_FILE, Project, ProjectError, find};

use crate::analysis::Analysis;
use crate::coverage::FileCoverage;
use crate::failure::RequestFailure;
use crate::lines::{Encoding, LineTable};
use crate::settings::{FolderSettings, claimed, language};
use crate::uri;

/// The most files of the folders that are read.
const MOST_FILES: usize = 20_000;

/// The most folders that are listed.
const MOST_FOLDERS: usize = 50_000;

/// A text that an editor has open.
#[derive(Debug)]
pub(crate) struct OpenFile {
    path: PathBuf,
    pub(crate) version: i32,
    text: String,
    analysis: Option<Rc<Analysis>>,
    /// The last version without syntax errors.
    sound: Option<(Document, Rc<FolderSettings>)>,
    /// True if its diagnostics may have changed since they were sent.
    pub(crate) is_dirty: bool,
}

/// A file that is not open, as it was read.
#[derive(Debug)]
struct ClosedFile {
    read: (Option<SystemTime>, u64),
    analysis: Rc<Analysis>,
}

/// The files of the client.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) encoding: Encoding,
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) open: HashMap<String, OpenFile>,
    closed: HashMap<PathBuf, ClosedFile>,
    /// The project file for all folders, if the user named one.
    project_file: Option<PathBuf>,
    /// By their files; under `None` the project of the folders that have no file.
    projects: HashMap<Option<PathBuf>, Rc<Project>>,
    project_of_folder: HashMap<PathBuf, Rc<Project>>,
    settings: HashMap<(PathBuf, String), Rc<FolderSettings>>,
    /// The name of the sample of scopes that the user chose.
    pub(crate) sample: Option<String>,
    /// Of the last run of tests.
    pub(crate) coverage: FileCoverage,
}

impl Workspace {
    /// Creates a workspace without folders; `project_file` is the project file for all of them, if the user named one.
    pub(crate) fn new(project_file: Option<PathBuf>) -> Self {
        Self { project_file, ..Self::default() }
    }

    /// Opens a text.
    pub(crate) fn open(&mut self, uri: &str, version: i32, text: String) {
        let path = uri::to_path(uri);
        self.closed.remove(&path);
        let file = OpenFile { path, version, text, analysis: None, sound: None, is_dirty: true };
        self.open.insert(uri.to_owned(), file);
        self.project_changed(uri);
    }

    /// Closes a text.
    pub(crate) fn close(&mut self, uri: &str) {
        self.open.remove(uri);
        self.project_changed(uri);
    }

    /// Changes a text. Each change applies to the result of the one before.
    pub(crate) fn change(
        &mut self,
        uri: &str,
        version: i32,
        changes: Vec<Change>,
    ) -> Result<(), RequestFailure> {
        let encoding = self.encoding;
        let file = self.open.get_mut(uri).ok_or_else(|| RequestFailure::not_open(uri))?;
        self.coverage.forget(&file.path);
        let mut lines = file.analysis.take();
        file.version = version;
        file.is_dirty = true;
        for change in changes {
            match change {
                Change::TextDocumentContentChangeWholeDocument(whole) => file.text = whole.text,
                Change::TextDocumentContentChangePartial(part) => {
                    // The analysis has the lines of the text before the first change.
                    let span = match lines.take() {
                        Some(known) => known.lines.span(&file.text, part.range),
                        None => LineTable::new(&file.text, encoding).span(&file.text, part.range),
                    };
                    file.text.replace_range(span.start as usize..span.end as usize, &part.text);
                }
            }
            lines = None;
        }
        self.project_changed(uri);
        Ok(())
    }

    /// Drops what depends on projects if a file is a project file.
    fn project_changed(&mut self, uri: &str) {
        if uri.ends_with(PROJECT_FILE) {
            self.forget();
        }
    }

    /// Drops everything but the texts: projects or files have changed, or a request failed.
    pub(crate) fn forget(&mut self) {
        self.projects.clear();
        self.project_of_folder.clear();
        self.settings.clear();
        self.closed.clear();
        for file in self.open.values_mut() {
            file.analysis = None;
            file.sound = None;
            file.is_dirty = true;
        }
    }

    /// Returns the project of a path. A project with errors is empty.
    fn project(&mut self, path: &Path) -> Rc<Project> {
        let folder = path.parent().unwrap_or(Path::new(".")).to_path_buf();
        if let Some(project) = self.project_of_folder.get(&folder) {
            return Rc::clone(project);
        }
        let file = self.project_file.clone().or_else(|| find(&folder));
        let project = if let Some(known) = self.projects.get(&file) {
            Rc::clone(known)
        } else {
            let read = file.as_deref().and_then(|file| self.read_project(file).ok());
            let project = Rc::new(read.unwrap_or_default());
            self.projects.insert(file, Rc::clone(&project));
            project
        };
        self.project_of_folder.insert(folder, Rc::clone(&project));
        project
    }

    /// Reads a project file: the text of the editor if it is open.
    fn read_project(&self, file: &Path) -> Result<Project, ProjectError> {
        let canonical = file.canonicalize().ok();
        let is_it =
            |one: &&OpenFile| one.path.ends_with(PROJECT_FILE) && one.path.canonicalize().ok() == canonical;
        match self.open.values().find(is_it) {
            Some(opened) => Project::parse(&file.to_string_lossy(), opened.text.as_bytes())
                .map(|project| Project { path: Some(file.to_path_buf()), ..project }),
            None => Project::of_file(file),
        }
    }

    pub(crate) fn settings(&mut self, path: &Path) -> Rc<FolderSettings> {
        let project = self.project(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kind = match (language(path), claimed(path)) {
            (Some(language), _) => format!("{language:?}"),
            (None, Some((application, claim))) => format!("{} {claim:?}", application.name()),
            (None, None) if name == PROJECT_FILE => "project".to_owned(),
            (None, None) => String::new(),
        };
        let of_project = project.path.clone().unwrap_or_default();
        if let Some(settings) = self.settings.get(&(of_project.clone(), kind.clone())) {
            return Rc::clone(settings);
        }
        let settings = Rc::new(FolderSettings::new(&project, path, self.sample.as_deref()));
        self.settings.insert((of_project, kind), Rc::clone(&settings));
        settings
    }

    /// Returns the current version of an open text.
    pub(crate) fn analysis(&mut self, uri: &str) -> Result<Rc<Analysis>, RequestFailure> {
        let file = self.open.get(uri).ok_or_else(|| RequestFailure::not_open(uri))?;
        if let Some(analysis) = &file.analysis {
            return Ok(Rc::clone(analysis));
        }
        let path = file.path.clone();
        let settings = self.settings(&path);
        let encoding = self.encoding;
        let file = self.open.get_mut(uri).ok_or_else(|| RequestFailure::not_open(uri))?;
        let sound =
            file.sound.as_ref().filter(|(_, of)| Rc::ptr_eq(of, &settings)).map(|(document, _)| document);
        let analysis = Rc::new(Analysis::new(&path, &file.text, &settings, encoding, sound));
        if analysis.is_sound() {
            file.sound = Some((analysis.document.clone(), settings));
        }
        file.analysis = Some(Rc::clone(&analysis));
        Ok(analysis)
    }

    /// Returns the last version of an open text without syntax errors.
    pub(crate) fn sound(&self, uri: &str) -> Option<Document> {
        self.open.get(uri)?.sound.as_ref().map(|(document, _)| document.clone())
    }

    /// Returns a file by its path: as an editor has it open, else as it was read.
    pub(crate) fn file(&mut self, path: &Path) -> Option<Rc<Analysis>> {
        let opened = self.open.iter().find(|(_, file)| file.path == path).map(|(uri, _)| uri.clone());
        if let Some(uri) = opened {
            return self.analysis(&uri).ok();
        }
        // A pipe or a device could be read without end.
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let read = (metadata.modified().ok(), metadata.len());
        if let Some(known) = self.closed.get(path).filter(|known| known.read == read) {
            return Some(Rc::clone(&known.analysis));
        }
        if metadata.len() > Limits::untrusted().source_bytes as u64 {
            return None;
        }
        let text = String::from_utf8(fs::read(path).ok()?).ok()?;
        let settings = self.settings(path);
        let analysis = Rc::new(Analysis::new(path, &text, &settings, self.encoding, None));
        self.closed.insert(path.to_path_buf(), ClosedFile { read, analysis: Rc::clone(&analysis) });
        Some(analysis)
    }

    /// Returns the files whose definitions a file may refer to, itself included: those of its folder if an application
    /// reads folders.
    pub(crate) fn module(&mut self, analysis: &Rc<Analysis>) -> Vec<Rc<Analysis>> {
        let mut found = vec![Rc::clone(analysis)];
        let Some(application) = analysis.application().filter(|application| application.reads_folders())
        else {
            return found;
        };
        let Some(folder) = analysis.path.parent() else { return found };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        // Open files may not be saved yet.
        paths.extend(
            self.open.values().map(|file| file.path.clone()).filter(|path| path.parent() == Some(folder)),
        );
        paths.sort();
        paths.dedup();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path != analysis.path && application.role(&name) == Some(FileRole::Module) {
                found.extend(self.file(&path));
            }
        }
        found
    }

    /// Returns the paths of the files in all folders, without hidden folders, links and those that projects exclude.
    pub(crate) fn paths(&mut self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = self.folders.clone();
        let mut listed = 0;
        while let Some(folder) = open.pop() {
            listed += 1;
            if listed > MOST_FOLDERS {
                break;
            }
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                if name.as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && !self.project(&path).excludes(&path) => open.push(path),
                    Ok(kind) if kind.is_file() && is_source(&path) && found.len() < MOST_FILES => {
                        found.push(path);
                    }
                    _ => {}
                }
            }
        }
        found.sort();
        // One folder may be inside of another one.
        found.dedup();
        found
    }

    /// Returns the paths of the open texts.
    pub(crate) fn open_paths(&self) -> Vec<PathBuf> {
        self.open.values().map(|file| file.path.clone()).collect()
    }

    /// Returns the URI of a file: the one under which it is open, else one made from its path.
    pub(crate) fn uri(&self, path: &Path) -> Uri {
        let opened = self.open.iter().find(|(_, file)| file.path == path).map(|(uri, _)| uri.clone());
        Uri(opened.unwrap_or_else(|| uri::of_path(path)))
    }

    pub(crate) fn location(&self, analysis: &Analysis, span: Span) -> Location {
        Location { uri: self.uri(&analysis.path), range: analysis.lines.range(span) }
    }
}

/// Returns true for the path of a file that is written in HCL.
fn is_source(path: &Path) -> bool {
    let suffix = path.extension().unwrap_or_default();
    suffix == "hcl" || path.to_string_lossy().ends_with(".hcl.json") || claimed(path).is_some()
}
