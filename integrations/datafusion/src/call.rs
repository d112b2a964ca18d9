//! The functions that queries call.
//!
//! | function | its text | its result |
//! |---|---|---|
//! | `hclvm` | an expression | the result of the expression |
//! | `hclvm_rule` | a registered file and the path to an attribute | the result of the attribute |
//! | `hclvm_matches` | a registered policy | the names of all rules that apply |
//! | `hclvm_decide` | a registered policy | the decision |
//!
//! With `try_` before its name, a function is null for rows that fail.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::arguments::{self, Constants};
use crate::evaluate::{self, Batch, OnError};
use crate::library::{Kind, Library};
use crate::results::{decision_type, names_type};
use crate::types::Output;

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    Result(Kind),
    Matches,
    Decision,
}

/// A function with the library that it evaluates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    question: Question,
    on_error: OnError,
    library: Arc<Library>,
    signature: Signature,
}

/// All functions: their names, what they return, and what becomes of rows that fail.
const FUNCTIONS: [(&str, Question, OnError); 8] = [
    ("hclvm", Question::Result(Kind::Text), OnError::Fail),
    ("try_hclvm", Question::Result(Kind::Text), OnError::Null),
    ("hclvm_rule", Question::Result(Kind::Rule), OnError::Fail),
    ("try_hclvm_rule", Question::Result(Kind::Rule), OnError::Null),
    ("hclvm_matches", Question::Matches, OnError::Fail),
    ("try_hclvm_matches", Question::Matches, OnError::Null),
    ("hclvm_decide", Question::Decision, OnError::Fail),
    ("try_hclvm_decide", Question::Decision, OnError::Null),
];

impl Call {
    /// Returns all functions of a library by name.
    pub(crate) fn all(library: &Arc<Library>) -> impl Iterator<Item = (&'static str, Self)> {
        FUNCTIONS.iter().map(|(name, question, on_error)| (*name, Self::new(*question, *on_error, library)))
    }

    /// Returns the function of a name.
    pub(crate) fn named(name: &str, library: &Arc<Library>) -> Option<Self> {
        let (_, question, on_error) = FUNCTIONS.iter().find(|(known, ..)| *known == name)?;
        Some(Self::new(*question, *on_error, library))
    }

    fn new(question: Question, on_error: OnError, library: &Arc<Library>) -> Self {
        // The same values give the same results: what is not so is a capability that an engine is not granted
        // by default. A constant call is evaluated once a plan.
        let signature = Signature::variadic_any(Volatility::Immutable);
        Self { question, on_error, library: Arc::clone(library), signature }
    }

    /// Returns the function that a call in a plan calls, if it is one of these.
    pub(crate) fn of(function: &ScalarUDF) -> Option<&Self> {
        (&**function.inner() as &dyn std::any::Any).downcast_ref()
    }

    /// Returns the library.
    #[cfg(feature = "ballista")]
    pub(crate) fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// Returns what it returns.
    pub(crate) fn question(&self) -> Question {
        self.question
    }

