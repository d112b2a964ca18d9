//! The commands that clients run by `workspace/executeCommand`.

/// Shows the explanation of a code.
pub(crate) const EXPLAIN: &str = "hclvm.explain";
/// Shows the value of an attribute.
pub(crate) const EVALUATE: &str = "hclvm.evaluate";
/// Shows why an attribute has its value.
pub(crate) const WHY: &str = "hclvm.why";
/// Runs a case of a test file.
pub(crate) const RUN_TEST: &str = "hclvm.runTest";
/// Chooses a sample of scopes.
pub(crate) const USE_SCOPE: &str = "hclvm.useScope";
