//! The results recorded from the reference implementation: a selection of them in the checkout, all of them in
//! a folder beside it that may be absent.

use std::path::{Path, PathBuf};

use libtest_mimic::{Completion, Failed, Trial};

/// Returns the directory of the recorded cases in the checkout.
pub(crate) fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

/// Returns a directory or file of the recorded results.
///
/// # Errors
/// It is absent: a sentence that says so.
pub(crate) fn shared(name: &str) -> Result<PathBuf, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    if path.exists() { Ok(path) } else { Err(format!("../shared/{name} is absent")) }
}

/// Creates a test that reads recorded results, and is ignored if they are absent.
pub(crate) fn unless_absent(
    name: &'static str,
    folder: &'static str,
    test: fn(&Path) -> Result<(), Failed>,
) -> Trial {
    Trial::ignorable_test(name, move || match shared(folder) {
        Ok(path) => test(&path).map(|()| Completion::Completed),
        Err(reason) => Ok(Completion::ignored_with(reason)),
    })
}
