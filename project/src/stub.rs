//! Functions with answers that a file gives: the mocks of a test, and the functions of a project that only its host has.

use std::collections::BTreeMap;

use hclvm::host::Rest;
use hclvm::show::line;
use hclvm::{Dialect, OwnedValue, Value, function};

use crate::compare::is_equal;

/// The answer of a function, to all calls or to those with some arguments.
#[derive(Clone, Debug)]
pub struct Stub {
    /// The name of the function.
    pub function: String,
    /// `None` for all calls.
    pub arguments: Option<Vec<OwnedValue>>,
    /// The answer to these calls.
    pub answer: Answer,
}

/// The answer to a call.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The call returns this value.
    Value(OwnedValue),
    /// The call fails for this reason.
    Error(String),
}

impl Answer {
    /// The answer of a function about whose results nothing is known.
    pub fn unknown() -> Self {
        Self::Value(OwnedValue::new(Value::DYNAMIC))
    }
}

impl Stub {
    /// Reads the arguments of a mock.
    ///
    /// # Errors
    /// A sentence about values of the wrong type.
    pub fn mock(
        function: &str,
        arguments: Option<Value<'_>>,
        result: Option<Value<'_>>,
        error: Option<Value<'_>>,
    ) -> Result<Self, String> {
        let items = |value: Value<'_>| {
            let items =
                value.as_items().ok_or(format!("`arguments` of the mock `{function}` has to be a list."));
            Ok::<_, String>(items?.iter().map(|item| OwnedValue::new(*item)).collect())
        };
        let answer = match (result, error) {
            (Some(result), None) => Answer::Value(OwnedValue::new(result)),
            (None, Some(error)) => {
                let error = error.as_str();
                let error = error.ok_or(format!("`error` of the mock `{function}` has to be a string."))?;
                Answer::Error(error.to_owned())
            }
            _ => return Err(format!("The mock `{function}` has either a `result` or an `error`.")),
        };
        let arguments = arguments.map(items).transpose()?;
        Ok(Self { function: function.to_owned(), arguments, answer })
    }

    fn is_for(&self, arguments: &[Value<'_>]) -> bool {
        let Some(expected) = &self.arguments else { return true };
        expected.len() == arguments.len()
            && expected.iter().zip(arguments).all(|(expected, found)| is_equal(expected.get(), *found))
    }
}

/// Returns a dialect with stubs in place of functions. The first stub counts that is for the arguments of a call. `kind`
/// names the stubs in messages.
pub fn with_stubs(mut dialect: Dialect, kind: &'static str, stubs: &[Stub]) -> Dialect {
    if stubs.is_empty() {
        return dialect;
    }
    let mut table = dialect.functions.take().unwrap_or_default();
    let mut by_name: BTreeMap<&str, Vec<Stub>> = BTreeMap::new();
    for stub in stubs {
        by_name.entry(&stub.function).or_default().push(stub.clone());
    }
    for (name, of_name) in by_name {
        let body = move |Rest(arguments): Rest<Value<'_>>| match of_name
            .iter()
            .find(|stub| stub.is_for(&arguments))
            .map(|stub| &stub.answer)
        {
            Some(Answer::Value(result)) => Ok(result.clone()),
            Some(Answer::Error(error)) => Err(error.clone()),
            None => {
                let given: Vec<String> = arguments.iter().map(|argument| line(*argument)).collect();
                Err(format!("no {kind} is for the arguments ({})", given.join(", ")))
            }
        };
        // A call with constants is not evaluated when the file is compiled, so that its error has a place in a case.
        table.insert(name, function(name, ["arguments"], body).impure());
    }
    dialect.functions = Some(table);
    dialect
}
