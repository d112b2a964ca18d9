//! Functions with results that a test gives.

use hclvm::host::Rest;
use hclvm::show::line;
use hclvm::{Dialect, OwnedValue, Value, function};

use super::compare::is_equal;

/// The result of a function, for all calls or for those with some arguments.
#[derive(Clone)]
pub(super) struct Mock {
    function: String,
    arguments: Option<Vec<OwnedValue>>,
    result: OwnedValue,
}

impl Mock {
    /// # Errors
    /// A sentence about values of the wrong type.
    pub(super) fn new(
        function: &str,
        arguments: Option<Value<'_>>,
        result: Option<Value<'_>>,
    ) -> Result<Self, String> {
        let items = |value: Value<'_>| {
            let items =
                value.as_items().ok_or(format!("`arguments` of the mock `{function}` has to be a list."));
            Ok::<_, String>(items?.iter().map(|item| OwnedValue::new(*item)).collect())
        };
        let arguments = arguments.map(items).transpose()?;
        let result = OwnedValue::new(result.unwrap_or(Value::NULL));
        Ok(Self { function: function.to_owned(), arguments, result })
    }

    fn is_for(&self, arguments: &[Value<'_>]) -> bool {
        let Some(expected) = &self.arguments else { return true };
        expected.len() == arguments.len()
            && expected.iter().zip(arguments).all(|(expected, found)| is_equal(expected.get(), *found))
    }
}

/// Returns a dialect with mocks in place of functions. The first mock counts that is for the arguments of a call.
pub(super) fn mocked(mut dialect: Dialect, mocks: &[Mock]) -> Dialect {
    let mut table = dialect.functions.take().unwrap_or_default();
    for Mock { function: name, .. } in mocks {
        let of_name: Vec<Mock> = mocks.iter().filter(|mock| mock.function == *name).cloned().collect();
        let body = move |Rest(arguments): Rest<Value<'_>>| {
            let found = of_name.iter().find(|mock| mock.is_for(&arguments));
            found.map(|mock| mock.result.clone()).ok_or_else(|| {
                let given: Vec<String> = arguments.iter().map(|argument| line(*argument)).collect();
                format!("no mock is for the arguments ({})", given.join(", "))
            })
        };
        // A call with constants is not evaluated when the file is compiled, so that its error has a place in a case.
        table.insert(name.as_str(), function(name.as_str(), ["arguments"], body).impure());
    }
    dialect.functions = Some(table);
    dialect
}
