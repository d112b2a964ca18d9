//! Files that are renamed and opened again.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hclvm_decision_log::{DecisionLog, JsonLines, LogFile};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::rig::{PATIENCE, Request, close};

/// Logs decisions with consecutive numbers, and waits until they are written or failed.
struct Numbered {
    log: DecisionLog,
    request: Request,
    next: u64,
}

impl Numbered {
    fn start(file: LogFile) -> Self {
        let builder = DecisionLog::builder().delay(Duration::from_millis(1));
        let log = builder.start(JsonLines::new(file)).expect("a thread");
        Self { log, request: Request::new("{}"), next: 0 }
    }

    fn record(&mut self, count: u64) {
        let mut session = self.request.session();
        for _ in 0..count {
            self.request.scope.set("list", &[self.next]).expect("it fits");
            self.request.record(&self.log, &mut session);
            self.next += 1;
        }
        let start = Instant::now();
        while self.log.status().waiting > 0 {
            assert!(start.elapsed() < PATIENCE, "{:?}", self.log.status());
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn numbers(path: impl AsRef<Path>) -> Vec<u64> {
    let text = fs::read_to_string(path).expect("a file");
    assert!(text.ends_with('\n') || text.is_empty(), "{text}");
    let number =
        |line: &str| serde_json::from_str::<Json>(line).expect("a line")["inputs"]["list"][0].as_u64();
    text.lines().map(|line| number(line).expect("a number")).collect()
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("decisions.log");
    (folder, path)
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    path.with_file_name(format!("decisions.log.{number}"))
}

#[test]
fn a_file_that_was_renamed_is_opened_again() {
    let (_folder, path) = folder();
    let file = LogFile::open(&path).expect("a file");
    let reopen = file.reopener();
    let mut log = Numbered::start(file);
    log.record(3);
    fs::rename(&path, numbered(&path, 1)).expect("it is renamed");
    log.record(2);
    assert!(!path.exists(), "it was not requested yet");
    reopen.request();
    log.record(4);
    assert_eq!((numbers(numbered(&path, 1)), numbers(&path)), ((0..5).collect(), (5..9).collect()));
    log.record(1);
    assert_eq!((numbers(&path), reopen.error()), ((5..10).collect(), None));
    let summary = close(log.log);
    assert_eq!((summary.written, summary.failed), (10, 0));
}

#[test]
fn files_are_rotated_by_size() {
    for batch in [1, 40] {
        let (folder, path) = folder();
        let mut log = Numbered::start(LogFile::open(&path).expect("a file").rotate(1_000, 2));
        for _ in 0..40 / batch {
            log.record(batch);
        }
        assert_eq!(close(log.log).written, 40);
        let files = [numbered(&path, 2), numbered(&path, 1), path];
        let kept: Vec<u64> = files.iter().flat_map(numbers).collect();
        let first = kept.first().copied().expect("an entry");
        assert_eq!(kept, (first..40).collect::<Vec<_>>(), "batches of {batch}");
        assert!(first > 20, "older ones are gone");
        for file in &files {
            let size = fs::metadata(file).expect("a file").len();
            assert!(size <= 1_000 && (file == &files[2] || size > 700), "{size} of {}", file.display());
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3);
    }
}

#[test]
fn lines_that_are_longer_than_the_limit_are_whole() {
    for kept in [0, 1] {
        let (folder, path) = folder();
        let mut log = Numbered::start(LogFile::open(&path).expect("a file").rotate(10, kept));
        log.record(5);
        assert_eq!(close(log.log).written, 5);
        assert_eq!(numbers(&path), [4]);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1 + kept as usize);
    }
}

#[test]
fn a_file_of_an_earlier_process_is_continued() {
    let (_folder, path) = folder();
    let mut log = Numbered::start(LogFile::open(&path).expect("a file"));
    log.record(2);
    close(log.log);
    let whole = fs::read_to_string(&path).expect("a file");
    for (before, lines) in [(whole.clone(), 3), (whole.clone() + "{\"unix_ms\":17", 4), (String::new(), 1)] {
        fs::write(&path, &before).expect("it is written");
        let size = before.len() as u64;
        // Its bytes count, and the line fits.
        let file = LogFile::open(&path).expect("a file").rotate(size + 400, 1);
        let mut log = Numbered::start(file);
        log.record(1);
        close(log.log);
        let text = fs::read_to_string(&path).expect("a file");
        assert!(text.starts_with(&before), "{text}");
        assert_eq!(text.lines().count(), lines, "{text}");
        assert!(serde_json::from_str::<Json>(text.lines().last().expect("a line")).is_ok(), "{text}");
    }
    fs::write(&path, whole.repeat(10)).expect("it is written");
    let mut log = Numbered::start(LogFile::open(&path).expect("a file").rotate(1_000, 1));
    log.record(1);
    close(log.log);
    assert_eq!((numbers(&path), numbers(numbered(&path, 1)).len()), (vec![0], 20));
}

#[test]
fn what_cannot_be_renamed_or_opened_costs_no_line() {
    let (folder, path) = folder();
    let file = LogFile::open(&path).expect("a file").rotate(500, 1);
    let reopen = file.reopener();
    let mut log = Numbered::start(file);
    // A folder is not replaced by a file.
    fs::create_dir_all(numbered(&path, 1).join("a")).expect("a folder");
    log.record(10);
    assert_eq!(numbers(&path), (0..10).collect::<Vec<_>>());
    assert!(reopen.error().is_some_and(|error| error.contains("decisions.log: ")), "{:?}", reopen.error());
    fs::remove_dir_all(numbered(&path, 1)).expect("it is removed");
    log.record(1);
    assert_eq!((numbers(&path), numbers(numbered(&path, 1)).len()), (vec![10], 10));
    assert_eq!(reopen.error(), None);

    let moved = folder.path().join("moved.log");
    fs::rename(&path, &moved).expect("it is renamed");
    fs::create_dir(&path).expect("a folder");
    reopen.request();
    log.record(1);
    assert_eq!(numbers(&moved), [10, 11]);
    assert!(reopen.error().is_some());
    // The request remains.
    fs::remove_dir(&path).expect("it is removed");
    log.record(1);
    assert_eq!((numbers(&path), reopen.error()), (vec![12], None));
    assert_eq!(close(log.log).failed, 0);
}

#[cfg(unix)]
#[test]
fn a_file_on_a_full_disk_is_replaced_by_one_without_an_empty_line() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let (_folder, path) = folder();
    std::os::unix::fs::symlink("/dev/full", &path).expect("a link");
    let file = LogFile::open(&path).expect("a device");
    let reopen = file.reopener();
    let mut log = Numbered::start(file);
    log.record(2);
    assert_eq!(log.log.status().failed, 2);
    fs::remove_file(&path).expect("it is removed");
    reopen.request();
    log.record(2);
    assert_eq!(numbers(&path), [2, 3]);
    let summary = close(log.log);
    assert_eq!((summary.written, summary.failed), (2, 2));
}

#[test]
fn parts_of_lines_are_not_divided_between_files() {
    use std::io::Write;

    let (_folder, path) = folder();
    let mut file = LogFile::open(&path).expect("a file").rotate(4, 1);
    let reopen = file.reopener();
    assert_eq!(file.write(b"").expect("nothing"), 0);
    file.write_all(b"ab").expect("it is written");
    reopen.request();
    fs::rename(&path, numbered(&path, 1)).expect("it is renamed");
    file.write_all(b"cdefg\nh\ni").expect("it is written");
    file.write_all(b"\nj\n").expect("it is written");
    file.flush().expect("it is flushed");
    let read = |path: &Path| fs::read_to_string(path).expect("a file");
    assert_eq!(read(&path), "j\n");
    assert_eq!(read(&numbered(&path, 1)), "h\ni\n");
}
