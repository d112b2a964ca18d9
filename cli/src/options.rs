//! The options common to all subcommands, and the engine they describe.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use hclvm::diagnostics::Code;
use hclvm::functions::Capabilities;
use hclvm::{Dialect, Document, Engine, Undefined};
use hclvm_dialects::registry::{DIALECTS, NamedDialect};

use crate::application::{self, words};
use crate::limits::LimitArguments;
use crate::lints::lint;
use crate::outcome::Stop;
use crate::project::{self, Project};
use crate::report::DiagnosticFormat;
use crate::stub::with_stubs;
use crate::texts;

/// How files are read and diagnostics printed.
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[arg(help = words::dialect(), long, value_parser = dialects())]
    pub(crate) dialect: Option<&'static NamedDialect>,

    #[arg(help = words::undefined(), long, value_enum)]
    undefined: Option<UndefinedName>,

    /// Access granted to functions
    #[arg(long, value_enum, value_delimiter = ',', value_name = "ACCESS")]
    grant: Vec<Grant>,

    /// Codes of warnings not to show, see hclvm explain
    #[arg(long, value_parser = permit, value_delimiter = ',', value_name = "CODE")]
    allow: Vec<Permit>,

    /// File with answers of functions that only the host has, in blocks as in hclvm.hcl:
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
    PossibleValuesParser::new(values).try_map(|name| {
        DIALECTS
            .iter()
            .find(|dialect| dialect.name() == name)
            .ok_or_else(|| format!("there is no dialect {name}"))
    })
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum UndefinedName {
    /// Using it is an error
    Error,
    /// Its value is unknown
    Unknown,
    /// It is kept as the text it was written as
    Text,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Grant {
    /// Files below the current directory
    Files,
    /// The environment variables of this process
    Environment,
    /// The current time
    Clock,
    /// Random bytes
    Random,
}

/// What an argument allows: a warning. Access can be granted like this as well, which the help does not say.
#[derive(Clone, Copy, Debug)]
enum Permit {
    Access(Grant),
    Warning(Code),
}

fn permit(name: &str) -> Result<Permit, String> {
    match Grant::from_str(name, false) {
        Ok(grant) => Ok(Permit::Access(grant)),
        Err(_) => lint(name).map(Permit::Warning).map_err(|why| {
            let names: Vec<_> =
                Grant::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
            let names: Vec<&str> = names.iter().map(PossibleValue::get_name).collect();
            format!("{why}. Access of functions is granted by --grant {}", names.join(", "))
        }),
    }
}

impl Options {
    /// Returns the codes of warnings that are not shown.
    pub(crate) fn allowed_warnings(&self) -> impl Iterator<Item = Code> {
        self.allow.iter().filter_map(|what| match what {
            Permit::Warning(code) => Some(*code),
            Permit::Access(_) => None,
        })
    }

    /// Returns what functions may access, with the files below a directory if files are allowed.
    pub(crate) fn granted(&self, directory: &Path) -> Capabilities {
        let allowed = self.allow.iter().filter_map(|what| match what {
            Permit::Access(grant) => Some(grant),
            Permit::Warning(_) => None,
        });
        self.grant.iter().chain(allowed).fold(Capabilities::none(), |granted, what| match what {
            Grant::Files => granted.directory(directory),
            Grant::Environment => granted.process_environment(),
            Grant::Clock => granted.system_clock(),
            Grant::Random => granted.system_random(),
        })
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
    /// Those of [`Options::dialect`].
    pub(crate) fn engine(&self, path: Option<&str>) -> Result<Engine, Stop> {
        self.dialect(path).map(|dialect| self.engine_of(dialect))
    }

    /// Builds the engine of a dialect.
    pub(crate) fn engine_of(&self, dialect: Dialect) -> Engine {
        Engine::builder().dialect(dialect).limits(self.limits.limits()).further_errors(true).build()
    }

    /// Reads a file and prints its problems; `None` if these are errors.
    pub(crate) fn document(&self, path: &str) -> Result<Option<Document>, Stop> {
        let text = texts::source(path)?;
        let (document, problems) = texts::parse(&self.engine(Some(path))?, path, &text);
        self.diagnostics.print(&problems);
        Ok(Some(document).filter(|_| !problems.has_errors()))
    }

    /// Returns the dialect for these options and the file at a path, if there is one, with the functions of its project.
    ///
    /// # Errors
    /// A project file, or one with functions, that has errors or cannot be read.
    pub(crate) fn dialect(&self, path: Option<&str>) -> Result<Dialect, Stop> {
        let mut stubs = Vec::new();
        for file in &self.functions {
            stubs.extend(project::functions(file, self.diagnostics)?);
        }
        // The first one that is for a call counts.
        stubs.extend(self.project(path)?.stubs);
        Ok(with_stubs(self.dialect_alone(path), "function", &stubs))
    }

    /// Reads the project file for a path, or for the current directory.
    ///
    /// # Errors
    /// A project file that has errors or cannot be read.
    pub(crate) fn project(&self, path: Option<&str>) -> Result<Project, Stop> {
        Project::of(path, self.diagnostics)
    }

    /// Returns the dialect without the functions of a project.
    pub(crate) fn dialect_alone(&self, path: Option<&str>) -> Dialect {
        let granted = self.granted(Path::new("."));
        let dialect = match (self.dialect, path.and_then(application::of_path)) {
            (Some(dialect), _) => dialect.dialect(&granted),
            (None, Some(application)) => application.dialect(&granted),
            (None, None) => Dialect::granted(&granted),
        };
        match self.undefined {
            Some(UndefinedName::Error) => dialect.undefined(Undefined::Error),
            Some(UndefinedName::Unknown) => dialect.undefined(Undefined::Unknown),
            Some(UndefinedName::Text) => dialect.undefined(Undefined::Text),
            None => dialect,
        }
    }
}
