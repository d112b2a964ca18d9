//! What waits, and in which order it is written.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hclvm_decision_log::{Builder, DecisionLog, Entry, Explain, JsonLines, Sink};
use serde_json::json;

use crate::file::File;
use crate::rig::{PATIENCE, Request, close};

/// Writes an entry when the test allows it, and does not wait for a test that has failed.
struct Slow {
    begun: Sender<()>,
    next: Receiver<()>,
    dropped: Arc<Mutex<Vec<u64>>>,
    /// True if the test has failed.
    is_left: bool,
}

impl Sink for Slow {
    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        if self.is_left {
            return Err(io::Error::other("the reader is gone"));
        }
        self.is_left = self.begun.send(()).is_err() || self.next.recv_timeout(PATIENCE).is_err();
        if entry.effect == "allow" { Ok(()) } else { Err(io::Error::other("the disk is full")) }
    }

    fn dropped(&mut self, decisions: u64) -> io::Result<()> {
        self.dropped.lock().expect("no panics").push(decisions);
        Ok(())
    }
}

#[test]
fn a_full_queue_drops_decisions_and_says_how_many() {
    let (begun, has_begun) = channel();
    let (go, next) = channel();
    let dropped = Arc::default();
    let sink = Slow { begun, next, dropped: Arc::clone(&dropped), is_left: false };
    let log = DecisionLog::builder().capacity(2).start(sink).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    let mut session = request.session();
    request.record(&log, &mut session);
    // The first one is being written: two wait, three do not fit.
    has_begun.recv_timeout(PATIENCE).expect("it is written");
    (0..5).for_each(|_| request.record(&log, &mut session));
    assert_eq!(log.dropped(), 3);
    (0..3).for_each(|_| go.send(()).expect("it waits"));
    let summary = close(log);
    assert_eq!((summary.written, summary.dropped, summary.failed), (3, 3, 0));
    assert_eq!(*dropped.lock().expect("no panics"), [3]);
}

#[test]
fn entries_that_the_sink_refuses_are_counted() {
    let (begun, _kept) = channel();
    let (go, next) = channel();
    let log = DecisionLog::builder()
        .start(Slow { begun, next, dropped: Arc::default(), is_left: false })
        .expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "b"}"#);
    go.send(()).expect("it waits");
    request.record(&log, &mut request.session());
    let summary = close(log);
    assert_eq!((summary.written, summary.failed), (0, 1));
    assert_eq!(summary.error.expect("the last error").to_string(), "the disk is full");
}

#[test]
fn threads_lose_and_tear_no_line() {
    const THREADS: u64 = 4;
    const EACH: u64 = 2_000;
    let file = File::default();
    let log = DecisionLog::builder()
        .capacity(usize::try_from(THREADS * EACH).expect("small"))
        .start(JsonLines::new(file.clone()))
        .expect("a thread");
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let log = &log;
            scope.spawn(move || {
                let mut request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
                let mut session = request.session();
                for at in 0..EACH {
                    request.scope.set("list", &[thread, at]).expect("it fits");
                    request.record(log, &mut session);
                }
            });
        }
    });
    assert_eq!(close(log).written, THREADS * EACH);
    let mut seen: Vec<(u64, u64)> = file
        .lines()
        .iter()
        .map(|line| {
            let list = &line["inputs"]["list"];
            (list[0].as_u64().expect("a thread"), list[1].as_u64().expect("a number"))
        })
        .collect();
    seen.sort_unstable();
    let all: Vec<(u64, u64)> =
        (0..THREADS).flat_map(|thread| (0..EACH).map(move |at| (thread, at))).collect();
    assert_eq!(seen, all);
}

