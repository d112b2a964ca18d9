//! The options common to all subcommands, and the engine they describe.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use hclvm::diagnostics::Code;
use hclvm::functions::Capabilities;
use hclvm::functions::capability::Directory;
use hclvm::{Dialect, Document, Engine, Undefined};
use hclvm_dialects::registry::{DIALECTS, NamedDialect};
use hclvm_project::{Project, ProjectError, functions};

use crate::application::{self, folder_of, words};
use crate::input::STANDARD_INPUT;
use crate::limits::LimitArguments;
use crate::lints::lint;
use crate::outcome::EarlyEnd;
use crate::report::DiagnosticFormat;
use crate::texts;
use hclvm_project::stub::with_stubs;

/// How files are read and diagnostics printed.
#[derive(Args, Debug)]
pub(crate) struct CommandOptions {
    #[arg(help = words::dialect(), long, value_parser = dialects())]
    pub(crate) dialect: Option<&'static NamedDialect>,

    #[arg(help = words::undefined(), long, value_enum)]
    undefined: Option<UndefinedName>,

    /// Access granted to functions: files (below the current directory or that of a module, files=DIR below another one as
    /// well), environment, clock, random
    #[arg(long, value_parser = Grant::parse, value_delimiter = ',', value_name = "ACCESS")]
    grant: Vec<Grant>,

    /// Codes of warnings not to show, see hclvm explain
    #[arg(long, value_parser = permit, value_delimiter = ',', value_name = "CODE")]
    allow: Vec<Permit>,

    /// Project file to read in place of the hclvm.hcl in the folder of the input or in one above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// File with results of functions that only the host has, in blocks as in hclvm.hcl:
    /// function "NAME" { result = VALUE }
    #[arg(long, value_name = "FILE")]
    functions: Vec<String>,

    /// JSON file with the schemas of providers, which give arguments their types: the output of
    /// `providers schema -json`
    #[arg(long, value_name = "FILE")]
    pub(crate) schemas: Vec<String>,

    /// Format of diagnostics
    #[arg(long, value_enum, default_value_t = DiagnosticFormat::Text, value_name = "FORMAT")]
    pub(crate) diagnostics: DiagnosticFormat,

    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// Returns the parser of the names of dialects.
fn dialects() -> impl TypedValueParser<Value = &'static NamedDialect> {
    let values = DIALECTS.iter().map(|dialect| PossibleValue::new(dialect.name()).help(dialect.about()));
    PossibleValuesParser::new(values).try_map(|name| NamedDialect::named(&name))
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum UndefinedName {
    /// Using it is an error
    Error,
    /// Its value is unknown
    Unknown,
    /// It is kept as literal text
    Text,
}

/// What functions may access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Access {
    /// Files
    Files,
    /// The environment variables of this process
    Environment,
    /// The current time
    Clock,
    /// Random bytes
    Random,
}

/// Access that is granted.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    access: Access,
    /// The directory of files, if it is named.
    directory: Option<PathBuf>,
}

impl Grant {
    fn parse(text: &str) -> Result<Self, String> {
        let (name, directory) = match text.split_once('=') {
            Some((name, directory)) => (name, Some(PathBuf::from(directory))),
            None => (text, None),
        };
        let access = Access::from_str(name, false)
            .map_err(|_| format!("there is no access `{name}`; possible are {}", Access::listed()))?;
        if directory.is_some() && access != Access::Files {
            return Err("only files are below a directory: files=DIR".to_owned());
        }
        Ok(Self { access, directory })
    }
}

impl Access {
    /// Returns the names of all.
    fn listed() -> String {
        let names: Vec<_> = Self::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
        names.iter().map(PossibleValue::get_name).collect::<Vec<_>>().join(", ")
    }
}

/// What an argument allows: a warning. Access can be granted like this as well, which the help does not say.
#[derive(Clone, Debug)]
enum Permit {
    Access(Grant),
    Warning(Code),
}

fn permit(name: &str) -> Result<Permit, String> {
    match Grant::parse(name) {
        Ok(grant) => Ok(Permit::Access(grant)),
        Err(_) => lint(name)
            .map(Permit::Warning)
            .map_err(|why| format!("{why}. Access of functions is granted by --grant {}", Access::listed())),
    }
}

/// Returns capabilities for accesses.
fn granted(accesses: impl Iterator<Item = Access>, files: Directory) -> Capabilities {
    accesses.fold(Capabilities::none(), |granted, access| match access {
        Access::Files => granted.files(files.clone()),
        Access::Environment => granted.process_environment(),
        Access::Clock => granted.system_clock(),
        Access::Random => granted.system_random(),
    })
}

impl CommandOptions {
    /// Returns the codes of warnings that are not shown.
    pub(crate) fn allowed_warnings(&self) -> impl Iterator<Item = Code> {
        self.allow.iter().filter_map(|what| match what {
            Permit::Warning(code) => Some(*code),
            Permit::Access(_) => None,
        })
    }

    /// Returns what functions may access, with the files below a directory if files are allowed.
    pub(crate) fn granted(&self, directory: &Path) -> Capabilities {
        let accesses = self.grants().map(|grant| grant.access);
        granted(accesses, self.files_below(directory))
    }

