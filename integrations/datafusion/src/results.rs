//! Results that are collected row by row: values, names of rules, decisions.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanBuilder, Float64Builder, ListBuilder, StringBuilder, StructArray,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::{Result, internal_err};
use hclvm::policy::{Cause, Decision};
use hclvm::value::View;
use hclvm::{Error, Json, Value};

/// Results that are collected row by row.
pub(crate) trait RowResults {
    /// Adds a null.
    fn null(&mut self);
}

/// Values of one type.
pub(crate) enum Values {
    Bool(BooleanBuilder),
    Number(Float64Builder),
    Text(StringBuilder),
}

impl Values {
    /// Creates an empty column.
    pub(crate) fn new(ty: &DataType, rows: usize) -> Result<Self> {
        Ok(match ty {
            DataType::Boolean => Self::Bool(BooleanBuilder::with_capacity(rows)),
            DataType::Float64 => Self::Number(Float64Builder::with_capacity(rows)),
            DataType::Utf8 => Self::Text(StringBuilder::with_capacity(rows, 0)),
            other => return internal_err!("results are no column of {other}"),
        })
    }

    /// Adds a value.
    pub(crate) fn push(&mut self, value: Value<'_>) -> Result<(), Error> {
        match (value.view(), &mut *self) {
            (View::Null(_), results) => results.null(),
            (View::Bool(result), Self::Bool(results)) => results.append_value(result),
            (View::Number(result), Self::Number(results)) => results.append_value(result.to_f64()),
            (View::String(result), Self::Text(results)) => results.append_value(result),
            (_, Self::Text(results)) => {
                let text = Json(value).to_text().map_err(|failure| Error::host(failure.to_string()))?;
                results.append_value(text);
            }
            _ => {
                return Err(Error::host(
                    "the result is not of the type that it had when the query was planned",
                ));
            }
        }
        Ok(())
    }

    /// Returns the column.
    pub(crate) fn finish(self) -> ArrayRef {
        match self {
            Self::Bool(mut results) => Arc::new(results.finish()),
            Self::Number(mut results) => Arc::new(results.finish()),
            Self::Text(mut results) => Arc::new(results.finish()),
        }
    }
}

impl RowResults for Values {
    fn null(&mut self) {
        match self {
            Self::Bool(results) => results.append_null(),
            Self::Number(results) => results.append_null(),
            Self::Text(results) => results.append_null(),
        }
    }
}

/// The names of the rules that apply.
pub(crate) type Names = ListBuilder<StringBuilder>;

/// Returns the type of a column of names of rules.
pub(crate) fn names_type() -> DataType {
    DataType::new_list(DataType::Utf8, true)
}

impl RowResults for Names {
    fn null(&mut self) {
        self.append(false);
    }
}

/// The members of a decision.
pub(crate) const MEMBERS: [&str; 5] = ["effect", "rule", "cause", "reason", "errors"];

/// Returns the type of a column of decisions.
pub(crate) fn decision_type() -> DataType {
    DataType::Struct(decision_fields())
}

fn decision_fields() -> Fields {
    MEMBERS.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect()
}

/// Decisions of policies.
#[derive(Default)]
pub(crate) struct Decisions {
    members: [StringBuilder; MEMBERS.len()],
    present: Vec<bool>,
}

impl Decisions {
    /// Adds a decision.
    pub(crate) fn push(&mut self, decision: &Decision<'_>) {
        let [effects, rules, causes, reasons, errors] = &mut self.members;
        effects.append_value(decision.effect());
        rules.append_option(decision.name());
        causes.append_value(match decision.cause() {
            Cause::Rule => "rule",
            Cause::NoRule => "no rule",
            _ => "undecided",
        });
        reasons.append_option(decision.reason());
        let diagnostics = decision.diagnostics();
        errors.append_option(diagnostics.has_errors().then(|| diagnostics.to_string()));
        self.present.push(true);
    }

    /// Returns the column.
    pub(crate) fn finish(mut self) -> ArrayRef {
        let members = self.members.iter_mut().map(|texts| Arc::new(texts.finish()) as ArrayRef).collect();
        Arc::new(StructArray::new(decision_fields(), members, Some(NullBuffer::from(self.present))))
    }
}

impl RowResults for Decisions {
    fn null(&mut self) {
        self.members.iter_mut().for_each(StringBuilder::append_null);
        self.present.push(false);
    }
}
