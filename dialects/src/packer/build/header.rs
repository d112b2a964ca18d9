//! What a build says before anything runs: its name and sources, and the arguments that all provisioners and
//! post-processors have.

use std::sync::LazyLock;

use hclvm::expansion::{AttributeView, Expansion};
use hclvm::schema::Schema;
use hclvm::value::{Arena, convert};
use hclvm::{Block, Document, Error, Scope, Session, Type, Value};
use smol_str::SmolStr;

use super::parts::SourceName;
use crate::problems::{Place, Problems};

/// The content of a build.
pub(super) static BUILD: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new()
        .optional("name")
        .optional("description")
        .optional("sources")
        .block("source", &["reference"])
        .block("provisioner", &["type"])
        .block("error-cleanup-provisioner", &["type"])
        .block("post-processor", &["type"])
        .block("post-processors", &[])
        .block("hcp_packer_registry", &[])
});

/// The attributes of a build.
pub(super) struct Header {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) sources: Vec<SourceName>,
}

impl Header {
    /// Evaluates the attributes of a build.
    pub(super) fn read(
        document: &Document,
        block: Block<'_>,
        session: &mut Session,
        scope: &Scope,
        problems: &mut Problems,
    ) -> Result<Self, Error> {
        let (content, _) = block.body().content_lenient(&BUILD);
        let mut text = |name: &str| -> Result<Option<String>, Error> {
            let Some(attribute) = content.attribute(name) else { return Ok(None) };
            let program = attribute.program()?;
            let evaluation = session.evaluate(&program, scope)?;
            let has_errors = evaluation.diagnostics.has_errors();
            problems.add(evaluation.diagnostics);
            Ok(text_of(evaluation.value).or_else(|| {
                if !has_errors && !evaluation.value.is_null() {
                    refuse(&Place::of_value(attribute), name, "a known text", evaluation.value, problems);
                }
                None
            }))
        };
        let (name, description) = (text("name")?.unwrap_or_default(), text("description")?);
        let mut sources = Vec::new();
        if let Some(attribute) = content.attribute("sources") {
            let program = attribute.program()?;
            let evaluation = session.evaluate(&program, scope)?;
            let place = Place::new(document, attribute.expression_span());
            if evaluation.diagnostics.has_errors() {
                problems.add(evaluation.diagnostics);
            } else if let Some(found) = texts_of(evaluation.value) {
                for reference in found {
                    sources.extend(SourceName::of(&reference, place.clone(), problems));
                }
            } else {
                refuse(&place, "sources", "a list of known texts", evaluation.value, problems);
            }
        }
        Ok(Self { name, description, sources })
    }
}

/// The arguments that every provisioner and post-processor may have, by name.
pub(super) const COMMON: [&str; 9] = [
    "name",
    "only",
    "except",
    "override",
    "pause_before",
    "max_retries",
    "timeout",
    "continue_on_error",
    "keep_input_artifact",
];

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

/// Reads the common arguments of a provisioner or post-processor: its name, and where it runs.
pub(super) fn common<'a>(
    expansion: &mut Expansion<'a>,
    attributes: &[AttributeView<'a>],
    place: &Place,
    problems: &mut Problems,
) -> Result<(Option<String>, Admission), Error> {
    let (mut name, mut admission) = (None, Admission::default());
    for view in attributes {
        if !COMMON.contains(&view.name()) {
            continue;
        }
        let value = expansion.value(*view)?;
        let found = expansion.take_diagnostics();
        if found.has_errors() {
            problems.add(found);
            continue;
        }
        let at = Place::of_value(view.attribute);
        let mut expect = |is_sound: bool, wanted: &str| {
            if !is_sound && !value.is_null() {
                refuse(&at, view.name(), wanted, value, problems);
            }
        };
        match view.name() {
            "name" => {
                name = text_of(value);
                expect(name.is_some(), "a known text");
            }
            "only" | "except" => {
                let found = texts_of(value);
                expect(found.is_some(), "a list of known texts");
                let list = if view.name() == "only" { &mut admission.only } else { &mut admission.except };
                *list = found.unwrap_or_default();
            }
            "override" => expect(is_object_of_objects(value), "an object of objects, by the names of builds"),
            "pause_before" | "timeout" => match text_of(value) {
                None => expect(false, "a duration, such as \"30s\""),
                Some(text) if !is_duration(&text) => {
                    let title = format!("Failed to parse {} duration", view.name());
                    let detail = format!(
                        "\"{text}\" is no duration. Write a number and a unit: \"30s\", \"1m30s\", \"2h\"."
                    );
                    problems.error(&at, title, detail);
                }
                Some(_) => {}
            },
            "max_retries" => {
                let arena = Arena::new();
                expect(
                    convert(&arena, value, Type::Number).is_ok_and(|one| one.as_i64().is_some()),
                    "a whole number",
                );
            }
            _ => {
                let arena = Arena::new();
                expect(
                    convert(&arena, value, Type::Bool).is_ok_and(|one| one.as_bool().is_some()),
                    "true or false",
                );
            }
        }
    }
    if !admission.only.is_empty() && !admission.except.is_empty() {
        let detail = "Set `only`, which names the sources it runs for, or `except`, which names the others.";
        problems.error(place, "only one of 'only' or 'except' may be specified", detail);
    }
    Ok((name, admission))
}

/// Reports an argument whose value has the wrong type.
fn refuse(place: &Place, name: &str, wanted: &str, value: Value<'_>, problems: &mut Problems) {
    let detail = format!("`{name}` has to be {wanted}, not {}.", hclvm::show::line(value));
    problems.error(place, "Unsuitable value type", detail);
}

/// Returns a known text.
pub(super) fn text_of(value: Value<'_>) -> Option<String> {
    let arena = Arena::new();
    convert(&arena, value.unmark().0, Type::String).ok()?.as_str().map(str::to_owned)
}

/// Returns a list of known texts.
fn texts_of(value: Value<'_>) -> Option<Vec<String>> {
    value.unmark().0.as_items()?.iter().map(|item| text_of(*item)).collect()
}

fn is_object_of_objects(value: Value<'_>) -> bool {
    let entries = value.unmark().0.as_entries();
    entries.is_some_and(|entries| entries.iter().all(|entry| entry.value.unmark().0.as_entries().is_some()))
}

/// Returns true for the durations of Go: numbers with units, such as `1h15m30.5s`; no crate reads them.
fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let is_empty = rest.is_empty();
    while !rest.is_empty() {
        let digits = rest.find(|one: char| !one.is_ascii_digit() && one != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let is_number = number.bytes().any(|one| one.is_ascii_digit()) && number.matches('.').count() <= 1;
        // Longer units before those that they begin with.
        let units = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"];
        match units.iter().find_map(|unit| after.strip_prefix(unit)) {
            Some(after) if is_number => rest = after,
            _ => return false,
        }
    }
    !is_empty
}

/// Returns type and name of a reference to a source: `type.name`, or three parts of which the first is not read.
pub(super) fn reference(text: &str) -> Option<(SmolStr, SmolStr)> {
    let parts: Vec<&str> = text.split('.').collect();
    let (kind, name) = match parts.as_slice() {
        [kind, name] | [_, kind, name] => (*kind, *name),
        _ => return None,
    };
    let are_names = hclvm::syntax::is_identifier(kind) && hclvm::syntax::is_identifier(name);
    are_names.then(|| (kind.into(), name.into()))
}
