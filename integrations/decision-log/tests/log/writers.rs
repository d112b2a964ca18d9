//! Writers that fail, take parts or nothing: what was recorded is counted once, and lines are never joined.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use hclvm_decision_log::{DecisionLog, JsonLines};
use serde_json::Value as Json;

use crate::disk::Disk;
use crate::rig::{PATIENCE, close, record, settled};

#[test]
fn a_full_device_has_written_nothing() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let open = || OpenOptions::new().write(true).open("/dev/full").expect("a device");
    // The second one keeps entries in memory of its own.
    let sinks: [Box<dyn Write + Send>; 2] = [Box::new(open()), Box::new(BufWriter::new(open()))];
    for sink in sinks {
        let log = DecisionLog::builder().start(JsonLines::new(sink)).expect("a thread");
        record(&log, 100);
        let status = settled(&log);
        assert_eq!((status.written, status.failed, status.dropped), (0, 100, 0));
        let error = status.error.expect("an error");
        assert!(!error.is_panic && error.at.elapsed().is_ok_and(|age| age < PATIENCE), "{error}");
        record(&log, 1);
        let summary = close(log);
        assert_eq!((summary.written, summary.failed, summary.dropped), (0, 101, 0));
        assert_eq!(summary.error.expect("an error").kind(), ErrorKind::StorageFull);
    }
}

#[test]
fn a_disk_that_is_full_for_a_while_has_whole_lines_and_parts_of_others() {
    let disk = Disk::default();
    let log = DecisionLog::builder().start(JsonLines::new(disk.clone())).expect("a thread");
    let mut recorded = 0;
    // Ends in the middle of a line, in its last byte, and behind its line break, for some of the sizes.
    for bytes in (0..400).step_by(7).chain([1, 1, 1, 50_000]) {
        disk.free(bytes);
        record(&log, 3);
        recorded += 3;
        let status = settled(&log);
        assert_eq!(status.written + status.failed, recorded);
    }
    let summary = close(log);
    let text = disk.text();
    let whole = text.lines().filter(|line| serde_json::from_str::<Json>(line).is_ok()).count();
    assert_eq!((summary.written, summary.failed), (whole as u64, recorded - whole as u64), "{text}");
    assert!(whole > 10 && summary.failed > 10, "{summary:?}");
    for line in text.lines() {
        assert!(line.matches("unix_ms").count() <= 1, "two lines are joined: {line}");
        assert!(!line.is_empty(), "{text}");
    }
}

#[test]
fn an_entry_without_its_line_break_is_written() {
    let full = Disk::default();
    full.free(100_000);
    let log = DecisionLog::builder().start(JsonLines::new(full.clone())).expect("a thread");
    record(&log, 1);
    close(log);
    let length = full.text().len();
    for (missing, written) in [(0, 1), (1, 1), (2, 0)] {
        let disk = Disk::default();
        disk.free(length - missing);
        let log = DecisionLog::builder().start(JsonLines::new(disk.clone())).expect("a thread");
        record(&log, 1);
        let status = settled(&log);
        assert_eq!((status.written, status.failed), (written, 1 - written), "{missing} bytes are missing");
        disk.free(10_000);
        record(&log, 1);
        assert_eq!(close(log).written, written + 1);
        let text = disk.text();
        assert_eq!((text.lines().count(), text.matches("unix_ms").count()), (2, 2), "{text}");
    }
}

/// Writes few bytes at once, and is interrupted.
struct Dribble(Disk, usize);

impl Write for Dribble {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1 += 1;
        match self.1 % 5 {
            0 => Err(ErrorKind::Interrupted.into()),
            at => self.0.write(&bytes[..bytes.len().min(at * 13)]),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_of_parts_is_no_failing_one() {
    let disk = Disk::default();
    disk.free(usize::MAX / 2);
    let log = DecisionLog::builder().start(JsonLines::new(Dribble(disk.clone(), 0))).expect("a thread");
    record(&log, 1_000);
    let summary = close(log);
    assert_eq!((summary.written, summary.failed, summary.error.is_some()), (1_000, 0, false));
    assert_eq!(disk.text().lines().count(), 1_000);
    assert!(disk.text().lines().all(|line| serde_json::from_str::<Json>(line).is_ok()));
}

/// Takes no byte, without an error.
struct Nothing;

impl Write for Nothing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_takes_nothing_fails() {
    let log = DecisionLog::builder().start(JsonLines::new(Nothing)).expect("a thread");
    record(&log, 2);
    let summary = close(log);
    assert_eq!((summary.written, summary.failed), (0, 2));
    assert_eq!(summary.error.expect("an error").kind(), ErrorKind::WriteZero);
}

/// Takes all bytes, and has lost them when it is flushed.
struct Forgetful;

impl Write for Forgetful {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(ErrorKind::TimedOut.into())
    }
}

#[test]
fn what_a_writer_loses_when_it_is_flushed_is_not_written() {
    let log = DecisionLog::builder().start(JsonLines::new(Forgetful)).expect("a thread");
    record(&log, 2);
    let summary = close(log);
    assert_eq!((summary.written, summary.failed), (0, 2));
    assert_eq!(summary.error.expect("an error").kind(), ErrorKind::TimedOut);
}
