//! Results in a normal form, so that those of different engines can be compared.

use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;

use crate::Failure;

/// A result as one line of JSON: keys sorted, integers exact, other numbers rounded to twelve digits, in
/// which engines that compute in doubles agree with those that compute exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer(pub String);

impl Answer {
    /// Converts a value.
    pub fn of(value: impl Serialize) -> Result<Self, Failure> {
        let mut text = String::new();
        write(&serde_json::to_value(value)?, &mut text)?;
        Ok(Self(text))
    }

    /// Converts a JSON text.
    pub fn parse(json: &str) -> Result<Self, Failure> {
        Self::of(serde_json::from_str::<Value>(json)?)
    }

    /// The result of an expression that has no known value.
    pub fn unknown() -> Self {
        Self("unknown".to_owned())
    }

    /// Joins the answers of several programs.
    pub fn list(answers: &[Self]) -> Self {
        let texts: Vec<&str> = answers.iter().map(|answer| answer.0.as_str()).collect();
        Self(format!("[{}]", texts.join(",")))
    }

    /// Returns the answer, truncated if it is long.
    pub fn shortened(&self) -> String {
        self.0.chars().take(300).collect()
    }
}

fn write(value: &Value, text: &mut String) -> Result<(), Failure> {
    match value {
        Value::Number(number) => {
            let digits = number.to_string();
            if digits.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) {
                text.push_str(&digits);
                return Ok(());
            }
            let double = number.as_f64().ok_or("a number that is no double")?;
            // Doubles with an integer below 2^53 are exact, so they equal integers of other engines.
            if double.fract() == 0.0 && double.abs() < 9e15 {
                write!(text, "{double}")?;
            } else {
                write!(text, "{double:.11e}")?;
            }
        }
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                write(item, text)?;
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|member| member.0);
            text.push('{');
            for (at, (key, item)) in members.into_iter().enumerate() {
                write!(text, "{}{key:?}:", if at == 0 { "" } else { "," })?;
                write(item, text)?;
            }
            text.push('}');
        }
        Value::String(content) => write!(text, "{content:?}")?,
        Value::Null | Value::Bool(_) => write!(text, "{value}")?,
    }
    Ok(())
}
