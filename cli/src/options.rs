//! The options common to all subcommands, and the engine they describe.

use std::path::Path;

use clap::{Args, ValueEnum};
use hclvm::diagnostics::Code;
use hclvm::functions::Capabilities;
use hclvm::{Dialect, Document, Engine, Undefined};

use crate::application::Application;
use crate::lints::lint;
use crate::outcome::Stop;
use crate::report::DiagnosticFormat;
use crate::texts;

/// How files are read and diagnostics printed.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// The functions and rules that apply [default: packer for *.pkr.hcl and *.pkr.json, nomad for *.nomad.hcl and
    /// *.nomad, else default]
    #[arg(long, value_enum)]
    pub(crate) dialect: Option<DialectName>,

    /// Meaning of a variable that is not in the scope [default: text for nomad, else error]
    #[arg(long, value_enum)]
    undefined: Option<UndefinedName>,

    /// Access granted to functions (files, environment, clock, random), or codes of warnings not to show
    #[arg(long, value_parser = permit, value_delimiter = ',', value_name = "WHAT")]
    allow: Vec<Permit>,

    /// Format of diagnostics
    #[arg(long, value_enum, default_value_t = DiagnosticFormat::Text, value_name = "FORMAT")]
    pub(crate) diagnostics: DiagnosticFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectName {
    /// The language with every function that any application has
    Default,
    /// With the functions of its standard library alone
    Standard,
    /// With Packer's functions; a file of its blocks is read as a template
    Packer,
    /// With OpenTofu's functions, without files, clock and randomness
    Opentofu,
    /// With Nomad's functions; && and || evaluate both operands; a file of its blocks is read as a job
    Nomad,
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

/// What an argument allows.
#[derive(Clone, Copy, Debug)]
enum Permit {
    Access(Grant),
    Warning(Code),
}

fn permit(name: &str) -> Result<Permit, String> {
    match Grant::from_str(name, false) {
        Ok(grant) => Ok(Permit::Access(grant)),
        Err(_) => lint(name).map(Permit::Warning),
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
        let access = self.allow.iter().filter_map(|what| match what {
            Permit::Access(grant) => Some(grant),
            Permit::Warning(_) => None,
        });
        access.fold(Capabilities::none(), |granted, what| match what {
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
            None => self.dialect == Some(DialectName::Nomad),
        }
    }

    /// Builds the engine for these options and the file at a path, if there is one.
    pub(crate) fn engine(&self, path: Option<&str>) -> Engine {
        Self::engine_of(self.dialect(path))
    }

    /// Builds the engine of a dialect.
    pub(crate) fn engine_of(dialect: Dialect) -> Engine {
        Engine::builder().dialect(dialect).further_errors(true).build()
    }

    /// Reads a file and prints its problems; `None` if these are errors.
    pub(crate) fn document(&self, path: &str) -> Result<Option<Document>, Stop> {
        let text = texts::source(path)?;
        let (document, problems) = texts::parse(&self.engine(Some(path)), path, &text);
        self.diagnostics.print(&problems);
        Ok(Some(document).filter(|_| !problems.has_errors()))
    }

    /// Returns the dialect for these options and the file at a path, if there is one.
    pub(crate) fn dialect(&self, path: Option<&str>) -> Dialect {
        let granted = self.granted(Path::new("."));
        let of_path = || match Application::of_path(path?)? {
            Application::Packer => Some(DialectName::Packer),
            Application::Nomad => Some(DialectName::Nomad),
        };
        let dialect = match self.dialect.or_else(of_path).unwrap_or(DialectName::Default) {
            DialectName::Default => Dialect::granted(&granted),
            DialectName::Opentofu => Dialect::opentofu(),
            DialectName::Standard => Dialect::standard(),
            DialectName::Packer => Dialect::packer(&granted),
            DialectName::Nomad => Dialect::nomad(&granted),
        };
        match self.undefined {
            Some(UndefinedName::Error) => dialect.undefined(Undefined::Error),
            Some(UndefinedName::Unknown) => dialect.undefined(Undefined::Unknown),
            Some(UndefinedName::Text) => dialect.undefined(Undefined::Text),
            None => dialect,
        }
    }
}
