//! Files that are renamed and opened again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hclvm_decision_log::{DecisionLog, JsonLines, LogFile};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::random::Random;
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

/// The texts of the files that rotation makes of lines, the oldest one first.
fn model(lines: &[String], begin: &str, limit: usize, kept: usize) -> Vec<String> {
    let mut files = vec![begin.to_owned()];
    for line in lines {
        let last = files.last().map_or(0, String::len);
        if last > 0 && last + line.len() > limit {
            files.push(String::new());
        }
        if let Some(last) = files.last_mut() {
            last.push_str(line);
        }
    }
    files.split_off(files.len().saturating_sub(kept + 1))
}

#[test]
fn generated_lines_are_in_the_files_of_a_model() {
    for seed in 0..150 {
        let random = &mut Random(seed);
        let (limit, kept) = (1 + random.below(30), random.of(&[0_u32, 1, 2, 3]));
        let line = |random: &mut Random| format!("{}\n", "x".repeat(1 + random.below(12)));
        let (folder, path) = folder();
        let begin = if random.below(2) == 0 { String::new() } else { line(random) };
        fs::write(&path, &begin).expect("it is written");
        let mut file = LogFile::open(&path).expect("a file").rotate(limit as u64, kept);
        let mut lines = Vec::new();
        for _ in 0..random.below(12) {
            let batch: Vec<String> = (0..=random.below(5)).map(|_| line(random)).collect();
            file.write_all(batch.concat().as_bytes()).expect("it is written");
            lines.extend(batch);
        }
        assert_eq!(file.reopener().error(), None);
        let expected = model(&lines, &begin, limit, kept as usize);
        for (text, number) in expected.iter().rev().zip(0..) {
            let path = if number == 0 { path.clone() } else { numbered(&path, number) };
            assert_eq!(fs::read_to_string(path).expect("a file"), *text, "{lines:?} {limit} {kept} {seed}");
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), expected.len());
    }
}

#[test]
fn generated_parts_of_lines_are_joined() {
    for seed in 0..100 {
        let random = &mut Random(seed);
        let lines: Vec<String> =
            (0..=random.below(12)).map(|at| format!("{at}{}\n", "x".repeat(random.below(9)))).collect();
        let text = lines.concat();
        let (_folder, path) = folder();
        let mut file = LogFile::open(&path).expect("a file").rotate(1 + random.below(20) as u64, 20);
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (part, behind) = rest.split_at(rest.len().min(1 + random.below(7)));
            file.write_all(part).expect("it is written");
            rest = behind;
        }
        let mut texts = vec![fs::read_to_string(&path).expect("a file")];
        texts.extend((1..20).map_while(|number| fs::read_to_string(numbered(&path, number)).ok()));
        texts.reverse();
        assert_eq!(texts.concat(), text, "{seed}");
        assert!(texts.iter().all(|text| text.ends_with('\n')), "{texts:?}");
    }
}

#[test]
fn files_that_were_deleted_are_no_error() {
    for kept in [0, 2] {
        let (_folder, path) = folder();
        let mut file = LogFile::open(&path).expect("a file").rotate(4, kept);
        file.write_all(b"abc\n").expect("it is written");
        fs::remove_file(&path).expect("it is deleted");
        file.write_all(b"def\n").expect("it is written");
        assert_eq!(file.reopener().error(), None);
        assert_eq!(fs::read_to_string(&path).expect("a file"), "def\n");
        assert!(!numbered(&path, 1).exists());
    }
}

#[test]
fn a_file_that_cannot_be_deleted_is_written_further() {
    let (folder, path) = folder();
    let mut file = LogFile::open(&path).expect("a file").rotate(4, 0);
    file.write_all(b"abc\n").expect("it is written");
    let moved = folder.path().join("moved");
    fs::rename(&path, &moved).expect("it is renamed");
    fs::create_dir(&path).expect("a folder");
    file.write_all(b"def\nghi\n").expect("it is written");
    assert_eq!(fs::read_to_string(&moved).expect("a file"), "abc\ndef\nghi\n");
    assert!(file.reopener().error().is_some_and(|error| error.contains("decisions.log: ")));
}

