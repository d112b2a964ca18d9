//! The arguments of a policy that are constants: its enforcement level and its operations.

use hclvm::Attribute;
use hclvm::diagnostics::nearest;
use smol_str::SmolStr;

use super::super::{Level, Operation, Operations};
use super::Loader;
use crate::problems::Place;

impl Loader<'_> {
    pub(super) fn level(&mut self, attribute: Attribute<'_>) -> Option<Level> {
        let text = self.constants.text(attribute, &mut self.problems)?;
        let level = Level::of_name(&text);
        if level.is_none() {
            let hint = nearest(&text, Level::NAMES).map(|near| format!(" Did you mean \"{near}\"?"));
            let detail =
                format!("\"{text}\" is none of {}.{}", Level::NAMES.join(", "), hint.unwrap_or_default());
            self.problems.error(&Place::of_value(attribute), "Invalid enforcement level", detail);
        }
        level
    }

    pub(super) fn operations(
        &mut self,
        written: Option<Attribute<'_>>,
        reads_prior: bool,
        (calls, place): (bool, &Place),
    ) -> Operations {
        let Some(attribute) = written else {
            if reads_prior {
                let detail =
                    "A policy that reads prior_attrs lists its operations: \"update\", \"delete\" or both.";
                self.problems.error(place, "Missing operations", detail);
            }
            return Operations::DEFAULT;
        };
        let place = Place::of_value(attribute);
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
                    "\"{text}\" is none of \"create\", \"update\", \"delete\" and \"no-op\"."
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
