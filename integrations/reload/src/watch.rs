//! Watching: notices, intervals and attempts in one state machine, and a thread that runs it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hclvm::Document;

use crate::hash::ContentHash;
use crate::loaded::Current;
use crate::notices::{Notices, SystemNotices, Waker};
use crate::panics::Part;
use crate::reload::{Outcome, Reload};
use crate::settle::Settling;
use crate::source::Unreadable;
use crate::status::Watching;

/// How changes are noticed, and how long is waited.
pub struct Options {
    quiet: Duration,
    longest: Duration,
    interval: Duration,
    safety: Duration,
    notices: Start,
}

/// Starts the notices, if there are any.
type Start = Option<Box<dyn FnOnce(&Waker) -> Result<Box<dyn Notices>, String> + Send>>;

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { quiet, longest, interval, safety, .. } = self;
        let mut shown = f.debug_struct("Options");
        shown.field("quiet", quiet).field("longest", longest).field("interval", interval);
        shown.field("safety", safety).finish_non_exhaustive()
    }
}

impl Default for Options {
    /// The notices of the system; 150 ms of quiet, at most 1 s; intervals of 1 s without notices, of 30 s with.
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(150),
            longest: Duration::from_secs(1),
            interval: Duration::from_secs(1),
            safety: Duration::from_secs(30),
            notices: Some(Box::new(SystemNotices::start)),
        }
    }
}

impl Options {
    /// Sets how long files have to be left alone before they are read, so that a burst of writes is one reload.
    pub fn quiet(mut self, quiet: Duration) -> Self {
        self.quiet = quiet;
        self
    }

    /// Sets the longest time from the first write to a reload, for files that are written without a pause, and
    /// until a missing file is reported.
    pub fn longest(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }

    /// Sets the time between looks at the files where the system gives no notices.
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Sets the time between looks at the files beside notices, which network file systems may not give.
    pub fn safety(mut self, safety: Duration) -> Self {
        self.safety = safety;
        self
    }

    /// Only polls the files.
    pub fn polling(mut self) -> Self {
        self.notices = None;
        self
    }

    /// Uses other notices than the system's. If they cannot start or follow, the files are polled.
    pub fn notices(
        mut self,
        start: impl FnOnce(&Waker) -> Result<Box<dyn Notices>, String> + Send + 'static,
    ) -> Self {
        self.notices = Some(Box::new(start));
        self
    }
}

/// Watches the files of a configuration and loads it when they changed. [`Watcher::step`] does what is due at a
/// time, so a host may call it in a loop of its own; [`Reload::watch`] starts a thread that does.
pub struct Watcher<T, C = Document> {
    reload: Reload<T, C>,
    notices: Option<Box<dyn Notices>>,
    noticed: Receiver<()>,
    waker: Waker,
    settling: Settling,
    longest: Duration,
    interval: Duration,
    safety: Duration,
    next_look: Instant,
    seen: Option<Result<ContentHash, Unreadable>>,
    /// When the files were first found unfinished.
    unfinished: Option<Instant>,
}

impl<T, C> fmt::Debug for Watcher<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").field("reload", &self.reload).finish_non_exhaustive()
    }
}

impl<T, C> Watcher<T, C> {
    /// Starts to watch at a time.
    pub fn new(reload: Reload<T, C>, options: Options, now: Instant) -> Self {
        let Options { quiet, longest, interval, safety, notices } = options;
        let (waker, noticed) = Waker::new();
        let settling = Settling::new(quiet, longest);
        let mut watcher = Self {
            reload,
            notices: None,
            noticed,
            waker: waker.clone(),
            settling,
            longest,
            interval,
            safety,
            next_look: now,
            seen: None,
            unfinished: None,
        };
        let current = watcher.reload.current().clone();
        let started = notices.map(|start| {
            let result = current.catch(watcher.reload.epoch(), Part::Notices, || start(&waker));
            result.map_err(|panic| panic.to_string()).flatten()
        });
        match started {
            None => watcher.poll(None),
            Some(Err(why)) => watcher.poll(Some(why)),
            Some(Ok(notices)) => {
                watcher.notices = Some(notices);
                current.change_status(|status| status.watching = Watching::Notices);
                watcher.follow();
            }
        }
        watcher
    }

    /// Returns what is watched.
    pub fn reload(&self) -> &Reload<T, C> {
        &self.reload
    }

    /// Returns what wakes the thread that waits for [`Watcher::step`] to be due.
    pub fn waker(&self) -> &Waker {
        &self.waker
    }

    /// Returns the time at which something is due, unless a notice comes before.
    pub fn due(&self) -> Instant {
        self.settling.due().map_or(self.next_look, |due| due.min(self.next_look))
    }

