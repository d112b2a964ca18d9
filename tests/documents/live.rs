//! Incremental evaluation: what an update evaluates again, what it reports, and that the values kept are those
//! of an evaluation of the whole module. Generated change sequences are in generated.rs.

mod generated;
mod sequences;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hclvm::module::{Live, Module};
use hclvm::{Engine, Json, Limits, Scope, function};

fn module(engine: &Engine, text: &str) -> Module {
    engine.parse("x.hcl", text).expect("HCL").module().expect("a module")
}

/// A module with a scope that it follows.
struct Followed {
    live: Live,
    scope: Scope,
}

impl Followed {
    fn new(engine: &Engine, text: &str, json: &str) -> Self {
        let module = module(engine, text);
        let mut scope = module.scope();
        scope.set_all_json(json).expect("small values");
        let mut live = module.follow(engine.session());
        live.update(&scope).expect("within the limits");
        Self { live, scope }
    }

    fn of(text: &str, json: &str) -> Self {
        Self::new(&Engine::standard(), text, json)
    }

    /// Sets a variable and returns what changes, each as `path old new`.
    fn set(&mut self, name: &str, json: &str) -> Vec<String> {
        self.scope.set_json(name, json).expect("a small value");
        self.update()
    }

    fn update(&mut self) -> Vec<String> {
        let text = |value| Json(value).to_text().unwrap_or_else(|_| "?".to_owned());
        let shown = |value: Option<_>| value.map_or_else(|| "-".to_owned(), text);
        let changes = self.live.update(&self.scope).expect("within the limits");
        let values = changes
            .iter()
            .map(|change| format!("{} {} {}", change.path(), shown(change.before()), shown(change.after())));
        values.chain(changes.blocks().map(|path| format!("{path} blocks"))).collect()
    }

    fn titles(&self) -> Vec<String> {
        self.live.diagnostics().iter().map(|found| found.title.to_string()).collect()
    }
}

#[test]
fn the_first_update_reports_everything() {
    let module =
        module(&Engine::standard(), "locals {\n  a = n\n}\nb = local.a\nrule \"r\" {\n  c = null\n}\n");
    let mut scope = module.scope();
    scope.set("n", &1).expect("small");
    let mut live = module.follow(module.document().engine().session());
    let changes = live.update(&scope).expect("within the limits");
    let paths: Vec<String> = changes.iter().map(|change| change.path().to_string()).collect();
    assert_eq!(paths, ["local.a", "b", "rule.r.c"]);
    assert!(changes.iter().all(|change| change.before().is_none() && change.after().is_some()));
}

#[test]
fn only_readers_of_what_changed_change() {
    let text =
        "locals {\n  twice = n * 2\n  big = local.twice > 10\n}\na = local.big\nb = m\nc = local.twice + m\n";
    let mut followed = Followed::of(text, r#"{"n": 1, "m": 5}"#);
    assert_eq!(followed.set("n", "2"), ["local.twice 2 4", "c 7 9"]);
    assert_eq!(followed.set("m", "5"), [""; 0]);
    assert_eq!(
        followed.set("n", "6"),
        ["local.twice 4 12", "local.big false true", "a false true", "c 9 17"]
    );
    assert_eq!(followed.update(), [""; 0]);
}

/// Returns an engine with a function that counts its calls.
fn counting(pure: bool) -> (Engine, Arc<AtomicU32>) {
    let calls = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&calls);
    let tick = function("tick", ["n"], move |_: i64| i64::from(counter.fetch_add(1, Ordering::Relaxed)));
    let tick = if pure { tick } else { tick.impure() };
    let mut functions = hclvm::functions::standard();
    functions.insert("tick", tick);
    (Engine::builder().functions(functions).build(), calls)
}

