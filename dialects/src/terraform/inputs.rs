//! The values of the root module's variables: of the environment, variable files, the host and the command line.
//!
//! ```text
//! default < TF_VAR_n < terraform.tfvars < terraform.tfvars.json < *.auto.tfvars(.json) < --var-file < host < --var
//! ```

use hclvm::diagnostics::nearest;
use hclvm::schema::Schema;
use hclvm::value::{Arena, marks_from};
use hclvm::{Attribute, Document, Engine, OwnedValue, Type, Value};
use smol_str::SmolStr;

use super::declarations::{ModuleDefinitions, VariableDeclaration, converted};
use super::output::computed;
use crate::constants::ConstantEvaluator;
use crate::files::File;
use crate::hidden::Hidden;
use crate::inputs::Inputs;
use crate::marks::SENSITIVE;
use crate::problems::{Problems, TextRange};
use crate::variables::{self, GivenValue, Origin};

/// What the names of variables in the environment begin with.
const PREFIX: &str = "TF_VAR_";

/// Proposals of similar names: each search takes time proportional to the variables.
const MOST_PROPOSALS: usize = 50;

/// Collects values.
pub(super) struct InputCollector<'c> {
    pub(super) definitions: &'c ModuleDefinitions,
    pub(super) constants: &'c mut ConstantEvaluator,
    pub(super) problems: &'c mut Problems,
    /// True if all values are unknown.
    pub(super) checking: bool,
    /// True if a variable without a value is an error.
    pub(super) strict: bool,
}

impl InputCollector<'_> {
    /// Returns the variables with their values. Adds the parts of variable files that are not shown to `hidden`.
    pub(super) fn collect<'f>(
        mut self,
        engine: &Engine,
        automatic: impl Iterator<Item = &'f File>,
        inputs: &'f Inputs,
        hidden: &mut Vec<Hidden>,
    ) -> Vec<variables::Variable> {
        let mut given: Vec<Vec<GivenValue>> = self.definitions.variables.iter().map(default).collect();
        for (name, text) in &inputs.environment {
            let Some(name) = name.strip_prefix(PREFIX) else { continue };
            if let Some(at) = self.find(name) {
                let source = format!("<value for var.{name} from the environment>");
                given[at].extend(self.text(at, &source, text, Origin::Environment));
            }
        }
        for file in automatic.chain(&inputs.files) {
            self.file(engine, file, &mut given, hidden);
        }
        for (name, value) in &inputs.values {
            let place = TextRange::nowhere("values of the host");
            match self.find(name) {
                Some(at) => {
                    let value = self.converted(at, value, &place);
                    given[at].push(GivenValue { origin: Origin::Host, value, place: None });
                }
                None => self.undeclared(name, &place, true),
            }
        }
        for (name, text) in &inputs.arguments {
            let source = format!("<value for var.{name} from arguments>");
            match self.find(name) {
                Some(at) => given[at].extend(self.text(at, &source, text, Origin::Argument)),
                None => self.undeclared(name, &TextRange::nowhere(&source), true),
            }
        }
        let definitions = self.definitions;
        let all = definitions.variables.iter().zip(given);
        all.map(|(variable, given)| self.variable(variable, given)).collect()
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.definitions.symbols.variables.get(name).copied()
    }

    fn variable(&mut self, variable: &VariableDeclaration, given: Vec<GivenValue>) -> variables::Variable {
        let value = match given.last() {
            Some(given) if !self.checking => given.value.clone(),
            None if self.strict && !self.checking => {
                let name = &variable.name;
                let detail = format!(
                    "`var.{name}` has no default. Set it with --var, in a variable file, or as {PREFIX}{name}."
                );
                self.problems.error(&variable.place, "No value for required variable", detail);
                unknown(variable)
            }
            _ => unknown(variable),
        };
        let value = computed(marked(variable, &value));
        let (name, description) = (variable.name.clone(), variable.description.clone());
        variables::Variable::new((name, description, variable.sensitive), given, value)
    }

    fn file(
        &mut self,
        engine: &Engine,
        file: &File,
        given: &mut [Vec<GivenValue>],
        hidden: &mut Vec<Hidden>,
    ) {
        let (document, found) = file.parse(engine, file.suffix() == "json");
        if found.has_errors() {
            // Any of the values may be a sensitive one.
            let all = hclvm::diagnostics::Span::new(
                0,
                u32::try_from(document.source().text().len()).unwrap_or(u32::MAX),
            );
            let is_secret = self.definitions.variables.iter().any(|one| one.sensitive);
            let lines = Hidden::lines(document.source(), &[all]);
            self.problems.add(if is_secret { lines.of_syntax(&found) } else { found });
            return;
        }
        if self.refuse_declarations(&document) {
            return;
        }
        let (attributes, found) = document.body().just_attributes_lenient();
        if found.has_errors() {
            // Blocks were reported, and repeated names are errors.
            let all = hclvm::diagnostics::Span::new(
                0,
                u32::try_from(document.source().text().len()).unwrap_or(u32::MAX),
            );
            hidden.push(Hidden::lines(document.source(), &[all]));
        } else {
            let secret = attributes.iter().filter(|one| self.is_sensitive(one.name()));
            hidden.push(Hidden::new(document.source(), secret.map(|one| one.expression_span()).collect()));
        }
        self.problems.add(found);
        for attribute in attributes {
            let Some(at) = self.find(attribute.name()) else {
                self.undeclared(attribute.name(), &TextRange::of_name(attribute), false);
                continue;
            };
            let origin = Origin::File(file.name().to_owned());
            let value = self.file_value(at, attribute);
            given[at].push(GivenValue { origin, value, place: Some(TextRange::of_value(attribute)) });
        }
    }

    fn is_sensitive(&self, name: &str) -> bool {
        self.find(name).is_some_and(|at| self.definitions.variables[at].sensitive)
    }

    /// Returns true after reporting declarations in a variable file.
    fn refuse_declarations(&mut self, document: &Document) -> bool {
        let (content, _) = document.body().content_lenient(&Schema::new().block("variable", &["name"]));
        for block in content.blocks_of("variable") {
            let detail =
                "A variable file gives values, `name = value`. Declare variables in the files of the module.";
            self.problems.error(
                &TextRange::of_block(document, block),
                "Variable declaration in .tfvars file",
                detail,
            );
        }
        content.blocks_of("variable").next().is_some()
    }

    fn file_value(&mut self, at: usize, attribute: Attribute<'_>) -> OwnedValue {
        let variable = &self.definitions.variables[at];
        let value = if variable.sensitive {
            self.constants.sensitive_value(attribute, self.problems)
        } else {
            self.constants.value(attribute, self.problems)
        };
        match value {
            None => unknown(variable),
            Some(value) => self.converted(at, &value, &TextRange::of_value(attribute)),
        }
    }

    /// Returns the value that a text gives: itself for a primitive type or none, else that of an expression.
    fn text(&mut self, at: usize, source: &str, text: &str, origin: Origin) -> Option<GivenValue> {
        let variable = &self.definitions.variables[at];
        let is_plain =
            variable.ty.as_ref().is_none_or(|ty| matches!(ty.ty(), Type::String | Type::Number | Type::Bool));
        let value = if is_plain {
            let arena = Arena::new();
            Some(OwnedValue::new(Value::text(&arena, text)))
        } else if variable.sensitive {
            self.constants.sensitive_expression(source, text, self.problems)
        } else {
            self.constants.expression(source, text, self.problems)
        };
        let place = TextRange::of_text(source, if variable.sensitive { SENSITIVE } else { text });
        let value = self.converted(at, &value?, &place);
        Some(GivenValue { origin, value, place: None })
    }

    /// Converts a value to the type of a variable. Null is the default of a variable that is not nullable.
    fn converted(&mut self, at: usize, value: &OwnedValue, place: &TextRange) -> OwnedValue {
        let variable = &self.definitions.variables[at];
        given_value(variable, value).unwrap_or_else(|why| {
            let name = &variable.name;
            let declared = variable.place.line();
            let detail = format!("The value does not fit `var.{name}`, declared at {declared}: {why}.");
            let title = if value.get().is_null() && !variable.nullable {
                "Required variable not set"
            } else {
                "Invalid value for input variable"
            };
            self.problems.error(place, title, detail);
            unknown(variable)
        })
    }

    fn undeclared(&mut self, name: &str, place: &TextRange, is_error: bool) {
        let near = if self.problems.len() < MOST_PROPOSALS {
            nearest(name, self.definitions.variables.iter().map(|one| one.name.as_str()))
        } else {
            None
        };
        let near = near.map(|near| format!(" Did you mean \"{near}\"?")).unwrap_or_default();
        let detail = format!("There is no `variable \"{name}\"`.{near}");
        let title = "Value for undeclared variable";
        if is_error {
            self.problems.error(place, title, detail);
        } else {
            self.problems.warning(place, title, detail);
        }
    }
}

