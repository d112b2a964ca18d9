//! The functions of a session: [`Functions`].

use std::sync::Arc;

use datafusion::common::{DFSchema, Result, exec_err};
use datafusion::execution::FunctionRegistry;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{Expr, ScalarUDF, lit};
use hclvm::Engine;
use hclvm::policy::PolicySpec;

use crate::call::Call;
use crate::columns::{self, AddColumns};
use crate::library::Library;
use crate::tables::TableCall;

/// The functions `hclvm`, `hclvm_rule`, `hclvm_matches` and `hclvm_decide`, and the files that they know by name.
/// Immutable, cheap to clone.
///
/// ```
/// use datafusion::prelude::*;
/// use hclvm_datafusion::Functions;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// let session = SessionContext::new();
/// Functions::new(&hclvm::Engine::new()).register(&session)?;
/// session.sql("CREATE TABLE files AS VALUES ('a', 3), ('b', 30)").await?.collect().await?;
/// let small = session.sql("SELECT column1 FROM files WHERE hclvm('column2 < 10 && column1 != \"c\"')").await?;
/// assert_eq!(small.count().await?, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Functions(Arc<Library>);

impl Functions {
    /// Returns the functions of an engine, whose dialect and limits apply to expressions. They know no files.
    pub fn new(engine: &Engine) -> Self {
        Self(Arc::new(Library::new(engine)))
    }

    /// Returns the library.
    #[cfg(feature = "ballista")]
    pub(crate) fn library(&self) -> &Arc<Library> {
        &self.0
    }

    /// Adds a file whose attributes are rules: `hclvm_rule('NAME.PATH')`, such as `hclvm_rule('limits.allow')` or
    /// `hclvm_rule('access.rule.own.when')`. It replaces the file of that name.
    ///
    /// # Errors
    /// All syntax errors, and a name with a dot.
    pub fn with_file(&self, name: &str, text: &str) -> Result<Self> {
        self.0.with(name, text, None).map(|library| Self(Arc::new(library)))
    }

    /// Adds a file whose blocks are a policy: `hclvm_decide('NAME')` and `hclvm_matches('NAME')`. Its attributes are
    /// rules as well. Decisions have no members for the attributes of `outcome`, which are evaluated all the same.
    ///
    /// # Errors
    /// Those of [`Functions::with_file`] and of [`Module::policy`](hclvm::Module::policy).
    pub fn with_policy(&self, name: &str, text: &str, spec: &PolicySpec<'_>) -> Result<Self> {
        self.0.with(name, text, Some(spec)).map(|library| Self(Arc::new(library)))
    }

    /// Registers the functions in a session. Calls then find their columns by the names that their texts read, and those
    /// of policies are tables in `FROM`: `hclvm_decide('access', 'requests')`.
    ///
    /// # Errors
    /// Those of the session.
    pub fn register(&self, session: &SessionContext) -> Result<()> {
        let state = session.state_ref();
        let mut state = state.write();
        for function in self.udfs() {
            state.register_udf(function)?;
        }
        for function in TableCall::all(Call::all(&self.0)) {
            state.register_udtf(function.name(), Arc::new(function));
        }
        state.register_function_rewrite(Arc::new(AddColumns))
    }

    /// Returns the functions themselves, for registries that a session does not have.
    pub fn udfs(&self) -> Vec<Arc<ScalarUDF>> {
        Call::all(&self.0).map(|(_, call)| Arc::new(ScalarUDF::new_from_impl(call))).collect()
    }

    /// Returns a call of the function `name`, as in SQL, with the columns of a schema that `text` reads: for plans
    /// that are not made from SQL.
    ///
    /// ```
    /// use datafusion::arrow::datatypes::{DataType, Field, Schema};
    /// use datafusion::common::ToDFSchema;
    ///
    /// let functions = hclvm_datafusion::Functions::new(&hclvm::Engine::new());
    /// let schema = Schema::new(vec![
    ///     Field::new("name", DataType::Utf8, false),
    ///     Field::new("size", DataType::Int64, false),
    ///     Field::new("owner", DataType::Utf8, true),
    /// ]);
    /// let call = functions.call("hclvm", "size < 10 && owner == \"ann\"", &schema.to_dfschema()?)?;
    /// assert_eq!(call.column_refs().len(), 2);
    /// # Ok::<(), datafusion::error::DataFusionError>(())
    /// ```
    ///
    /// # Errors
    /// Syntax errors, and columns that the schema does not have.
    pub fn call(&self, name: &str, text: &str, schema: &DFSchema) -> Result<Expr> {
        let Some(call) = Call::named(name, &self.0) else { return exec_err!("there is no function {name}") };
        let mut arguments = vec![lit(text)];
        arguments.extend(columns::columns(&call, &arguments, schema)?);
        Ok(ScalarUDF::new_from_impl(call).call(arguments))
    }
}
