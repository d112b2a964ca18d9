//! Sinks that fail, panic or block: what was recorded is counted once, and lines are never joined.

use std::io::{self, Write};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hclvm::Engine;
use hclvm::functions::FunctionTable;
use hclvm::policy::PolicySpec;
use hclvm_decision_log::{DecisionLog, Entry, Explain, JsonLines, Origin, Sink, WriterState};
use serde_json::Value as Json;

use crate::disk::Disk;
use crate::rig::{PATIENCE, Request, close, record, settled};

/// The number of entries that were written, and the notes.
type Seen = Arc<Mutex<(u64, Vec<u64>)>>;

/// A sink of the test, with what was written and noted.
struct Scripted<F> {
    /// Is called with the name of the method and the number of its call.
    act: F,
    calls: [usize; 4],
    seen: Seen,
}

fn scripted<F: FnMut(&str, usize) -> io::Result<()> + Send>(act: F) -> (Scripted<F>, Seen) {
    let seen = Arc::default();
    (Scripted { act, calls: [0; 4], seen: Arc::clone(&seen) }, seen)
}

impl<F: FnMut(&str, usize) -> io::Result<()> + Send> Scripted<F> {
    fn call(&mut self, at: usize) -> io::Result<()> {
        self.calls[at] += 1;
        (self.act)(["write", "dropped", "flush", "lost"][at], self.calls[at])
    }
}

impl<F: FnMut(&str, usize) -> io::Result<()> + Send> Sink for Scripted<F> {
    fn write(&mut self, _: &Entry) -> io::Result<()> {
        self.call(0)?;
        self.seen.lock().expect("no panics").0 += 1;
        Ok(())
    }

    fn dropped(&mut self, decisions: u64) -> io::Result<()> {
        self.call(1)?;
        self.seen.lock().expect("no panics").1.push(decisions);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.call(2)
    }

    fn lost(&mut self) -> Option<u64> {
        self.call(3).expect("it has no errors");
        None
    }
}

fn broken() -> io::Result<()> {
    Err(io::Error::other("broken"))
}

#[test]
fn a_sink_that_panics_loses_the_entry_and_is_called_again() {
    let (sink, seen) = scripted(|method, call| {
        assert!(method != "write" || call % 10 != 3, "out of luck");
        Ok(())
    });
    let log = DecisionLog::builder().start(sink).expect("a thread");
    record(&log, 50);
    let status = settled(&log);
    assert_eq!((status.written, status.failed), (45, 5));
    assert!(
        status.error.is_some_and(|error| error.is_panic && error.message == "the sink panicked: out of luck")
    );
    assert_eq!(status.writer, WriterState::Waits);
    record(&log, 50);
    let summary = close(log);
    assert_eq!((summary.written, summary.failed, summary.dropped), (90, 10, 0));
    assert_eq!(summary.error.expect("an error").to_string(), "the sink panicked: out of luck");
    assert_eq!(seen.lock().expect("no panics").0, 90);
}

#[test]
fn entries_are_written_when_the_flush_succeeds() {
    for panics in [false, true] {
        let (sink, _) = scripted(move |method, call| match method {
            "flush" if call == 1 && panics => panic!("{}", "no flush".to_owned()),
            "flush" if call == 1 => broken(),
            // What a sink lost is not known if it panics.
            "lost" => panic!("lost"),
            _ => Ok(()),
        });
        let log = DecisionLog::builder().delay(Duration::from_millis(1)).start(sink).expect("a thread");
        record(&log, 1);
        let first = settled(&log);
        assert_eq!((first.written, first.failed), (0, 1));
        record(&log, 7);
        let summary = close(log);
        assert_eq!((summary.written, summary.failed), (7, 1));
    }
}

