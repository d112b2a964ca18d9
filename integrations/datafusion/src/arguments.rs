//! The arguments of a call: a constant text, then names and columns in turn.
//!
//! ```text
//! hclvm('user.role == "admin" && size < 10', 'user', user, 'size', bytes / 1000)
//!        text                                  name   column  name   column
//! ```

use std::collections::BTreeMap;

use datafusion::arrow::datatypes::Field;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs};

/// The constants of a call: its text and the names of its columns.
pub(crate) struct Constants<'c> {
    pub(crate) text: &'c str,
    pub(crate) names: Vec<&'c str>,
}

/// Returns the constants of the call of `function` with these arguments, `None` for those that are no constants.
pub(crate) fn constants<'c>(
    function: &str,
    what: &str,
    arguments: impl IntoIterator<Item = Option<&'c ScalarValue>>,
) -> Result<Constants<'c>> {
    let text = |argument: Option<&'c ScalarValue>| argument.and_then(|value| value.try_as_str().flatten());
    let mut arguments = arguments.into_iter();
    let Some(first) = arguments.next().and_then(text) else {
        return plan_err!("the first argument of {function} is {what}, as a constant text");
    };
    let mut names = Vec::new();
    while let Some(name) = arguments.next() {
        let Some(name) = text(name) else {
            return plan_err!(
                "after {what}, the arguments of {function} are names and values in turn: {function}('…', 'size', size)"
            );
        };
        if names.contains(&name) {
            return plan_err!("{function} has two values for \"{name}\"");
        }
        if arguments.next().is_none() {
            return plan_err!("{function} has no value for the name \"{name}\"");
        }
        names.push(name);
    }
    Ok(Constants { text: first, names })
}

impl Constants<'_> {
    /// Pairs the names with the fields of their columns.
    pub(crate) fn fields<'f>(&'f self, arguments: &'f ReturnFieldArgs<'_>) -> BTreeMap<&'f str, &'f Field> {
        let values = arguments.arg_fields.iter().skip(2).step_by(2);
        self.names.iter().copied().zip(values.map(AsRef::as_ref)).collect()
    }

    /// Pairs the names with their columns.
    pub(crate) fn columns<'f>(&'f self, arguments: &'f [ColumnarValue]) -> Vec<(&'f str, &'f ColumnarValue)> {
        self.names.iter().copied().zip(arguments.iter().skip(2).step_by(2)).collect()
    }
}

/// Returns the constants among the arguments of a call.
pub(crate) fn of_values(arguments: &ScalarFunctionArgs) -> impl Iterator<Item = Option<&ScalarValue>> {
    arguments.args.iter().map(|argument| match argument {
        ColumnarValue::Scalar(value) => Some(value),
        ColumnarValue::Array(_) => None,
    })
}

/// Returns the constants among the arguments of a call in a plan.
pub(crate) fn of_exprs(arguments: &[Expr]) -> impl Iterator<Item = Option<&ScalarValue>> {
    arguments.iter().map(|argument| match argument {
        Expr::Literal(value, _) => Some(value),
        _ => None,
    })
}
