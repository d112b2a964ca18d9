//! The columns of a call: those that its text reads are taken from the tables of the query.
//!
//! ```text
//! hclvm('user.role == "admin" && size < 10')
//!   ──▶ hclvm('user.role == "admin" && size < 10', 'size', size, 'user', user)
//! ```

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, Result, plan_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Expr, lit};

use crate::arguments;
use crate::call::Call;

/// Adds columns to calls that name none, or not all, when a query is planned.
#[derive(Debug)]
pub(crate) struct AddColumns;

impl FunctionRewrite for AddColumns {
    fn name(&self) -> &'static str {
        "hclvm_columns"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::ScalarFunction(function) = expr else { return Ok(Transformed::no(expr)) };
        let added = match Call::of(&function.func) {
            Some(call) => columns(call, &function.args, schema)?,
            None => Vec::new(),
        };
        if added.is_empty() {
            return Ok(Transformed::no(Expr::ScalarFunction(function)));
        }
        let ScalarFunction { func, mut args } = function;
        args.extend(added);
        Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction { func, args })))
    }
}

/// Returns names and columns for what the text of a call reads and its arguments do not have.
pub(crate) fn columns(call: &Call, arguments: &[Expr], schema: &DFSchema) -> Result<Vec<Expr>> {
    let constants = call.constants(arguments::of_exprs(arguments))?;
    let mut added = Vec::new();
    for name in call.reads(constants.text)? {
        if !constants.names.contains(&name.as_str()) {
            let column = column(&name, schema)?;
            added.extend([lit(name), Expr::Column(column)]);
        }
    }
    Ok(added)
}

/// Returns the column of a name.
fn column(name: &str, schema: &DFSchema) -> Result<Column> {
    let mut found = schema.iter().filter(|(_, field)| field.name() == name);
    match (found.next(), found.next()) {
        (Some(field), None) => Ok(Column::from(field)),
        (Some(_), Some(_)) => plan_err!(
            "the expression reads \"{name}\", and several tables have such a column; name the one that is meant: 'name', table.column"
        ),
        (None, _) => {
            let known: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            plan_err!(
                "the expression reads \"{name}\", and there is no such column; there are: {}",
                known.join(", ")
            )
        }
    }
}
