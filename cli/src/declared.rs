//! The variables that `hclvm check` is given: samples, names with types, and schema files.

use clap::Args;
use hclvm::check::Declared;
use hclvm::syntax::TypeMode;
use hclvm::value::Arena;
use hclvm::{Diagnostics, Engine, Error};

use crate::outcome::EarlyEnd;
use crate::report::diagnostics_of;
use crate::{scopes, texts};
use hclvm_project::notation;

/// The variables that a host will set.
#[derive(Args, Debug)]
pub(crate) struct DeclaredArguments {
    /// A sample of the scopes to come, as for eval; - is standard input
    #[arg(long, value_name = "FILE")]
    scope: Option<String>,

    /// Variables, each with a type if it is known [example: --vars 'user:object({role=string}),request']
    #[arg(long, value_name = "NAME[:TYPE],…")]
    vars: Vec<String>,

    /// A file of type constraints [example of a line: user = object({ name = string, age = optional(number) })]
    #[arg(long, value_name = "FILE")]
    schema: Option<String>,
}

impl DeclaredArguments {
    /// Returns true if an option declares variables.
    pub(crate) fn is_used(&self) -> bool {
        self.scope.is_some() || !self.vars.is_empty() || self.schema.is_some()
    }

    /// Returns the variables; all that a file uses if nothing declares them.
    pub(crate) fn declared(&self, engine: &Engine) -> Result<Result<Declared, Diagnostics>, EarlyEnd> {
        if !self.is_used() {
            return Ok(Ok(Declared::anything()));
        }
        let mut declared = Declared::new();
        if let Some(path) = &self.scope {
            let variables = match scopes::one(path)? {
                Ok(variables) => variables,
                Err(problems) => return Ok(Err(problems)),
            };
            for (name, json) in &variables.values {
                let arena = Arena::new();
                declared = match notation::value(&arena, json) {
                    Ok(value) => declared.sample_value(name, value),
                    Err(error) => return Ok(Err(diagnostics_of(&error, path))),
                };
            }
        }
        for list in &self.vars {
            declared = match variables(engine, list, declared) {
                Ok(declared) => declared,
                Err(why) => return Err(EarlyEnd::Refused(format!("--vars {list}: {why}"))),
            };
        }
        if let Some(path) = &self.schema {
            let text = texts::source(path)?;
            let (schema, problems) = texts::parse(engine, path, &text);
            if problems.has_errors() {
                return Ok(Err(problems));
            }
            match Declared::of_schema(&schema) {
                Ok(schema) => declared = declared.and(schema),
                Err(error) => return Ok(Err(diagnostics_of(&error, path))),
            }
        }
        Ok(Ok(declared))
    }
}

/// Declares the variables of a list such as `user:object({role=string}),request`.
fn variables(engine: &Engine, list: &str, mut declared: Declared) -> Result<Declared, String> {
    for variable in items(list) {
        let (name, ty) = match variable.split_once(':') {
            Some((name, ty)) => (name.trim(), Some(ty.trim())),
            None => (variable.trim(), None),
        };
        if name.is_empty() {
            return Err("a name is missing; write NAME or NAME:TYPE, separated by commas.".to_owned());
        }
        declared = match ty {
            None => declared.name(name),
            Some(ty) => {
                let constraint = engine.type_constraint(ty, TypeMode::WithDefaults);
                declared.variable(name, &constraint.map_err(|error| why(&error, ty))?)
            }
        };
    }
    Ok(declared)
}

fn why(error: &Error, ty: &str) -> String {
    let first = error.diagnostics().and_then(|problems| problems.iter().next());
    let detail = first.map_or_else(|| error.to_string(), |problem| problem.detail.to_string());
    format!("`{ty}` is not a type: {detail}")
}

/// Splits a list at the commas outside of brackets.
fn items(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}
