//! What users give a module: the environment, variable files, arguments of the command line, values of the host.

use hclvm::{OwnedValue, Value};

use crate::files::File;

/// The values that users give for the variables of a module. Of several for one variable the strongest is used;
/// the application decides the order: environment, files, values of the host, arguments.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) files: Vec<File>,
    pub(crate) arguments: Vec<(String, String)>,
    pub(crate) values: Vec<(String, OwnedValue)>,
}

impl Inputs {
    /// Creates inputs without any value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds variables of the environment, with their full names, such as `PKR_VAR_region`. Others are ignored.
    pub fn environment(
        mut self,
        variables: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(name, text)| (name.into(), text.into()));
        self.environment.extend(variables);
        self
    }

    /// Adds a variable file. Later files are stronger.
    pub fn file(mut self, file: File) -> Self {
        self.files.push(file);
        self
    }

    /// Adds an argument of the command line, `-var name=text`. The text is read by the type of the variable.
    pub fn argument(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.arguments.push((name.into(), text.into()));
        self
    }

    /// Adds a value that the host has already, which is stronger than files and weaker than arguments.
    pub fn value(mut self, name: impl Into<String>, value: Value<'_>) -> Self {
        self.values.push((name.into(), OwnedValue::new(value)));
        self
    }
}