#[test]
fn an_unfinished_line_of_a_file_that_is_opened_again_gets_an_end() {
    let (_folder, path) = folder();
    let mut file = LogFile::open(&path).expect("a file");
    let reopen = file.reopener();
    file.write_all(b"abc\n").expect("it is written");
    for (before, after) in [("torn", "torn\nline\n"), ("whole\n", "whole\nline\n"), ("", "line\n")] {
        fs::remove_file(&path).expect("it is deleted");
        fs::write(&path, before).expect("it is written");
        reopen.request();
        file.write_all(b"line\n").expect("it is written");
        assert_eq!(fs::read_to_string(&path).expect("a file"), after);
        assert_eq!(reopen.error(), None);
        // A request is fulfilled once.
        fs::rename(&path, numbered(&path, 1)).expect("it is renamed");
        file.write_all(b"more\n").expect("it is written");
        assert_eq!(fs::read_to_string(numbered(&path, 1)).expect("a file"), format!("{after}more\n"));
        fs::rename(numbered(&path, 1), &path).expect("it is renamed");
    }
    // A line break alone ends no line of the file.
    file.write_all(b"\n").expect("it is written");
    assert!(fs::read_to_string(&path).expect("a file").ends_with("line\nmore\n"));
}

#[cfg(unix)]
#[test]
fn a_device_has_no_length_that_rotates_it() {
    let (_folder, path) = folder();
    std::os::unix::fs::symlink("/dev/null", &path).expect("a link");
    let mut file = LogFile::open(&path).expect("a device").rotate(3, 1);
    file.write_all(b"abc\n").expect("it is written");
    assert!(!numbered(&path, 1).exists(), "it was empty before");
}

#[test]
fn a_file_is_opened_again_between_two_lines() {
    let (_folder, path) = folder();
    let mut file = LogFile::open(&path).expect("a file");
    let reopen = file.reopener();
    let read = |path: &Path| fs::read_to_string(path).expect("a file");
    file.write_all(b"ab").expect("it is written");
    reopen.request();
    fs::rename(&path, numbered(&path, 1)).expect("it is renamed");
    file.write_all(b"c\nd\n").expect("it is written");
    assert_eq!((read(&numbered(&path, 1)), read(&path)), ("abc\n".to_owned(), "d\n".to_owned()));
    // What fails is attempted again before each line.
    fs::rename(&path, numbered(&path, 2)).expect("it is renamed");
    fs::create_dir(&path).expect("a folder");
    reopen.request();
    file.write_all(b"e\n").expect("it is written");
    file.write_all(b"f\n").expect("it is written");
    assert!(reopen.error().is_some());
    fs::remove_dir(&path).expect("it is removed");
    file.write_all(b"g\n").expect("it is written");
    assert_eq!((read(&numbered(&path, 2)), read(&path)), ("d\ne\nf\n".to_owned(), "g\n".to_owned()));
    assert_eq!(reopen.error(), None);
}

#[test]
fn an_unfinished_line_of_an_earlier_process_gets_one_end() {
    for (parts, after) in [
        (&["a\n"][..], "torn\na\n"),
        (&["\na\n"], "torn\na\n"),
        (&["\n", "\n", "a\n"], "torn\na\n"),
        (&["a", "b\n"], "torn\nab\n"),
        (&["a", "b", "\n", "c\n"], "torn\nab\nc\n"),
    ] {
        let (_folder, path) = folder();
        fs::write(&path, "torn").expect("it is written");
        let mut file = LogFile::open(&path).expect("a file");
        for part in parts {
            file.write_all(part.as_bytes()).expect("it is written");
        }
        assert_eq!(fs::read_to_string(&path).expect("a file"), after, "{parts:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_reader_is_replaced_in_the_middle_of_a_line() {
    use std::io::Read;

    let (_folder, path) = folder();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let reader = {
        let path = path.clone();
        std::thread::spawn(move || {
            let mut pipe = fs::File::open(path).expect("a pipe");
            let mut bytes = [0; 2];
            pipe.read_exact(&mut bytes).expect("it is read");
            bytes
        })
    };
    let mut file = LogFile::open(&path).expect("a pipe");
    file.write_all(b"ab").expect("it is written");
    assert_eq!(&reader.join().expect("it ends"), b"ab");
    assert!(file.write(b"c\n").is_err(), "the pipe has no reader");
    fs::remove_file(&path).expect("it is removed");
    file.reopener().request();
    file.write_all(b"d\n").expect("it is written");
    assert_eq!(fs::read_to_string(&path).expect("a file"), "d\n");
}