#[test]
fn attributes_that_read_another_part_of_a_variable_are_not_evaluated() {
    let (engine, calls) = counting(true);
    let text = "a = tick(o.a)\nb = o.b\nc = o.a\nd = o.a\ne = o.c\n";
    let mut followed = Followed::new(&engine, text, r#"{"o": {"a": 1, "b": 1, "c": 1}}"#);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    assert_eq!(followed.set("o", r#"{"a": 1, "b": 2, "c": 1}"#), ["b 1 2"]);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    assert_eq!(followed.set("o", r#"{"a": 2, "b": 2, "c": 1}"#), ["a 0 1", "c 1 2", "d 1 2"]);
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

#[test]
fn functions_that_are_not_pure_are_called_in_each_update() {
    let (engine, calls) = counting(false);
    let mut followed =
        Followed::new(&engine, "a = tick(1)\nb = n\nc = n\nd = n\ne = n\nf = n\n", r#"{"n": 1}"#);
    assert_eq!(followed.update(), ["a 0 1"]);
    assert_eq!(followed.update(), ["a 1 2"]);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}

#[test]
fn another_precision_of_an_equal_number_is_a_change() {
    let text = "a = n\nthird = n / 3\n";
    let mut followed = Followed::of(text, r#"{"n": 1}"#);
    followed.scope.set("n", &1.0_f64).expect("small");
    let mut session = followed.live.module().document().engine().session();
    followed.live.update(&followed.scope).expect("within the limits");
    let module = followed.live.module().clone();
    let fresh = module.evaluate(&mut session, &followed.scope).expect("within the limits");
    let shown = |value| Json(value).to_text().expect("a number");
    assert_eq!(followed.live.values().attribute("third").map(shown), fresh.attribute("third").map(shown));
}

#[test]
fn blocks_of_dynamic_blocks_are_compared_by_their_labels() {
    let text = "dynamic \"port\" {\n  for_each = ports\n  labels   = [port.key]\n  content {\n    to = port.value + base\n  }\n}\n";
    let mut followed = Followed::of(text, r#"{"ports": {"http": 80, "ssh": 22}, "base": 0}"#);
    assert_eq!(followed.set("ports", r#"{"http": 8080, "ssh": 22}"#), ["port.http.to 80 8080"]);
    assert_eq!(
        followed.set("ports", r#"{"dns": 53, "ssh": 22}"#),
        ["port.dns.to - 53", "port.http.to 8080 -", "port blocks"]
    );
    assert_eq!(followed.set("base", "1"), ["port.dns.to 53 54", "port.ssh.to 22 23"]);
    followed.scope.set_unknown("ports");
    assert_eq!(followed.update(), ["port.dns.to 54 -", "port.ssh.to 23 -", "port blocks"]);
    let pending = followed.live.values().body().blocks().filter(|block| block.pending().is_some()).count();
    assert_eq!(pending, 1);
}

#[test]
fn errors_of_clean_attributes_stay_in_their_place() {
    let text = "a = upper(o)\nb = n + s\nc = [1][n]\n";
    let mut followed = Followed::of(text, r#"{"o": [], "n": 0, "s": "x"}"#);
    let before = followed.titles();
    assert_eq!(before.len(), 2);
    followed.set("n", "1");
    let titles = followed.titles();
    assert_eq!((&titles[..2], titles.len()), (&before[..], 3));
    followed.set("o", "\"x\"");
    assert_eq!(followed.titles(), titles[1..]);
    followed.set("s", "1");
    assert_eq!(followed.titles(), titles[2..]);
}

#[test]
fn more_errors_than_are_kept_are_told_as_by_an_evaluation() {
    let engine = Engine::builder().limits(Limits { diagnostics: 3, ..Limits::default() }).build();
    let lines: Vec<String> = (0..8).map(|at| format!("a{at} = [1][n{}]\n", at % 4)).collect();
    let text = lines.concat();
    let mut followed = Followed::new(&engine, &text, r#"{"n0": 0, "n1": 0, "n2": 0, "n3": 0}"#);
    let module = followed.live.module().clone();
    for (name, value) in
        [("n0", 7), ("n1", 7), ("n2", 7), ("n0", 0), ("n3", 7), ("n1", 0), ("n2", 0), ("n3", 0)]
    {
        followed.set(name, &value.to_string());
        let mut session = engine.session();
        let fresh = module.evaluate(&mut session, &followed.scope).expect("within the limits");
        assert_eq!(followed.live.diagnostics().to_string(), fresh.diagnostics().to_string());
    }
}

#[test]
fn after_a_limit_everything_is_new() {
    let engine = Engine::builder().limits(Limits { fuel: 300, ..Limits::default() }).build();
    let mut followed = Followed::new(
        &engine,
        "a = [for x in range(n) : x]\nb = m\nc = m\nd = m\ne = m\n",
        r#"{"n": 1, "m": 1}"#,
    );
    followed.scope.set("n", &100_000).expect("small");
    followed.live.update(&followed.scope).unwrap_err();
    followed.scope.set("n", &2).expect("small");
    assert_eq!(followed.live.update(&followed.scope).expect("within the limits").iter().count(), 5);
}

#[test]
fn memory_of_replaced_values_is_freed() {
    let mut followed =
        Followed::of("a = \"${s}!\"\nb = n\nc = n\nd = n\ne = n\n", r#"{"s": "", "n": [1, 2]}"#);
    for round in 0..200 {
        let text = format!("\"{}{round}\"", "x".repeat(5_000));
        assert_eq!(followed.set("s", &text).len(), 1);
    }
    let debug = format!("{:?}", followed.live);
    let bytes = debug.split("Region { bytes: ").nth(1).and_then(|rest| rest.split([' ', ',', '}']).next());
    let bytes: usize = bytes.and_then(|bytes| bytes.parse().ok()).expect("a region says how large it is");
    assert!(bytes < 300_000, "{bytes} bytes for one text of 5,000");
}

#[test]
fn a_followed_scope_may_be_replaced_by_another_one() {
    let mut followed = Followed::of("a = o.x\nb = n\nc = n\nd = n\ne = n\n", r#"{"o": {"x": 1}, "n": 1}"#);
    let mut other = followed.live.module().scope();
    other.set_all_json(r#"{"o": {"x": 2}, "n": 1}"#).expect("small");
    followed.scope = other;
    assert_eq!(followed.update(), ["a 1 2"]);
    followed.scope.unset("o");
    assert_eq!(followed.live.update(&followed.scope).expect("within the limits").iter().count(), 1);
    assert_eq!(followed.titles().len(), 1);
}

#[test]
fn dependents_follow_paths_locals_and_dynamic_blocks() {
    let text = "locals {\n  a = v.x\n  b = local.a\n}\nc = local.b\nd = v[k]\ne = [for l in [1] : l]\n\
        whole = keys(local)\n\
        outer {\n  dynamic \"port\" {\n    for_each = v.y\n    labels = [port.key, v.z]\n    content {\n      to = w\n      dynamic \"deep\" {\n        for_each = [local.b]\n        content {\n          f = 1\n        }\n      }\n    }\n  }\n}\n";
    let module = module(&Engine::standard(), text);
    let touched = |path: &str| -> Vec<String> {
        module.dependents(&path.parse().expect("a path")).iter().map(ToString::to_string).collect()
    };
    let port = ["outer.port.*.*.to", "outer.port.*.*.deep.f"];
    let with_port = |paths: &[&str]| -> Vec<String> {
        paths.iter().chain(&port).map(|path| (*path).to_owned()).collect()
    };
    assert_eq!(touched("v.x"), with_port(&["local.a", "local.b", "c", "d", "whole"]));
    assert_eq!(touched("v.x.deeper"), touched("v.x"));
    assert_eq!(touched("v.z"), with_port(&["d"]));
    assert_eq!(touched("w"), port);
    assert_eq!(touched("local.a"), with_port(&["local.b", "c", "whole"]));
    assert_eq!(touched("unknown"), [""; 0]);
}

#[test]
fn what_follows_a_scope_may_move_to_another_thread() {
    let mut followed = Followed::of("a = n\nb = o\n", r#"{"n": 1, "o": [1, 2]}"#);
    let changed = std::thread::spawn(move || followed.set("n", "2")).join().expect("it does not panic");
    assert_eq!(changed, ["a 1 2"]);
}

#[test]
fn a_file_without_locals_keeps_their_empty_object() {
    let mut followed = Followed::of("a = local[s]\nb = n\nc = n\nd = n\ne = n\n", r#"{"s": "x", "n": 1}"#);
    for s in ["\"y\"", "\"z\""] {
        followed.set("s", s);
        assert_eq!(followed.titles(), ["Invalid index"]);
    }
}

#[test]
fn a_change_that_is_repeated_is_followed_like_a_first_one() {
    let mut followed = Followed::of(
        "locals {\n  l = n + 1\n}\na = local.l * 2\nb = [local.l, s]\nc = n > 0 ? \"many\" : s.x\nd = s\ne = s\nf = s\ng = s\nh = s\n",
        r#"{"n": 1, "s": "x"}"#,
    );
    let (up, down) =
        (["local.l 2 3", "a 4 6", r#"b [2,"x"] [3,"x"]"#], ["local.l 3 2", "a 6 4", r#"b [3,"x"] [2,"x"]"#]);
    for _ in 0..30 {
        assert_eq!(followed.set("n", "2"), up);
        assert_eq!(followed.set("n", "1"), down);
    }
    // The third attribute falls back and fails.
    followed.set("n", "0");
    assert_eq!(followed.titles(), ["Unsupported attribute"]);
    followed.set("n", "1");
    assert_eq!(followed.titles(), [""; 0]);
    assert_eq!(followed.set("n", "2"), up);
}