fn default(variable: &VariableDeclaration) -> Vec<GivenValue> {
    let default = variable.default.iter();
    let given = |(value, place): &(OwnedValue, TextRange)| GivenValue {
        origin: Origin::Default,
        value: value.clone(),
        place: Some(place.clone()),
    };
    default.map(given).collect()
}

/// Returns an unknown value of the type of a variable.
pub(super) fn unknown(variable: &VariableDeclaration) -> OwnedValue {
    let ty = variable.ty.as_ref().map_or(Type::Dynamic, |ty| ty.ty());
    let arena = Arena::new();
    if variable.nullable || ty == Type::Dynamic {
        variables::unknown_of(ty)
    } else {
        OwnedValue::new(Value::unknown_not_null(&arena, ty))
    }
}

/// Returns the value of a variable for what it is given.
///
/// # Errors
/// Why it does not fit, as a phrase.
pub(super) fn given_value(variable: &VariableDeclaration, value: &OwnedValue) -> Result<OwnedValue, String> {
    if value.get().unmark().0.is_null() && !variable.nullable {
        let default = variable.default.as_ref().map(|(default, _)| default.clone());
        return default.ok_or_else(|| "null is no value of a variable with nullable = false".to_owned());
    }
    converted(variable.ty.as_ref(), value.get(), variable.sensitive)
}

/// Returns the value of a variable with the marks that its declaration says.
pub(super) fn marked(variable: &VariableDeclaration, value: &OwnedValue) -> OwnedValue {
    let marks: Vec<&str> = [(variable.sensitive, "sensitive"), (variable.ephemeral, "ephemeral")]
        .iter()
        .filter(|(is, _)| *is)
        .map(|(_, mark)| *mark)
        .collect();
    if marks.is_empty() {
        return value.clone();
    }
    let arena = Arena::new();
    OwnedValue::new(value.get().with_marks(&arena, marks_from(&arena, &marks)))
}

/// The name of a variable of the environment that names the workspace.
pub(super) fn workspace(inputs: &Inputs) -> SmolStr {
    let found =
        inputs.environment.iter().rev().find(|(name, text)| name == "TF_WORKSPACE" && !text.is_empty());
    found.map_or(SmolStr::new_static("default"), |(_, text)| text.into())
}
