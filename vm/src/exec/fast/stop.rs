//! Why an operation of the fast tier has no value.

use crate::value::Value;

/// The reason why an operation has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A fault of the language, which a `try` around it may handle.
    Fault,
    /// A case that only the baseline tier decides.
    FallBack,
}

pub(super) type Plain<'a> = Result<Value<'a>, Stop>;