#[test]
fn every_method_may_panic_always() {
    for name in ["write", "flush", "lost"] {
        let (sink, _) = scripted(move |method, _| {
            assert!(method != name, "always");
            if method == "flush" && name == "lost" { broken() } else { Ok(()) }
        });
        let log = DecisionLog::builder().start(sink).expect("a thread");
        record(&log, 20);
        let summary = close(log);
        assert_eq!((summary.written, summary.failed, summary.dropped), (0, 20, 0), "{name}");
    }
}

/// Panics when it is dropped.
struct Fragile;

impl Sink for Fragile {
    fn write(&mut self, _: &Entry) -> io::Result<()> {
        Ok(())
    }

    fn dropped(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        panic!("fragile");
    }
}

#[test]
fn a_sink_that_panics_at_the_end_has_written_its_entries() {
    let log = DecisionLog::builder().start(Fragile).expect("a thread");
    record(&log, 3);
    let summary = close(log);
    assert_eq!((summary.written, summary.failed), (3, 0));
    assert_eq!(summary.error.expect("an error").to_string(), "the sink panicked: fragile");
}

/// Panics in the middle of a line.
struct Crash(Disk, usize);

impl Write for Crash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(3) {
            // It has written something before.
            self.0.write_all(&bytes[..bytes.len().min(20)])?;
            panic!("crash");
        }
        self.0.write(&bytes[..bytes.len().min(700)])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_panics_tears_no_line_of_another_entry() {
    let disk = Disk::default();
    disk.free(usize::MAX / 2);
    let log = DecisionLog::builder().start(JsonLines::new(Crash(disk.clone(), 0))).expect("a thread");
    for _ in 0..20 {
        record(&log, 10);
        settled(&log);
    }
    // More than the sink keeps in memory.
    record(&log, 1_000);
    let summary = close(log);
    assert_eq!(summary.written + summary.failed, 1_200);
    let text = disk.text();
    let whole = text.lines().filter(|line| serde_json::from_str::<Json>(line).is_ok()).count();
    assert_eq!(whole as u64, summary.written, "{text}");
    assert!(summary.written > 20 && summary.failed > 20, "{summary:?}");
}

#[test]
fn notes_of_dropped_decisions_are_repeated_until_they_are_written() {
    let (go, next) = channel();
    let mut noted = 0;
    let (sink, seen) = scripted(move |method, call| match (method, call) {
        ("write", 1) => next.recv_timeout(PATIENCE).map_err(io::Error::other),
        ("dropped", 1) => broken(),
        ("dropped", 2) => panic!("no note"),
        ("dropped", _) => {
            noted = call;
            Ok(())
        }
        ("flush", _) if noted == 3 => {
            noted = 0;
            broken()
        }
        _ => Ok(()),
    });
    let log =
        DecisionLog::builder().capacity(4).delay(Duration::from_millis(1)).start(sink).expect("a thread");
    record(&log, 1);
    let start = Instant::now();
    while log.status().blocked().is_none() {
        assert!(start.elapsed() < PATIENCE, "{:?}", log.status());
        std::thread::yield_now();
    }
    record(&log, 10);
    assert_eq!((log.status().dropped, log.status().unreported, log.status().waiting), (6, 6, 5));
    go.send(()).expect("it waits");
    let status = settled(&log);
    assert_eq!((status.written, status.dropped, status.unreported), (5, 6, 0));
    assert_eq!(close(log).dropped, 6);
    // The third call was noted, but not flushed.
    assert_eq!(seen.lock().expect("no panics").1, [6, 6]);
}

#[test]
fn a_note_that_does_not_fit_on_the_disk_is_written_later() {
    let disk = Disk::default();
    disk.free(12);
    let log = DecisionLog::builder().capacity(1).delay(Duration::from_secs(3_600));
    let log = log.start(JsonLines::new(disk.clone())).expect("a thread");
    record(&log, 200);
    assert!(log.status().dropped > 0);
    disk.free(1_000_000);
    let summary = close(log);
    let lines = disk.text();
    let lines: Vec<Json> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let noted: u64 = lines.iter().filter_map(|line| line["dropped"].as_u64()).sum();
    assert_eq!(noted, summary.dropped);
    assert_eq!(summary.written + summary.failed + summary.dropped, 200);
}

