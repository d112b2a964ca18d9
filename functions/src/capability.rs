//! What functions can reach beyond their arguments: nothing, unless the host grants it.
//!
//! A table made without a capability still has the functions that need it, so that programs compile
//! alike everywhere; calling one fails and names the missing capability. This file holds the traits;
//! the implementations for the machine at hand are in `system`.

mod system;

#[cfg(feature = "random")]
pub use system::SystemRandom;
pub use system::{Directory, FixedClock, ProcessEnvironment, SystemClock};

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use hclvm_vm::CallError;

/// Files that programs may read. Paths are as programs write them, with `~` already replaced.
/// Errors are phrases without a final stop.
pub trait Files: Send + Sync {
    /// Returns the bytes of a file; an error if there are more than `limit`.
    fn read(&self, path: &str, limit: usize) -> Result<Vec<u8>, String>;

    /// Returns the kind of the file at a path; `None` if there is none.
    fn kind(&self, path: &str) -> Result<Option<FileKind>, String>;

    /// Returns the paths of all regular files below a directory, relative to it, with `/` between
    /// names; an error if there are more than `limit`.
    fn list(&self, path: &str, limit: usize) -> Result<Vec<String>, String>;

    /// Returns the path from the root of the file system, without `.` and `..`.
    fn absolute(&self, path: &str) -> Result<String, String>;
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A device, pipe or socket.
    Other,
}

/// Environment variables.
pub trait Environment: Send + Sync {
    /// Returns the value of a variable, if it is set.
    fn variable(&self, name: &str) -> Option<String>;

    /// Returns the home directory, which replaces `~` in paths.
    fn home(&self) -> Option<String> {
        self.variable("HOME").filter(|home| !home.is_empty())
    }
}

impl<S: BuildHasher + Send + Sync> Environment for HashMap<String, String, S> {
    fn variable(&self, name: &str) -> Option<String> {
        self.get(name).cloned()
    }
}

impl Environment for BTreeMap<String, String> {
    fn variable(&self, name: &str) -> Option<String> {
        self.get(name).cloned()
    }
}

/// A clock.
pub trait Clock: Send + Sync {
    /// Returns the time of the call.
    fn now(&self) -> SystemTime;

    /// Returns the time at which the host's work began.
    fn start(&self) -> SystemTime;
}

/// A source of unpredictable bytes.
pub trait Random: Send + Sync {
    /// Fills all of `bytes`.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), String>;
}

impl<F: Fn(&mut [u8]) + Send + Sync> Random for F {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), String> {
        self(bytes);
        Ok(())
    }
}

/// Secrets that are stored elsewhere. Errors are phrases without a final stop.
pub trait Secrets: Send + Sync {
    /// Returns a member of a secret of AWS Secrets Manager; the first one if no key is given.
    fn aws(&self, name: &str, key: Option<&str>) -> Result<String, String>;

    /// Returns the whole text of a secret of AWS Secrets Manager.
    fn aws_raw(&self, name: &str) -> Result<String, String>;

    /// Returns a value of Consul's key-value store.
    fn consul(&self, key: &str) -> Result<String, String>;

    /// Returns a value of a secret of Vault.
    fn vault(&self, path: &str, key: &str) -> Result<String, String>;
}

/// The capabilities that a host grants. The default grants nothing.
///
/// ```
/// use hclvm_functions::{Capabilities, nomad};
/// let granted = Capabilities::none().directory("configs").system_clock();
/// let table = nomad(&granted);
/// assert!(table.get("file").is_some());
/// ```
#[derive(Clone, Default)]
pub struct Capabilities {
    files: Option<Arc<dyn Files>>,
    environment: Option<Arc<dyn Environment>>,
    clock: Option<Arc<dyn Clock>>,
    random: Option<Arc<dyn Random>>,
    secrets: Option<Arc<dyn Secrets>>,
}

impl Capabilities {
    /// Grants nothing.
    pub fn none() -> Self {
        Self::default()
    }

    /// Grants read access to `files`.
    pub fn files(self, files: impl Files + 'static) -> Self {
        Self { files: Some(Arc::new(files)), ..self }
    }

    /// Grants read access to the files below a directory, which is the base of relative paths.
    pub fn directory(self, root: impl Into<PathBuf>) -> Self {
        self.files(Directory::new(root))
    }

    /// Grants the variables of `environment`.
    pub fn environment(self, environment: impl Environment + 'static) -> Self {
        Self { environment: Some(Arc::new(environment)), ..self }
    }

    /// Grants the environment variables of this process.
    pub fn process_environment(self) -> Self {
        self.environment(ProcessEnvironment)
    }

    /// Grants the time of `clock`.
    pub fn clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Some(Arc::new(clock)), ..self }
    }

    /// Grants the system time. The host's work begins with this call.
    pub fn system_clock(self) -> Self {
        self.clock(SystemClock::default())
    }

    /// Grants the bytes of `random`.
    pub fn random(self, random: impl Random + 'static) -> Self {
        Self { random: Some(Arc::new(random)), ..self }
    }

    /// Grants the random bytes of the system.
    #[cfg(feature = "random")]
    pub fn system_random(self) -> Self {
        self.random(SystemRandom)
    }

    /// Grants `secrets`.
    pub fn secrets(self, secrets: impl Secrets + 'static) -> Self {
        Self { secrets: Some(Arc::new(secrets)), ..self }
    }

    pub(crate) fn granted_files(&self) -> Result<&dyn Files, CallError> {
        self.files.as_deref().ok_or_else(|| missing("files"))
    }

    pub(crate) fn granted_environment(&self) -> Result<&dyn Environment, CallError> {
        self.environment.as_deref().ok_or_else(|| missing("environment"))
    }

    pub(crate) fn granted_clock(&self) -> Result<&dyn Clock, CallError> {
        self.clock.as_deref().ok_or_else(|| missing("clock"))
    }

    pub(crate) fn granted_random(&self) -> Result<&dyn Random, CallError> {
        self.random.as_deref().ok_or_else(|| missing("random"))
    }

    pub(crate) fn granted_secrets(&self) -> Result<&dyn Secrets, CallError> {
        self.secrets.as_deref().ok_or_else(|| missing("secrets"))
    }
}

fn missing(capability: &str) -> CallError {
    CallError::ungranted(format!("it needs the capability \"{capability}\", which the host has not granted"))
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capabilities")
            .field("files", &self.files.is_some())
            .field("environment", &self.environment.is_some())
            .field("clock", &self.clock.is_some())
            .field("random", &self.random.is_some())
            .field("secrets", &self.secrets.is_some())
            .finish()
    }
}
