//! Conditions of variables, outputs, resources and checks, with the messages that are shown where they fail.

use hclvm::value::{Arena, View, convert};
use hclvm::{Error, OwnedValue, Type, Value};

use super::declarations::CustomCondition;
use super::evaluate::TerraformRun;

impl TerraformRun<'_, '_> {
    pub(super) fn validation(&mut self, node: usize, instance: usize, at: usize) -> Result<bool, Error> {
        let variable = &self.definitions(node).variables[at];
        for validation in &variable.validations {
            self.condition(node, instance, validation, "Invalid value for variable", true)?;
        }
        Ok(false)
    }

    pub(super) fn check(&mut self, node: usize, instance: usize, at: usize) -> Result<bool, Error> {
        for assert in &self.definitions(node).checks[at].asserts {
            self.condition(node, instance, assert, "Check block assertion failed", false)?;
        }
        Ok(false)
    }

    /// Reports a condition that fails, as an error or a warning.
    pub(super) fn condition(
        &mut self,
        node: usize,
        instance: usize,
        one: &CustomCondition,
        title: &str,
        is_error: bool,
    ) -> Result<(), Error> {
        let Some(value) = self.value(node, instance, &one.holds.program, &one.holds.reads)? else {
            return Ok(());
        };
        let arena = Arena::new();
        let (inner, _) = value.get().unmark();
        match convert(&arena, inner, Type::Bool).map(Value::view) {
            Ok(View::Bool(true) | View::Unknown(_)) => return Ok(()),
            Ok(View::Bool(false)) => {}
            _ => {
                let shown = hclvm::show::line(value.get());
                let detail = format!("The condition is {shown}, where true or false is needed.");
                let title = if title.starts_with("Invalid value") {
                    "Invalid variable validation result"
                } else {
                    "Invalid condition result"
                };
                self.problems.error(&one.holds.place, title, detail);
                return Ok(());
            }
        }
        let message = match &one.message {
            None => None,
            Some(message) => self.value(node, instance, &message.program, &message.reads)?,
        };
        let detail = match message.as_ref().map(OwnedValue::get) {
            Some(message) if message.contains_marks() => {
                "The message is not shown, because it depends on a sensitive value.".to_owned()
            }
            Some(message) => match convert(&arena, message, Type::String).ok().and_then(|text| text.as_str())
            {
                Some(text) => text.to_owned(),
                None => "The message has no known text.".to_owned(),
            },
            None => "The message could not be evaluated.".to_owned(),
        };
        if is_error {
            self.problems.error(&one.place, title.to_owned(), detail);
        } else {
            self.problems.warning(&one.place, title.to_owned(), detail);
        }
        Ok(())
    }
}
