//! Validation of variables: conditions about the value that is used.

use std::sync::Arc;

use hclvm::analysis::{Key, Traversal};
use hclvm::schema::Schema;
use hclvm::value::{Arena, View, convert};
use hclvm::{Attribute, Block, Engine, Layout, Program, Session, Type, Value};

use super::declare::{Declaration, VariableRules};
use super::{Origin, Variable};
use crate::constants::{ConstantEvaluator, tier};
use crate::names::set_object;
use crate::problems::{Problems, TextRange};

/// The variable that conditions read.
const VAR: &str = "var";

/// A `validation` block.
#[derive(Debug)]
pub(crate) struct Validation {
    place: TextRange,
    condition: Program,
    condition_place: TextRange,
    message: String,
}

/// Compiles and runs the conditions of a module's variables, with all functions of the module.
#[derive(Debug)]
pub(crate) struct Validator {
    engine: Engine,
    layout: Arc<Layout>,
    session: Session,
    exploring: bool,
}

impl Validator {
    pub(crate) fn new(engine: &Engine) -> Self {
        Self {
            engine: engine.clone(),
            layout: Arc::new(Layout::new([VAR])),
            session: engine.session(),
            exploring: false,
        }
    }

    /// Lets functions that need what is not granted return unknown values.
    pub(crate) fn exploring(mut self, exploring: bool) -> Self {
        self.session.set_tier(tier(exploring));
        self.exploring = exploring;
        self
    }

    /// Reads a `validation` block; `None` after reporting that it cannot be run.
    pub(super) fn declare(
        &self,
        block: Block<'_>,
        variable: &str,
        rules: VariableRules,
        constants: &mut ConstantEvaluator,
        problems: &mut Problems,
    ) -> Option<Validation> {
        let document = block.body().document();
        let schema = Schema::new().required("condition").required("error_message");
        let (content, found) = block.body().content_lenient(&schema);
        problems.add(found);
        let condition = content.attribute("condition");
        if let Some(condition) = condition {
            check_references(condition, variable, problems);
        }
        let message = content.attribute("error_message").and_then(|one| {
            let text = constants.text(one, problems)?;
            if let Some(why) = why_no_message(&text, rules) {
                problems.error(&TextRange::of_value(one), "Invalid validation error message", why);
            }
            Some(text)
        });
        let attribute = condition?;
        let condition = match attribute.compile_with(&self.engine, &self.layout) {
            Ok(condition) => condition,
            Err(error) => {
                problems.add(error.to_diagnostics(document.source().name()));
                return None;
            }
        };
        let (place, condition_place) = (TextRange::of_block(document, block), TextRange::of_value(attribute));
        Some(Validation { place, condition, condition_place, message: message.unwrap_or_default() })
    }

    /// Reports variables without a value, unless functions and values are explored, and values that validations
    /// refuse.
    pub(crate) fn validate_all(
        &mut self,
        declarations: &[Declaration],
        variables: &[Variable],
        rules: VariableRules,
        problems: &mut Problems,
    ) {
        for (declaration, variable) in declarations.iter().zip(variables) {
            if variable.origin().is_none() && !self.exploring {
                let (name, prefix) = (&declaration.name, rules.prefix);
                let title = format!("Unset variable \"{name}\"");
                let detail = format!(
                    "The variable has no default. Set it with --var '{name}=…', in a variable file, or as {prefix}{name}."
                );
                problems.error(&declaration.place, title, detail);
            }
            self.validate(declaration, variable, problems);
        }
    }

    /// Runs the validations of a variable with the value that is used. Every failure is reported.
    pub(crate) fn validate(
        &mut self,
        declaration: &Declaration,
        variable: &Variable,
        problems: &mut Problems,
    ) {
        let Some(given) = variable.given().filter(|_| !declaration.validations.is_empty()) else { return };
        let mut scope = self.engine.scope(&self.layout);
        let set = set_object(&mut scope, VAR, [(declaration.name.as_str(), variable.computed())]);
        if let Err(error) = set {
            problems.add(error.to_diagnostics(declaration.place.source.name()));
            return;
        }
        for validation in &declaration.validations {
            let place = given.place.as_ref().filter(|_| !declaration.sensitive).unwrap_or(&validation.place);
            match self.session.evaluate(&validation.condition, &scope) {
                Err(error) => problems.add(error.to_diagnostics(validation.place.source.name())),
                Ok(evaluation) if evaluation.diagnostics.has_errors() => problems.add(evaluation.diagnostics),
                Ok(evaluation) => match holds(evaluation.value) {
                    ConditionResult::Holds | ConditionResult::Unknown => {}
                    ConditionResult::Fails => failed(declaration, validation, &given.origin, place, problems),
                    ConditionResult::Other => {
                        let shown = hclvm::show::line(evaluation.value);
                        let detail = format!("The condition is {shown}, where true or false is needed.");
                        let title = "Invalid variable validation result";
                        problems.error(&validation.condition_place, title, detail);
                    }
                },
            }
        }
    }
}

/// The result of a condition.
enum ConditionResult {
    Holds,
    Fails,
    Unknown,
    /// Null, or a value that is neither true nor false.
    Other,
}

fn holds(value: Value<'_>) -> ConditionResult {
    let arena = Arena::new();
    match convert(&arena, value.unmark().0, Type::Bool).map(Value::view) {
        Ok(View::Bool(true)) => ConditionResult::Holds,
        Ok(View::Bool(false)) => ConditionResult::Fails,
        Ok(View::Unknown(_)) => ConditionResult::Unknown,
        Ok(_) | Err(_) => ConditionResult::Other,
    }
}

fn failed(
    declaration: &Declaration,
    validation: &Validation,
    origin: &Origin,
    place: &TextRange,
    problems: &mut Problems,
) {
    let title = format!("Invalid value for {origin} variable");
    let (message, line) = (&validation.message, validation.place.line());
    let detail = format!("{message} This is a rule for `var.{}` at {line}.", declaration.name);
    problems.error(place, title, detail);
}

/// Reports references of a condition to anything but its variable, and a condition without references to it.
fn check_references(condition: Attribute<'_>, variable: &str, problems: &mut Problems) {
    let document = condition.document();
    let traversals = condition.variables();
    let is_own = |one: &&Traversal<'_>| {
        one.root() == VAR && matches!(one.steps().next(), Some((Key::Attribute(name), _)) if name == variable)
    };
    for other in traversals.iter().filter(|one| !is_own(one)) {
        let detail = format!(
            "A condition reads `var.{variable}` and nothing else: variables are validated before anything else has a value."
        );
        let place = TextRange::new(document, other.span());
        problems.error(&place, "Invalid reference in variable validation", detail);
    }
    if !traversals.iter().any(|one| is_own(&one)) {
        let detail =
            format!("The condition does not read `var.{variable}`, so that no value changes its result.");
        problems.error(&TextRange::of_value(condition), "Invalid variable validation condition", detail);
    }
}

/// Returns why a text is no message of a validation.
fn why_no_message(text: &str, rules: VariableRules) -> Option<&'static str> {
    let trimmed = text.trim();
    let (Some(first), Some(last)) = (trimmed.chars().next(), trimmed.chars().last()) else {
        return Some("The message is empty. Tell what a value has to be.");
    };
    // Letters of scripts without cases are no capital letters.
    let begins = first.is_uppercase() || !first.is_alphabetic();
    let ends = matches!(last, '.' | '?' | '!');
    let why = "The message is a sentence: it begins with a capital letter and ends with a full stop, ? or !.";
    (rules.sentences && !(begins && ends)).then_some(why)
}
