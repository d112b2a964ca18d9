//! The values of variables: of each origin, converted to the type of the variable.

use std::sync::Arc;

use hclvm::diagnostics::{Source, Span, nearest};
use hclvm::schema::Schema;
use hclvm::{Attribute, Document, Engine, OwnedValue};

use super::declare::{Declaration, Declarations, VariableRules};
use super::{GivenValue, Origin, Variable};
use crate::constants::ConstantEvaluator;
use crate::files::File;
use crate::hidden::Hidden;
use crate::inputs::Inputs;
use crate::marks::SENSITIVE;
use crate::problems::{Problems, TextRange};

/// What happens to a value for a variable that is not declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undeclared {
    Ignored,
    Warning,
    Error,
}

/// A variable file that was parsed.
#[derive(Debug)]
pub(crate) struct ParsedFile {
    document: Document,
    name: String,
}

impl ParsedFile {
    /// Returns the values in it that are not shown: those of sensitive variables. Where values are repeated or are no
    /// values, all lines are hidden.
    pub(crate) fn hidden(&self, declarations: &Declarations) -> Hidden {
        let source = self.document.source();
        let (attributes, found) = self.document.body().just_attributes_lenient();
        if !found.is_empty() && mentions_sensitive(&self.document, declarations) {
            return all_lines(source);
        }
        let is_sensitive = |one: &&Attribute<'_>| declarations.is_sensitive(one.name());
        let values = attributes.iter().filter(is_sensitive).map(|one| one.expression_span());
        Hidden::new(source, values.collect())
    }
}

/// Parses variable files; a file with syntax errors is reported and left out. `is_json` determines the syntax of a file;
/// `None` after reporting that it cannot. Errors in a file with sensitive variables show nothing of it.
pub(crate) fn parse_files<'f>(
    files: impl Iterator<Item = &'f File>,
    engine: &Engine,
    is_json: impl Fn(&File, &mut Problems) -> Option<bool>,
    declarations: &Declarations,
    problems: &mut Problems,
) -> Vec<ParsedFile> {
    let mut parsed = Vec::new();
    for file in files {
        let Some(json) = is_json(file, problems) else { continue };
        let (document, found) = file.parse(engine, json);
        if !found.has_errors() {
            problems.add(found);
            parsed.push(ParsedFile { document, name: file.name().to_owned() });
        } else if mentions_sensitive(&document, declarations) {
            problems.add(all_lines(document.source()).of_syntax(&found));
        } else {
            problems.add(found);
        }
    }
    parsed
}

fn all_lines(source: &Arc<Source>) -> Hidden {
    let end = u32::try_from(source.text().len()).unwrap_or(u32::MAX);
    Hidden::lines(source, &[Span::new(0, end)])
}

/// Returns true if a file may have values of sensitive variables, by what could be parsed of it and by its text.
fn mentions_sensitive(document: &Document, declarations: &Declarations) -> bool {
    let names: Vec<&str> = document.body().attributes().map(|one| one.name()).collect();
    let text = document.source().text();
    let mut sensitive = declarations.list.iter().filter(|one| one.sensitive);
    sensitive.any(|one| names.contains(&one.name.as_str()) || text.contains(one.name.as_str()))
}

/// Collects the values of declared variables.
pub(crate) struct VariableCollector<'c> {
    pub(crate) declarations: &'c Declarations,
    pub(crate) rules: VariableRules,
    /// Evaluates texts and files, without variables and functions.
    pub(crate) constants: &'c mut ConstantEvaluator,
    pub(crate) problems: &'c mut Problems,
    /// Undeclared variables of files.
    pub(crate) in_files: Undeclared,
    /// Undeclared variables of the command line.
    pub(crate) in_arguments: Undeclared,
}

