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
use datafusion::logical_expr::{Expr, ExprSchemable, lit};

use crate::arguments;
use crate::call::Call;
use crate::member::Member;
use crate::results::{MEMBERS, decision_type};

/// Adds columns to calls that name none, or not all, when a query is planned, and reads members of decisions by
/// functions that do not repeat the decision.
#[derive(Debug)]
pub(crate) struct AddColumns;

impl FunctionRewrite for AddColumns {
    fn name(&self) -> &'static str {
        "hclvm_columns"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::ScalarFunction(function) = expr else { return Ok(Transformed::no(expr)) };
        if let Some(member) = member(&function, schema)? {
            return Ok(Transformed::yes(member));
        }
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

/// Returns the member of a decision that DataFusion's own function reads.
fn member(function: &ScalarFunction, schema: &DFSchema) -> Result<Option<Expr>> {
    let (GET_FIELD, [decision, Expr::Literal(name, _)]) = (function.func.name(), function.args.as_slice())
    else {
        return Ok(None);
    };
    let Some(name) = name.try_as_str().flatten() else { return Ok(None) };
    if !MEMBERS.contains(&name) || decision.get_type(schema)? != decision_type() {
        return Ok(None);
    }
    Member::of(decision.clone(), name).map(Some)
}

/// The function of `decision['effect']`.
const GET_FIELD: &str = "get_field";

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
