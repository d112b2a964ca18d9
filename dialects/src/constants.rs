//! Expressions that are evaluated before anything has a value: no variables, and few functions or none.

use std::sync::Arc;

use hclvm::diagnostics::Span;
use hclvm::functions::FunctionTable;
use hclvm::run::Tier;
use hclvm::value::{Arena, convert};
use hclvm::{
    Attribute, Diagnostic, Diagnostics, Dialect, Engine, Layout, Limits, OwnedValue, Program, Session, Type,
    Value,
};

use crate::hidden::WITHHELD;
use crate::marks::SENSITIVE;
use crate::problems::{Problems, TextRange};

/// Evaluates expressions without variables.
#[derive(Debug)]
pub(crate) struct ConstantEvaluator {
    engine: Engine,
    session: Session,
    layout: Arc<Layout>,
    functions: Option<FunctionTable>,
}

impl ConstantEvaluator {
    /// Evaluates with these functions; `None` refuses all calls.
    pub(crate) fn new(functions: Option<FunctionTable>, limits: Limits) -> Self {
        let dialect =
            Dialect { functions: functions.clone(), ..Dialect::with_functions(FunctionTable::new()) };
        let engine = Engine::builder().dialect(dialect).limits(limits).build();
        let session = engine.session();
        Self { engine, session, layout: Arc::default(), functions }
    }

    /// Lets functions that need what is not granted return unknown values.
    pub(crate) fn exploring(mut self, exploring: bool) -> Self {
        self.session.set_tier(tier(exploring));
        self
    }

    /// Returns true if a function of this name can be called.
    pub(crate) fn has_function(&self, name: &str) -> bool {
        self.functions.as_ref().is_some_and(|table| table.get(name).is_some())
    }

    /// Returns the value of an attribute that is sensitive; `None` after reporting errors, which show nothing of it.
    pub(crate) fn sensitive_value(
        &mut self,
        attribute: Attribute<'_>,
        problems: &mut Problems,
    ) -> Option<OwnedValue> {
        let mut found = Problems::default();
        let value = self.value(attribute, &mut found);
        withhold(&found, &TextRange::of_value(attribute), problems);
        value
    }

    /// Returns the value of an expression like [`ConstantEvaluator::expression`], with errors that show nothing of it.
    pub(crate) fn sensitive_expression(
        &mut self,
        name: &str,
        text: &str,
        problems: &mut Problems,
    ) -> Option<OwnedValue> {
        let mut found = Problems::default();
        let value = self.expression(name, text, &mut found);
        withhold(&found, &TextRange::of_text(name, SENSITIVE), problems);
        value
    }

    /// Returns the value of an attribute; `None` after reporting errors.
    pub(crate) fn value(&mut self, attribute: Attribute<'_>, problems: &mut Problems) -> Option<OwnedValue> {
        let program = attribute.compile_with(&self.engine, &self.layout);
        self.run(program, attribute.document().source().name(), problems)
    }

    /// Returns the value of an expression in a text of its own; `None` after reporting errors.
    pub(crate) fn expression(
        &mut self,
        name: &str,
        text: &str,
        problems: &mut Problems,
    ) -> Option<OwnedValue> {
        let program = self.engine.compile(hclvm::syntax::Text::named(name, text), &self.layout);
        self.run(program, name, problems)
    }

    fn run(
        &mut self,
        program: Result<Program, hclvm::Error>,
        name: &str,
        problems: &mut Problems,
    ) -> Option<OwnedValue> {
        let program = match program {
            Ok(program) => program,
            Err(error) => {
                problems.add(error.to_diagnostics(name));
                return None;
            }
        };
        let refused: Vec<Diagnostic> = program
            .variables()
            .iter()
            .map(|one| variable(one.root(), one.steps().len() > 0, one.span()))
            .collect();
        if !refused.is_empty() {
            problems.add(Diagnostics::new(Arc::clone(program.source()), refused));
            return None;
        }
        let scope = self.engine.scope(&self.layout);
        match self.session.evaluate(&program, &scope) {
            Ok(evaluation) if evaluation.diagnostics.has_errors() => {
                problems.add(evaluation.diagnostics);
                None
            }
            Ok(evaluation) => Some(OwnedValue::new(evaluation.value)),
            Err(error) => {
                problems.add(error.to_diagnostics(name));
                None
            }
        }
    }

    /// Returns the text of an attribute that has to be one; `None` after reporting errors.
    pub(crate) fn text(&mut self, attribute: Attribute<'_>, problems: &mut Problems) -> Option<String> {
        let value = self.value(attribute, problems)?;
        let arena = Arena::new();
        let text = convert(&arena, value.get(), Type::String).ok().and_then(|text| text.as_str());
        if text.is_none() {
            refuse(attribute, value.get(), "a string", problems);
        }
        text.map(str::to_owned)
    }

    /// Returns the truth of an attribute that has to be `true` or `false`; `None` after reporting errors.
    pub(crate) fn truth(&mut self, attribute: Attribute<'_>, problems: &mut Problems) -> Option<bool> {
        let value = self.value(attribute, problems)?;
        let arena = Arena::new();
        let truth = convert(&arena, value.get(), Type::Bool).ok().and_then(Value::as_bool);
        if truth.is_none() {
            refuse(attribute, value.get(), "true or false", problems);
        }
        truth
    }
}

/// Reports problems of a sensitive expression by their titles.
fn withhold(found: &Problems, place: &TextRange, problems: &mut Problems) {
    for one in found.iter() {
        problems.error(place, one.title.clone(), WITHHELD);
    }
}

/// Reports a variable. People mean a text by a name alone, and a part of another value by a path.
fn variable(name: &str, is_path: bool, span: Span) -> Diagnostic {
    let advice = if is_path {
        "Values that depend on others are locals: compute it in a block `locals`.".to_owned()
    } else {
        format!("A text has quotes: \"{name}\".")
    };
    let detail = format!("This value is read before `{name}` has one, so it has to be a literal. {advice}");
    Diagnostic::error("Variables not allowed", detail, span)
}

/// Reports a value of the wrong type.
pub(crate) fn refuse(attribute: Attribute<'_>, value: Value<'_>, wanted: &str, problems: &mut Problems) {
    let name = attribute.name();
    let detail = format!("`{name}` is {wanted}, not {}.", hclvm::show::Pretty(value));
    problems.error(&TextRange::of_first_part(attribute), "Unsuitable value type", detail);
}

/// Returns the tier of evaluations, or of checks.
pub(crate) fn tier(exploring: bool) -> Tier {
    if exploring { Tier::Exploring } else { Tier::Best }
}