    /// Does what is due: takes notices, looks at the files, and loads them when they are left alone. Returns what
    /// an attempt did that was not without effect.
    pub fn step(&mut self, now: Instant) -> Option<Outcome> {
        if self.noticed.try_recv().is_ok() {
            self.settling.notice(now);
        }
        if self.next_look <= now {
            self.look(now);
        }
        if !self.settling.settled(now) {
            return None;
        }
        self.follow();
        self.attempt(now)
    }

    /// Waits for a notice or until something is due.
    pub fn wait(&self) {
        let time = self.due().saturating_duration_since(Instant::now());
        if self.noticed.recv_timeout(time).is_ok() {
            // For the next step, which takes it again.
            self.waker.wake();
        }
    }

    /// Reads the files, and takes a difference from what was seen before as a notice.
    fn look(&mut self, now: Instant) {
        self.next_look = now + if self.notices.is_some() { self.safety } else { self.interval };
        let seen = Some(self.reload.look());
        if self.seen.is_some() && self.seen != seen || self.is_other(seen.as_ref()) && self.seen.is_none() {
            self.settling.notice(now);
        }
        self.seen = seen;
    }

    /// Returns true if texts are not those in use.
    fn is_other(&self, seen: Option<&Result<ContentHash, Unreadable>>) -> bool {
        !matches!(seen, Some(Ok(hash)) if *hash == self.reload.current().load().hash())
    }

    fn attempt(&mut self, now: Instant) -> Option<Outcome> {
        let since = *self.unfinished.get_or_insert(now);
        let is_final = now.saturating_duration_since(since) >= self.longest;
        // Without notices, only two equal readings show that nothing is being written.
        if self.notices.is_none() && !is_final {
            let seen = Some(self.reload.look());
            if self.seen != seen {
                self.seen = seen;
                self.settling.notice(now);
                return None;
            }
        }
        let outcome = if is_final { self.reload.attempt_finally() } else { self.reload.attempt() };
        if let Outcome::Unfinished(_) = outcome {
            self.settling.notice(now);
            return None;
        }
        self.unfinished = None;
        match outcome {
            Outcome::Unchanged => None,
            outcome => Some(outcome),
        }
    }

    /// Follows the files and folders as they are now.
    fn follow(&mut self) {
        let (Some(notices), Ok(watched)) = (&mut self.notices, self.reload.watched()) else { return };
        let (current, epoch) = (self.reload.current(), self.reload.epoch());
        let result = current.catch(epoch, Part::Notices, || notices.follow(&watched));
        if let Err(why) = result.map_err(|panic| panic.to_string()).flatten() {
            let ended = self.notices.take();
            let _ = current.catch(epoch, Part::Notices, || drop(ended));
            self.poll(Some(why));
        }
    }

    /// Polls the files from now on.
    fn poll(&mut self, why: Option<String>) {
        self.reload.current().change_status(|status| status.watching = Watching::Polling(why));
    }
}

/// Nothing is watched any more, also if the thread of the watcher ends by a panic.
impl<T, C> Drop for Watcher<T, C> {
    fn drop(&mut self) {
        self.reload.current().change_status(|status| status.watching = Watching::Nothing);
    }
}

/// A thread that watches. It ends when this is dropped.
#[derive(Debug)]
pub struct Watch<T, C = Document> {
    current: Current<T, C>,
    waker: Waker,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + Sync + 'static, C: Send + Sync + 'static> Reload<T, C> {
    /// Watches the files on a thread of its own, which calls `hear` after every attempt that was not without
    /// effect. If it panics, the panic is in the [status](crate::Status::panic), and watching continues.
    pub fn watch(self, options: Options, mut hear: impl FnMut(&Outcome) + Send + 'static) -> Watch<T, C> {
        let current = self.current().clone();
        let mut watcher = Watcher::new(self, options, Instant::now());
        let (waker, stopped) = (watcher.waker.clone(), Arc::new(AtomicBool::new(false)));
        let stop = Arc::clone(&stopped);
        let run = move || {
            while !stop.load(Ordering::Acquire) {
                if let Some(outcome) = watcher.step(Instant::now()) {
                    let (current, epoch) = (watcher.reload.current(), watcher.reload.epoch());
                    // A panic is in the status.
                    let _ = current.catch(epoch, Part::Outcome, || hear(&outcome));
                }
                watcher.wait();
            }
        };
        Watch { current, waker, stopped, thread: Some(thread::spawn(run)) }
    }
}

impl<T, C> Watch<T, C> {
    /// Returns the configuration in use.
    pub fn current(&self) -> &Current<T, C> {
        &self.current
    }

    /// Looks at the files soon, as a signal to the process may ask for.
    pub fn look(&self) {
        self.waker.wake();
    }
}

impl<T, C> Drop for Watch<T, C> {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        self.waker.wake();
        if let Some(thread) = self.thread.take() {
            // The thread catches panics of the host's functions.
            let _ = thread.join();
        }
    }
}
