//! Replaces the text of a file in one step, so that no reader and no interruption finds half of it.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Replaces the text of a file and keeps its permissions. Of a symbolic link, the file that it refers to is
/// replaced. Files that are not regular, such as pipes, are refused.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let metadata = fs::metadata(&path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.permissions().readonly() {
        // Renaming would succeed if the folder can be written to, but the file is meant to stay as it is.
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    // In the same folder, since renaming works within one file system only.
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut written = NamedTempFile::new_in(folder)?;
    written.write_all(text.as_bytes())?;
    written.as_file().set_permissions(metadata.permissions())?;
    written.as_file().sync_all()?;
    written.persist(&path).map_err(|error| error.error)?;
    Ok(())
}
