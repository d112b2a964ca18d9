//! A file that can be rotated: renamed, and opened anew under its name.
//!
//! ```text
//! by the host    logrotate renames decisions.log to decisions.log.1 and sends a signal; the host calls
//!                Reopen::request; the next line is the first one of a new decisions.log
//! by size        decisions.log.1 ─▶ .2, decisions.log ─▶ .1, and a new decisions.log
//! ```
//! Invariant: a line is never divided between two files, and what cannot be renamed or opened costs no line: the file
//! before is written further, and the next write attempts it again.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A file to which lines are appended, for [`JsonLines`](crate::JsonLines). It is created if it is missing.
///
/// ```
/// use hclvm_decision_log::{DecisionLog, JsonLines, LogFile};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("decisions.log");
/// let file = LogFile::open(&path)?.rotate(100 << 20, 5); // decisions.log, and decisions.log.1 to .5
/// let reopen = file.reopener();
/// let log = DecisionLog::builder().start(JsonLines::new(file))?;
///
/// // When logrotate has renamed the file, usually on SIGHUP:
/// reopen.request();
/// # log.close();
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: File,
    /// The bytes of the file.
    length: u64,
    /// True if the next byte begins a line.
    at_line: bool,
    /// True if the rest of a line that was begun does not follow, because a write failed.
    is_broken: bool,
    /// The bytes after which the file is renamed, and the renamed files that are kept.
    rotation: Option<(u64, u32)>,
    reopen: Reopen,
}

/// Requests that a [`LogFile`] is opened again under its name. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Reopen(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    is_requested: AtomicBool,
    error: Mutex<Option<String>>,
}

impl Reopen {
    /// Opens the file again before the next line is written. May be called from any thread.
    pub fn request(&self) {
        self.0.is_requested.store(true, Ordering::Release);
    }

    /// Returns why the file could not be renamed or opened the last time; `None` if it could. Lines are written to the
    /// file before meanwhile.
    pub fn error(&self) -> Option<String> {
        self.0.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_requested(&self) -> bool {
        self.0.is_requested.load(Ordering::Acquire)
    }

    /// Notes how an attempt ended.
    fn note(&self, result: io::Result<()>, path: &Path) {
        let error = result.err().map(|error| format!("{}: {error}", path.display()));
        *self.0.error.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }
}

impl LogFile {
    /// Opens a file to append to it. If its last line has no end, as after a crash, it gets one.
    ///
    /// # Errors
    /// The file cannot be opened or created.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let (file, length, at_line) = open(&path)?;
        let reopen = Reopen::default();
        Ok(Self { path, file, length, at_line, is_broken: !at_line, rotation: None, reopen })
    }

    /// Renames the file to `path.1` before it has more than `bytes`, `path.1` to `path.2`, and so on, and keeps the
    /// last `kept` of these. A line that is longer is written whole. With 0 kept ones, the file is deleted instead.
    #[must_use]
    pub fn rotate(mut self, bytes: u64, kept: u32) -> Self {
        self.rotation = Some((bytes, kept));
        self
    }

    /// Returns what opens the file again under its name.
    pub fn reopener(&self) -> Reopen {
        self.reopen.clone()
    }

    /// Opens the file again if that is requested.
    fn reopen(&mut self) {
        if !self.reopen.is_requested() {
            return;
        }
        // Before the file is opened, so that a request during it is not lost.
        self.reopen.0.is_requested.store(false, Ordering::Release);
        let result = self.open_again();
        if result.is_err() {
            self.reopen.request();
        }
        self.reopen.note(result, &self.path);
    }

    fn open_again(&mut self) -> io::Result<()> {
        (self.file, self.length, self.at_line) = open(&self.path)?;
        self.is_broken = !self.at_line;
        Ok(())
    }

    /// Renames the file and those before it, and opens a new one.
    fn rotated(&mut self, kept: u32) -> io::Result<()> {
        if kept == 0 {
            unless_missing(fs::remove_file(&self.path))?;
        }
        // The last one first, so that none is replaced by one that cannot be renamed itself.
        for number in (0..kept).rev() {
            unless_missing(fs::rename(self.numbered(number), self.numbered(number + 1)))?;
        }
        self.open_again()
    }

    /// Returns the path of a renamed file, and for 0 that of the file.
    fn numbered(&self, number: u32) -> PathBuf {
        if number == 0 {
            return self.path.clone();
        }
        let mut name = OsString::from(&self.path);
        name.push(format!(".{number}"));
        name.into()
    }

    /// Writes some bytes to the file as it is.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.file.write(bytes);
        match &result {
            Ok(written) if *written > 0 => {
                self.length += *written as u64;
                self.at_line = bytes[..*written].ends_with(b"\n");
                self.is_broken = false;
            }
            // The caller tries it again.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => self.is_broken = true,
        }
        result
    }

    /// Renames the file if the next line does not fit. Returns how many bytes are written before the next look.
    fn make_room(&mut self, bytes: &[u8]) -> usize {
        let Some((largest, kept)) = self.rotation else { return bytes.len() };
        let first = first_line(bytes);
        let fits = |length: u64, size: usize| length.saturating_add(size as u64) <= largest;
        if self.length > 0 && !fits(self.length, first) {
            let result = self.rotated(kept);
            self.reopen.note(result, &self.path);
        }
        let room = usize::try_from(largest.saturating_sub(self.length)).unwrap_or(usize::MAX);
        let fitting = &bytes[..bytes.len().min(room)];
        // Without room, one line, which is too long or whose file could not be renamed.
        fitting.iter().rposition(|byte| *byte == b'\n').map_or(first, |end| end + 1)
    }
}

/// Opens a file to append to it. Returns it with its length, and true if its last line has an end.
fn open(path: &Path) -> io::Result<(File, u64, bool)> {
    let file = OpenOptions::new().append(true).create(true).open(path)?;
    // That of devices and pipes, which have no last line, is 0.
    let length = file.metadata()?.len();
    // A file that may be written and not read: an empty line does no harm.
    let at_line = length == 0 || last_byte(path).is_ok_and(|last| last == b'\n');
    Ok((file, length, at_line))
}

fn last_byte(path: &Path) -> io::Result<u8> {
    let mut file = File::open(path)?;
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last[0])
}

/// Ignores that a file is missing.
fn unless_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Returns the length of the first line with its line break.
fn first_line(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1)
}

impl Write for LogFile {
    /// Writes whole lines up to the next rotation. After an error, the next call begins another line.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(first) = bytes.first() else { return Ok(0) };
        if self.at_line || self.is_broken {
            self.reopen();
        }
        if !self.at_line && self.is_broken && self.append(b"\n")? == 0 {
            return Ok(0);
        }
        if self.at_line && *first == b'\n' {
            // It ends a line of the file before, or none.
            return Ok(1);
        }
        let length = if self.at_line { self.make_room(bytes) } else { first_line(bytes) };
        self.append(&bytes[..length])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
