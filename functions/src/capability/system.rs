//! Capabilities backed by the operating system: a directory, the environment, the clock, random bytes.
//!
//! The only file of the crate that calls the system. Nothing here is reachable without a grant.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use super::{Clock, Environment, FileKind, Files};

/// The files below a directory, which is the base of relative paths, and below further ones. A path that leads out of
/// them, directly or through a link, is rejected.
#[derive(Clone, Debug)]
pub struct Directory {
    root: PathBuf,
    /// Further directories whose files may be read.
    others: Vec<PathBuf>,
}

/// Why a path has no file.
enum Unusable {
    /// It is not below the root.
    Outside,
    Other(String),
}

impl Directory {
    /// Gives access to the files below `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), others: Vec::new() }
    }

    /// Gives access to the files below another directory as well. Relative paths are still those from the first one.
    ///
    /// ```
    /// use hclvm_functions::Capabilities;
    /// use hclvm_functions::capability::Directory;
    /// let granted = Capabilities::none().files(Directory::new("jobs").and("shared"));
    /// # let _ = granted;
    /// ```
    #[must_use]
    pub fn and(mut self, other: impl Into<PathBuf>) -> Self {
        self.others.push(other.into());
        self
    }

    /// Resolves all links of a path, which must be below a directory that may be read; `None` if no file is there.
    fn real(&self, path: &str) -> Result<Option<PathBuf>, String> {
        let first = real_below(&self.root, &self.root, Path::new(path));
        let mut found = first;
        for other in &self.others {
            if !matches!(found, Err(Unusable::Outside)) {
                break;
            }
            // What is not below the first directory is found by its cleaned path.
            let joined = std::path::absolute(self.root.join(path)).unwrap_or_default();
            found = match real_below(other, &self.root, &clean(&joined)) {
                Err(Unusable::Other(_)) if fs::canonicalize(other).is_err() => Err(Unusable::Outside),
                other => other,
            };
        }
        found.map_err(|why| match why {
            Unusable::Outside => outside(path),
            Unusable::Other(why) => why,
        })
    }

    fn existing(&self, path: &str) -> Result<PathBuf, String> {
        self.real(path)?.ok_or_else(|| format!("there is no file {path:?}"))
    }
}

/// Resolves all links of a path from `base`, which must be below `root`; `None` if no file is there.
fn real_below(root: &Path, base: &Path, path: &Path) -> Result<Option<PathBuf>, Unusable> {
    let real_root = fs::canonicalize(root)
        .map_err(|error| Unusable::Other(format!("the root directory cannot be used: {error}")))?;
    match fs::canonicalize(base.join(path)) {
        Ok(real) if real.starts_with(&real_root) => Ok(Some(real)),
        Ok(_) => Err(Unusable::Outside),
        Err(_) if !is_below(root, &base.join(path)) || leads_out(&real_root, &inner(root, path)) => {
            Err(Unusable::Outside)
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(Unusable::Other(format!("{:?} cannot be used: {error}", path.to_string_lossy()))),
    }
}

/// Returns the part of a path behind a root, which it has in front if it is absolute.
fn inner(root: &Path, path: &Path) -> PathBuf {
    let root = std::path::absolute(root).unwrap_or_default();
    path.strip_prefix(root).unwrap_or(path).to_owned()
}

/// Returns true if a path stays below a root by its names alone. Paths outside are rejected even if they do not exist, so
/// that errors do not reveal which of them do. Neither do those of paths behind a link: see [`leads_out`].
fn is_below(root: &Path, path: &Path) -> bool {
    let root =
        if path.is_absolute() { std::path::absolute(root).unwrap_or_default() } else { root.to_owned() };
    let (root, all) = (clean(&root), clean(path));
    all.starts_with(root) && !all.starts_with("..")
}

fn outside(path: &str) -> String {
    format!("{path:?} is outside of the directory that the host has granted")
}

/// Returns true if a path from the root, some part of which does not exist or cannot be read, leads out of the root
/// through a link.
fn leads_out(root: &Path, path: &Path) -> bool {
    /// Links that are followed, as many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut here = root.to_owned();
    let mut open: Vec<OsString> = path.components().rev().map(|part| part.as_os_str().to_owned()).collect();
    let mut links = 0;
    while let Some(part) = open.pop() {
        if part == ".." {
            here.pop();
            continue;
        }
        // An absolute part replaces all before it.
        let next = here.join(part);
        match fs::read_link(&next) {
            Ok(target) if links < MOST_LINKS => {
                links += 1;
                open.extend(target.components().rev().map(|part| part.as_os_str().to_owned()));
            }
            _ => here = next,
        }
        // On the way to the root from that of the file system.
        if !here.starts_with(root) && !root.starts_with(&here) {
            return true;
        }
    }
    !here.starts_with(root)
}

/// Opens a regular file. Anything else is refused before it is opened: opening a pipe waits for its writer, and a device
/// may act on it. Files of `/proc` show the state of the process.
fn open_regular(path: &Path) -> io::Result<File> {
    let refused = || io::Error::other("it is not a regular file");
    if !is_regular(&fs::metadata(path)?) {
        return Err(refused());
    }
    let mut options = OpenOptions::new();
    options.read(true);
    // A pipe may have taken its place.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    if is_regular(&file.metadata()?) { Ok(file) } else { Err(refused()) }
}

#[cfg(unix)]
fn is_regular(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    let is_process =
        |of: Metadata| of.dev() == found.dev() && fs::metadata("/").is_ok_and(|root| root.dev() != of.dev());
    found.is_file() && !fs::metadata("/proc").is_ok_and(is_process)
}

#[cfg(not(unix))]
fn is_regular(found: &Metadata) -> bool {
    found.is_file()
}

/// Removes `.` from a path, and `..` together with the name before it.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if cleaned.file_name().is_some() => {
                cleaned.pop();
            }
            Component::ParentDir if cleaned.has_root() => {}
            other => cleaned.push(other),
        }
    }
    cleaned
}

