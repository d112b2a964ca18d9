//! Explanations of results, for `eval --why` and `:why`.

use hclvm::Diagnostics;
use hclvm::module::AttributePath;
use hclvm::why::Why;
use serde::ser::{Serialize, Serializer};

use crate::outcome::EarlyEnd;
use crate::secrets::HiddenTexts;
use crate::shown::{OutputFormat, write, write_text};

/// What was explained.
pub(crate) enum ExplainedSubject {
    /// An expression, or the only attribute that was asked for.
    One(Box<Why>),
    /// Attributes with their paths.
    Many(Vec<(AttributePath, Why)>),
}

impl ExplainedSubject {
    /// Replaces secrets in the expressions: one may have the text of a secret as a literal. Values are not shown if they
    /// are sensitive.
    pub(crate) fn without(self, secrets: &HiddenTexts) -> Self {
        let hide = |why: Why| {
            why.rewritten(&|text| secrets.hidden_in_expression(text), &|value| secrets.hidden(value))
        };
        match self {
            Self::One(why) => Self::One(Box::new(hide(*why))),
            Self::Many(all) => Self::Many(all.into_iter().map(|(path, why)| (path, hide(why))).collect()),
        }
    }

    /// Writes it to `buffer`, as text unless there is a format.
    ///
    /// # Errors
    /// A text beyond the size of results.
    pub(crate) fn shown<'b>(
        &self,
        format: Option<OutputFormat>,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [u8], EarlyEnd> {
        let written = match format {
            Some(format) => write(format, self, buffer),
            None => write_text(&self.text(), buffer),
        };
        written.map_err(|why| EarlyEnd::Refused(format!("The explanation cannot be written: {why}.")))?;
        Ok(buffer)
    }

    fn text(&self) -> String {
        match self {
            Self::One(why) => why.to_string(),
            Self::Many(all) => {
                let all: Vec<String> = all.iter().map(|(path, why)| format!("{path}: {why}")).collect();
                all.join("\n")
            }
        }
    }

    /// Returns the diagnostics of the first evaluation that had errors.
    pub(crate) fn errors(&self) -> Option<&Diagnostics> {
        let has_errors = |why: &&Why| why.diagnostics().has_errors();
        let why = match self {
            Self::One(why) => Some(&**why).filter(has_errors),
            Self::Many(all) => all.iter().map(|(_, why)| why).find(has_errors),
        };
        why.map(Why::diagnostics)
    }
}

impl Serialize for ExplainedSubject {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(why) => why.serialize(out),
            Self::Many(all) => out.collect_map(all.iter().map(|(path, why)| (path.to_string(), why))),
        }
    }
}
