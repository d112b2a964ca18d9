//! The code of one expression in both tiers, without the text it was compiled from: programs of
//! equal text share it. A [`Program`](crate::Program) is an artifact with its place in a file.

use std::sync::OnceLock;

use hclvm_compiler::lower::TooLarge;
use hclvm_vm::code::Code;
use hclvm_vm::code::columns::ColumnCode;
use hclvm_vm::code::fast::Fast;

/// A counted reference to an artifact. Unlike one of the standard library it has no weak references, so whether it
/// is the only one is known without an atomic read-modify-write operation, of which there was one for each compilation.
pub(crate) type SharedArtifact = triomphe::Arc<Artifact>;

/// The only reference to an artifact, which may change it.
pub(crate) type UniqueArtifact = triomphe::UniqueArc<Artifact>;

/// The code of an expression.
#[derive(Debug, Default)]
pub(crate) struct Artifact {
    /// The fast tier's code. Empty if the expression has none; running it falls back at once.
    pub(crate) fast: Fast,
    /// The baseline tier's code, compiled when a run, a listing or a report of problems first needs
    /// it: most programs never do.
    pub(crate) baseline: OnceLock<Result<Box<Code>, TooLarge>>,
    /// The columnar tier's code, compiled by the first run over columns; `None` if each row has to be run alone.
    pub(crate) columns: OnceLock<Option<Box<ColumnCode>>>,
}

impl Artifact {
    /// Creates an artifact that the baseline tier alone runs.
    pub(crate) fn of_baseline(baseline: Box<Code>) -> Self {
        Self { baseline: OnceLock::from(Ok(baseline)), ..Self::default() }
    }

    /// Removes the code and keeps the memory of the fast tier's.
    pub(crate) fn clear(&mut self) {
        self.fast.clear();
        if self.baseline.get().is_some() {
            self.baseline = OnceLock::new();
        }
        if self.columns.get().is_some() {
            self.columns = OnceLock::new();
        }
    }
}
