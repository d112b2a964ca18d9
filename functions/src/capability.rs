//! What functions may touch beyond their arguments: nothing, unless a host grants it.
//!
//! A table made without a capability still has the functions that need it, so that programs are
//! checked the same everywhere; calling one fails and says which capability is missing.

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
/// Errors are phrases without final stop.
pub trait Files: Send + Sync {
    /// The bytes of a file, which must not be more than `limit`.
    fn read(&self, path: &str, limit: usize) -> Result<Vec<u8>, String>;

    /// What stands at a path; `None` when there is nothing.
    fn kind(&self, path: &str) -> Result<Option<FileKind>, String>;

    /// The paths of all regular files below a directory, relative to it, with `/` between names;
    /// an error when there are more than `limit`.
    fn list(&self, path: &str, limit: usize) -> Result<Vec<String>, String>;

    /// The path from the root of the file system, without `.` and `..`.
    fn absolute(&self, path: &str) -> Result<String, String>;
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A device, a pipe, a socket.
    Other,
}

/// Variables of a process.
pub trait Environment: Send + Sync {
    /// The value of a variable, if it is set.
    fn variable(&self, name: &str) -> Option<String>;

    /// The home directory, which `~` stands for.
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

/// The time.
pub trait Clock: Send + Sync {
    /// The time of the call.
    fn now(&self) -> SystemTime;

    /// The time at which the host's work began.
    fn start(&self) -> SystemTime;
}

/// Unpredictable bytes.
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

/// Secrets that other machines keep. Errors are phrases without final stop.
pub trait Secrets: Send + Sync {
    /// A member of a secret of AWS Secrets Manager, the first one when no key is given.
    fn aws(&self, name: &str, key: Option<&str>) -> Result<String, String>;

    /// The whole text of a secret of AWS Secrets Manager.
    fn aws_raw(&self, name: &str) -> Result<String, String>;

    /// A value of Consul's store.
    fn consul(&self, key: &str) -> Result<String, String>;

    /// A value of a secret of Vault.
    fn vault(&self, path: &str, key: &str) -> Result<String, String>;
}

/// What a host grants. The default grants nothing.
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
    /// Nothing.
    pub fn none() -> Self {
        Self::default()
    }

    /// Grants reading of these files.
    pub fn files(self, files: impl Files + 'static) -> Self {
        Self { files: Some(Arc::new(files)), ..self }
    }

    /// Grants reading of the files below a directory, which relative paths start from.
    pub fn directory(self, root: impl Into<PathBuf>) -> Self {
        self.files(Directory::new(root))
    }

    /// Grants these variables.
    pub fn environment(self, environment: impl Environment + 'static) -> Self {
        Self { environment: Some(Arc::new(environment)), ..self }
    }

    /// Grants the variables of this process.
    pub fn process_environment(self) -> Self {
        self.environment(ProcessEnvironment)
    }

    /// Grants this time.
    pub fn clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Some(Arc::new(clock)), ..self }
    }

    /// Grants the time of this machine.
    pub fn system_clock(self) -> Self {
        self.clock(SystemClock::default())
    }

    /// Grants these bytes.
    pub fn random(self, random: impl Random + 'static) -> Self {
        Self { random: Some(Arc::new(random)), ..self }
    }

    /// Grants the random bytes of this machine.
    #[cfg(feature = "random")]
    pub fn system_random(self) -> Self {
        self.random(SystemRandom)
    }

    /// Grants these secrets.
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
    CallError::new(format!("it needs the capability \"{capability}\", which the host has not granted"))
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
