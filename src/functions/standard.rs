//! The standard table: the functions of go-cty's library and those every host of it adds.

use hclvm_vm::function::FunctionTable;

/// The functions of the standard dialect.
pub fn standard() -> FunctionTable {
    FunctionTable::new()
}
