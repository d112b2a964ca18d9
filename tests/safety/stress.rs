//! Isolation under load: eight threads share an engine, half of them run programs that try to exhaust it,
//! and the results of the other half stay correct, in bounded memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use hclvm::show::Pretty;
use hclvm::{Engine, Layout, Limits, OwnedValue, Scope};
use serde_json::json;

/// Limits that a service would set for untrusted programs.
const LIMITS: Limits = Limits {
    // Without optimization everything takes about fifty times as long.
    fuel: if cfg!(debug_assertions) { 100_000 } else { 1_000_000 },
    arena_bytes: 16 << 20,
    digits: 10_000,
    text_bytes: 1 << 20,
    ..Limits::untrusted()
};

/// Expressions and their results for the user and the list below.
const FRIENDLY: &[(&str, &str)] = &[
    ("user.role == \"admin\" || user.age > 17", "true"),
    ("\"${user.name} is ${user.age}\"", "\"Ada is 36\""),
    ("length([for n in numbers : n if n % 2 == 0])", "50"),
    ("join(\",\", [for n in slice(numbers, 0, 3) : upper(\"n${n}\")])", "\"N0,N1,N2\""),
    ("0.1 + 0.2 == 0.3", "true"),
    ("1 / 3 * 3 == 1 ? \"exact\" : \"rounded\"", "\"exact\""),
    ("try(user.nothing, \"none\")", "\"none\""),
    ("{ for n in slice(numbers, 0, 2) : \"k${n}\" => n }.k1", "1"),
    ("user.tags[*].name", "[\n  \"a\",\n  \"b\",\n]"),
];

/// Returns texts that need more time, memory, depth or digits than allowed, or are not expressions.
fn hostile() -> Vec<String> {
    let nest = |before: &str, inner: &str, after: &str, depth: usize| {
        format!("{}{inner}{}", before.repeat(depth), after.repeat(depth))
    };
    vec![
        "[for a in numbers : [for b in numbers : [for c in numbers : a + b + c]]]".to_owned(),
        "join(\"\", [for a in numbers : join(\"\", [for b in numbers : join(\"-\", numbers)])])".to_owned(),
        "setproduct(numbers, numbers, numbers, numbers)".to_owned(),
        "format(\"%1000000000d\", 1)".to_owned(),
        "\"x${1e-1000000}\"".to_owned(),
        "1e1000000 * 1e1000000 + 0.1".to_owned(),
        "indent(1000000, join(\"\\n\", numbers))".to_owned(),
        nest("jsonencode(", "\"\\\"\\\"\\\"\\\"\"", ")", 40),
        nest("[", "1", "]", 900),
        nest("(", "1", ")", 5_000),
        nest("[for x in [1] : x if ", "true", "] == [1]", 60),
        nest("try(", "zz", ", 1)", 900),
        nest("[for x in [[1, 2], [1, 2]] : ", "[x, x]", "]", 24),
        "!".repeat(20_000) + "true",
        "1+".repeat(20_000) + "1",
        "numbers".to_owned() + &"[*]".repeat(5_000),
        "\"".to_owned() + &"${".repeat(3_000),
        "/*".repeat(10_000),
        "regexall(\"(a*)*b\", join(\"\", [for n in numbers : \"aaaaaaaa\"]))".to_owned(),
        "jsondecode(\"".to_owned() + &"[".repeat(5_000) + "\")",
        "toset([for a in numbers : [for b in numbers : a * b]]) == distinct([for a in numbers : [a]])"
            .to_owned(),
        "user.name.first + unknown.name".to_owned(),
    ]
}

fn scope(engine: &Engine, layout: &Arc<Layout>) -> Scope {
    let mut scope = engine.scope(layout);
    let user =
        json!({ "name": "Ada", "age": 36, "role": "guest", "tags": [{ "name": "a" }, { "name": "b" }] });
    scope.set("user", &user).expect("it is small");
    scope.set("numbers", &json!((0..100).collect::<Vec<u32>>())).expect("it is small");
    scope
}

