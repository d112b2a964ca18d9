//! The acceptance run: 64 connections for a minute, while the policy is replaced 20 times, 5 of them by a broken file.
//!
//! `cargo test --release --test load -- --ignored --nocapture`; `LOAD_SECONDS` changes the duration.
#![cfg(unix)]

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use envoy_types::ext_authz::v3::pb::CheckRequest;
use support::process::Process;
use support::{ALLOWED, DENIED, check, client, message, status, sum};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The connections of each protocol: 64 together.
const GRPC: usize = 48;
const HTTP: usize = 16;

const RELOADS: u64 = 20;
const BROKEN: u64 = 4;

/// The longest time of a decision that 99 of 100 decisions may take, in seconds.
const MOST: f64 = 20e-6;

/// Headers as browsers and proxies send them.
const HEADERS: [(&str, &str); 12] = [
    ("accept", "application/json, text/plain, */*"),
    ("accept-encoding", "gzip, deflate, br"),
    ("accept-language", "en-GB,en;q=0.9,de;q=0.8"),
    ("authorization", "Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl"),
    ("cache-control", "no-cache"),
    ("cookie", "session=5f2b1c; theme=dark; consent=1"),
    ("referer", "https://app.example.org/accounts"),
    (
        "user-agent",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36",
    ),
    ("x-envoy-internal", "true"),
    ("x-forwarded-for", "192.0.2.17"),
    ("x-forwarded-proto", "https"),
    ("x-request-id", "8a1f6c8e-7a55-4f63-9a4c-3f9a1d6a7c11"),
];

/// Returns requests with their answers.
fn requests() -> Vec<(CheckRequest, (i32, i32))> {
    let with = |more: &[(&'static str, &'static str)], method: &str, path: &str| {
        message(method, path, &[&HEADERS[..], more].concat())
    };
    vec![
        (with(&[("x-user", "ann")], "GET", "/accounts/ann/orders?page=2&sort=date"), ALLOWED),
        (with(&[("x-user", "ann")], "GET", "/accounts/bob/orders"), DENIED),
        (with(&[], "GET", "/accounts/ann/"), (16, 401)),
        (with(&[], "GET", "/healthz"), ALLOWED),
        (
            with(&[("x-user", "root"), ("x-groups", "staff,admin")], "PUT", "/accounts/bob/?confirm=yes"),
            ALLOWED,
        ),
        (with(&[("x-user", "root"), ("x-groups", "staff,admin")], "PUT", "/accounts/bob/"), DENIED),
    ]
}

/// Returns the policy of the example, with users from headers instead of metadata, and a rule with a number.
fn policy(version: u64) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies");
    let rules = fs::read_to_string(folder.join("rules.hcl")).expect("it is there");
    format!(
        "locals {{\n  user     = try(request.headers.x-user, \"\")\n  \
         is_admin = contains(split(\",\", try(request.headers.x-groups, \"\")), \"admin\")\n  \
         blocked  = [\"198.51.100.0/24\", \"203.0.113.0/24\"]\n}}\n{rules}\n\
         rule \"version\" {{\n  when   = request.path == \"/versions/{version}\"\n  effect = \"deny\"\n}}\n"
    )
}

/// What the clients share.
#[derive(Default)]
struct Run {
    ends: AtomicBool,
    asked: AtomicU64,
}

async fn ask_by_grpc(address: std::net::SocketAddr, run: Arc<Run>) {
    let mut client = client(address).await;
    while !run.ends.load(Ordering::Relaxed) {
        for (request, wanted) in requests() {
            assert_eq!(status(&check(&mut client, request).await), wanted);
            run.asked.fetch_add(1, Ordering::Relaxed);
        }
    }
}

