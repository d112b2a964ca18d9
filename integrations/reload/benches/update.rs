//! A large file of which one attribute changes: how long parsing, updating and loading take, whether a chain of
//! updates stays as fast and as small as it began, and what reading the configuration in use costs.
//!
//! `cargo bench -p hclvm-reload`

#![expect(clippy::print_stdout, reason = "the results of a benchmark")]

use std::fmt::Write;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use hclvm::{Diagnostics, Document, Engine};
use hclvm_reload::{Outcome, Reload, Source, Text, Texts, Unreadable, Watched};

/// Attributes of the file.
const ATTRIBUTES: usize = 5_000;

/// Updates of the chain.
const CHAIN: usize = 1_000;

/// Returns a file of blocks with three attributes. One of them has a number.
fn file(number: usize) -> String {
    let mut text = String::new();
    for at in 0..ATTRIBUTES / 3 {
        let limit = if at == ATTRIBUTES / 6 { number } else { 10 };
        let _ = write!(
            text,
            "rule \"r{at}\" {{\n  when   = user.level > {} && request.size < {limit} + {at}\n  reason = \"level ${{user.level}} is not above {at}\"\n  weight = {at} * 2 + user.rank\n}}\n",
            at % 7
        );
    }
    text
}

/// Returns the median time.
fn median(rounds: usize, mut run: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..rounds).map(|_| run()).collect();
    times.sort();
    times[rounds / 2]
}

fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = black_box(run());
    (start.elapsed(), result)
}

fn row(name: &str, time: Duration, parse: Duration) {
    println!(
        "{name:<42} {:>9.1} us  {:>5.2} of parsing",
        time.as_secs_f64() * 1e6,
        time.as_secs_f64() / parse.as_secs_f64()
    );
}

/// A document with all attributes compiled.
fn compiled(engine: &Engine, text: &str) -> Document {
    let parsed = engine.parse("rules.hcl", text).expect("HCL");
    parsed.update_to(&parsed).expect("it compiles").0
}

fn main() {
    let engine = Engine::new();
    let text = file(0);
    println!("{ATTRIBUTES} attributes, {} KiB", text.len() / 1024);
    let parse = median(21, || timed(|| engine.parse("rules.hcl", &text)).0);
    row("parse", parse, parse);
    row(
        "parse and compile with a new engine",
        median(21, || timed(|| compiled(&Engine::new(), &text)).0),
        parse,
    );
    updates(&engine, parse);
    reloads(parse);
    readers();
}

/// Measures updates of one attribute, and a chain of them.
fn updates(engine: &Engine, parse: Duration) {
    let mut document = compiled(engine, &file(0));
    let mut number = 0;
    let mut next = |document: &mut Document| {
        number += 1;
        let text = file(number);
        let (time, (updated, update)) = timed(|| document.update(&text).expect("HCL"));
        assert_eq!((update.changed.len(), update.compiled), (1, 1));
        *document = updated;
        (time, update.times)
    };
    let mut times = Vec::new();
    row(
        "update of one attribute",
        median(101, || {
            let (time, parts) = next(&mut document);
            times.push(parts);
            time
        }),
        parse,
    );
    let parts = times[50];
    println!(
        "  parse {:?}, compare {:?}, look up {:?}, compile {:?}",
        parts.parse, parts.compare, parts.look_up, parts.compile
    );
    let before = memory();
    let chain: Vec<Duration> = (0..CHAIN).map(|_| next(&mut document).0).collect();
    let mean = |part: &[Duration]| part.iter().sum::<Duration>() / u32::try_from(part.len()).unwrap_or(1);
    row("mean of the first 100 of a chain of 1,000", mean(&chain[..100]), parse);
    row("mean of the last 100", mean(&chain[CHAIN - 100..]), parse);
    println!("memory before the chain {before:?} KiB, after {:?} KiB", memory());
}

/// Returns the resident memory in KiB where the system shows it.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim().trim_end_matches(" kB").parse().ok()
}

/// A text that changes whenever it is read.
struct Changing(usize);

impl Texts for Changing {
    fn watched(&self) -> Vec<Watched> {
        Vec::new()
    }

    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        self.0 += 1;
        Ok(vec![Text { name: "rules.hcl".to_owned(), bytes: file(self.0).into_bytes() }])
    }
}

impl Source for Changing {
    fn parse(
        &mut self,
        engine: &Engine,
        texts: &[Text],
        last: Option<&Document>,
    ) -> Result<Document, Vec<Diagnostics>> {
        let text = String::from_utf8_lossy(&texts[0].bytes);
        Ok(match last {
            Some(last) => last.reparse(&text),
            None => engine.parse("rules.hcl", &text),
        }
        .expect("HCL"))
    }
}

/// Measures whole reloads without the reading of files, which is that of the text here.
fn reloads(parse: Duration) {
    let mut reload = Reload::builder(&Engine::new(), Changing(0)).open(|_| Ok(())).expect("it loads");
    let time = median(101, || {
        let start = Instant::now();
        let Outcome::Reloaded(report) = reload.attempt() else { panic!("it changed") };
        start.elapsed().saturating_sub(report.times.read)
    });
    row("reload of one attribute, read excluded", time, parse);
}

/// Measures reading the configuration in use on one thread and on several.
fn readers() {
    const READS: u32 = 20_000_000;
    let reload = Reload::builder(&Engine::new(), Changing(0)).open(|_| Ok(7_u64)).expect("it loads");
    for threads in [1, 2, 4] {
        let start = Instant::now();
        thread::scope(|scope| {
            for _ in 0..threads {
                let mut reader = reload.current().reader();
                scope.spawn(move || {
                    let mut sum = 0;
                    for _ in 0..READS {
                        sum += black_box(&mut reader).current().host();
                    }
                    black_box(sum)
                });
            }
        });
        let cores = thread::available_parallelism().map_or(1, usize::from).min(threads);
        let reads = f64::from(READS) * f64::from(u32::try_from(threads).unwrap_or(1));
        let nanos =
            start.elapsed().as_secs_f64() * 1e9 * f64::from(u32::try_from(cores).unwrap_or(1)) / reads;
        println!("read of what is in use, {threads} threads on {cores} cores: {nanos:.2} ns of a core");
    }
    let current = reload.current();
    let start = Instant::now();
    for _ in 0..READS {
        black_box(current.load());
    }
    let time = start.elapsed();
    println!("load of what is in use: {:.1} ns", time.as_secs_f64() * 1e9 / f64::from(READS));
}