    /// Returns what its first argument is.
    fn what(&self) -> &'static str {
        match self.question {
            Question::Result(Kind::Text) => "an expression",
            Question::Result(Kind::Rule) => "a rule",
            Question::Matches | Question::Decision => "the name of a policy",
        }
    }

    /// Returns the constants among the arguments.
    pub(crate) fn constants<'c>(
        &self,
        arguments: impl IntoIterator<Item = Option<&'c ScalarValue>>,
    ) -> Result<Constants<'c>> {
        arguments::constants(self.name(), self.what(), arguments)
    }

    /// Returns the names of the columns that a text reads.
    pub(crate) fn reads(&self, text: &str) -> Result<Vec<String>> {
        match self.question {
            Question::Result(kind) => Ok(self.library.expression(kind, text)?.reads()),
            Question::Matches | Question::Decision => Ok(self.library.policy(text)?.reads.to_vec()),
        }
    }

    /// Returns the type of the results for columns of these names and types.
    fn data_type(&self, text: &str, columns: &BTreeMap<&str, &Field>) -> Result<DataType> {
        let Question::Result(kind) = self.question else {
            self.library.policy(text)?;
            return Ok(if self.question == Question::Matches { names_type() } else { decision_type() });
        };
        let expression = self.library.expression(kind, text)?;
        let output = expression.output(self.library.engine(), columns)?;
        let is_complete = expression.reads().iter().all(|name| columns.contains_key(name.as_str()));
        // With all columns known, what has no type is text.
        let output = if output == Output::Undecided && is_complete { Output::Text } else { output };
        Ok(output.data_type())
    }

    fn evaluate(&self, text: &str, output: &DataType, batch: &Batch<'_>) -> Result<ArrayRef> {
        let library = &*self.library;
        match self.question {
            Question::Result(kind) => {
                let expression = library.expression(kind, text)?;
                evaluate::evaluate(library.engine(), &expression, output, batch)
            }
            Question::Matches => evaluate::matches(library.engine(), library.policy(text)?, batch),
            Question::Decision => evaluate::decide(library.engine(), library.policy(text)?, batch),
        }
    }
}

impl ScalarUDFImpl for Call {
    fn name(&self) -> &str {
        let is_this = |(_, question, on_error): &&(&str, Question, OnError)| {
            *question == self.question && *on_error == self.on_error
        };
        FUNCTIONS.iter().find(is_this).map_or("hclvm", |(name, ..)| name)
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("the type of the results of {} depends on its text", self.name())
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let constants = self.constants(arguments.scalar_arguments.iter().copied())?;
        let data_type = self.data_type(constants.text, &constants.fields(&arguments))?;
        Ok(Arc::new(Field::new(self.name(), data_type, true)))
    }

    /// Removes columns that the text does not read, so that they are not loaded.
    fn simplify(&self, arguments: Vec<Expr>, _: &SimplifyContext) -> Result<ExprSimplifyResult> {
        let constants = self.constants(arguments::of_exprs(&arguments))?;
        let reads = self.reads(constants.text)?;
        let is_read: Vec<bool> =
            constants.names.iter().map(|name| reads.iter().any(|read| read == name)).collect();
        if is_read.iter().all(|read| *read) {
            return Ok(ExprSimplifyResult::Original(arguments));
        }
        let mut at = 0;
        let mut arguments = arguments;
        arguments.retain(|_| {
            at += 1;
            at == 1 || is_read[at / 2 - 1]
        });
        let function = Arc::new(ScalarUDF::new_from_impl(self.clone()));
        Ok(ExprSimplifyResult::Simplified(Expr::ScalarFunction(
            datafusion::logical_expr::expr::ScalarFunction::new_udf(function, arguments),
        )))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constants = self.constants(arguments::of_values(&arguments))?;
        let columns = constants.columns(&arguments.args);
        if let Some(missing) = self.missing(&constants)? {
            return exec_err!("{} has no value for \"{missing}\"", self.name());
        }
        // A call whose arguments are all constants has one result.
        let is_constant = columns.iter().all(|(_, column)| matches!(column, ColumnarValue::Scalar(_)));
        let rows = if is_constant { 1 } else { arguments.number_rows };
        let batch = Batch::new(&columns, rows, self.on_error)?;
        let results = self.evaluate(constants.text, arguments.return_field.data_type(), &batch)?;
        Ok(if is_constant {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&results, 0)?)
        } else {
            ColumnarValue::Array(results)
        })
    }
}

impl Call {
    /// Returns the name of a column that the text reads and that the call does not have.
    fn missing(&self, constants: &Constants<'_>) -> Result<Option<String>> {
        let reads = self.reads(constants.text)?;
        Ok(reads.into_iter().find(|read| !constants.names.contains(&read.as_str())))
    }
}
