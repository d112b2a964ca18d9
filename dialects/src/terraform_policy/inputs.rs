//! Inputs: what a file declares, and where their values come from.
//!
//! ```text
//! strongest                                                                                              weakest
//! a mock's inputs ▶ a test file's inputs ▶ parameters ▶ arguments ▶ TFPOLICY_INPUT_name ▶ files ▶ name ▶ default
//! ```

use std::collections::{BTreeMap, HashSet};

use hclvm::diagnostics::Span;

use hclvm::syntax::{TypeConstraint, TypeMode, is_identifier};
use hclvm::value::Arena;
use hclvm::{Block, Engine, Limits, OwnedValue, Type, Value};
use smol_str::{SmolStr, format_smolstr};

use super::host::marked;
use super::language;
use crate::constants::ConstantEvaluator;
use crate::files::File;
use crate::hidden::{self, Hidden};
use crate::problems::{Problems, TextRange};

/// What names of inputs in the environment begin with.
const PREFIX: &str = "TFPOLICY_INPUT_";

/// A declared input.
#[derive(Debug)]
pub(super) struct InputDeclaration {
    pub(super) name: SmolStr,
    /// The name with which expressions read it: `input.limit`.
    pub(super) slot: SmolStr,
    place: TextRange,
    ty: Option<TypeConstraint>,
    default: Option<OwnedValue>,
    nullable: bool,
    pub(super) sensitive: bool,
}

impl InputDeclaration {
    /// Reads an `input` block.
    pub(super) fn read(
        block: Block<'_>,
        constants: &mut ConstantEvaluator,
        defaults: &mut ConstantEvaluator,
        problems: &mut Problems,
    ) -> Self {
        let document = block.body().document();
        let name = block.labels().next().unwrap_or_default();
        let place = TextRange::of_block(document, block);
        let (content, found) = block.body().content_lenient(&language::input());
        problems.add(found);
        if !is_identifier(name) {
            let detail = format!(
                "\"{name}\" is not a valid name: it begins with a letter and has letters, digits, _ and - only."
            );
            problems.error(&place, "Invalid input name", detail);
        }
        if let Some(description) = content.attribute("description") {
            constants.text(description, problems);
        }
        let mut truth = |name: &str, otherwise: bool| {
            content.attribute(name).is_some_and(|one| constants.truth(one, problems).unwrap_or(otherwise))
        };
        // What is not known to be open is not shown.
        let (nullable, sensitive) = (truth("nullable", false), truth("sensitive", true));
        let ty = content.attribute("type").and_then(|attribute| {
            attribute
                .type_constraint(TypeMode::WithDefaults)
                .map_err(|error| problems.add(error.to_diagnostics(document.source().name())))
                .ok()
        });
        let default = content.attribute("default").and_then(|attribute| {
            let value = if sensitive {
                defaults.sensitive_value(attribute, problems)
            } else {
                defaults.value(attribute, problems)
            };
            let converted = converted(ty.as_ref(), value?.get(), sensitive);
            converted
                .map_err(|why| {
                    let detail = format!("The default does not fit the type of the input: {why}.");
                    problems.error(
                        &TextRange::of_value(attribute),
                        "Invalid default value for input",
                        detail,
                    );
                })
                .ok()
        });
        Self {
            name: name.into(),
            slot: format_smolstr!("input.{name}"),
            place,
            ty,
            default,
            nullable,
            sensitive,
        }
    }

    fn takes_text(&self) -> bool {
        self.ty.as_ref().is_some_and(|ty| ty.ty() == Type::String)
    }
}

fn converted(ty: Option<&TypeConstraint>, value: Value<'_>, sensitive: bool) -> Result<OwnedValue, String> {
    let Some(ty) = ty else { return Ok(OwnedValue::new(value)) };
    let arena = Arena::new();
    ty.convert(&arena, value)
        .map(OwnedValue::new)
        .map_err(|why| if sensitive { why.concealed(&arena) } else { why }.to_string())
}

