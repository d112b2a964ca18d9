//! Files of applications: which application reads a file, and with which settings. No application is named here or
//! elsewhere in the command: they are those of [`registry`](hclvm_dialects::registry).

mod inputs;
pub(crate) mod words;

use std::path::Path;

use hclvm::Engine;
use hclvm::functions::Capabilities;
use hclvm_dialects::registry::applications;
use hclvm_dialects::{Application, ApplicationModule, Claim, File, Files, Problems, Purpose, ReadSettings};

use crate::options::CommandOptions;
use crate::outcome::EarlyEnd;
use crate::{input, texts};
use hclvm_project::PROJECT_FILE;

pub(crate) use inputs::{Assignment, DeniedAccess, ModuleArguments, ModuleInputs, add_scope, with_scope};

/// Returns the application of a path, by the name of a file or by those of the files in a folder.
pub(crate) fn of_path(path: &str) -> Option<&'static dyn Application> {
    let names = NamesAt::new(path);
    applications().find(|application| names.claim(*application) != Claim::No)
}

/// What a path says about the application that reads it.
enum NamesAt {
    File(String),
    /// The names of the files in a folder.
    Folder(Vec<String>),
}

impl NamesAt {
    fn new(path: &str) -> Self {
        if !Path::new(path).is_dir() {
            let name = Path::new(path).file_name().unwrap_or_default();
            return Self::File(name.to_string_lossy().into_owned());
        }
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        Self::Folder(entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
    }

    fn claim(&self, application: &dyn Application) -> Claim {
        match self {
            Self::File(name) => application.claim(name),
            Self::Folder(names) if application.claims_folder(names.iter().map(String::as_str)) => Claim::Yes,
            Self::Folder(_) => Claim::No,
        }
    }
}

/// Returns the application of a file `*.hcl` that can only be one of its files.
fn of_content(path: &str) -> Option<&'static dyn Application> {
    let path = Path::new(path);
    let name = path.file_name()?;
    let is_candidate = path.extension().is_some_and(|suffix| suffix == "hcl") && name != PROJECT_FILE;
    if !is_candidate || !applications().any(|one| one.telling_word().is_some()) {
        return None;
    }
    let text = path.is_file().then(|| input::source(path.to_str()?).ok()).flatten()?;
    let document = |application: &dyn Application| {
        let engine = Engine::builder().dialect(application.dialect(&Capabilities::none())).build();
        texts::parse(&engine, &path.to_string_lossy(), &text).0
    };
    applications().find(|one| one.may_find(&text) && one.is_unmistakable(&document(*one)))
}

/// Returns the files in a folder and below that are each a module of its own. Hidden folders and links are left out.
pub(crate) fn modules_below(folder: &str, options: &CommandOptions) -> Result<Vec<String>, EarlyEnd> {
    let mut found = Vec::new();
    let separate = |path: &str| options.application(path).is_some_and(|one| !one.reads_folders());
    for folder in texts::folders_below(folder)? {
        let refused = |error| EarlyEnd::Refused(format!("Cannot read {folder}: {error}."));
        for entry in std::fs::read_dir(&folder).map_err(refused)? {
            let path = entry.map_err(refused)?.path();
            let is_hidden = path.file_name().is_none_or(texts::is_hidden);
            if let Some(path) = path.to_str().filter(|_| !is_hidden && path.is_file())
                && is_candidate(path)
                && separate(path)
            {
                found.push(path.to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns true for a file that may be a module of its own by its name.
fn is_candidate(path: &str) -> bool {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    let by_name = applications().find(|one| one.claim(&name) != Claim::No || one.belongs(&name));
    by_name.map_or_else(|| name.ends_with(".hcl"), |application| !application.reads_folders())
}

impl CommandOptions {
    /// Returns the application that reads a file. With `--dialect`, a file is evaluated as it is, with the functions
    /// of the application, unless it looks like one of its files. Without, its name decides, and for a name `*.hcl` its
    /// content.
    pub(crate) fn application(&self, path: &str) -> Option<&'static dyn Application> {
        let application = match self.dialect {
            None => match of_path(path) {
                Some(application) => application,
                None => return of_content(path),
            },
            Some(dialect) => dialect.application()?,
        };
        let claim = NamesAt::new(path).claim(application);
        if claim == Claim::Yes {
            return Some(application);
        }
        // Standard input can be read once.
        if path == input::STANDARD_INPUT || Path::new(path).is_dir() {
            return None;
        }
        let text = texts::read(path).ok()?;
        let (document, _) = texts::parse(&self.engine_of(self.dialect_alone(Some(path))), path, &text);
        application.recognizes(&document, claim == Claim::IfRecognized).then_some(application)
    }
}

/// Reads the files of a module.
pub(crate) fn read(
    application: &dyn Application,
    path: &str,
    options: &CommandOptions,
    settings: ReadSettings,
) -> Result<Result<Box<dyn ApplicationModule>, Problems>, EarlyEnd> {
    read_named(application, (path, input::display_name(path)), options, settings)
}

/// Reads the files of a module; the one at a path has a name in diagnostics.
pub(crate) fn read_named(
    application: &dyn Application,
    (path, name): (&str, &str),
    options: &CommandOptions,
    mut settings: ReadSettings,
) -> Result<Result<Box<dyn ApplicationModule>, Problems>, EarlyEnd> {
    if options.limits.is_used() {
        let why = "is read by its application, whose limits are fixed; leave out --fuel, --memory and --time";
        return Err(EarlyEnd::Refused(format!("{path} {why}.")));
    }
    let files = if Path::new(path).is_dir() {
        let read = Files::read(application, Path::new(path));
        read.map_err(|error| EarlyEnd::Refused(format!("{error}.")))?
    } else {
        let file = Files::one(File::new(name, texts::source(path)?));
        if settings.purpose == Purpose::Check {
            file.beside_on_disk(application, Path::new(name))
        } else {
            file
        }
    };
    for path in &options.schemas {
        settings.schemas.push(File::new(path, texts::source(path)?));
    }
    Ok(application.prepare(&files, &settings))
}

/// Returns how the command reads the files of an application.
pub(crate) fn settings(
    application: &dyn Application,
    granted: Capabilities,
    strict: Option<bool>,
    purpose: Purpose,
) -> ReadSettings {
    let directory = std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned();
    let strict = strict.unwrap_or(application.is_strict());
    ReadSettings { granted, directory, strict, purpose, schemas: Vec::new() }
}

/// Returns a folder itself, or the folder of a file: functions read the files below it.
pub(crate) fn folder_of(path: &str) -> &Path {
    if Path::new(path).is_dir() { Path::new(path) } else { parent(path) }
}

/// Returns the folder of a file.
fn parent(path: &str) -> &Path {
    Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
