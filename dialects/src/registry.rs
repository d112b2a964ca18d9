//! The dialects that have names: languages, and applications that read files in their own way. A line for each.

use hclvm::functions::Capabilities;
use hclvm::{Dialect, Undefined};

use crate::application::Application;
use crate::{nomad, packer, terraform};

/// All dialects, in the order in which tools list them.
pub static DIALECTS: [NamedDialect; 6] = [
    NamedDialect::Language(
        "default",
        "The language with every function that any application has",
        Dialect::granted,
    ),
    NamedDialect::Language("standard", "With the functions of its standard library alone", |_| {
        Dialect::standard()
    }),
    NamedDialect::Application(&packer::Packer),
    NamedDialect::Language(
        "opentofu",
        "With OpenTofu's functions, without files, clock and randomness",
        |_| Dialect::opentofu(),
    ),
    NamedDialect::Application(&nomad::Nomad),
    NamedDialect::Application(&terraform::Terraform),
];

/// A dialect with a name.
#[derive(Clone, Copy, Debug)]
pub enum NamedDialect {
    /// A language whose files are read as they are: its name, its description without a final stop, and the dialect for
    /// what a host grants.
    Language(&'static str, &'static str, fn(&Capabilities) -> Dialect),
    /// The dialect of an application.
    Application(&'static dyn Application),
}

impl NamedDialect {
    /// Returns the dialect with a name.
    ///
    /// # Errors
    /// A name that no dialect has, as a sentence without a final stop.
    pub fn named(name: &str) -> Result<&'static Self, String> {
        DIALECTS.iter().find(|dialect| dialect.name() == name).ok_or_else(|| {
            let known: Vec<String> =
                DIALECTS.iter().map(|dialect| format!("\"{}\"", dialect.name())).collect();
            format!("there is no dialect \"{name}\"; there are {}", known.join(", "))
        })
    }

    /// Returns its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Language(name, ..) => name,
            Self::Application(application) => application.name(),
        }
    }

    /// Returns its description, without a final stop.
    pub fn about(&self) -> &'static str {
        match self {
            Self::Language(_, about, _) => about,
            Self::Application(application) => application.about(),
        }
    }

    /// Returns the dialect for a host that has `granted` capabilities.
    pub fn dialect(&self, granted: &Capabilities) -> Dialect {
        match self {
            Self::Language(.., dialect) => dialect(granted),
            Self::Application(application) => application.dialect(granted),
        }
    }

    /// Returns what undefined names mean.
    pub fn undefined(&self) -> Undefined {
        match self {
            Self::Language(..) => Undefined::Error,
            Self::Application(application) => application.undefined(),
        }
    }

    /// Returns the application that reads files in this dialect, if there is one.
    pub fn application(&self) -> Option<&'static dyn Application> {
        match self {
            Self::Language(..) => None,
            Self::Application(application) => Some(*application),
        }
    }
}

/// Iterates over the applications.
pub fn applications() -> impl Iterator<Item = &'static dyn Application> {
    DIALECTS.iter().filter_map(NamedDialect::application)
}

#[cfg(test)]
mod tests {
    use hclvm::functions::Capabilities;

    use super::DIALECTS;

    #[test]
    fn names_are_distinct_and_undefined_names_mean_what_the_dialect_says() {
        for (at, dialect) in DIALECTS.iter().enumerate() {
            let is_new = DIALECTS[..at].iter().all(|earlier| earlier.name() != dialect.name());
            assert!(is_new, "{} is twice in the list", dialect.name());
            let undefined = dialect.dialect(&Capabilities::none()).undefined;
            assert_eq!(dialect.undefined(), undefined, "{}", dialect.name());
        }
    }
}
