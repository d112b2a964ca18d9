//! Options that every subcommand takes, and the engine they describe.

use clap::{Args, ValueEnum};
use hclvm::functions::Capabilities;
use hclvm::{Dialect, Engine, Undefined};

use crate::report::Format;

/// How files are read, and how diagnostics are shown.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// The application whose functions and rules apply
    #[arg(long, value_enum, default_value_t = DialectName::Packer)]
    dialect: DialectName,

    /// What a variable means that the scope does not have [default: the dialect's: text for nomad, else error]
    #[arg(long, value_enum)]
    undefined: Option<UndefinedName>,

    /// What functions may touch beyond their arguments [default: nothing]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    allow: Vec<Grant>,

    /// How diagnostics are shown
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub(crate) diagnostics: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DialectName {
    /// The language alone, with the functions of its own library
    Standard,
    /// With Packer's functions, the largest table
    Packer,
    /// With Nomad's functions; both operands of && and || always count
    Nomad,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum UndefinedName {
    /// Using it is an error
    Error,
    /// Its value is not known yet
    Unknown,
    /// It stays as the text it was written as
    Text,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Grant {
    /// Files below the current directory
    Files,
    /// The variables of this process
    Environment,
    /// The time
    Clock,
    /// Random bytes
    Random,
}

impl Options {
    fn granted(&self) -> Capabilities {
        self.allow.iter().fold(Capabilities::none(), |granted, what| match what {
            Grant::Files => granted.directory("."),
            Grant::Environment => granted.process_environment(),
            Grant::Clock => granted.system_clock(),
            Grant::Random => granted.system_random(),
        })
    }

    /// Whether code depends on which names the scope has: text stays text when compiling.
    pub(crate) fn depends_on_names(&self) -> bool {
        match self.undefined {
            Some(undefined) => matches!(undefined, UndefinedName::Text),
            None => matches!(self.dialect, DialectName::Nomad),
        }
    }

    /// The engine for these options.
    pub(crate) fn engine(&self) -> Engine {
        let granted = self.granted();
        let dialect = match self.dialect {
            DialectName::Standard => Dialect::standard(),
            DialectName::Packer => Dialect::packer(&granted),
            DialectName::Nomad => Dialect::nomad(&granted),
        };
        let builder = Engine::builder().dialect(dialect);
        match self.undefined {
            Some(UndefinedName::Error) => builder.undefined(Undefined::Error),
            Some(UndefinedName::Unknown) => builder.undefined(Undefined::Unknown),
            Some(UndefinedName::Text) => builder.undefined(Undefined::Text),
            None => builder,
        }
        .build()
    }
}
