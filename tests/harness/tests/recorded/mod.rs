//! Finds the results recorded from the reference implementation, beside the checkout.

use std::path::{Path, PathBuf};

/// The path of the harness.
pub(crate) const HARNESS: &str = env!("CARGO_BIN_EXE_harness");

/// Returns a directory of recorded results. Prints a message and returns `None` if it is absent.
pub(crate) fn directory(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no recorded results at {}", path.display());
    None
}