/// The counts of the threads.
#[derive(Default)]
struct Done {
    friendly: AtomicU64,
    hostile: AtomicU64,
    refused: AtomicU64,
}

fn be_friendly(engine: &Engine, layout: &Arc<Layout>, stop: &AtomicBool, done: &Done) {
    let programs: Vec<_> = FRIENDLY
        .iter()
        .map(|(text, expected)| (text, engine.compile(text, layout).expect("it is friendly"), expected))
        .collect();
    let (scope, mut session) = (scope(engine, layout), engine.session());
    while !stop.load(Ordering::Relaxed) {
        for (text, program, expected) in &programs {
            let value = session.run(program, &scope).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(Pretty(value).to_string(), **expected, "{text}");
            done.friendly.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn be_hostile(engine: &Engine, layout: &Arc<Layout>, at: usize, stop: &AtomicBool, done: &Done) {
    let texts = hostile();
    let scope = scope(engine, layout);
    let mut session = engine.session();
    for text in texts.iter().cycle().skip(at) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let refused = match engine.compile(text, layout) {
            Ok(program) => match session.run(&program, &scope) {
                Ok(value) => {
                    assert!(Pretty(value).to_string().len() <= 200 << 20);
                    drop(OwnedValue::new(value));
                    false
                }
                Err(error) => {
                    assert!(error.to_string().len() < 100_000, "{text}");
                    true
                }
            },
            Err(error) => {
                assert!(error.to_string().len() < 100_000, "{text}");
                true
            }
        };
        done.hostile.fetch_add(1, Ordering::Relaxed);
        done.refused.fetch_add(u64::from(refused), Ordering::Relaxed);
    }
}

/// Returns the peak memory of this process in KiB, if the system reports it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Maximum memory of the test: several times what four hostile threads may hold in their arenas, to allow
/// for compiled code and results being written.
const MOST: u64 = 768 << 10;

/// Runs four friendly and four hostile threads until `wait` returns. It sees how much they have done, and
/// whether one has panicked.
fn side_by_side(wait: impl FnOnce(&Done, &dyn Fn() -> bool)) {
    let engine = Engine::builder().limits(LIMITS).build();
    let layout = Arc::new(Layout::new(["user", "numbers"]));
    let (stop, done) = (AtomicBool::new(false), Done::default());
    thread::scope(|threads| {
        let mut handles = Vec::new();
        for at in 0..4 {
            let (engine, layout, stop, done) = (&engine, &layout, &stop, &done);
            handles.push(threads.spawn(|| be_friendly(engine, layout, stop, done)));
            // The default stack size of threads.
            let thread = thread::Builder::new().stack_size(2 << 20);
            let hostile = move || be_hostile(engine, layout, at * 5, stop, done);
            handles.push(thread.spawn_scoped(threads, hostile).expect("there are threads"));
        }
        wait(&done, &|| handles.iter().any(|handle| handle.is_finished()));
        stop.store(true, Ordering::Relaxed);
    });
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let peak = peak();
    #[expect(clippy::print_stdout, reason = "the figures are the point of running it for a minute")]
    {
        println!(
            "{} friendly evaluations, {} hostile ones of which {} were refused, peak {peak:?} KiB",
            of(&done.friendly),
            of(&done.hostile),
            of(&done.refused),
        );
    }
    assert!(of(&done.friendly) > 0 && of(&done.hostile) > 0 && of(&done.refused) > 0);
    assert!(peak.is_none_or(|peak| peak < MOST), "{peak:?} KiB");
}

#[test]
fn friendly_results_are_correct_beside_hostile_programs() {
    let enough = |done: &Done| {
        done.friendly.load(Ordering::Relaxed) >= 100
            && done.hostile.load(Ordering::Relaxed) >= hostile().len() as u64
            && done.refused.load(Ordering::Relaxed) > 0
    };
    side_by_side(|done, panicked| {
        while !enough(done) && !panicked() {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

#[test]
#[ignore = "takes a minute: ./check --long runs it"]
fn friendly_results_are_correct_for_a_minute() {
    side_by_side(|_, _| thread::sleep(Duration::from_secs(60)));
}