#[test]
fn entries_are_in_the_order_of_time() {
    let file = File::default();
    // One batch, so that the buffers of the threads are merged.
    let builder = DecisionLog::builder().delay(Duration::from_secs(3_600));
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    // Each thread records when it has the number of the next decision.
    let (senders, mut receivers): (Vec<_>, Vec<_>) = (0..3).map(|_| channel::<u64>()).unzip();
    std::thread::scope(|threads| {
        for (at, receiver) in receivers.drain(..).enumerate() {
            let (log, next) = (&log, senders[(at + 1) % 3].clone());
            threads.spawn(move || {
                let mut request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
                let mut session = request.session();
                for _ in 0..20 {
                    let number = receiver.recv_timeout(PATIENCE).expect("its turn");
                    request.scope.set("list", &[number]).expect("it fits");
                    request.record(log, &mut session);
                    // The last thread may have ended.
                    let _ = next.send(number + 1);
                }
            });
        }
        senders[0].send(0).expect("it waits");
    });
    assert_eq!(close(log).written, 60);
    let numbers: Vec<u64> =
        file.lines().iter().map(|line| line["inputs"]["list"][0].as_u64().expect("a number")).collect();
    assert_eq!(numbers, (0..60).collect::<Vec<_>>());
}

/// Sends the effect of each entry.
struct Sent(Sender<String>);

impl Sink for Sent {
    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        self.0.send(entry.effect.to_string()).map_err(io::Error::other)
    }

    fn dropped(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn entries_are_written_after_the_delay_and_after_a_long_pause() {
    let (sender, written) = channel();
    let builder = DecisionLog::builder().delay(Duration::from_millis(1));
    let log = builder.start(Sent(sender)).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    for pause in [0, 10, 300] {
        // After 50 delays without a decision, the thread sleeps until it is woken.
        std::thread::sleep(Duration::from_millis(pause));
        request.record(&log, &mut request.session());
        assert_eq!(written.recv_timeout(PATIENCE).as_deref(), Ok("allow"), "after {pause} ms");
    }
    close(log);
}

#[test]
fn half_of_the_capacity_does_not_wait_for_the_delay() {
    let (sender, written) = channel();
    let builder = DecisionLog::builder().capacity(64).delay(Duration::from_secs(3_600));
    let log = builder.start(Sent(sender)).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    let mut session = request.session();
    // The writer may still be awake for the first ones.
    (0..64).for_each(|_| request.record(&log, &mut session));
    for at in 0..33 {
        assert!(written.recv_timeout(PATIENCE).is_ok(), "entry {at} waits for the delay");
    }
    assert_eq!(close(log).dropped, 0);
}

#[test]
fn room_that_was_taken_is_free_again() {
    let (begun, has_begun) = channel();
    let (go, next) = channel();
    let dropped = Arc::default();
    // Room is reserved for three decisions at once.
    let builder = DecisionLog::builder().capacity(768).delay(Duration::from_millis(1));
    let log =
        builder.start(Slow { begun, next, dropped: Arc::clone(&dropped), is_left: false }).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    let mut session = request.session();
    let mut recorded = 0;
    for round in 1..=4 {
        request.record(&log, &mut session);
        has_begun.recv_timeout(PATIENCE).expect("it is written");
        (0..1_000).for_each(|_| request.record(&log, &mut session));
        recorded += 1_001;
        assert_eq!(log.dropped(), 232 * round, "768 of 1,000 fit in round {round}");
        let status = log.status();
        assert_eq!(status.written + status.waiting + status.dropped, recorded);
        (0..769).for_each(|_| go.send(()).expect("it waits"));
        (0..768).for_each(|_| has_begun.recv_timeout(PATIENCE).expect("it is written"));
        let start = Instant::now();
        while log.status().waiting > 0 {
            assert!(start.elapsed() < PATIENCE, "{:?}", log.status());
            std::thread::yield_now();
        }
    }
    assert_eq!(close(log).written, 769 * 4);
    assert_eq!(dropped.lock().expect("no panics").iter().sum::<u64>(), 232 * 4);
}

/// Returns a log whose sink writes an entry for each message of the sender, and waits until it writes the first one.
fn gated(builder: Builder, request: &Request) -> (DecisionLog, Sender<()>, Receiver<()>, File) {
    let (begun, has_begun) = channel();
    let (go, next) = channel();
    let file = File::default();
    let sink = Gate {
        slow: Slow { begun, next, dropped: Arc::default(), is_left: false },
        lines: JsonLines::new(file.clone()),
    };
    let log = builder.start(sink).expect("a thread");
    request.record(&log, &mut request.session());
    has_begun.recv_timeout(PATIENCE).expect("it is written");
    (log, go, has_begun, file)
}

/// Writes lines when the test allows it.
struct Gate {
    slow: Slow,
    lines: JsonLines<File>,
}

impl Sink for Gate {
    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        let _ = self.slow.write(entry);
        self.lines.write(entry)
    }

    fn dropped(&mut self, decisions: u64) -> io::Result<()> {
        self.lines.dropped(decisions)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lines.flush()
    }
}

