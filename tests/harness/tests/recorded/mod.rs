//! Results recorded from the reference implementation: where they lie beside the checkout.

use std::path::{Path, PathBuf};

/// The program whose protocols are tested.
pub(crate) const HARNESS: &str = env!("CARGO_BIN_EXE_harness");

/// A directory of recorded results; a message and `None` when it is absent.
pub(crate) fn directory(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no recorded results at {}", path.display());
    None
}
