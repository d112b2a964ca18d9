//! The hclvm command.
fn main() {}
