//! The functions of policies in `FROM`: a table with the decision of each row, or with a row for each rule that applies.
//!
//! ```text
//! FROM hclvm_decide('access', 'requests')
//!   ──▶ a view:  SELECT requests.*, hclvm_decision_effect(d) AS effect, hclvm_decision_rule(d) AS rule, …
//!                FROM (SELECT *, hclvm_decide('access', …) AS d FROM requests)
//! ```
//! A view is a part of the plan that calls it: the optimizer removes columns that nothing reads, filters move to the table,
//! and a plan that is sent to other machines has nothing but tables and functions of single rows.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{
    Column, DFSchema, Result, TableReference, UnnestOptions, plan_datafusion_err, plan_err,
};
use datafusion::datasource::{ViewTable, provider_as_source};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, ScalarUDF, lit};

use crate::arguments;
use crate::call::{Call, Question};
use crate::columns;
use crate::member::Member;
use crate::results::MEMBERS;

/// The column of rules that apply, as in a decision.
const RULE: &str = "rule";

/// A column between the function and its parts, which a table hardly has.
const WHOLE: &str = "__hclvm";

/// A function of a policy, called with the name of a table.
#[derive(Debug)]
pub(crate) struct TableCall {
    name: &'static str,
    call: Call,
}

impl TableCall {
    /// Returns the functions that are called with tables, by name.
    pub(crate) fn all(calls: impl Iterator<Item = (&'static str, Call)>) -> impl Iterator<Item = Self> {
        let of_policies = |(_, call): &(_, Call)| !matches!(call.question(), Question::Result(_));
        calls.filter(of_policies).map(|(name, call)| Self { name, call })
    }

    /// Returns its name.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the rows of a table with their decisions, or with the rules that apply.
    fn plan(&self, policy: &str, input: LogicalPlanBuilder, prefix: &str) -> Result<LogicalPlan> {
        let schema = Arc::clone(input.schema());
        let mut given = vec![lit(policy)];
        given.extend(columns::columns(&self.call, &given, &schema)?);
        let result = ScalarUDF::new_from_impl(self.call.clone()).call(given);
        let of_table = schema.columns().into_iter().map(Expr::Column);
        if self.call.question() == Question::Matches {
            let rule = self.added(&schema, prefix, RULE)?;
            // A row that fails has one row without a rule.
            let options = UnnestOptions::new().with_preserve_nulls(true);
            return input
                .project(of_table.chain([result.alias(&rule)]))?
                .unnest_column_with_options(Column::from_name(rule), options)?
                .build();
        }
        let part = |member: &&str| {
            let name = self.added(&schema, prefix, member)?;
            Ok(Member::of(Expr::Column(Column::from_name(WHOLE)), member)?.alias(name))
        };
        let parts: Vec<Expr> = MEMBERS.iter().map(part).collect::<Result<_>>()?;
        let decided = input.project(of_table.clone().chain([result.alias(WHOLE)]))?;
        decided.project(of_table.chain(parts))?.build()
    }

    /// Returns the name of a column that is added to those of a table.
    fn added(&self, schema: &DFSchema, prefix: &str, member: &str) -> Result<String> {
        let name = format!("{prefix}{member}");
        if schema.fields().iter().any(|field| *field.name() == name) {
            let function = self.name;
            return plan_err!(
                "the table has a column \"{name}\", as the results have: name a prefix of theirs, {function}('…', '…', 'decision_')"
            );
        }
        Ok(name)
    }
}

impl TableFunctionImpl for TableCall {
    fn call_with_args(&self, arguments: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let texts: Option<Vec<&str>> = arguments::of_exprs(arguments.exprs())
            .map(|value| value.and_then(|value| value.try_as_str().flatten()))
            .collect();
        let (policy, table, prefix) = match texts.as_deref() {
            Some([policy, table]) => (*policy, *table, ""),
            Some([policy, table, prefix]) => (*policy, *table, *prefix),
            _ => {
                let name = self.name;
                return plan_err!(
                    "{name} in FROM has the names of a policy and of a table, as constant texts: {name}('access', 'requests')"
                );
            }
        };
        let provider = table_of(arguments.session(), table)?;
        let input =
            LogicalPlanBuilder::scan(TableReference::from(table), provider_as_source(provider), None)?;
        Ok(Arc::new(ViewTable::new(self.plan(policy, input, prefix)?, None)))
    }
}

/// Returns a table or view of a session by its name.
fn table_of(session: &dyn Session, name: &str) -> Result<Arc<dyn TableProvider>> {
    let catalogs = &session.config_options().catalog;
    let path = TableReference::from(name).resolve(&catalogs.default_catalog, &catalogs.default_schema);
    let missing = || plan_datafusion_err!("there is no table or view \"{name}\"");
    let catalog = session.catalog_list().catalog(&path.catalog).ok_or_else(missing)?;
    let schema = catalog.schema(&path.schema).ok_or_else(missing)?;
    let found = at_once(schema.table(&path.table)).ok_or_else(|| {
        plan_datafusion_err!(
            "the table \"{name}\" is in a catalog that is asked over a network; make a view of it first"
        )
    })?;
    found?.ok_or_else(missing)
}

/// Returns the output of a future that does not wait. Table functions are planned without waiting.
fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}
