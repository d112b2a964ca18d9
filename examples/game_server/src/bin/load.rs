//! `cargo run --release -p hclvm-game-server --bin load -- [SECONDS] [CONNECTIONS] [REWRITES]`: starts the server as
//! another process, asks it over several connections without a pause, and rewrites its file meanwhile, every fifth
//! time with an error. Prints what failed, the latencies without and with reloads, and the memory of the server.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What the connections saw in one phase.
#[derive(Default)]
struct Seen {
    nanos: Vec<u64>,
    failed: Vec<String>,
    /// The revisions of the file that were seen in each epoch.
    revisions: BTreeMap<u64, Vec<i64>>,
}

/// Ends the server.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| -> Result<u64, Failure> {
        Ok(arguments.next().map_or(Ok(default), |argument| argument.parse())?)
    };
    let (seconds, connections, rewrites) = (number(60)?, number(8)?, number(100)?);
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("game.hcl");
    let text = include_str!("../../game.hcl");
    fs::write(&file, text)?;
    let server = std::env::current_exe()?.with_file_name("hclvm-game-server");
    let mut server =
        Server(Command::new(server).arg(&file).arg("127.0.0.1:0").stdout(Stdio::piped()).spawn()?);
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    let address = line.trim().rsplit('/').next().unwrap_or_default().to_owned();
    let (time, pid) = (Duration::from_secs(seconds), server.0.id());

    phase(&address, connections, time / 10, || Ok(()))?;
    let quiet = phase(&address, connections, time / 2, || Ok(()))?;
    let before = memory(pid);
    let reloads = phase(&address, connections, time, || {
        for at in 1..=rewrites {
            rewrite(&file, text, at)?;
            thread::sleep(time / u32::try_from(rewrites + 1)?);
        }
        Ok(())
    })?;
    let after = memory(pid);

    let mixed = reloads.revisions.values().filter(|revisions| revisions.len() > 1).count();
    let mut out = io::stdout();
    let requests = quiet.nanos.len() + reloads.nanos.len();
    writeln!(out, "requests {requests}, failed {}", quiet.failed.len() + reloads.failed.len())?;
    for failure in quiet.failed.iter().chain(&reloads.failed).take(3) {
        writeln!(out, "  {failure}")?;
    }
    writeln!(out, "epochs {}, with answers of two files {mixed}", reloads.revisions.len())?;
    for (name, seen) in [("without reloads", quiet), ("with reloads", reloads)] {
        let (p50, p99, p999) = (at(&seen.nanos, 500), at(&seen.nanos, 990), at(&seen.nanos, 999));
        writeln!(out, "{name:>16}: p50 {p50} us, p99 {p99} us, p99.9 {p999} us")?;
    }
    writeln!(out, "memory of the server: {} KiB before the reloads, {} KiB after", before?, after?)?;
    Ok(())
}

/// Writes another revision of the file: by turns in place, and beside it and renamed over it. Every fifth one has an
/// error.
fn rewrite(file: &Path, text: &str, at: u64) -> Result<(), Failure> {
    let mut text = text.replace("revision = 0", &format!("revision = {at}"));
    text = text.replace("revision_again = 0", &format!("revision_again = {at}"));
    if at.is_multiple_of(5) {
        text += "broken = = 1\n";
    }
    if at.is_multiple_of(2) {
        return Ok(fs::write(file, text)?);
    }
    let beside = file.with_extension("tmp");
    fs::write(&beside, text)?;
    Ok(fs::rename(beside, file)?)
}

/// Asks over several connections for some time, while something else happens.
fn phase(
    address: &str,
    connections: u64,
    time: Duration,
    meanwhile: impl FnOnce() -> Result<(), Failure>,
) -> Result<Seen, Failure> {
    let ended = AtomicBool::new(false);
    let start = Instant::now();
    thread::scope(|threads| {
        let asking: Vec<_> = (0..connections)
            .map(|at| {
                threads.spawn({
                    let ended = &ended;
                    move || ask(address, at, ended)
                })
            })
            .collect();
        let result = meanwhile();
        thread::sleep(time.saturating_sub(start.elapsed()));
        ended.store(true, Ordering::Relaxed);
        result?;
        let mut all = Seen::default();
        for asking in asking {
            let seen = asking.join().map_err(|_| "a connection panicked")??;
            all.nanos.extend(seen.nanos);
            all.failed.extend(seen.failed);
            for (epoch, revisions) in seen.revisions {
                let known = all.revisions.entry(epoch).or_default();
                known.extend(revisions);
                known.sort_unstable();
                known.dedup();
            }
        }
        all.nanos.sort_unstable();
        Ok(all)
    })
}

/// Asks over one connection.
fn ask(address: &str, connection: u64, ended: &AtomicBool) -> Result<Seen, Failure> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut seen = Seen::default();
    let mut rank = connection;
    while !ended.load(Ordering::Relaxed) {
        rank = (rank + 7) % 40;
        let start = Instant::now();
        write!(stream, "GET /tuning/p{connection}/{rank} HTTP/1.1\r\nHost: game\r\n\r\n")?;
        let answer = answer(&mut reader)?;
        seen.nanos.push(u64::try_from(start.elapsed().as_nanos())?);
        let revisions = ["revision", "revision_again"].map(|name| answer["values"][name].as_i64());
        match (answer["epoch"].as_u64(), revisions) {
            (Some(epoch), [Some(first), Some(again)]) => {
                let known = seen.revisions.entry(epoch).or_default();
                for revision in [first, again] {
                    if !known.contains(&revision) {
                        known.push(revision);
                    }
                }
            }
            _ => seen.failed.push(answer.to_string()),
        }
    }
    Ok(seen)
}

/// Reads an answer; one that is not a success is its text.
fn answer(reader: &mut BufReader<TcpStream>) -> Result<Json, Failure> {
    let (mut status, mut length) = (String::new(), 0);
    reader.read_line(&mut status)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse()?;
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    if status.contains(" 200 ") {
        return Ok(serde_json::from_slice(&body)?);
    }
    Ok(format!("{}: {}", status.trim(), String::from_utf8_lossy(&body)).into())
}

/// Returns the latency in microseconds below which so many of a thousand requests are.
fn at(nanos: &[u64], thousandth: usize) -> u64 {
    nanos.get(nanos.len() * thousandth / 1000).map_or(0, |nanos| nanos / 1000)
}

/// Returns the resident memory of a process in KiB.
fn memory(pid: u32) -> Result<u64, Failure> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no memory is told")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
