//! The compiler of hclvm: HCL text to tokens, tree and register bytecode.

pub mod tree;
