//! What a build says before anything runs: its name and sources.

use std::sync::LazyLock;

use hclvm::run::Evaluation;
use hclvm::schema::Schema;
use hclvm::value::{Arena, convert};
use hclvm::{Block, Error, Scope, Session, Type, Value};
use smol_str::SmolStr;

use crate::marks::ExpressionName;
use crate::problems::{Problems, TextRange};

/// The content of a build.
pub(super) static BUILD: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new()
        .optional("name")
        .optional("description")
        .optional("sources")
        // An old block type, which is read and not used.
        .block("from", &["type"])
        .block("source", &["reference"])
        .block("provisioner", &["type"])
        .block("error-cleanup-provisioner", &["type"])
        .block("post-processor", &["type"])
        .block("post-processors", &[])
        .block("hcp_packer_registry", &[])
});

/// The attributes of a build.
#[derive(Default)]
pub(super) struct Header {
    pub(super) name: ExpressionName,
    pub(super) description: Option<String>,
    /// The references to sources as written, and their place.
    pub(super) sources: Vec<(ExpressionName, TextRange)>,
    /// True if nothing is known of its sources, which a check accepts.
    pub(super) has_unknown_sources: bool,
}

impl Header {
    /// Evaluates the attributes of a build.
    pub(super) fn read(
        block: Block<'_>,
        session: &mut Session,
        scope: &Scope,
        accepts_unknown: bool,
        problems: &mut Problems,
    ) -> Result<Self, Error> {
        let (content, _) = block.body().content_lenient(&BUILD);
        let mut header = Self::default();
        for name in ["name", "description", "sources"] {
            let Some(attribute) = content.attribute(name) else { continue };
            let program = attribute.program()?;
            let Evaluation { value, diagnostics, .. } = session.evaluate(&program, scope)?;
            let has_errors = diagnostics.has_errors();
            problems.add(diagnostics);
            if has_errors {
                continue;
            }
            let (place, start) = (TextRange::of_value(attribute), TextRange::of_first_part(attribute));
            match name {
                "name" => {
                    let text: String =
                        known(text_of(value), &start, name, TEXT, value, accepts_unknown, problems);
                    header.name = ExpressionName::new(text, value.contains_marks());
                }
                "description" => {
                    header.description =
                        Some(known(text_of(value), &start, name, TEXT, value, accepts_unknown, problems));
                }
                _ => {
                    let sources =
                        known(texts_of(value), &start, name, TEXTS, value, accepts_unknown, problems);
                    header.has_unknown_sources = !value.is_wholly_known();
                    let items = value.unmark().0.as_items().unwrap_or_default();
                    let sensitive = items.iter().map(|one| value.is_marked() || one.contains_marks());
                    let names =
                        sources.into_iter().zip(sensitive).map(|(one, is)| ExpressionName::new(one, is));
                    header.sources = names.map(|one| (one, place.clone())).collect();
                }
            }
        }
        Ok(header)
    }
}

pub(super) const TEXT: &str = "a known text";
pub(super) const TEXTS: &str = "a list of known texts";

/// Returns what was read from a value, or its default after reporting the value. If `accepts_unknown` is true,
/// unknown values are not reported.
pub(super) fn known<T: Default>(
    read: Option<T>,
    place: &TextRange,
    name: &str,
    wanted: &str,
    value: Value<'_>,
    accepts_unknown: bool,
    problems: &mut Problems,
) -> T {
    read.unwrap_or_else(|| {
        if accepts_unknown && !value.is_wholly_known() {
            return T::default();
        }
        refuse(place, name, wanted, value, problems);
        T::default()
    })
}

/// Reports an argument whose value has the wrong type.
fn refuse(place: &TextRange, name: &str, wanted: &str, value: Value<'_>, problems: &mut Problems) {
    let shown =
        if value.contains_marks() { "a sensitive value".to_owned() } else { hclvm::show::line(value) };
    let detail = format!("`{name}` has to be {wanted}, not {shown}.");
    problems.error(place, "Unsuitable value type", detail);
}

/// Returns a known text.
pub(super) fn text_of(value: Value<'_>) -> Option<String> {
    let arena = Arena::new();
    convert(&arena, value.unmark().0, Type::String).ok()?.as_str().map(str::to_owned)
}

/// Returns a list of known texts.
pub(super) fn texts_of(value: Value<'_>) -> Option<Vec<String>> {
    value.unmark().0.as_items()?.iter().map(|item| text_of(*item)).collect()
}

/// Returns type and name of a reference to a source: `type.name`, or more parts, of which the first and those behind the
/// third are not read.
pub(super) fn reference(text: &str) -> Option<(SmolStr, SmolStr)> {
    let parts: Vec<&str> = text.split('.').collect();
    let (kind, name) = match parts.as_slice() {
        [kind, name] | [_, kind, name, ..] => (*kind, *name),
        _ => return None,
    };
    let are_names = hclvm::syntax::is_identifier(kind) && hclvm::syntax::is_identifier(name);
    are_names.then(|| (kind.into(), name.into()))
}
