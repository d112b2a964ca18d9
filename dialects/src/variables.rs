//! Input variables: their declarations, their values with where each comes from, and their validation.
//!
//! ```text
//! declare     variable "n" { type, default, … }, variables { n = value }     Declaration
//! collect     default < environment < files < values of the host < arguments   Given, the last one is used
//! validate    validation { condition, error_message }                        about the value that is used
//! ```
//!
//! A value that does not fit is reported and becomes unknown, so that nothing follows from it.

mod collect;
mod declare;
mod types;
mod validate;

use std::fmt;

use hclvm::value::Arena;
use hclvm::{OwnedValue, Type, Value};
use smol_str::SmolStr;

pub(crate) use collect::{ParsedFile, Undeclared, VariableCollector, parse_files};
pub(crate) use declare::{Declarations, Evaluators, VariableRules};
pub(crate) use validate::Validator;

use crate::marks::{MarkedResult, Marking};
use crate::problems::TextRange;

/// Where a value of a variable comes from, weakest first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The declaration.
    Default,
    /// The environment.
    Environment,
    /// A variable file, with its name.
    File(String),
    /// The host.
    Host,
    /// The command line.
    Argument,
}

/// Writes the name that messages use: `default`, `env`, `varfile`, `host` or `cmd`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Default => "default",
            Self::Environment => "env",
            Self::File(_) => "varfile",
            Self::Host => "host",
            Self::Argument => "cmd",
        })
    }
}

/// A value that one origin gives.
#[derive(Clone, Debug)]
pub(crate) struct GivenValue {
    pub(crate) origin: Origin,
    pub(crate) value: OwnedValue,
    /// Where it is written; `None` for a value that is a text without a file.
    pub(crate) place: Option<TextRange>,
}

/// A variable with the values that were found for it.
#[derive(Clone, Debug)]
pub struct Variable {
    name: SmolStr,
    description: Option<String>,
    sensitive: bool,
    /// Its values, weakest first. Empty if it is unset.
    given: Vec<GivenValue>,
    value: MarkedResult,
}

impl Variable {
    /// Creates a variable with the values that were found for it, weakest first, and the one that is used.
    pub(crate) fn new(
        (name, description, sensitive): (SmolStr, Option<String>, bool),
        given: Vec<GivenValue>,
        value: MarkedResult,
    ) -> Self {
        Self { name, description, sensitive, given, value }
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its description, if it has one.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Returns true if its texts are not to be shown.
    pub fn is_sensitive(&self) -> bool {
        self.sensitive
    }

    /// Returns its value, which is unknown if it is unset or does not fit the type.
    pub fn value(&self) -> Value<'_> {
        self.value.result()
    }

    /// Returns where its value comes from; `None` if it is unset.
    pub fn origin(&self) -> Option<&Origin> {
        self.given.last().map(|given| &given.origin)
    }

    /// Iterates over all values that were found for it, weakest first; the last one is used.
    pub fn values(&self) -> impl Iterator<Item = (&Origin, Value<'_>)> {
        self.given.iter().map(|given| (&given.origin, given.value.get()))
    }

    /// Marks the value of a sensitive variable.
    pub(crate) fn mark(&mut self, marking: Marking) {
        if self.sensitive {
            self.value = MarkedResult::new(marking.marked(OwnedValue::new(self.value())), marking);
        }
    }

    /// Returns the value that expressions read.
    pub(crate) fn computed(&self) -> Value<'_> {
        self.value.value()
    }

    pub(crate) fn given(&self) -> Option<&GivenValue> {
        self.given.last()
    }
}

/// Returns an unknown value of a type.
pub(crate) fn unknown_of(ty: Type<'_>) -> OwnedValue {
    OwnedValue::new(Value::unknown_of(&Arena::new(), ty))
}
