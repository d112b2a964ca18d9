//! Notices that something changed: the system's, through the crate notify. A host may bring its own.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, PoisonError, RwLock};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::points::Points;
use crate::source::Watched;

/// Reports that files changed.
pub trait Notices: Send {
    /// Follows these files and folders from now on instead of those before. It is called again after each change,
    /// because a folder may be another one under the same name.
    ///
    /// # Errors
    /// Why it cannot, as a sentence: the files are then polled.
    fn follow(&mut self, watched: &[Watched]) -> Result<(), String>;
}

/// Wakes the thread that reloads. Any number of calls before it looks is one.
#[derive(Clone, Debug)]
pub struct Waker(SyncSender<()>);

impl Waker {
    pub(crate) fn new() -> (Self, Receiver<()>) {
        let (sender, receiver) = mpsc::sync_channel(1);
        (Self(sender), receiver)
    }

    /// Reports that something may have changed.
    pub fn wake(&self) {
        // A full channel holds a notice that was not seen yet; a closed one has no reader left.
        let _ = self.0.try_send(());
    }
}

/// The notices of the system.
pub(crate) struct SystemNotices {
    watcher: RecommendedWatcher,
    points: Arc<RwLock<Points>>,
}

impl SystemNotices {
    /// Starts to receive notices, of no folder yet.
    pub(crate) fn start(waker: &Waker) -> Result<Box<dyn Notices>, String> {
        let points = Arc::new(RwLock::new(Points::default()));
        let (waker, followed) = (waker.clone(), Arc::clone(&points));
        let hear = move |event: notify::Result<Event>| {
            if concerns(event, &followed.read().unwrap_or_else(PoisonError::into_inner)) {
                waker.wake();
            }
        };
        let watcher = notify::recommended_watcher(hear).map_err(|error| sentence(&error))?;
        Ok(Box::new(Self { watcher, points }))
    }
}

impl Notices for SystemNotices {
    fn follow(&mut self, watched: &[Watched]) -> Result<(), String> {
        let points = Points::of(watched);
        let before = std::mem::take(&mut *self.points.write().unwrap_or_else(PoisonError::into_inner));
        // In place before the watches, so that no notice of them is left out.
        *self.points.write().unwrap_or_else(PoisonError::into_inner) = points.clone();
        for folder in before.folders().filter(|folder| !points.folders().any(|kept| kept == *folder)) {
            // It may be gone, and its watch with it.
            let _ = self.watcher.unwatch(folder);
        }
        for folder in points.folders() {
            self.watch(folder)?;
        }
        Ok(())
    }
}

impl SystemNotices {
    /// Watches a folder, again if it is watched: another one may have its name now.
    fn watch(&mut self, folder: &Path) -> Result<(), String> {
        match self.watcher.watch(folder, RecursiveMode::NonRecursive) {
            Err(error) if folder.is_dir() => Err(sentence(&error)),
            // A folder that is gone is found by the next look at the files.
            _ => Ok(()),
        }
    }
}

/// Returns why there are no notices, without the paths, which the host provided.
fn sentence(error: &notify::Error) -> String {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => "the limit of watched files is reached".to_owned(),
        notify::ErrorKind::Io(error) => error.to_string(),
        kind => format!("{kind:?}"),
    }
}

/// Returns true if an event may mean another content. Reading a file is no change: it would make a reload cause
/// the next one.
fn concerns(event: notify::Result<Event>, points: &Points) -> bool {
    let Ok(event) = event else { return true };
    let is_read = match event.kind {
        EventKind::Access(kind) => kind != AccessKind::Close(AccessMode::Write),
        _ => false,
    };
    // Without a path, the system lost events.
    !is_read && (event.paths.is_empty() || event.paths.iter().any(|path| points.concern(path)))
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, Flag};

    use super::*;

    #[test]
    fn reading_is_no_change_and_lost_events_may_be_one() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().expect("a path");
        let points = Points::of(&[Watched::File(root.join("Cargo.toml"))]);
        let concerns = |kind, name: &str| concerns(Ok(Event::new(kind).add_path(root.join(name))), &points);
        let written = EventKind::Access(AccessKind::Close(AccessMode::Write));
        let read = [AccessKind::Read, AccessKind::Open(AccessMode::Any), AccessKind::Close(AccessMode::Read)];
        for (kind, name, expected) in [
            (EventKind::Create(CreateKind::File), "Cargo.toml", true),
            (EventKind::Create(CreateKind::File), "g", false),
            (EventKind::Any, "Cargo.toml", true),
            (written, "Cargo.toml", true),
            (written, "g", false),
        ] {
            assert_eq!(concerns(kind, name), expected, "{kind:?} {name}");
        }
        assert!(read.into_iter().all(|kind| !concerns(EventKind::Access(kind), "Cargo.toml")));
        let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(super::concerns(Ok(lost), &points));
        assert!(super::concerns(Err(notify::Error::generic("lost")), &points));
    }
}