impl Files for Directory {
    fn read(&self, path: &str, limit: usize) -> Result<Vec<u8>, String> {
        let unreadable = |error| format!("{path:?} cannot be read: {error}");
        let file = open_regular(&self.existing(path)?).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() > limit { Err(format!("{path:?} has more than {limit} bytes")) } else { Ok(bytes) }
    }

    fn kind(&self, path: &str) -> Result<Option<FileKind>, String> {
        let Some(real) = self.real(path)? else { return Ok(None) };
        let found = fs::metadata(real).map_err(|error| format!("{path:?} cannot be used: {error}"))?;
        Ok(Some(match found.file_type() {
            kind if kind.is_file() => FileKind::File,
            kind if kind.is_dir() => FileKind::Directory,
            _ => FileKind::Other,
        }))
    }

    fn list(&self, path: &str, limit: usize) -> Result<Vec<String>, String> {
        let unreadable = |error| format!("the directory {path:?} cannot be read: {error}");
        let mut found = Vec::new();
        let mut pending = vec![(self.existing(path)?, String::new())];
        let mut seen = 0;
        while let Some((directory, prefix)) = pending.pop() {
            for entry in fs::read_dir(directory).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                seen += 1;
                if seen > limit {
                    return Err(format!("the directory {path:?} has more than {limit} files"));
                }
                // A name that is not Unicode cannot be a value.
                let Ok(name) = entry.file_name().into_string() else { continue };
                let relative = format!("{prefix}{name}");
                // Links to directories are not followed, so there are no loops.
                let kind = entry.file_type().map_err(unreadable)?;
                if kind.is_dir() {
                    pending.push((entry.path(), relative + "/"));
                } else if kind.is_file() || self.links_to_file(&entry.path()) {
                    found.push(relative);
                }
            }
        }
        Ok(found)
    }

    fn absolute(&self, path: &str) -> Result<String, String> {
        let joined = std::path::absolute(self.root.join(path))
            .map_err(|error| format!("{path:?} has no absolute path: {error}"))?;
        clean(&joined).into_os_string().into_string().map_err(|_| "the path is not Unicode".to_owned())
    }
}

impl Directory {
    /// Returns true if a link leads to a regular file below the root.
    fn links_to_file(&self, link: &Path) -> bool {
        let root = fs::canonicalize(&self.root).unwrap_or_default();
        fs::canonicalize(link).is_ok_and(|real| real.starts_with(root) && real.is_file())
    }
}

/// The environment variables of this process.
#[derive(Clone, Copy, Debug)]
pub struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    fn variable(&self, name: &str) -> Option<String> {
        // `std::env::var` may panic for such a name.
        if name.is_empty() || name.contains(['=', '\0']) {
            return None;
        }
        std::env::var(name).ok()
    }
}

/// The system clock. Its start is the time at which it was created.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: SystemTime,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: SystemTime::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn start(&self) -> SystemTime {
        self.start
    }
}

/// A clock that always shows one time, for tests and reproducible results.
#[derive(Clone, Copy, Debug)]
pub struct FixedClock(pub SystemTime);

impl Clock for FixedClock {
    fn now(&self) -> SystemTime {
        self.0
    }

    fn start(&self) -> SystemTime {
        self.0
    }
}

/// The random bytes of the system.
#[cfg(feature = "random")]
#[derive(Clone, Copy, Debug)]
pub struct SystemRandom;

#[cfg(feature = "random")]
impl super::Random for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), String> {
        getrandom::fill(bytes).map_err(|error| format!("the system gives no random bytes: {error}"))
    }
}
