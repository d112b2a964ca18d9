//! Decisions under load while everything around them fails: the policy is edited, with errors and without, a subscriber
//! and the function that accepts policies panic, and the log's disk is full, panics or is slow. At the end, every decision
//! is written, failed or dropped, the file has the lines that the log says it has, and the last policy is in use.
//!
//! ```text
//! cargo test -p hclvm-authz-service --test soak                                       2 seconds
//! SOAK_SECONDS=600 cargo test --release -p hclvm-authz-service --test soak -- --nocapture
//! ```
//! With more than 10 seconds, the disk fails every 20 seconds and a function panics once a minute; in less time, both
//! happen as often.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hclvm::policy::{Policy, PolicySpec};
use hclvm::{Engine, Module};
use hclvm_decision_log::{DecisionLog, Inputs, JsonLines, LogFile, Origin};
use hclvm_reload::{Current, Event, Files, Options, Part, Reload, Watching};
use serde_json::Value as Json;

/// Threads that decide.
const THREADS: u64 = 3;

/// The decisions of a thread between two pauses.
const BURST: u64 = 20;

/// The bytes of a file of the log. All files are kept, to be counted.
const LARGEST: u64 = 1 << 20;

/// How long the soak takes, and the time between failures.
#[derive(Clone, Copy)]
struct Plan {
    whole: Duration,
    disk: Duration,
    panic: Duration,
    /// Between two bursts of a thread; longer in a long soak, so that the log fits on a disk.
    pause: Duration,
}

impl Plan {
    fn from_environment() -> Self {
        let seconds = std::env::var("SOAK_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
        let whole = Duration::from_secs(seconds.unwrap_or(2));
        let is_short = whole <= Duration::from_secs(10);
        let of = |seconds: u64| if is_short { whole * 2 / 15 } else { Duration::from_secs(seconds) };
        let pause = Duration::from_millis(if is_short { 1 } else { 20 });
        Self { whole, disk: of(20), panic: of(60), pause }
    }
}

/// Returns true if an interval has begun since the last call with the same number.
fn is_due(start: Instant, interval: Duration, last: &AtomicU64) -> bool {
    let number = u64::try_from(start.elapsed().as_micros() / interval.as_micros()).unwrap_or(u64::MAX);
    last.swap(number, Ordering::Relaxed) < number
}

/// A disk that fails in turn: it is full in the middle of a line, panics, and is slow.
struct Disk {
    file: LogFile,
    start: Instant,
    interval: Duration,
    last: AtomicU64,
    failures: u64,
    is_full: bool,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.is_full) {
            return Err(full());
        }
        if !is_due(self.start, self.interval, &self.last) {
            return self.file.write(bytes);
        }
        self.failures += 1;
        match self.failures % 3 {
            1 => {
                // The next call fails: a part of a line is written.
                self.is_full = true;
                let line = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
                self.file.write(&bytes[..line.div_ceil(2)])
            }
            2 => panic!("the disk panics"),
            _ => {
                // Longer than the queue lasts.
                thread::sleep(Duration::from_millis(100));
                Err(full())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn full() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

struct Loaded {
    module: Module,
    policy: Policy,
    origin: Origin,
}

fn text(number: u64) -> String {
    format!(
        "rule \"own\" {{\n  when   = user.id == resource.owner && user.age > {}\n  effect = \"allow\"\n}}\n\
         rule \"later\" {{\n  when   = user.missing\n  effect = \"allow\"\n}}\n",
        number % 20
    )
}

/// Decides until the time is over. Returns the number of decisions that were recorded.
fn decide(current: &Current<Loaded>, log: &DecisionLog, until: Instant, pause: Duration) -> u64 {
    let mut reader = current.reader();
    let mut session = reader.current().document().engine().session();
    let mut recorded = 0;
    while Instant::now() < until {
        for _ in 0..BURST {
            let Loaded { module, policy, origin } = reader.current().host();
            let json = format!(
                "{{\"user\": {{\"id\": \"u{}\", \"age\": 18, \"token\": \"s3cret\"}}, \"resource\": {{\"owner\": \"u1\"}}}}",
                recorded % 3
            );
            let mut scope = module.scope();
            scope.set_all_json(&json).expect("JSON");
            let started = Instant::now();
            let decision = policy.decide(&mut session, &scope).expect("within the limits");
            log.record(&decision, Inputs::Json(&json), origin, started.elapsed());
            recorded += 1;
        }
        thread::sleep(pause);
    }
    recorded
}

/// What the lines of all files add up to.
#[derive(Debug, Default)]
struct Lines {
    entries: u64,
    dropped: u64,
    torn: u64,
}

fn count(path: &Path, lines: &mut Lines) {
    let Ok(file) = File::open(path) else { return };
    for line in BufReader::new(file).lines() {
        let line = line.expect("text");
        assert!(!line.contains("s3cret"), "{line}");
        match serde_json::from_str::<Json>(&line) {
            Ok(line) if line["unix_ms"].is_u64() => lines.entries += 1,
            Ok(line) => lines.dropped += line["dropped"].as_u64().expect("a note"),
            Err(_) => {
                assert!(line.matches("unix_ms").count() <= 1, "two entries are joined: {line}");
                lines.torn += 1;
            }
        }
    }
}

#[test]
fn everything_that_is_lost_is_in_the_status() {
    let plan = Plan::from_environment();
    let folder = tempfile::tempdir().expect("a folder");
    let (file, path) = (folder.path().join("policy.hcl"), folder.path().join("decisions.log"));
    fs::write(&file, text(0)).expect("it is written");
    let start = Instant::now();
    let until = start + plan.whole;

    let panics = Arc::new([const { AtomicU64::new(0) }; 2]);
    let (last, seen) = (AtomicU64::new(0), Arc::clone(&panics));
    let accept = move |candidate: &hclvm_reload::Candidate<'_>| {
        if is_due(start, plan.panic, &last) {
            seen[0].fetch_add(1, Ordering::Relaxed);
            panic!("the host panics");
        }
        let module = candidate.document().module_for(["user", "resource"])?;
        let policy = module.policy(&PolicySpec::default())?;
        let origin = Origin { epoch: candidate.epoch(), document: candidate.hash().to_string().into() };
        Ok(Loaded { module, policy, origin })
    };
    let reload = Reload::builder(&Engine::new(), Files::new(&file)).open(accept).expect("it loads");
    let (last, seen) = (AtomicU64::new(0), Arc::clone(&panics));
    let heard = Arc::new(AtomicU64::new(0));
    let _failing = reload.subscribe("rule.own".parse().expect("a path"), move |_: &Event<'_, _>| {
        if is_due(start, plan.panic, &last) {
            seen[1].fetch_add(1, Ordering::Relaxed);
            panic!("the subscriber panics");
        }
    });
    let count_heard = Arc::clone(&heard);
    let _other = reload.subscribe("rule.own".parse().expect("a path"), move |_: &Event<'_, _>| {
        count_heard.fetch_add(1, Ordering::Relaxed);
    });
    let options = Options::default().quiet(Duration::from_millis(5)).interval(Duration::from_millis(5));
    let watch = reload.watch(options.polling(), |_| {});

