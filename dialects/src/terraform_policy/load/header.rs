//! The constant parts: the block `policy` of a file, the enforcement level and the operations of a policy.

use hclvm::diagnostics::nearest;
use hclvm::schema::Content;
use hclvm::{Attribute, Document};
use smol_str::SmolStr;

use super::super::{Level, Operation, Operations, language};
use super::Loader;
use crate::constants::ConstantEvaluator;
use crate::problems::{Problems, TextRange};
use crate::versions::{Constraint, VersionRules};

/// Checks the block `terraform_config` of files of policies and of test files.
pub(in super::super) fn check_terraform_config(
    content: &Content<'_>,
    constants: &mut ConstantEvaluator,
    problems: &mut Problems,
) {
    for config in content.blocks_of("terraform_config") {
        let (content, found) = config.body().content_lenient(&language::terraform_config());
        problems.add(found);
        let Some(attribute) = content.attribute("required_version") else { continue };
        let Some(text) = constants.text(attribute, problems) else { continue };
        if Constraint::parse(&text, VersionRules::Terraform).is_none() {
            let detail = format!("\"{text}\" is not a version constraint such as \">= 1.16\".");
            problems.error(&TextRange::of_value(attribute), "Invalid version constraint", detail);
        }
    }
}

impl Loader<'_> {
    /// Reads the block `policy`. Returns the level of policies without one.
    pub(super) fn header(&mut self, document: &Document, content: &Content<'_>) -> Level {
        let mut level = Level::Mandatory;
        let mut blocks = content.blocks_of("policy");
        let Some(block) = blocks.next() else { return level };
        for other in blocks {
            let detail = "A file has one block `policy`.";
            self.problems.error(&TextRange::of_block(document, other), "Duplicate policy block", detail);
        }
        let (content, found) = block.body().content_lenient(&language::header());
        self.problems.add(found);
        if let Some(attribute) = content.attribute("enforcement_level") {
            level = self.level(attribute).unwrap_or(level);
            let detail = "This program uses it for policies without a level. Other programs may refuse it.";
            self.problems.warning(&TextRange::of_name(attribute), "Enforcement level of a file", detail);
        }
        for providers in content.blocks_of("required_providers") {
            providers.body().attributes().for_each(|attribute| self.required_provider(attribute));
        }
        check_terraform_config(&content, &mut self.constants, &mut self.problems);
        for plugins in content.blocks_of("plugins") {
            for plugin in plugins.body().attributes() {
                let detail =
                    format!("Plugins are not supported: calls of plugin::{}:: are errors.", plugin.name());
                self.problems.warning(&TextRange::of_name(plugin), "Unsupported plugin", detail);
            }
        }
        level
    }

    fn required_provider(&mut self, attribute: Attribute<'_>) {
        let Some(value) = self.constants.value(attribute, &mut self.problems) else { return };
        let place = TextRange::of_value(attribute);
        let text = |name: &str| {
            let entries = value.get().as_entries()?;
            hclvm::value::find(entries, name)?.value.as_str().map(str::to_owned)
        };
        if text("source").is_none() {
            let detail = "A provider has a `source` such as \"hashicorp/aws\".";
            self.problems.error(&place, "Invalid required provider", detail);
        }
        if let Some(version) = text("version")
            && (version.trim() == "*" || Constraint::parse(&version, VersionRules::Terraform).is_none())
        {
            let detail = format!("\"{version}\" is not a version constraint such as \">= 6.0, < 7.0\".");
            self.problems.error(&place, "Invalid version constraint", detail);
        }
    }

    pub(super) fn level(&mut self, attribute: Attribute<'_>) -> Option<Level> {
        let text = self.constants.text(attribute, &mut self.problems)?;
        let level = Level::of_name(&text);
        if level.is_none() {
            let hint = nearest(&text, Level::NAMES).map(|near| format!(" Did you mean \"{near}\"?"));
            let detail =
                format!("\"{text}\" is not one of {}.{}", Level::NAMES.join(", "), hint.unwrap_or_default());
            self.problems.error(&TextRange::of_value(attribute), "Invalid enforcement level", detail);
        }
        level
    }

    pub(super) fn operations(
        &mut self,
        written: Option<Attribute<'_>>,
        reads_prior: bool,
        (calls, place): (bool, &TextRange),
    ) -> Operations {
        let Some(attribute) = written else {
            if reads_prior {
                let detail =
                    "A policy that reads prior_attrs lists its operations: \"update\", \"delete\" or both.";
                self.problems.error(place, "Missing operations", detail);
            }
            return Operations::DEFAULT;
        };
        let place = TextRange::of_value(attribute);
        let Some(value) = self.constants.value(attribute, &mut self.problems) else {
            return Operations::DEFAULT;
        };
        let texts: Option<Vec<SmolStr>> = value
            .get()
            .as_items()
            .and_then(|items| items.iter().map(|one| one.as_str().map(SmolStr::new)).collect());
        let mut refuse = |detail: String| {
            self.problems.error(&place, "Invalid operations", detail);
            Operations::DEFAULT
        };
        let Some(texts) = texts else {
            return refuse(
                "Operations are a list of \"create\", \"update\", \"delete\" and \"no-op\".".to_owned(),
            );
        };
        let mut operations = Operations::NONE;
        for text in &texts {
            let Some(operation) = Operation::of_name(text) else {
                return refuse(format!(
                    "\"{text}\" is not one of \"create\", \"update\", \"delete\" and \"no-op\"."
                ));
            };
            if operations.has(operation) {
                return refuse(format!("\"{text}\" is listed twice."));
            }
            operations = operations.with(operation);
        }
        let has = |operation| operations.has(operation);
        if reads_prior && (texts.is_empty() || has(Operation::Create) || has(Operation::NoOp)) {
            return refuse(
                "A policy that reads prior_attrs lists \"update\", \"delete\" or both: other operations have none."
                    .to_owned(),
            );
        }
        if has(Operation::Delete) && (has(Operation::Create) || has(Operation::NoOp)) {
            return refuse(
                "\"delete\" is not listed with \"create\" or \"no-op\": write two policies.".to_owned(),
            );
        }
        if texts.is_empty() {
            return Operations::ALL;
        }
        if calls && !reads_prior && !has(Operation::NoOp) && !has(Operation::Delete) {
            let detail = "The policy depends on other resources, which may change while this one does not. List \"no-op\" as well, or leave out `operations`.";
            self.problems.warning(&place, "Operations without no-op", detail);
        }
        operations
    }
}
