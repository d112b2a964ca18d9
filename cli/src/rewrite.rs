//! Writes a file in one step, so that no reader and no interruption finds half of it.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::Builder;

/// Replaces the content of a file and keeps its permissions. Of a symbolic link, the file that it refers to is
/// replaced. Files that are not regular, such as pipes, are refused.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let metadata = fs::metadata(&path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.permissions().readonly() {
        // Renaming would succeed if the folder can be written to, but the file is meant to stay as it is.
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    write(&path, content, Some(metadata.permissions()))
}

/// Creates a file, or replaces its content as [`replace`] does.
pub(crate) fn create_or_replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if path.exists() { replace(path, content) } else { write(path, content, None) }
}

/// Writes a file beside its place and renames it. Without `permissions` it gets those of a new file.
fn write(path: &Path, content: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    // In the same folder, since renaming works within one file system only.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    // A temporary file is private otherwise. The mask of the process applies, as to every new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // Without the name of the temporary file, which means nothing to a reader.
    let unnamed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::other(format!("the folder {} is not there", folder.display())),
        kind => kind.into(),
    };
    let mut written = builder.tempfile_in(folder).map_err(unnamed)?;
    written.write_all(content)?;
    if let Some(permissions) = permissions {
        written.as_file().set_permissions(permissions)?;
    }
    written.as_file().sync_all()?;
    written.persist(path).map_err(|error| error.error)?;
    Ok(())
}
