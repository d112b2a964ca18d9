//! The arguments that all provisioners or post-processors have, which are read with the header of a build.

use hclvm::expansion::{AttributeView, Expansion};
use hclvm::value::{Arena, convert};
use hclvm::{Error, OwnedValue, Type, Value};
use smol_str::SmolStr;

use super::header::{TEXT, TEXTS, known, text_of, texts_of};
use crate::durations::is_duration;
use crate::marks::{ExpressionName, SENSITIVE};
use crate::problems::{Problems, TextRange};
use crate::watch::Watch;

/// For which sources a provisioner or post-processor runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Admission {
    only: Vec<String>,
    except: Vec<String>,
}

impl Admission {
    /// Returns true if it runs for the source `type.name`.
    pub(super) fn admits(&self, source: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|one| one == source);
        (self.only.is_empty() || is_in(&self.only)) && !is_in(&self.except)
    }
}

/// The kind of a step: a provisioner or a post-processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuildStepKind {
    Provisioner,
    PostProcessor,
}

impl BuildStepKind {
    /// Returns the type of its block.
    pub(super) fn block(self) -> &'static str {
        match self {
            Self::Provisioner => "provisioner",
            Self::PostProcessor => "post-processor",
        }
    }

    /// Returns the arguments that all of its kind have, in the order in which they are read.
    pub(super) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Provisioner => &[
                "name",
                "pause_before",
                "max_retries",
                "timeout",
                "continue_on_error",
                "only",
                "except",
                "override",
            ],
            Self::PostProcessor => &["name", "only", "except", "keep_input_artifact"],
        }
    }
}

/// The arguments that every provisioner or post-processor may have.
#[derive(Clone, Debug, Default)]
pub(super) struct Common {
    pub(super) name: Option<ExpressionName>,
    pub(super) admission: Admission,
    /// All values, by name.
    pub(super) values: Vec<(SmolStr, OwnedValue)>,
}

impl Common {
    /// Reads the common arguments; `None` after reporting errors.
    pub(super) fn read<'a>(
        kind: BuildStepKind,
        expansion: &mut Expansion<'a>,
        attributes: &[AttributeView<'a>],
        place: &TextRange,
        accepts_unknown: bool,
        watch: &Watch<'_>,
        problems: &mut Problems,
    ) -> Result<Option<Self>, Error> {
        let before = problems.errors();
        let mut common = Self::default();
        let mut durations = Vec::new();
        for name in kind.arguments() {
            let Some(view) = attributes.iter().find(|one| one.name() == *name) else { continue };
            let value = expansion.value(*view)?;
            watch.attribute(expansion, *view)?;
            let found = expansion.take_diagnostics();
            let has_errors = found.has_errors();
            problems.add(found);
            if has_errors {
                continue;
            }
            let (at, value_at) =
                (TextRange::of_first_part(view.attribute), TextRange::of_value(view.attribute));
            let arena = Arena::new();
            match *name {
                "name" => {
                    let text: String =
                        known(text_of(value), &at, name, TEXT, value, accepts_unknown, problems);
                    common.name = Some(ExpressionName::new(text, value.contains_marks()));
                }
                "only" | "except" => {
                    let list = if value.is_null() {
                        Vec::new()
                    } else {
                        known(texts_of(value), &at, name, TEXTS, value, accepts_unknown, problems)
                    };
                    match *name {
                        "only" => common.admission.only = list,
                        _ => common.admission.except = list,
                    }
                }
                "pause_before" | "timeout" => {
                    let text: String = known(
                        text_of(value),
                        &at,
                        name,
                        "a duration, such as \"30s\"",
                        value,
                        accepts_unknown,
                        problems,
                    );
                    durations.push((*name, ExpressionName::new(text, value.contains_marks()), value_at));
                }
                "max_retries" => {
                    let number = convert(&arena, value.unmark().0, Type::Number).ok().and_then(Value::as_i64);
                    known(number, &at, name, "a whole number", value, accepts_unknown, problems);
                }
                // Its form is checked below.
                "override" => {}
                _ if value.is_null() => {}
                _ => {
                    let truth = convert(&arena, value.unmark().0, Type::Bool).ok().and_then(Value::as_bool);
                    known(truth, &at, name, "true or false", value, accepts_unknown, problems);
                }
            }
            common.values.push((SmolStr::new_static(name), OwnedValue::new(value)));
        }
        if problems.errors() == before {
            common.check(&durations, place, problems);
        }
        Ok((problems.errors() == before).then_some(common))
    }

    /// Reports the first argument whose value has the right type and is wrong.
    fn check(
        &self,
        durations: &[(&str, ExpressionName, TextRange)],
        place: &TextRange,
        problems: &mut Problems,
    ) {
        if !self.admission.only.is_empty() && !self.admission.except.is_empty() {
            let detail =
                "Set `only`, which names the sources it runs for, or `except`, which names the others.";
            return problems.error(place, "only one of 'only' or 'except' may be specified", detail);
        }
        if let Some(wrong) = self.wrong_override() {
            let title = format!("provisioner's {wrong} block must be an HCL object");
            let detail = "`override` is an object with an object of arguments for each source: `{ SOURCE = { inline = [] } }`.";
            return problems.error(place, title, detail);
        }
        for name in ["pause_before", "timeout"] {
            let wrong =
                durations.iter().find(|(one, text, _)| *one == name && !is_duration_or_empty(&text.text));
            if let Some((_, text, at)) = wrong {
                let title = format!("Failed to parse {name} duration");
                let shown = text.shown();
                let detail = format!(
                    "\"{shown}\" is not a duration. Write a number and a unit: \"30s\", \"1m30s\", \"2h\"."
                );
                return problems.error(at, title, detail);
            }
        }
    }

    /// Returns the part of `override` that is no object.
    fn wrong_override(&self) -> Option<String> {
        let value = self.value("override")?.unmark().0;
        if value.is_null() || !value.is_known() {
            return None;
        }
        let Some(entries) = value.as_entries() else { return Some("override".to_owned()) };
        let is_object = |value: Value<'_>| !value.is_known() || value.unmark().0.as_entries().is_some();
        let wrong = entries.iter().find(|entry| !is_object(entry.value))?;
        let shown = if self.value("override")?.is_marked() { SENSITIVE } else { wrong.name };
        Some(format!("override.'{shown}'"))
    }

    /// Returns the value of an argument.
    pub(super) fn value(&self, name: &str) -> Option<Value<'_>> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.get())
    }
}

fn is_duration_or_empty(text: &str) -> bool {
    text.is_empty() || is_duration(text)
}
