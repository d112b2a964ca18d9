//! The values of a module and what is wrong with it, for any application: variables, local values, and the content that
//! the application makes of the rest.

use std::fmt;

use hclvm::Value;

use crate::locals::Local;
use crate::output::{Members, Selection};
use crate::paths::{PathValue, of_declared};
use crate::problems::Problems;
use crate::variables::Variable;

/// The values of a module, and what is wrong with it. With errors, values are missing. `C` is what the application
/// makes of the files beside variables and local values.
#[derive(Clone, Debug, Default)]
pub struct Evaluation<C = Box<dyn ModuleContent>> {
    pub(crate) problems: Problems,
    pub(crate) variables: Vec<Variable>,
    pub(crate) locals: Vec<Local>,
    pub(crate) content: C,
}

/// The results of an application for a module, in addition to variables and local values.
pub trait ModuleContent: fmt::Debug + Send {
    /// Returns all values with their paths, to compare two evaluations.
    fn values(&self) -> Vec<PathValue<'_>>;

    /// Returns its parts as tools show them. `only` selects results by their names, in which `*` is any text; all of
    /// them if it is empty.
    fn output(&self, only: &[String]) -> Members<'_>;

    /// Returns its parts as tools show them, without the results that a selection leaves out.
    fn selected(&self, selection: &Selection) -> Members<'_> {
        self.output(&selection.only)
    }
}

impl ModuleContent for Box<dyn ModuleContent> {
    fn values(&self) -> Vec<PathValue<'_>> {
        (**self).values()
    }

    fn output(&self, only: &[String]) -> Members<'_> {
        (**self).output(only)
    }

    fn selected(&self, selection: &Selection) -> Members<'_> {
        (**self).selected(selection)
    }
}

impl<C> Evaluation<C> {
    /// Returns what is wrong, in the order in which the application finds it.
    pub fn problems(&self) -> &Problems {
        &self.problems
    }

    /// Returns the variables in the order of their declarations.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns the local values that were evaluated, in the order of their definitions.
    pub fn locals(&self) -> &[Local] {
        &self.locals
    }

    /// Returns a local value.
    pub fn local(&self, name: &str) -> Option<Value<'_>> {
        self.locals.iter().find(|local| local.name() == name).map(Local::value)
    }

    /// Returns the texts that must not be shown: those in the values of sensitive variables and locals. Texts of
    /// several lines are followed by each of their lines.
    pub fn secrets(&self) -> Vec<String> {
        let variables = self.variables.iter().filter(|variable| variable.is_sensitive());
        let locals = self.locals.iter().filter(|local| local.is_sensitive());
        let mut found = Vec::new();
        variables
            .map(Variable::value)
            .chain(locals.map(Local::value))
            .for_each(|value| texts_in(value, &mut found));
        found
    }
}

impl<C: ModuleContent> Evaluation<C> {
    /// Returns what the application makes of the files beside variables and local values.
    pub fn content(&self) -> &C {
        &self.content
    }

    /// Returns all values with their paths, to compare two evaluations. [Secrets](Self::secrets) are not hidden, except
    /// that names which depend on sensitive values are `<sensitive>` in paths.
    pub fn values(&self) -> Vec<PathValue<'_>> {
        let mut values = of_declared(&self.variables, &self.locals);
        values.extend(self.content.values());
        values
    }

    /// Returns it as that of any application.
    pub(crate) fn boxed(self) -> Evaluation
    where
        C: 'static,
    {
        let Self { problems, variables, locals, content } = self;
        Evaluation { problems, variables, locals, content: Box::new(content) }
    }
}

/// Collects the texts in a value, at any depth.
fn texts_in(value: Value<'_>, found: &mut Vec<String>) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let value = value.unmark().0;
        open.extend(value.as_items().unwrap_or_default());
        open.extend(value.as_entries().unwrap_or_default().iter().map(|entry| entry.value));
        let Some(text) = value.as_str().filter(|text| !text.is_empty()) else { continue };
        found.push(text.to_owned());
        if text.contains('\n') {
            found.extend(text.lines().filter(|line| !line.is_empty()).map(str::to_owned));
        }
    }
}
