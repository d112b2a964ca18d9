//! Dialects: what differs between the applications that use HCL. The functions themselves are in
//! `hclvm-functions`.

use std::fmt;

use hclvm_functions::Capabilities;
use hclvm_vm::FunctionTable;

pub use hclvm_compiler::lower::Undefined;

/// A dialect of the language: its functions, the meaning of undefined names, and whether one operand
/// of `&&` and `||` may decide alone.
#[derive(Clone)]
pub struct Dialect {
    /// The functions; `None` if none may be called.
    pub functions: Option<FunctionTable>,
    /// The meaning of names that are neither in the scope nor bound by an expression.
    pub undefined: Undefined,
    /// True if one operand of `&&` and `||` may decide alone.
    pub short_circuit: bool,
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let functions = self.functions.as_ref().map_or(0, FunctionTable::len);
        write!(f, "Dialect({functions} functions, undefined names: {:?})", self.undefined)
    }
}

impl Dialect {
    /// Returns the language of hashicorp/hcl with the functions of go-cty.
    pub fn standard() -> Self {
        Self::with_functions(hclvm_functions::standard())
    }

    /// Returns the language of Nomad's job specifications: undefined names remain text, which the
    /// client resolves, and both operands of `&&` and `||` are always evaluated.
    pub fn nomad(granted: &Capabilities) -> Self {
        let functions = hclvm_functions::nomad(granted);
        Self { functions: Some(functions), undefined: Undefined::Text, short_circuit: false }
    }

    /// Returns the language of hashicorp/hcl with these functions.
    pub fn with_functions(functions: FunctionTable) -> Self {
        Self { functions: Some(functions), undefined: Undefined::Error, short_circuit: true }
    }

    /// Sets the meaning of undefined names.
    pub fn undefined(mut self, undefined: Undefined) -> Self {
        self.undefined = undefined;
        self
    }
}