    let disk = Disk {
        file: LogFile::open(&path).expect("a file").rotate(LARGEST, 1_000),
        start,
        interval: plan.disk,
        last: AtomicU64::new(0),
        failures: 0,
        is_full: false,
    };
    let builder = DecisionLog::builder().mask("user.token").capacity(512).delay(Duration::from_millis(5));
    let log = builder.start(JsonLines::new(disk)).expect("a thread");

    let is_over = AtomicBool::new(false);
    let recorded: u64 = thread::scope(|threads| {
        threads.spawn(|| {
            // The policy is edited, every fifth time with an error.
            let mut number = 0;
            while !is_over.load(Ordering::Relaxed) {
                number += 1;
                let edit = if number % 5 == 0 { "rule {".to_owned() } else { text(number) };
                fs::write(&file, edit).expect("it is written");
                thread::sleep(Duration::from_millis(40));
            }
        });
        threads.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let status = watch.current().status();
                assert!(matches!(status.watching, Watching::Polling(None)), "{status:?}");
                thread::sleep(Duration::from_millis(50));
            }
        });
        let deciding: Vec<_> = (0..THREADS)
            .map(|_| threads.spawn(|| decide(watch.current(), &log, until, plan.pause)))
            .collect();
        let recorded = deciding.into_iter().map(|thread| thread.join().expect("it decides")).sum();
        is_over.store(true, Ordering::Relaxed);
        recorded
    });

    // Another policy is loaded: watching has not ended.
    fs::write(&file, text(19) + "# the last one\n").expect("it is written");
    let patience = Instant::now();
    while !watch.current().load().document().source().text().contains("the last one") {
        if watch
            .current()
            .status()
            .rejected
            .is_some_and(|rejected| rejected.problems.to_string().contains("panic"))
        {
            fs::write(&file, text(18) + "# the last one\n").expect("it is written");
        }
        assert!(patience.elapsed() < Duration::from_secs(60), "{:?}", watch.current().status());
        thread::sleep(Duration::from_millis(5));
    }
    let status = watch.current().status();
    let [accepts, subscribers] = [&panics[0], &panics[1]].map(|count| count.load(Ordering::Relaxed));
    assert_eq!(status.panics, accepts + subscribers, "{status:?}");
    assert!(matches!(status.panic.expect("one").part, Part::Accept | Part::Subscriber(_)));
    assert!(heard.load(Ordering::Relaxed) + 1 >= status.epoch, "every reload is heard of");

    let summary = log.close_within(Duration::from_secs(60));
    let mut lines = Lines::default();
    let numbered = |number: u32| PathBuf::from(format!("{}.{number}", path.display()));
    let files = std::iter::once(path.clone()).chain((1..).map(numbered)).take_while(|path| path.exists());
    files.for_each(|file| count(&file, &mut lines));
    eprintln!(
        "{recorded} decisions in {:?}: {summary:?}, {lines:?}, {} epochs, {accepts} + {subscribers} panics",
        plan.whole, status.epoch
    );
    assert_eq!(summary.written + summary.failed + summary.dropped, recorded, "{summary:?}");
    assert_eq!((summary.waiting, summary.written), (0, lines.entries), "{lines:?}");
    assert_eq!(summary.dropped, lines.dropped, "{lines:?}");
    assert!(summary.failed > 0 && summary.error.is_some() && lines.torn > 0);
    assert!(accepts > 0 && subscribers > 0);
    assert_eq!(watch.current().status().watching, Watching::Polling(None));
}