    /// Returns what functions of a module in a directory may access when it is evaluated: what its application gives them
    /// without asking, all of it but what is `denied`. Files are those of the whole file system, unless a grant names a directory.
    pub(crate) fn granted_to_module(&self, directory: &Path, denied: &[Access]) -> Capabilities {
        let accesses = Access::value_variants().iter().copied();
        let accesses = accesses.filter(|access| !denied.contains(access));
        let mut files = self.files_below(directory);
        if !self.grants().any(|grant| grant.directory.is_some()) {
            let absolute = std::path::absolute(directory).unwrap_or_default();
            files = files.and(absolute.ancestors().last().unwrap_or(directory));
        }
        granted(accesses, files)
    }

    fn grants(&self) -> impl Iterator<Item = &Grant> {
        let allowed = self.allow.iter().filter_map(|what| match what {
            Permit::Access(grant) => Some(grant),
            Permit::Warning(_) => None,
        });
        self.grant.iter().chain(allowed)
    }

    /// Returns the files below a directory and below those that grants name.
    fn files_below(&self, directory: &Path) -> Directory {
        let others = self.grants().filter_map(|grant| grant.directory.as_ref());
        others.fold(Directory::new(directory), |files, other| files.and(other))
    }

    /// Returns true if code depends on the names in the scope: with `text`, undefined variables are compiled to text.
    pub(crate) fn depends_on_names(&self) -> bool {
        match self.undefined {
            Some(undefined) => matches!(undefined, UndefinedName::Text),
            None => self.dialect.is_some_and(|dialect| dialect.undefined() == Undefined::Text),
        }
    }

    /// Builds the engine for these options and the file at a path, if there is one.
    ///
    /// # Errors
    /// Those of [`CommandOptions::dialect`].
    pub(crate) fn engine(&self, path: Option<&str>) -> Result<Engine, EarlyEnd> {
        self.dialect(path).map(|dialect| self.engine_of(dialect))
    }

    /// Builds the engine of a dialect.
    pub(crate) fn engine_of(&self, dialect: Dialect) -> Engine {
        Engine::builder().dialect(dialect).limits(self.limits.limits()).further_errors(true).build()
    }

    /// Reads a file and prints its problems; `None` if these are errors.
    pub(crate) fn document(&self, path: &str) -> Result<Option<Document>, EarlyEnd> {
        let text = texts::source(path)?;
        let (document, problems) = texts::parse(&self.engine(Some(path))?, path, &text);
        self.diagnostics.print(&problems);
        Ok(Some(document).filter(|_| !problems.has_errors()))
    }

    /// Returns the dialect for these options and the file at a path, if there is one, with the functions of its project.
    ///
    /// # Errors
    /// A project file, or one with functions, that has errors or cannot be read.
    pub(crate) fn dialect(&self, path: Option<&str>) -> Result<Dialect, EarlyEnd> {
        let mut stubs = Vec::new();
        for file in &self.functions {
            let found = functions(file, &texts::source(file)?);
            stubs.extend(found.map_err(|error| self.stopped(error))?);
        }
        // The first one that is for a call counts.
        let project = self.project(path)?;
        stubs.extend(project.stubs);
        Ok(with_stubs(self.dialect_of(path, project.dialect), "function", &stubs))
    }

    /// Reads the project file that the options name, or that for a path or for the current directory.
    ///
    /// # Errors
    /// A project file that has errors or cannot be read.
    pub(crate) fn project(&self, path: Option<&str>) -> Result<Project, EarlyEnd> {
        let folder = match path {
            Some(path) if path != STANDARD_INPUT => folder_of(path),
            _ => Path::new("."),
        };
        let project = match &self.config {
            Some(file) => Project::of_file(file),
            None => Project::of_folder(folder),
        };
        project.map_err(|error| self.stopped(error))
    }

    /// Returns how the command ends because of a project file. Its problems are printed.
    pub(crate) fn stopped(&self, error: ProjectError) -> EarlyEnd {
        match error {
            ProjectError::Unreadable(sentence) => EarlyEnd::Refused(sentence),
            ProjectError::Diagnosed(problems) => {
                self.diagnostics.print(&problems);
                EarlyEnd::Diagnosed
            }
        }
    }

    /// Returns the dialect without the functions of a project.
    pub(crate) fn dialect_alone(&self, path: Option<&str>) -> Dialect {
        self.dialect_of(path, None)
    }

    /// Returns the dialect of a file whose project has one for files that no application claims by their names.
    fn dialect_of(&self, path: Option<&str>, of_project: Option<&'static NamedDialect>) -> Dialect {
        let granted = self.granted(Path::new("."));
        let dialect = match (self.dialect, path.and_then(application::of_path)) {
            (Some(dialect), _) => dialect.dialect(&granted),
            (None, Some(application)) => application.dialect(&granted),
            (None, None) => {
                of_project.map_or_else(|| Dialect::granted(&granted), |dialect| dialect.dialect(&granted))
            }
        };
        match self.undefined {
            Some(UndefinedName::Error) => dialect.undefined(Undefined::Error),
            Some(UndefinedName::Unknown) => dialect.undefined(Undefined::Unknown),
            Some(UndefinedName::Text) => dialect.undefined(Undefined::Text),
            None => dialect,
        }
    }
}