async fn ask_by_http(address: std::net::SocketAddr, run: Arc<Run>) {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    let headers = HEADERS.map(|(name, value)| format!("{name}: {value}\r\n")).concat();
    let requests = [
        ("GET /accounts/ann/orders?page=2", "x-user: ann\r\n", "200"),
        ("PUT /accounts/bob/orders", "x-user: ann\r\n", "403"),
        ("GET /accounts/bob/", "", "401"),
    ];
    let requests = requests.map(|(line, more, wanted)| {
        (format!("{line} HTTP/1.1\r\nhost: api.example.org\r\n{headers}{more}\r\n"), wanted)
    });
    let mut reply = vec![0; 4_096];
    while !run.ends.load(Ordering::Relaxed) {
        for (request, wanted) in &requests {
            stream.write_all(request.as_bytes()).await.expect("it reads");
            let length = read_reply(&mut stream, &mut reply).await;
            let text = String::from_utf8_lossy(&reply[..length]);
            assert!(text.starts_with(&format!("HTTP/1.1 {wanted} ")), "{text}");
            run.asked.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Reads one reply, and returns its length.
async fn read_reply(stream: &mut TcpStream, reply: &mut [u8]) -> usize {
    let mut length = 0;
    loop {
        length += stream.read(&mut reply[length..]).await.expect("a reply");
        let text = String::from_utf8_lossy(&reply[..length]).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let wanted = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= wanted.map_or(0, |wanted| wanted.parse().expect("a number")) {
            return length;
        }
    }
}

/// Returns the time that a share of decisions did not exceed, from the buckets of both histograms, with the count.
fn percentile(metrics: &str, share: f64) -> (f64, f64) {
    let mut buckets: Vec<(f64, f64)> = Vec::new();
    for line in metrics.lines().filter(|line| line.starts_with("hclvm_authorization_decision_seconds_bucket"))
    {
        let bound = line.split_once("le=\"").and_then(|(_, rest)| rest.split('"').next()).expect("a bound");
        let bound = bound.parse().unwrap_or(f64::INFINITY);
        let count: f64 = line.rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a count");
        match buckets.iter_mut().find(|(known, _)| known.total_cmp(&bound).is_eq()) {
            Some((_, sum)) => *sum += count,
            None => buckets.push((bound, count)),
        }
    }
    buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
    let all = buckets.last().map_or(0.0, |(_, count)| *count);
    let bound =
        buckets.iter().find(|(_, count)| *count >= share * all).map_or(f64::INFINITY, |(bound, _)| *bound);
    (bound, all)
}

async fn metrics(address: std::net::SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let request = b"GET /metrics HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.expect("it reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).await.expect("a reply");
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute and needs an optimized build: cargo test --release --test load -- --ignored"]
#[expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "it prints its figures")]
async fn a_minute_of_load() {
    let seconds = std::env::var("LOAD_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("policy.hcl");
    fs::write(&file, policy(0)).expect("it is written");
    let mut process = Process::start(folder.path(), &["--decision-log", "/dev/null"]);
    let run = Arc::new(Run::default());
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..GRPC {
        clients.spawn(ask_by_grpc(process.grpc, Arc::clone(&run)));
    }
    for _ in 0..HTTP {
        clients.spawn(ask_by_http(process.http, Arc::clone(&run)));
    }
    let begin = Instant::now();
    let mut resident = Vec::new();
    for version in 1..=RELOADS {
        let due = Duration::from_secs(seconds).mul_f64(version as f64 / (RELOADS + 1) as f64);
        tokio::time::sleep(due.saturating_sub(begin.elapsed())).await;
        if [1, RELOADS / 2, RELOADS].contains(&version) {
            resident.push(process.resident().unwrap_or_default());
        }
        let text = policy(version);
        let is_broken = version % BROKEN == 0;
        let text = if is_broken { text.replace("effect = \"deny\"", "effect = ") } else { text };
        fs::write(&file, text).expect("it is written");
    }
    tokio::time::sleep(Duration::from_secs(seconds).saturating_sub(begin.elapsed())).await;
    run.ends.store(true, Ordering::Relaxed);
    let elapsed = begin.elapsed();
    while let Some(ended) = clients.join_next().await {
        ended.expect("no request failed");
    }
    resident.push(process.resident().unwrap_or_default());
    let text = metrics(process.admin).await;
    process.terminate();
    assert!(process.wait().success());

    let asked = run.asked.load(Ordering::Relaxed) as f64;
    let sums = sum(&text, "hclvm_authorization_decision_seconds_sum");
    let (p50, p99, p999) = (percentile(&text, 0.5), percentile(&text, 0.99), percentile(&text, 0.999));
    println!(
        "{asked} requests in {elapsed:?}, {:.0} a second, {:.2} us for a decision on average",
        asked / elapsed.as_secs_f64(),
        sums / asked * 1e6
    );
    println!(
        "of decisions, 50 % took at most {:.0} us, 99 % {:.0} us, 99.9 % {:.0} us",
        p50.0 * 1e6,
        p99.0 * 1e6,
        p999.0 * 1e6
    );
    println!("memory after 1/21, half, 20/21 and all of the time: {resident:?} KiB");
    assert!((p99.1 - asked).abs() < 0.5, "every request was decided");
    assert!(sum(&text, "hclvm_authorization_faults_total") < 0.5, "no request failed");
    assert!((sum(&text, "hclvm_authorization_reloads_total{kind=\"loaded\"}") - 15.0).abs() < 0.5);
    assert!((sum(&text, "hclvm_authorization_reloads_total{kind=\"rejected\"}") - 5.0).abs() < 0.5);
    assert!(p99.0 <= MOST, "99 % of decisions take at most {} s", p99.0);
    let (first, last) = (resident[0], resident[resident.len() - 1]);
    assert!(last <= first + first / 10 + 2_048, "memory grows: {resident:?} KiB");
}