/// Values of inputs that users give.
///
/// ```
/// use hclvm_dialects::terraform_policy::GivenInputs;
///
/// let given = GivenInputs::new().argument("limit", "30").environment([("TFPOLICY_INPUT_region", "eu")]);
/// # let _ = given;
/// ```
#[derive(Clone, Debug, Default)]
pub struct GivenInputs {
    /// Values by the name of the input: parameters of a set of policies.
    parameters: BTreeMap<String, OwnedValue>,
    arguments: Vec<(String, String)>,
    environment: BTreeMap<String, String>,
    files: Vec<File>,
}

impl GivenInputs {
    /// Creates inputs without any value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a parameter, which is stronger than any argument.
    pub fn parameter(mut self, name: impl Into<String>, value: Value<'_>) -> Self {
        self.parameters.insert(name.into(), OwnedValue::new(value));
        self
    }

    /// Adds an argument of the command line, whose text is read by the type of the input. Later ones are stronger.
    pub fn argument(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.arguments.push((name.into(), text.into()));
        self
    }

    /// Adds variables of the environment. Those of inputs are `TFPOLICY_INPUT_NAME`, and `NAME`, which is weaker than
    /// everything but the default.
    pub fn environment(
        mut self,
        variables: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        self.environment.extend(variables.into_iter().map(|(name, text)| (name.into(), text.into())));
        self
    }

    /// Adds a file of values, `NAME = VALUE`. Later files are stronger.
    pub fn file(mut self, file: File) -> Self {
        self.files.push(file);
        self
    }
}

/// Values of inputs by name, each with its place.
pub(super) type Values = BTreeMap<String, (OwnedValue, TextRange)>;

/// Values of inputs that were read, to be given to files of policies.
#[derive(Debug)]
pub(super) struct Sources {
    given: GivenInputs,
    files: Values,
    constants: ConstantEvaluator,
    /// Names that some file declares.
    declared: HashSet<SmolStr>,
    /// The parts of files that no problem shows.
    pub(super) secrets: Vec<Hidden>,
}

impl Sources {
    /// Reads the files of values.
    pub(super) fn new(given: &GivenInputs, limits: Limits, problems: &mut Problems) -> Self {
        let mut constants = ConstantEvaluator::new(None, limits);
        let engine = Engine::builder().limits(limits).build();
        let (mut files, mut secrets) = (Values::new(), Vec::new());
        for file in &given.files {
            let (document, found) = file.parse(&engine, file.suffix() == "json");
            // Each value may be that of a sensitive input.
            let end = u32::try_from(document.source().text().len()).unwrap_or(u32::MAX);
            secrets.push(Hidden::lines(document.source(), &[Span::new(0, end)]));
            problems.add(hidden::without(&secrets, &found));
            for attribute in document.body().attributes() {
                let value = constants.sensitive_value(attribute, problems);
                let place = TextRange::of_name(attribute);
                files.extend(value.map(|value| (attribute.name().to_owned(), (value, place))));
            }
        }
        Self { given: given.clone(), files, constants, declared: HashSet::new(), secrets }
    }

    /// Returns the values of the inputs of a file, in the order of their declarations. `written` are values of test files,
    /// the strongest first. Inputs without a value are unknown, which was reported.
    pub(super) fn values(
        &mut self,
        declarations: &[InputDeclaration],
        written: &[&Values],
        problems: &mut Problems,
    ) -> Vec<OwnedValue> {
        declarations.iter().map(|one| self.value(one, written, problems)).collect()
    }

