//! The options common to all subcommands, and the engine they describe.

use clap::{Args, ValueEnum};
use hclvm::diagnostics::Code;
use hclvm::functions::Capabilities;
use hclvm::{Dialect, Engine, Undefined};

use crate::lints::lint;
use crate::report::DiagnosticFormat;

/// How files are read and diagnostics printed.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// The functions and rules that apply
    #[arg(long, value_enum, default_value_t = DialectName::Default)]
    dialect: DialectName,

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

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DialectName {
    /// The language with every function that any application has
    Default,
    /// With the functions of its standard library alone
    Standard,
    /// With Packer's functions
    Packer,
    /// With OpenTofu's functions, without files, clock and randomness
    Opentofu,
    /// With Nomad's functions; && and || evaluate both operands
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

    fn granted(&self) -> Capabilities {
        let access = self.allow.iter().filter_map(|what| match what {
            Permit::Access(grant) => Some(grant),
            Permit::Warning(_) => None,
        });
        access.fold(Capabilities::none(), |granted, what| match what {
            Grant::Files => granted.directory("."),
            Grant::Environment => granted.process_environment(),
            Grant::Clock => granted.system_clock(),
            Grant::Random => granted.system_random(),
        })
    }

    /// Returns true if code depends on the names in the scope: with `text`, undefined variables are compiled to text.
    pub(crate) fn depends_on_names(&self) -> bool {
        match self.undefined {
            Some(undefined) => matches!(undefined, UndefinedName::Text),
            None => matches!(self.dialect, DialectName::Nomad),
        }
    }

    /// Builds the engine for these options.
    pub(crate) fn engine(&self) -> Engine {
        let granted = self.granted();
        let dialect = match self.dialect {
            DialectName::Default => Dialect::granted(&granted),
            DialectName::Opentofu => Dialect::opentofu(),
            DialectName::Standard => Dialect::standard(),
            DialectName::Packer => Dialect::packer(&granted),
            DialectName::Nomad => Dialect::nomad(&granted),
        };
        let builder = Engine::builder().dialect(dialect).further_errors(true);
        match self.undefined {
            Some(UndefinedName::Error) => builder.undefined(Undefined::Error),
            Some(UndefinedName::Unknown) => builder.undefined(Undefined::Unknown),
            Some(UndefinedName::Text) => builder.undefined(Undefined::Text),
            None => builder,
        }
        .build()
    }
}
