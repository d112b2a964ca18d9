//! A watched path in a folder of its own, and a clock that the tests move.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hclvm::Engine;
use hclvm_reload::{Current, Files, Options, Outcome, Reload, Watcher, Watching};
use tempfile::TempDir;

/// How changes are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Notices,
    Polling,
}

pub(crate) const QUIET: Duration = Duration::from_millis(100);
pub(crate) const LONGEST: Duration = Duration::from_secs(2);
const SAFETY: Duration = Duration::from_secs(1_000_000);

/// How long the system may take to give a notice.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Rig {
    pub(crate) folder: TempDir,
    watcher: Watcher<u64>,
    method: Method,
    now: Instant,
}

/// Runs a test with the notices of the system, and by polling.
pub(crate) fn both(run: impl Fn(Method)) {
    if has_notices() {
        run(Method::Notices);
    }
    run(Method::Polling);
}

/// Returns true if the system gives notices: other programs may have reached its limits.
pub(crate) fn has_notices() -> bool {
    let watching = Rig::file(Method::Notices).current().status().watching;
    if watching != Watching::Notices {
        eprintln!("not tested with notices: {watching:?}");
    }
    watching == Watching::Notices
}

pub(crate) fn options(method: Method) -> Options {
    let options = Options::default().quiet(QUIET).longest(LONGEST).safety(SAFETY);
    if method == Method::Polling { options.polling() } else { options }
}

impl Rig {
    /// Watches `game.hcl`, which has the value 0.
    pub(crate) fn file(method: Method) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        write(&folder.path().join("game.hcl"), "speed = 0\n");
        Self::watch(folder, "game.hcl", method)
    }

    /// Watches a path in a folder.
    pub(crate) fn watch(folder: TempDir, path: &str, method: Method) -> Self {
        Self::with(folder, path, method, options(method))
    }

    pub(crate) fn with(folder: TempDir, path: &str, method: Method, options: Options) -> Self {
        let files = Files::new(folder.path().join(path));
        let reload = Reload::builder(&Engine::new(), files).open(|candidate| {
            let module = candidate.module()?;
            let mut session = candidate.document().engine().session();
            let scope = module.scope();
            let values = module.evaluate(&mut session, &scope)?;
            let speed = values.attribute("speed").and_then(|speed| u64::try_from(speed.as_i64()?).ok());
            speed.ok_or_else(|| "The game has no speed.".into())
        });
        let now = Instant::now();
        let watcher = Watcher::new(reload.expect("it loads"), options, now);
        Self { folder, watcher, method, now }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn current(&self) -> &Current<u64> {
        self.watcher.reload().current()
    }

    /// Returns the epoch and the value in use.
    pub(crate) fn in_use(&self) -> (u64, u64) {
        let loaded = self.current().load();
        (loaded.epoch(), *loaded.host())
    }

    /// Lets changes settle, without any that are noticed later. Waits until one is noticed.
    pub(crate) fn settle(&mut self) -> Option<Outcome> {
        let start = Instant::now();
        loop {
            if let Some(outcome) = self.watcher.step(self.now) {
                return Some(outcome);
            }
            let due = self.watcher.due();
            if self.method == Method::Polling || due <= self.now + LONGEST {
                self.now = due.max(self.now);
                let outcome = self.watcher.step(self.now);
                if outcome.is_some() || self.method == Method::Notices {
                    return outcome;
                }
            }
            assert!(start.elapsed() < PATIENCE, "nothing was noticed");
            if self.method == Method::Notices {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// Writes a text a moment later, and waits until that is noticed.
    pub(crate) fn write_after(&mut self, moment: Duration, text: &str) {
        self.now += moment;
        write(&self.path("game.hcl"), text);
        let start = Instant::now();
        while self.watcher.due() != self.now + QUIET {
            assert!(self.watcher.step(self.now).is_none(), "it is loaded too early");
            assert!(start.elapsed() < PATIENCE, "nothing was noticed");
        }
    }

    /// Returns true if a change was noticed that has not settled yet.
    pub(crate) fn has_noticed(&mut self) -> bool {
        assert!(self.watcher.step(self.now).is_none(), "it is loaded too early");
        self.watcher.due() <= self.now + LONGEST
    }

    /// Waits for an attempt that has an effect.
    pub(crate) fn outcome(&mut self) -> Outcome {
        let start = Instant::now();
        loop {
            if let Some(outcome) = self.settle() {
                return outcome;
            }
            assert!(start.elapsed() < PATIENCE, "nothing was loaded");
        }
    }

    /// Waits for a reload and returns the epoch and the value then in use.
    pub(crate) fn reloaded(&mut self) -> (u64, u64) {
        match self.outcome() {
            Outcome::Reloaded(report) => assert_eq!(report.epoch, self.in_use().0),
            outcome => panic!("{outcome:?}"),
        }
        self.in_use()
    }

    /// Waits for a rejection and returns why.
    pub(crate) fn rejected(&mut self) -> String {
        match self.outcome() {
            Outcome::Rejected(rejection) => rejection.problems.to_string(),
            outcome => panic!("{outcome:?}"),
        }
    }
}

pub(crate) fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("it can be written");
}