impl VariableCollector<'_> {
    /// Returns all variables with their values.
    pub(crate) fn collect(mut self, inputs: &Inputs, files: &[ParsedFile]) -> Vec<Variable> {
        let default = |one: &Declaration| one.default.iter().cloned().collect();
        let mut given: Vec<Vec<GivenValue>> = self.declarations.list.iter().map(default).collect();
        let before = self.problems.errors();
        self.environment(inputs, &mut given);
        if self.files(files, before, &mut given) {
            for (name, value) in &inputs.values {
                self.host_value(name, value, &mut given);
            }
            for (name, text) in &inputs.arguments {
                self.argument(name, text, &mut given);
            }
        }
        let variables = self.declarations.list.iter().zip(given);
        variables.map(|(declaration, given)| variable(declaration, given)).collect()
    }

    /// Returns a variable with the value of an argument instead of the one it has from the command line.
    pub(crate) fn with_argument(mut self, at: usize, text: &str, before: &Variable) -> Variable {
        let declaration = &self.declarations.list[at];
        let source = format!("<value for var.{} from arguments>", declaration.name);
        let mut given: Vec<GivenValue> =
            before.given.iter().filter(|one| one.origin != Origin::Argument).cloned().collect();
        let title = "Invalid argument value for -var variable";
        given.extend(self.text(at, &source, text, title, Origin::Argument));
        variable(declaration, given)
    }

    fn environment(&mut self, inputs: &Inputs, given: &mut [Vec<GivenValue>]) {
        for (name, text) in &inputs.environment {
            let Some(name) = name.strip_prefix(self.rules.prefix) else { continue };
            let Some(at) = self.declarations.find(name) else { continue };
            let source = format!("<value for var.{name} from env>");
            let title = "Invalid value for variable";
            given[at].extend(self.text(at, &source, text, title, Origin::Environment));
        }
    }

    fn argument(&mut self, name: &str, text: &str, given: &mut [Vec<GivenValue>]) {
        let source = format!("<value for var.{name} from arguments>");
        let Some(at) = self.declarations.find(name) else {
            let detail = format!("There is no `variable \"{name}\"`.{}", self.near(name));
            self.undeclared(
                self.in_arguments,
                &TextRange::nowhere(&source),
                "Undefined -var variable",
                detail,
            );
            return;
        };
        let title = "Invalid argument value for -var variable";
        given[at].extend(self.text(at, &source, text, title, Origin::Argument));
    }

    /// Returns the value that a text gives.
    fn text(
        &mut self,
        at: usize,
        source: &str,
        text: &str,
        title: &str,
        origin: Origin,
    ) -> Option<GivenValue> {
        let declaration = &self.declarations.list[at];
        let value = if declaration.ty.takes_text() {
            let arena = hclvm::value::Arena::new();
            Some(OwnedValue::new(hclvm::Value::str(&arena, text)))
        } else if declaration.sensitive {
            self.constants.sensitive_expression(source, text, self.problems)
        } else {
            self.constants.expression(source, text, self.problems)
        };
        let place = TextRange::of_text(source, if declaration.sensitive { SENSITIVE } else { text });
        let value = value.map_or_else(
            || declaration.ty.unknown(),
            |value| self.converted(declaration, &value, &place, title),
        );
        Some(GivenValue { origin, value, place: None })
    }

    fn converted(
        &mut self,
        declaration: &Declaration,
        value: &OwnedValue,
        place: &TextRange,
        title: &str,
    ) -> OwnedValue {
        declaration.ty.convert(value.get(), declaration.sensitive).unwrap_or_else(|why| {
            let name = &declaration.name;
            let shown = if declaration.sensitive {
                String::new()
            } else {
                format!(" {}", hclvm::show::line(value.get()))
            };
            let declared = declaration.place.line();
            let detail = format!(
                "The value{shown} does not fit the type of `var.{name}`, declared at {declared}: {why}."
            );
            self.problems.error(place, title, detail);
            declaration.ty.unknown()
        })
    }

    fn host_value(&mut self, name: &str, value: &OwnedValue, given: &mut [Vec<GivenValue>]) {
        let place = TextRange::nowhere("values of the host");
        let Some(at) = self.declarations.find(name) else {
            let detail = format!("There is no `variable \"{name}\"`.{}", self.near(name));
            self.undeclared(self.in_arguments, &place, "Undefined variable", detail);
            return;
        };
        let value = self.converted(&self.declarations.list[at], value, &place, "Invalid value for variable");
        given[at].push(GivenValue { origin: Origin::Host, value, place: None });
    }

    /// Reads variable files. Returns false if nothing further is read: after declarations in a file, and before a
    /// file if there are more errors than `before`, as the application does.
    fn files(&mut self, files: &[ParsedFile], before: usize, given: &mut [Vec<GivenValue>]) -> bool {
        for file in files {
            self.refuse_declarations(&file.document);
            if self.problems.errors() > before {
                return false;
            }
            self.file(file, given);
        }
        true
    }

    /// Reports declarations in a variable file.
    fn refuse_declarations(&mut self, document: &Document) {
        let (content, _) = document.body().content_lenient(&Schema::new().block("variable", &["name"]));
        for block in content.blocks_of("variable") {
            let detail =
                "A variable file gives values, `name = value`. Declare variables in the files of the module.";
            let title = format!("Variable declaration in a {} file", self.rules.file);
            self.problems.error(&TextRange::of_block(document, block), title, detail);
        }
    }

    fn file(&mut self, file: &ParsedFile, given: &mut [Vec<GivenValue>]) {
        let (attributes, found) = file.document.body().just_attributes_lenient();
        self.problems.add(found);
        for attribute in attributes {
            let name = attribute.name();
            let Some(at) = self.declarations.find(name) else {
                let detail = format!("There is no `variable \"{name}\"`.{}", self.near(name));
                self.undeclared(self.in_files, &TextRange::of_name(attribute), "Undefined variable", detail);
                continue;
            };
            let value = self.file_value(at, attribute);
            let origin = Origin::File(file.name.clone());
            given[at].push(GivenValue { origin, value, place: Some(TextRange::of_value(attribute)) });
        }
    }

    fn file_value(&mut self, at: usize, attribute: Attribute<'_>) -> OwnedValue {
        let declaration = &self.declarations.list[at];
        let value = if declaration.sensitive {
            self.constants.sensitive_value(attribute, self.problems)
        } else {
            self.constants.value(attribute, self.problems)
        };
        match value {
            None => declaration.ty.unknown(),
            Some(value) => {
                let place = TextRange::of_value(attribute);
                self.converted(declaration, &value, &place, "Invalid value for variable")
            }
        }
    }

    fn undeclared(&mut self, what: Undeclared, place: &TextRange, title: &str, detail: String) {
        match what {
            Undeclared::Ignored => {}
            Undeclared::Warning => self.problems.warning(place, title, detail),
            Undeclared::Error => self.problems.error(place, title, detail),
        }
    }

    /// Returns a proposal for a name that is not declared.
    fn near(&self, name: &str) -> String {
        // The search takes time proportional to the declarations, and a file may have as many undeclared names.
        const MOST_PROPOSALS: usize = 100;
        if self.problems.len() >= MOST_PROPOSALS {
            return String::new();
        }
        let known = self.declarations.list.iter().map(|one| one.name.as_str());
        nearest(name, known).map(|near| format!(" Did you mean \"{near}\"?")).unwrap_or_default()
    }
}

fn variable(declaration: &Declaration, given: Vec<GivenValue>) -> Variable {
    let value = given.last().map_or_else(|| declaration.ty.unknown(), |given| given.value.clone());
    let Declaration { name, description, sensitive, .. } = declaration;
    let (name, description, value) = (name.clone(), description.clone(), value.into());
    Variable { name, description, sensitive: *sensitive, given, value }
}
