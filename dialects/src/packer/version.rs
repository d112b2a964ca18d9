//! Version requirements of templates: `packer { required_version = ">= 1.9, < 2" }`.

use hclvm::schema::Schema;
use hclvm::{Attribute, Document};

use crate::constants::ConstantEvaluator;
use crate::problems::{Problems, TextRange};
use crate::versions::{Constraint, Version, VersionRules};

/// Reads the `packer` blocks of a document; returns false after reporting that this version is not supported.
pub(super) fn check(
    document: &Document,
    version: &str,
    constants: &mut ConstantEvaluator,
    problems: &mut Problems,
) -> bool {
    let schema = Schema::new().optional("required_version").block("required_plugins", &[]);
    let mut is_supported = true;
    for block in document.body().blocks_of("packer").filter(|block| block.labels().next().is_none()) {
        let (content, found) = block.body().content_lenient(&schema);
        problems.add(found);
        if let Some(attribute) = content.attribute("required_version") {
            is_supported &= attribute_allows(attribute, version, constants, problems);
        }
    }
    is_supported
}

fn attribute_allows(
    attribute: Attribute<'_>,
    version: &str,
    constants: &mut ConstantEvaluator,
    problems: &mut Problems,
) -> bool {
    let Some(value) = constants.value(attribute, problems) else { return true };
    let place = TextRange::of_value(attribute);
    let value = value.get();
    let Some(text) = value.as_str() else {
        let shown = hclvm::show::line(value);
        let detail = format!("A version requirement is a string such as \">= 1.9\", not {shown}.");
        problems.error(&place, "Invalid version constraint", detail);
        return true;
    };
    let Some(constraint) = Constraint::parse(text, VersionRules::Packer) else {
        let detail = format!(
            "\"{text}\" is not a version requirement. Write operators and versions: \">= 1.9, < 2\"."
        );
        problems.error(&place, "Invalid version constraint", detail);
        return true;
    };
    let is_allowed =
        Version::parse(version, VersionRules::Packer).is_none_or(|version| constraint.allows(&version));
    if !is_allowed {
        let detail = format!("The template requires version {text}, and this is {version}.");
        problems.error(&place, "Unsupported Packer Core version", detail);
    }
    is_allowed
}