    fn value(
        &mut self,
        input: &InputDeclaration,
        written: &[&Values],
        problems: &mut Problems,
    ) -> OwnedValue {
        self.declared.insert(input.name.clone());
        let value = match self.given_value(input, written, problems) {
            GivenInput::Value(value, place) => {
                match converted(input.ty.as_ref(), value.get(), input.sensitive) {
                    Ok(value) => Some(value),
                    Err(why) => {
                        let detail = format!(
                            "The value of the input \"{}\" does not fit its type: {why}.",
                            input.name
                        );
                        problems.error(&place, "Invalid value for input", detail);
                        return OwnedValue::new(Value::DYNAMIC);
                    }
                }
            }
            GivenInput::Refused => return OwnedValue::new(Value::DYNAMIC),
            GivenInput::Nothing => None,
        };
        let is_null = value.as_ref().is_some_and(|value| value.get().is_null());
        let value = match value {
            Some(value) if !is_null || input.nullable => Some(value),
            _ => input.default.clone().or_else(|| input.nullable.then(|| OwnedValue::new(Value::NULL))),
        };
        let value = value.filter(|value| input.nullable || !value.get().is_null());
        match value {
            Some(value) if input.sensitive => marked(&value),
            Some(value) => value,
            None => {
                let detail = format!(
                    "The input \"{}\" has no value. Give it a default, or a value: --input \"{0}=…\".",
                    input.name
                );
                problems.error(&input.place, "Unset input", detail);
                OwnedValue::new(Value::DYNAMIC)
            }
        }
    }

    fn given_value(
        &mut self,
        input: &InputDeclaration,
        written: &[&Values],
        problems: &mut Problems,
    ) -> GivenInput {
        let name = input.name.as_str();
        if let Some((value, place)) = written.iter().find_map(|values| values.get(name)) {
            return GivenInput::Value(value.clone(), place.clone());
        }
        if let Some(value) = self.given.parameters.get(name) {
            return GivenInput::Value(value.clone(), TextRange::nowhere("parameter"));
        }
        let argument =
            self.given.arguments.iter().rev().find(|(one, _)| one == name).map(|(_, text)| text.clone());
        if let Some(text) = argument {
            return self.text(input, &format!("--input {name}"), &text, problems);
        }
        let variable = format!("{PREFIX}{name}");
        if let Some(text) = self.given.environment.get(&variable).cloned() {
            return self.text(input, &variable, &text, problems);
        }
        if let Some((value, place)) = self.files.get(name) {
            return GivenInput::Value(value.clone(), place.clone());
        }
        if let Some(text) = self.given.environment.get(name).cloned() {
            return self.text(input, name, &text, problems);
        }
        GivenInput::Nothing
    }

    /// Reads a text: an expression, unless the input is a text.
    fn text(
        &mut self,
        input: &InputDeclaration,
        origin: &str,
        text: &str,
        problems: &mut Problems,
    ) -> GivenInput {
        let place = TextRange::nowhere(origin);
        if input.takes_text() {
            let value = OwnedValue::new(Value::text(&Arena::new(), text));
            return GivenInput::Value(value, place);
        }
        let value = if input.sensitive {
            self.constants.sensitive_expression(origin, text, problems)
        } else {
            self.constants.expression(origin, text, problems)
        };
        value.map_or(GivenInput::Refused, |value| GivenInput::Value(value, place))
    }

    /// Warns about values for inputs that no file declares.
    pub(super) fn warn_undeclared(&self, problems: &mut Problems) {
        let arguments = self.given.arguments.iter().map(|(name, _)| (name, TextRange::nowhere("--input")));
        let files = self.files.iter().map(|(name, (_, place))| (name, place.clone()));
        let parameters = self.given.parameters.keys().map(|name| (name, TextRange::nowhere("parameter")));
        for (name, place) in arguments.chain(files).chain(parameters) {
            if !self.declared.contains(name.as_str()) {
                let detail = format!("No file declares the input \"{name}\".");
                problems.warning(&place, "Undeclared input", detail);
            }
        }
    }
}

enum GivenInput {
    Value(OwnedValue, TextRange),
    /// It was reported that there is no value.
    Refused,
    Nothing,
}
