//! `hcp_packer_registry`: where HCP Packer publishes builds.

use hclvm::expansion::{BodyView, Expansion};
use hclvm::{Error, Value};

use crate::convert::{Argument, ArgumentType, Refusal, converted};
use crate::evaluated::Body;
use crate::problems::{Problems, TextRange};
use crate::watch::Watch;

/// The type of the block.
pub(super) const REGISTRY: &str = "hcp_packer_registry";

/// Returns what an argument holds. Others are not read.
fn argument(name: &str) -> Option<Argument> {
    let (holds, may_be_null) = match name {
        "bucket_name" | "description" => (ArgumentType::Text, false),
        "labels" | "bucket_labels" | "build_labels" => (ArgumentType::Map, true),
        "channels" => (ArgumentType::Texts, true),
        _ => return None,
    };
    Some(Argument { holds, may_be_null })
}

/// Evaluates a block. Returns its arguments; `None` after reporting errors.
pub(super) fn read<'a>(
    expansion: &mut Expansion<'a>,
    view: BodyView<'a>,
    place: &TextRange,
    watch: &Watch<'_>,
    problems: &mut Problems,
) -> Result<Option<Body>, Error> {
    let before = problems.errors();
    let mut attributes = Vec::new();
    for attribute in view.attributes() {
        let name = attribute.name();
        let Some(argument) = argument(name) else { continue };
        let value = expansion.value(attribute)?;
        watch.attribute(expansion, attribute)?;
        let found = expansion.take_diagnostics();
        let has_failed = found.has_errors();
        problems.add(found);
        let at = TextRange::of_first_part(attribute.attribute);
        match converted(value, argument) {
            Ok(_) if has_failed => {
                // A value that is not known is none that Packer can convert.
                let detail = format!("`{name}` has no value, because its expression has an error.");
                problems.error(&at, "Unsuitable value type", detail);
            }
            Ok(value) => attributes.push((name.into(), value)),
            Err(Refusal { title, why }) => problems.error(&at, title, format!("`{name}` {why}")),
        }
    }
    if problems.errors() > before {
        return Ok(None);
    }
    let body = Body::of(attributes, Vec::new());
    check(&body, place, problems);
    Ok((problems.errors() == before).then_some(body))
}

/// Reports values that the registry does not accept.
fn check(body: &Body, place: &TextRange, problems: &mut Problems) {
    const LONGEST: usize = 255;
    let text = |name: &str| body.attribute(name).and_then(|value| value.unmark().0.as_str());
    if text("description").is_some_and(|text| text.len() > LONGEST) {
        let title = "hcp_packer_registry.description should have a maximum length of 255 characters";
        let detail = "Shorten the description.";
        problems.error(place, title, detail);
        return;
    }
    let is_name = |text: &str| {
        (3..=36).contains(&text.len()) && text.bytes().all(|one| one.is_ascii_alphanumeric() || one == b'-')
    };
    if text("bucket_name").is_some_and(|text| !text.is_empty() && !is_name(text)) {
        let title = "hcp_packer_registry.bucket_name can only contain between 3 and 36 ASCII letters, numbers and hyphens";
        let detail = "Choose another name for the bucket.";
        problems.error(place, title, detail);
    }
    let has_labels = |name: &str| {
        body.attribute(name).is_some_and(|value: Value<'_>| {
            value.unmark().0.as_entries().is_some_and(|entries| !entries.is_empty())
        })
    };
    let detail = "`labels` is the old name of `bucket_labels`.";
    if has_labels("labels") && has_labels("bucket_labels") {
        let title = "hcp_packer_registry.labels and hcp_packer_registry.bucket_labels are mutually exclusive; please use the recommended argument hcp_packer_registry.bucket_labels";
        problems.error(place, title, detail);
    } else if has_labels("labels") {
        let title = "the argument hcp_packer_registry.labels has been deprecated and will be removed in the next minor release; please use hcp_packer_registry.bucket_labels";
        problems.warning(place, title, detail);
    }
}
