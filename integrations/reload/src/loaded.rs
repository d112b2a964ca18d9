//! What is in use: what readers see, and how they see it without locks.

use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use arc_swap::{ArcSwap, Cache};
use hclvm::Document;

use crate::hash::ContentHash;
use crate::panics::{Panic, Part, catch};
use crate::report::Report;
use crate::status::Status;

/// A configuration that was loaded: its content, a document or what a [`Loader`](crate::Loader) makes, and what the
/// host made of it. Work that began with it keeps it, whatever is loaded later.
pub struct Loaded<T, C = Document> {
    pub(crate) epoch: u64,
    pub(crate) hash: ContentHash,
    pub(crate) since: SystemTime,
    pub(crate) content: C,
    pub(crate) host: T,
}

/// Without the content, and what the host made of it: both may be large.
impl<T, C> fmt::Debug for Loaded<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Loaded(epoch {}, {})", self.epoch, self.hash)
    }
}

impl<T, C> Loaded<T, C> {
    /// Returns its number: 0 for the first, one more with each that replaces another.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the hash of its texts.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }

    /// Returns the time from which it is in use.
    pub fn since(&self) -> SystemTime {
        self.since
    }

    /// Returns its content.
    pub fn content(&self) -> &C {
        &self.content
    }

    /// Returns what the host made of it.
    pub fn host(&self) -> &T {
        &self.host
    }
}

impl<T> Loaded<T> {
    /// Returns its document.
    pub fn document(&self) -> &Document {
        &self.content
    }
}

/// The configuration in use, shared by all threads that read it. Cheap to clone.
pub struct Current<T, C = Document>(Arc<Shared<T, C>>);

impl<T, C> fmt::Debug for Current<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Current({:?})", self.0.loaded.load())
    }
}

struct Shared<T, C> {
    loaded: ArcSwap<Loaded<T, C>>,
    status: Mutex<Status>,
    report: Mutex<Option<Arc<Report>>>,
}

impl<T, C> Clone for Current<T, C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T, C> Current<T, C> {
    pub(crate) fn new(loaded: Loaded<T, C>) -> Self {
        let status = Mutex::new(Status::of(&loaded));
        Self(Arc::new(Shared { loaded: ArcSwap::from_pointee(loaded), status, report: Mutex::default() }))
    }

    /// Returns the configuration in use. For a thread that asks often, a [`Reader`] is 50 times as fast.
    pub fn load(&self) -> Arc<Loaded<T, C>> {
        self.0.loaded.load_full()
    }

    /// Creates a reader for one thread.
    pub fn reader(&self) -> Reader<T, C> {
        Reader(Cache::new(SharedLoaded(Arc::clone(&self.0))))
    }

    /// Returns what is in use and what was rejected.
    pub fn status(&self) -> Status {
        self.0.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the report of the last reload; `None` before the first.
    pub fn report(&self) -> Option<Arc<Report>> {
        self.0.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts another configuration in use.
    pub(crate) fn replace(&self, loaded: Loaded<T, C>, report: &Arc<Report>) -> Arc<Loaded<T, C>> {
        let loaded = Arc::new(loaded);
        self.0.loaded.store(Arc::clone(&loaded));
        self.change_status(|status| status.loaded(&loaded));
        *self.0.report.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(report));
        loaded
    }

    /// Calls a function of the host. A panic is noted in the status.
    pub(crate) fn catch<R>(&self, epoch: u64, part: Part, call: impl FnOnce() -> R) -> Result<R, Panic> {
        self.catch_parts(epoch, &Cell::new(part), call)
    }

    /// Calls functions of the host, of which `part` is the one that is called. A panic is noted in the status.
    pub(crate) fn catch_parts<R>(
        &self,
        epoch: u64,
        part: &Cell<Part>,
        call: impl FnOnce() -> R,
    ) -> Result<R, Panic> {
        let result = catch(epoch, part, call);
        if let Err(panic) = &result {
            self.change_status(|status| status.panicked(panic.clone()));
        }
        result
    }

    pub(crate) fn change_status(&self, change: impl FnOnce(&mut Status)) {
        change(&mut self.0.status.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Reads the configuration in use on one thread: a load of a pointer and a comparison, which other threads do not
/// slow down. It keeps the configuration that it returned last until it is asked again.
pub struct Reader<T, C = Document>(Cache<SharedLoaded<T, C>, Arc<Loaded<T, C>>>);

impl<T, C> fmt::Debug for Reader<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader({:?})", self.0.arc_swap().load())
    }
}

/// Dereferences to the cell that is read.
struct SharedLoaded<T, C>(Arc<Shared<T, C>>);

impl<T, C> Clone for SharedLoaded<T, C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T, C> std::ops::Deref for SharedLoaded<T, C> {
    type Target = ArcSwap<Loaded<T, C>>;

    fn deref(&self) -> &Self::Target {
        &self.0.loaded
    }
}

impl<T, C> Clone for Reader<T, C> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T, C> Reader<T, C> {
    /// Returns the configuration in use. Clone it to keep it for a request.
    #[inline] // Instantiated in the host's crate; a call would cost more than the read.
    pub fn current(&mut self) -> &Arc<Loaded<T, C>> {
        self.0.load()
    }
}
