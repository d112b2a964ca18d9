//! The members of decisions as functions of single rows.
//!
//! DataFusion moves its own `get_field`, which is `decision['effect']`, towards the tables, through the projection that has
//! the decision, and repeats the decision for each member. These stay where they are.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::compute::{is_null, nullif};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_datafusion_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::results::{MEMBERS, decision_type};

/// A member of a decision.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Member {
    /// The name of the function: a prefix and the name of the member.
    name: String,
    signature: Signature,
}

/// What the names of the functions begin with.
const PREFIX: &str = "hclvm_decision_";

impl Member {
    /// Returns the function of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let member = name.strip_prefix(PREFIX)?;
        MEMBERS.contains(&member).then(|| Self {
            name: name.to_owned(),
            signature: Signature::exact(vec![decision_type()], Volatility::Immutable),
        })
    }

    /// Returns a member of a decision.
    pub(crate) fn of(decision: Expr, member: &str) -> Result<Expr> {
        let name = format!("{PREFIX}{member}");
        let function =
            Self::named(&name).ok_or_else(|| internal_datafusion_err!("a decision has no {member}"))?;
        Ok(ScalarUDF::new_from_impl(function).call(vec![decision]))
    }
}

impl ScalarUDFImpl for Member {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let missing = || internal_datafusion_err!("{} is called without a decision", self.name);
        let decision = arguments.args.first().ok_or_else(missing)?;
        let array = decision.to_array(arguments.number_rows)?;
        let member = self.name.strip_prefix(PREFIX).unwrap_or_default();
        let decisions = array.as_struct_opt().ok_or_else(missing)?;
        let member = decisions.column_by_name(member).ok_or_else(missing)?;
        // A member of null is null.
        let member = if decisions.null_count() > 0 {
            nullif(member, &is_null(decisions)?)?
        } else {
            Arc::clone(member)
        };
        Ok(match decision {
            ColumnarValue::Scalar(_) => ColumnarValue::Scalar(ScalarValue::try_from_array(&member, 0)?),
            ColumnarValue::Array(_) => ColumnarValue::Array(member),
        })
    }
}
