//! Problems that are found at compile time.

use std::borrow::Cow;

use smol_str::SmolStr;

/// A problem found at compile time that is a fault only if evaluation reaches it, because `&&`, `||`, `?:`
/// and `try` may drop it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A variable that the layout does not have.
    UnknownVariable {
        /// The name.
        name: SmolStr,
        /// What was meant, or the most similar variable of a loop. Those of the layout are compared when the failure is
        /// reported: code may have any number of failures.
        suggestion: Option<SmolStr>,
    },
    /// A variable where variables are not allowed.
    VariablesNotAllowed,
    /// A function call where function calls are not allowed.
    FunctionsNotAllowed,
    /// A function that is not in the function table.
    UnknownFunction {
        /// The name, namespaces included.
        name: SmolStr,
        /// A similar name that exists.
        suggestion: Option<SmolStr>,
    },
    /// A multi-step traversal as an object key.
    AmbiguousKey,
    /// A problem whose message the compiler writes, such as an argument that does not describe a type.
    Described {
        /// The established title.
        title: Cow<'static, str>,
        /// The message.
        detail: Cow<'static, str>,
    },
}