#[test]
fn a_sink_that_blocks_is_seen_and_does_not_block_the_end() {
    let (go, next) = channel();
    let (sink, _) = scripted(move |method, _| match method {
        "write" => next.recv_timeout(PATIENCE).map_err(io::Error::other),
        _ => Ok(()),
    });
    let log = DecisionLog::builder().start(sink).expect("a thread");
    assert_eq!((log.status().writer, log.status().blocked()), (WriterState::Waits, None));
    record(&log, 3);
    let start = Instant::now();
    while log.status().blocked().is_none_or(|time| time < Duration::from_millis(20)) {
        assert!(start.elapsed() < PATIENCE, "{:?}", log.status());
        std::thread::sleep(Duration::from_millis(1));
    }
    let status = log.status();
    assert_eq!((status.written, status.failed, status.waiting), (0, 0, 3));
    let WriterState::Writes { since } = status.writer else { panic!("{status:?}") };
    let time = since.elapsed().expect("a time of the past");
    assert!(time >= Duration::from_millis(20) && time < PATIENCE, "{time:?}");
    let summary = log.close_within(Duration::from_millis(10));
    assert_eq!((summary.written, summary.failed, summary.dropped, summary.waiting), (0, 0, 0, 3));
    drop(go);
}

#[test]
fn counts_add_up_at_any_time() {
    let (sink, _) = scripted(|method, call| match method {
        "write" if call % 7 == 0 => broken(),
        "write" if call % 501 == 0 => panic!("now and then"),
        "flush" if call % 3 == 0 => broken(),
        _ => Ok(()),
    });
    let log = DecisionLog::builder().capacity(64).start(sink).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    let mut session = request.session();
    for recorded in 1..=5_000 {
        request.record(&log, &mut session);
        let status = log.status();
        assert_eq!(status.written + status.failed + status.dropped + status.waiting, recorded, "{status:?}");
    }
    let summary = close(log);
    assert_eq!(summary.written + summary.failed + summary.dropped, 5_000, "{summary:?}");
}

/// Says that it has lost more or fewer entries than it accepted.
struct Loser(u64);

impl Sink for Loser {
    fn write(&mut self, _: &Entry) -> io::Result<()> {
        Ok(())
    }

