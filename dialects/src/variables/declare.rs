//! Declarations of variables: `variable` blocks, and the attributes of `variables`.

use std::collections::BTreeMap;

use hclvm::schema::Schema;
use hclvm::syntax::{TypeMode, is_identifier};
use hclvm::{Attribute, Block, OwnedValue, Type};
use smol_str::SmolStr;

use super::types::VariableType;
use super::validate::{Validation, Validator};
use super::{GivenValue, Origin};
use crate::constants::ConstantEvaluator;
use crate::problems::{Problems, TextRange};

/// The differences between the declarations of applications.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariableRules {
    /// True if a declaration may have `sensitive`.
    pub(crate) sensitive: bool,
    /// How types are read: with `any` and optional attributes, or exact ones only.
    pub(crate) types: TypeMode,
    /// True if an empty object or tuple as default leaves the type open.
    pub(crate) empty_is_open: bool,
    /// True if the message of a validation has to be a sentence.
    pub(crate) sentences: bool,
    /// The prefix of variables in the environment.
    pub(crate) prefix: &'static str,
    /// The name of a variable file in titles.
    pub(crate) file: &'static str,
}

/// The evaluator of the parts of declarations.
#[derive(Debug)]
pub(crate) struct Evaluators {
    /// Evaluates defaults.
    pub(crate) defaults: ConstantEvaluator,
    /// Evaluates everything else, without functions.
    pub(crate) constants: ConstantEvaluator,
    pub(crate) validator: Validator,
}

impl Evaluators {
    fn validation(
        &mut self,
        block: Block<'_>,
        variable: &str,
        rules: VariableRules,
        problems: &mut Problems,
    ) -> Option<Validation> {
        self.validator.declare(block, variable, rules, &mut self.constants, problems)
    }
}

/// A declared variable.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) name: SmolStr,
    pub(crate) place: TextRange,
    pub(crate) description: Option<String>,
    pub(crate) sensitive: bool,
    pub(crate) ty: VariableType,
    pub(crate) default: Option<GivenValue>,
    pub(crate) validations: Vec<Validation>,
}

/// The variables that a module declares, in the order of their declarations.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    pub(crate) list: Vec<Declaration>,
    by_name: BTreeMap<SmolStr, usize>,
}

impl Declarations {
    /// Returns the number of a variable in the list.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Returns true if a variable is declared and sensitive.
    pub(crate) fn is_sensitive(&self, name: &str) -> bool {
        self.find(name).is_some_and(|at| self.list[at].sensitive)
    }

    fn add(&mut self, declaration: Declaration) {
        self.by_name.insert(declaration.name.clone(), self.list.len());
        self.list.push(declaration);
    }

    /// Returns true after reporting that a variable is declared already.
    fn is_repeated(&self, name: &str, place: &TextRange, problems: &mut Problems) -> bool {
        let Some(first) = self.find(name) else { return false };
        let line = self.list[first].place.line();
        problems.error(
            place,
            "Duplicate variable",
            format!("The variable \"{name}\" is already declared at {line}."),
        );
        true
    }

    /// Adds the variable of a `variable` block.
    pub(crate) fn block(
        &mut self,
        block: Block<'_>,
        rules: VariableRules,
        evaluators: &mut Evaluators,
        problems: &mut Problems,
    ) {
        let document = block.body().document();
        let name = block.labels().next().unwrap_or_default();
        let place = TextRange::of_block(document, block);
        if self.is_repeated(name, &place, problems) {
            return;
        }
        let (content, found) = block.body().content_lenient(&schema(rules));
        problems.add(found);
        if !is_identifier(name) {
            let at = block.label_spans().next().unwrap_or(block.header_span());
            let detail = format!(
                "\"{name}\" is not a valid name: a name begins with a letter and has letters, digits, _ and - only."
            );
            problems.error(&TextRange::new(document, at), "Invalid variable name", detail);
        }
        let description =
            content.attribute("description").and_then(|one| evaluators.constants.text(one, problems));
        let mut ty = VariableType::Open;
        if let Some(attribute) = content.attribute("type") {
            match attribute.type_constraint(rules.types) {
                Ok(constraint) => ty = VariableType::Declared(constraint),
                Err(error) => {
                    problems.add(error.to_diagnostics(document.source().name()));
                    return;
                }
            }
        }
        // What is not known to be open is not shown.
        let sensitive = content
            .attribute("sensitive")
            .is_some_and(|one| evaluators.constants.truth(one, problems).unwrap_or(true));
        let mut default = None;
        if let Some(attribute) = content.attribute("default") {
            let value = if sensitive {
                evaluators.defaults.sensitive_value(attribute, problems)
            } else {
                evaluators.defaults.value(attribute, problems)
            };
            let Some(value) = value else { return };
            default = Some(default_of(attribute, &value, (&mut ty, sensitive), rules, problems));
        }
        let name = SmolStr::new(name);
        let validations = content.blocks_of("validation");
        let validations =
            validations.filter_map(|one| evaluators.validation(one, &name, rules, problems)).collect();
        self.add(Declaration { name, place, description, sensitive, ty, default, validations });
    }

    /// Adds the variable of an attribute of a `variables` block.
    pub(crate) fn attribute(
        &mut self,
        attribute: Attribute<'_>,
        evaluators: &mut Evaluators,
        problems: &mut Problems,
    ) {
        let (name, place) = (attribute.name(), TextRange::of_name(attribute));
        if self.is_repeated(name, &place, problems) {
            return;
        }
        let Some(value) = evaluators.defaults.value(attribute, problems) else { return };
        // An empty object or tuple is a type here, whatever it is in a `variable` block.
        let ty = VariableType::OfDefault(value.clone());
        let default =
            Some(GivenValue { origin: Origin::Default, value, place: Some(TextRange::of_value(attribute)) });
        let (name, description, validations) = (SmolStr::new(name), None, Vec::new());
        self.add(Declaration { name, place, description, sensitive: false, ty, default, validations });
    }
}

fn schema(rules: VariableRules) -> Schema {
    let schema = Schema::new().optional("description").optional("default").optional("type");
    let schema = if rules.sensitive { schema.optional("sensitive") } else { schema };
    schema.block("validation", &[])
}

/// Converts a default value to the type of the variable, or gives the variable its type.
fn default_of(
    attribute: Attribute<'_>,
    value: &OwnedValue,
    (ty, sensitive): (&mut VariableType, bool),
    rules: VariableRules,
    problems: &mut Problems,
) -> GivenValue {
    let place = TextRange::of_value(attribute);
    let value = ty.convert(value.get(), sensitive).unwrap_or_else(|why| {
        let detail = format!("The default does not fit the type of the variable: {why}.");
        problems.error(&place, "Invalid default value for variable", detail);
        ty.unknown()
    });
    let is_open = match &*ty {
        VariableType::Open => true,
        VariableType::Declared(constraint) => constraint.ty() == Type::Dynamic,
        VariableType::OfDefault(_) => false,
    };
    if is_open && !(rules.empty_is_open && is_empty(&value)) {
        *ty = VariableType::OfDefault(value.clone());
    }
    GivenValue { origin: Origin::Default, value, place: Some(place) }
}

/// Returns true for `{}` and `[]`.
fn is_empty(value: &OwnedValue) -> bool {
    let value = value.get();
    value.as_items().is_some_and(<[_]>::is_empty) || value.as_entries().is_some_and(<[_]>::is_empty)
}
