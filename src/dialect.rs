//! What differs between the applications that use HCL.

use hclvm_functions::Capabilities;
use hclvm_vm::FunctionTable;

pub use hclvm_compiler::lower::Undefined;

/// A way of using the language: its functions, what undefined names mean, and whether one
/// operand of `&&` and `||` may decide alone.
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The functions; `None` where none may be called.
    pub functions: Option<FunctionTable>,
    /// What names mean that are neither in the scope nor bound by an expression.
    pub undefined: Undefined,
    /// Whether one operand of `&&` and `||` may decide alone.
    pub short_circuit: bool,
}

impl Dialect {
    /// The language of hashicorp/hcl with the functions of go-cty.
    pub fn standard() -> Self {
        Self::with_functions(hclvm_functions::standard())
    }

    /// The language of Nomad's job specifications: undefined names stay text for the client to
    /// resolve, and both operands of `&&` and `||` always count.
    pub fn nomad(granted: &Capabilities) -> Self {
        let functions = hclvm_functions::nomad(granted);
        Self { functions: Some(functions), undefined: Undefined::Text, short_circuit: false }
    }

    /// The language of hashicorp/hcl with these functions.
    pub fn with_functions(functions: FunctionTable) -> Self {
        Self { functions: Some(functions), undefined: Undefined::Error, short_circuit: true }
    }

    /// The same dialect with another meaning of undefined names.
    pub fn undefined(mut self, undefined: Undefined) -> Self {
        self.undefined = undefined;
        self
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self::standard()
    }
}