#[test]
fn as_many_decisions_wait_as_fit() {
    let capacities =
        [(Some(0), 1), (Some(1), 1), (Some(2), 2), (Some(3), 3), (Some(100), 100), (None, 8_192)];
    for (capacity, fitting) in capacities {
        let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
        let builder = DecisionLog::builder();
        let builder = if let Some(capacity) = capacity { builder.capacity(capacity) } else { builder };
        let (log, go, _begun, file) = gated(builder, &request);
        let mut session = request.session();
        (0..fitting + 5).for_each(|_| request.record(&log, &mut session));
        assert_eq!((log.dropped(), log.status().waiting), (5, fitting + 1), "of {capacity:?}");
        drop(go);
        let summary = close(log);
        assert_eq!((summary.written, summary.dropped), (fitting + 1, 5));
        let notes: Vec<u64> = file.lines().iter().filter_map(|line| line["dropped"].as_u64()).collect();
        assert_eq!(notes, [5]);
    }
}

#[test]
fn explanations_are_left_out_while_more_than_half_of_the_capacity_waits() {
    let mut request = Request::new(r#"{"user": {"id": "a"}}"#);
    request.scope.set("owner", "a").expect("it fits");
    let builder = DecisionLog::builder().capacity(8).explain(Explain::Conditions);
    let (log, go, _begun, file) = gated(builder, &request);
    let mut session = request.session();
    for at in 0..8 {
        // Each decision has another explanation than the one before it.
        request.scope.set("owner", if at % 2 == 0 { "a" } else { "b" }).expect("it fits");
        request.record(&log, &mut session);
    }
    drop(go);
    assert_eq!(close(log).written, 9);
    let explained: Vec<Option<String>> =
        file.lines().iter().map(|line| line["why"]["rules"][0]["is"].as_str().map(str::to_owned)).collect();
    let (yes, no) = (Some("true".to_owned()), Some("false".to_owned()));
    // Of eight, the first three are written while more than four others wait.
    let expected = [yes.clone(), None, None, None, no.clone(), yes.clone(), no.clone(), yes, no];
    assert_eq!(explained, expected);
    assert_eq!(file.lines()[1]["why"], json!({"$omitted": "too many decisions wait"}));
}

#[test]
fn all_decisions_are_logged_unless_fewer_are_wanted() {
    for (every, written) in [(0, 6), (1, 6), (2, 3), (4, 2), (6, 1)] {
        let file = File::default();
        let builder = DecisionLog::builder().sample(every);
        let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
        let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
        (0..6).for_each(|_| request.record(&log, &mut request.session()));
        assert_eq!(close(log).written, written, "one of {every}");
        assert_eq!(file.lines().len() as u64, written);
    }
}

#[test]
fn a_log_that_is_dropped_writes_what_waits() {
    let file = File::default();
    let builder = DecisionLog::builder().delay(Duration::from_secs(3_600));
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    (0..5).for_each(|_| request.record(&log, &mut request.session()));
    drop(log);
    assert_eq!(file.lines().len(), 5);
}

#[test]
fn one_decision_crowds_a_log_of_one_only_while_it_waits() {
    let file = File::default();
    let builder = DecisionLog::builder().capacity(0).explain(Explain::Branches);
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    request.record(&log, &mut request.session());
    assert_eq!(close(log).written, 1);
    assert!(file.lines()[0]["why"]["branches"].is_string(), "{:?}", file.lines());
}
