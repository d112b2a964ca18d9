//! Runs a test program within bounds of time and memory.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::compile::Program;

/// How a test program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All tests passed.
    Passed,
    /// A test failed, which is named unless the program crashed.
    Failed(String),
    /// It exceeded its time.
    TimedOut,
}

/// Runs tests of a program, one after the other, until one fails. `environment` is a variable for it.
///
/// `timeout` makes a process group, so that processes that a test starts end with it.
pub fn run(
    program: &Program,
    tests: &[&str],
    environment: (&str, &str),
    limit: Duration,
    megabytes: u64,
) -> Result<(Outcome, Duration), String> {
    let begin = Instant::now();
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -c 0; ulimit -v $1; shift; exec timeout -s KILL \"$@\"", "sh"])
        .arg((megabytes * 1024).to_string())
        .arg(format!("{:.1}", limit.as_secs_f64()))
        .arg(&program.executable)
        .args(["--test-threads=1", "--exact"])
        .args(tests)
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .env_remove("MUTANT")
        .env_remove("MUTANT_REACH")
        .env(environment.0, environment.1)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{}: {error}", program.name))?;
    let failed = first_failure(&mut child);
    if failed.is_some() {
        kill_group(&child)?;
    }
    let status = child.wait().map_err(|error| format!("{}: {error}", program.name))?;
    let time = begin.elapsed();
    let was_killed = status.signal() == Some(9) || status.code() == Some(137);
    let outcome = match failed {
        Some(test) => Outcome::Failed(test),
        None if status.success() => Outcome::Passed,
        None if was_killed && time >= limit => Outcome::TimedOut,
        None => Outcome::Failed(String::new()),
    };
    Ok((outcome, time))
}

/// Reads the output of a program until it names a failed test.
fn first_failure(child: &mut Child) -> Option<String> {
    let out = BufReader::new(child.stdout.take()?);
    // A test may print before its result, on the line that names it.
    let mut lines = out.split(b'\n').map_while(Result::ok);
    lines.find_map(|line| {
        let line = String::from_utf8_lossy(&line).into_owned();
        let test = line.strip_prefix("test ")?.strip_suffix("FAILED")?;
        Some(test.split(" ... ").next().unwrap_or(test).split(" - ").next().unwrap_or(test).to_owned())
    })
}

fn kill_group(child: &Child) -> Result<(), String> {
    let group = format!("-{}", child.id());
    let status = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    status.map(|_| ()).map_err(|error| format!("kill: {error}"))
}

/// Returns the names of the tests of a program.
pub fn tests(program: &Program) -> Result<Vec<String>, String> {
    let output = listing(program, &[])?;
    let names = output.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned);
    Ok(names.collect())
}

/// True if the program takes several names of tests, as that of the standard harness does.
pub fn takes_several(program: &Program, tests: &[String]) -> bool {
    let [first, second, ..] = tests else { return true };
    let listed = listing(program, &["--exact", first, second]);
    listed.is_ok_and(|output| output.lines().filter(|line| line.ends_with(": test")).count() == 2)
}

fn listing(program: &Program, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(&program.executable)
        .args(["--list", "--format", "terse"])
        .args(arguments)
        .current_dir(&program.folder)
        .output()
        .map_err(|error| format!("{}: {error}", program.name))?;
    if !output.status.success() {
        return Err(format!("{} does not list its tests", program.name));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs `work` on each item in `jobs` threads, in order of the items.
pub fn in_parallel<T: Sync>(
    items: &[T],
    jobs: usize,
    work: impl Fn(usize, &T) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let result = std::sync::Mutex::new(Ok(()));
    std::thread::scope(|scope| {
        for job in 0..jobs {
            let (next, result, work) = (&next, &result, &work);
            scope.spawn(move || {
                while let Some(item) = items.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    if let Err(error) = work(job, item) {
                        *result.lock().expect("no thread panics with it") = Err(error);
                        return;
                    }
                }
            });
        }
    });
    result.into_inner().expect("no thread panics with it")
}

/// Writes an empty file.
pub fn truncate(path: &Path) -> Result<(), String> {
    std::fs::write(path, []).map_err(|error| format!("{}: {error}", path.display()))
}