    fn dropped(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn lost(&mut self) -> Option<u64> {
        Some(self.0)
    }
}

#[test]
fn a_sink_loses_no_more_than_it_accepted() {
    for (lost, failed) in [(0, 0), (1, 1), (3, 3), (4, 3), (u64::MAX, 3)] {
        // One batch.
        let builder = DecisionLog::builder().delay(Duration::from_secs(3_600));
        let log = builder.start(Loser(lost)).expect("a thread");
        let start = Instant::now();
        while log.status().writer != WriterState::Waits {
            assert!(start.elapsed() < PATIENCE, "{:?}", log.status());
        }
        record(&log, 3);
        let summary = close(log);
        assert_eq!((summary.written, summary.failed), (3 - failed, failed), "{lost}");
    }
}

#[test]
fn an_entry_that_the_sink_refuses_is_counted_at_once() {
    let (go, next) = channel();
    let (sink, _) = scripted(move |method, call| match (method, call) {
        ("write", 1 | 4) => next.recv_timeout(PATIENCE).map_err(io::Error::other),
        ("write", 2 | 3) => broken(),
        _ => Ok(()),
    });
    let log = DecisionLog::builder().start(sink).expect("a thread");
    record(&log, 1);
    let start = Instant::now();
    while log.status().blocked().is_none() {
        assert!(start.elapsed() < PATIENCE, "{:?}", log.status());
        std::thread::yield_now();
    }
    record(&log, 4);
    go.send(()).expect("it waits");
    while log.status().failed < 2 {
        assert!(start.elapsed() < PATIENCE, "{:?}", log.status());
        std::thread::yield_now();
    }
    let status = log.status();
    assert_eq!((status.written, status.failed, status.waiting), (1, 2, 2), "the fourth one is being written");
    assert_eq!(status.error.expect("an error").message, "broken");
    go.send(()).expect("it waits");
    let summary = close(log);
    assert_eq!((summary.written, summary.failed), (3, 2));
}

#[test]
fn a_panic_without_a_text_is_named_as_one() {
    let (sink, _) = scripted(|_, _| std::panic::panic_any(7_u8));
    let log = DecisionLog::builder().start(sink).expect("a thread");
    record(&log, 1);
    let summary = close(log);
    assert_eq!(summary.error.expect("an error").to_string(), "the sink panicked: no message");
}

#[test]
fn nothing_is_noted_unless_something_was_dropped() {
    let (sink, seen) = scripted(|method, _| {
        assert_ne!(method, "dropped", "nothing was dropped");
        Ok(())
    });
    let log = DecisionLog::builder().start(sink).expect("a thread");
    record(&log, 10);
    let summary = close(log);
    assert_eq!((summary.written, summary.error.is_none()), (10, true));
    assert!(seen.lock().expect("no panics").1.is_empty());
}

/// A function of the host whose destructor panics.
struct Sticky;

impl Drop for Sticky {
    fn drop(&mut self) {
        panic!("it does not come off");
    }
}

#[test]
fn a_thread_that_ends_by_a_panic_of_the_host_is_in_the_status() {
    let (go, next) = channel();
    let (sink, _) = scripted(move |method, call| match (method, call) {
        ("write", 1) => next.recv_timeout(PATIENCE).map_err(io::Error::other),
        _ => Ok(()),
    });
    let log = DecisionLog::builder().explain(Explain::Branches).capacity(4).start(sink).expect("a thread");
    record(&log, 1);
    let start = Instant::now();
    while log.status().blocked().is_none() {
        assert!(start.elapsed() < PATIENCE, "{:?}", log.status());
        std::thread::yield_now();
    }
    // The log has the last reference to this engine.
    let sticky = Sticky;
    let come_off = move || -> bool {
        let _ = &sticky;
        true
    };
    let mut functions = FunctionTable::new();
    functions.insert("sticky", hclvm::host::function("sticky", [], come_off).impure());
    let engine = Engine::builder().functions(functions).build();
    let text = "rule \"r\" {\n  when   = sticky()\n  effect = \"allow\"\n}\n";
    let module = engine.parse("x.hcl", text).expect("HCL").module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    let (scope, mut session) = (module.scope(), policy.session());
    log.record(
        &policy.decide(&mut session, &scope).expect("it decides"),
        &scope,
        &Origin::default(),
        Duration::ZERO,
    );
    // With so many others, it is not explained, and only its recorder is dropped.
    record(&log, 3);
    drop((engine, module, policy, scope, session));
    go.send(()).expect("it waits");
    let ended = loop {
        let status = log.status();
        if let WriterState::Ended { at } = status.writer {
            assert!(at.elapsed().is_ok_and(|age| age < PATIENCE));
            break status;
        }
        assert!(start.elapsed() < PATIENCE, "{status:?}");
        std::thread::yield_now();
    };
    let counts = (ended.written, ended.failed, ended.waiting, ended.dropped);
    assert_eq!(counts, (1, 4, 0, 0), "{ended:?}");
    let error = ended.error.as_ref().expect("an error");
    assert_eq!((error.message.as_str(), error.is_panic), ("the sink panicked: it does not come off", true));
    record(&log, 10);
    assert_eq!((log.status().dropped, log.status().waiting, log.status().blocked()), (10, 0, None));
    assert_eq!(close(log).dropped, 10);
}
