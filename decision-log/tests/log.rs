//! What is logged of decisions, what is left out, and that the log neither delays decisions nor loses lines.

mod file;

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hclvm::policy::{Policy, PolicySpec};
use hclvm::value::{Arena, marks_from};
use hclvm::{Engine, Module, Scope, Session};
use hclvm_decision_log::{Builder, DecisionLog, Entry, Events, Inputs, JsonLines, Origin, Sink};
use serde_json::{Value as Json, json};

use file::File;

const RULES: &str = "rule \"own\" {\n  when   = user.id == owner\n  effect = \"allow\"\n  reason = \"owner \\\"${owner}\\\"\"\n}\n";

/// A policy and the scope of a request.
struct Request {
    module: Module,
    policy: Policy,
    scope: Scope,
}

impl Request {
    fn new(values: &str) -> Self {
        let module =
            Engine::standard().parse("x.hcl", RULES).expect("HCL").module_for(["user", "owner", "list"]);
        let module = module.expect("a module");
        let policy = module.policy(&PolicySpec::default()).expect("a policy");
        let mut scope = module.scope();
        scope.set_all_json(values).expect("JSON");
        Self { module, policy, scope }
    }

    fn session(&self) -> Session {
        self.module.document().engine().session()
    }

    fn record(&self, log: &DecisionLog, session: &mut Session) {
        self.record_with((&self.scope).into(), log, session);
    }

    fn record_with(&self, inputs: Inputs<'_>, log: &DecisionLog, session: &mut Session) {
        let decision = self.policy.decide(session, &self.scope).expect("within the limits");
        let origin = Origin { epoch: 7, document: "abc".into() };
        log.record(&decision, inputs, &origin, Duration::from_nanos(1_500));
    }
}

/// Returns the line for a request.
fn logged(builder: Builder, request: &Request) -> Json {
    let file = File::default();
    let log = builder.start(JsonLines::new(file.clone())).expect("a thread");
    request.record(&log, &mut request.session());
    assert_eq!(log.close().written, 1);
    file.lines().remove(0)
}

#[test]
fn an_entry_tells_what_was_decided_and_for_what() {
    let mut line = logged(DecisionLog::builder(), &Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#));
    let time = line["unix_ms"].take().as_u64().expect("a time");
    assert!(time > 1_700_000_000_000, "{time}");
    let fuel = line["fuel"].take().as_u64().expect("a number");
    assert!((1..100).contains(&fuel), "{fuel}");
    let expected = r#"{"unix_ms": null, "epoch": 7, "document": "abc", "effect": "allow", "cause": "rule",
        "rule": "own", "reason": "owner \"a\"", "fuel": null, "nanoseconds": 1500,
        "inputs": {"user": {"id": "a"}, "owner": "a"}}"#;
    assert_eq!(line, serde_json::from_str::<Json>(expected).expect("JSON"));
    let line = logged(DecisionLog::builder(), &Request::new(r#"{"user": {"id": "a"}, "owner": "b"}"#));
    assert_eq!(
        (&line["effect"], &line["cause"], &line["rule"]),
        (&"deny".into(), &"no-rule".into(), &Json::Null)
    );
}

#[test]
fn masked_and_marked_values_are_left_out() {
    let mut request = Request::new(
        r#"{"user": {"id": "a", "password": "secret-1", "mail": [{"to": "secret-2", "at": 1}, {"to": "secret-3"}]},
            "owner": "b"}"#,
    );
    let arena = Arena::new();
    let marked = hclvm::Value::str(&arena, "secret-4").with_marks(&arena, marks_from(&arena, &["sensitive"]));
    request.scope.set_value("list", marked).expect("it fits");
    let builder = DecisionLog::builder().mask("user.password").mask("user.mail.*.to").mask("nothing.here");
    let line = logged(builder, &request);
    let masked = json!({"$masked": true});
    let expected = json!({
        "user": {"id": "a", "password": masked, "mail": [{"to": masked, "at": 1}, {"to": masked}]},
        "owner": "b",
        "list": {"$marked": ["sensitive"]},
    });
    assert_eq!(line["inputs"], expected);
    let line = logged(DecisionLog::builder().mask("user"), &request);
    assert!(!line.to_string().contains("secret"), "{line}");
    assert_eq!(line["inputs"]["user"], masked);
}

#[test]
fn inputs_that_are_json_are_logged_like_their_values() {
    let texts = [
        "{}",
        r#" { "user" : { "id" : "a\\" , "password" : "\" secret" } , "owner" : "[ \u00e9 \\\" { " } "#,
        "{\n\"user\": {\"id\": [1, -2.5, 12345678901234567890123],\n\"mail\": [{\"to\": \"secret\"}, 1, [], {}]}}\r\n",
        r#"{"user": {"password": "secret", "password": {"secret": 1}, "id": null}, "list": [true, [[]]]}"#,
        r#"{"user": "none", "list": {"": {"b": 1, "a": 2}}}"#,
        "\u{feff}{\"user\": {\"password\": \"secret\", \"id\": 1}}",
    ];
    let masks: [&[&str]; 4] = [&[], &["user"], &["user.password", "user.mail.*.to"], &["*.*", "list.x.y"]];
    for text in texts {
        for masks in masks {
            let builder = || masks.iter().fold(DecisionLog::builder(), |builder, mask| builder.mask(mask));
            let request = Request::new(text);
            let values = logged(builder(), &request);
            let file = File::default();
            let log = builder().start(JsonLines::new(file.clone())).expect("a thread");
            request.record_with(Inputs::Json(text), &log, &mut request.session());
            assert_eq!(log.close().written, 1);
            let line = file.lines().remove(0);
            if masks.is_empty() && text.contains("12345678901234567890123") {
                let text = file.0.lock().expect("no panics").clone();
                let text = String::from_utf8(text).expect("text");
                assert!(text.contains("[1,-2.5,12345678901234567890123]"), "{text}");
            }
            assert_eq!(line["inputs"], values["inputs"], "{text} {masks:?}");
            assert!(masks.is_empty() || !line.to_string().contains("secret"), "{line}");
        }
    }
}

#[test]
fn inputs_that_are_no_json_object_are_left_out() {
    let request = Request::new("{}");
    let file = File::default();
    let log = DecisionLog::builder().mask("a.b").start(JsonLines::new(file.clone())).expect("a thread");
    for text in ["", "{", "[1]", "\"a\"", "{\"a\": \n}", "{} {}", &"{\"a\":".repeat(100_000)] {
        request.record_with(Inputs::Json(text), &log, &mut request.session());
    }
    assert_eq!(log.close().written, 7);
    for line in file.lines() {
        assert_eq!(line["inputs"], json!({"$omitted": "not a JSON object"}));
    }
}

#[test]
fn samples_keep_what_is_undecided() {
    let file = File::default();
    let log = DecisionLog::builder().sample(10).start(JsonLines::new(file.clone())).expect("a thread");
    let decided = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    let failing = Request::new(r#"{"user": {}, "owner": "a"}"#);
    let mut session = decided.session();
    (0..30).for_each(|_| decided.record(&log, &mut session));
    let mut session = failing.session();
    (0..5).for_each(|_| failing.record(&log, &mut session));
    drop(log);
    let causes: Vec<String> = file.lines().iter().map(|line| line["cause"].to_string()).collect();
    assert_eq!(causes.iter().filter(|cause| *cause == "\"rule\"").count(), 3);
    assert_eq!(causes.iter().filter(|cause| *cause == "\"undecided\"").count(), 5);
}

/// Writes an entry when it is told to.
struct Slow {
    begun: Sender<()>,
    next: Receiver<()>,
    dropped: Arc<Mutex<Vec<u64>>>,
}

impl Sink for Slow {
    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        self.begun.send(()).map_err(io::Error::other)?;
        self.next.recv().map_err(io::Error::other)?;
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
    let sink = Slow { begun, next, dropped: Arc::clone(&dropped) };
    let log = DecisionLog::builder().capacity(2).start(sink).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    let mut session = request.session();
    request.record(&log, &mut session);
    // The first one is being written: two wait, three do not fit.
    has_begun.recv().expect("it is written");
    (0..5).for_each(|_| request.record(&log, &mut session));
    assert_eq!(log.dropped(), 3);
    (0..3).for_each(|_| go.send(()).expect("it waits"));
    let summary = log.close();
    assert_eq!((summary.written, summary.dropped, summary.failed), (3, 3, 0));
    assert_eq!(*dropped.lock().expect("no panics"), [3]);
}

#[test]
fn entries_that_the_sink_refuses_are_counted() {
    let (begun, _kept) = channel();
    let (go, next) = channel();
    let log = DecisionLog::builder().start(Slow { begun, next, dropped: Arc::default() }).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "b"}"#);
    go.send(()).expect("it waits");
    request.record(&log, &mut request.session());
    let summary = log.close();
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
    assert_eq!(log.close().written, THREADS * EACH);
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

mod events {
    //! A subscriber that keeps the fields of events as text.

    use std::fmt::{Debug, Write as _};
    use std::sync::{Arc, Mutex};

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    pub(super) struct Kept(pub(super) Arc<Mutex<String>>);

    struct Fields<'k>(&'k mut String);

    impl Visit for Fields<'_> {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            let _ = write!(self.0, " {field}={value:?}");
        }
    }

    impl Subscriber for Kept {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, event: &Event<'_>) {
            let mut kept = self.0.lock().expect("no panics");
            kept.push_str(event.metadata().target());
            event.record(&mut Fields(&mut kept));
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }
}

/// Emits in the thread of the test, whose subscriber is set.
struct Forward(Sender<Entry>);

impl Sink for Forward {
    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        self.0.send(entry.clone()).map_err(io::Error::other)
    }

    fn dropped(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn entries_are_events() {
    let (sender, entries) = channel();
    let log = DecisionLog::builder().start(Forward(sender)).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    request.record(&log, &mut request.session());
    log.close();
    let entry = entries.recv().expect("an entry");
    let kept = Arc::new(Mutex::new(String::new()));
    tracing::subscriber::with_default(events::Kept(Arc::clone(&kept)), || {
        Events.write(&entry).and_then(|()| Events.dropped(3)).expect("it is emitted");
    });
    let kept = kept.lock().expect("no panics");
    assert!(kept.starts_with("hclvm::decision unix_ms="), "{kept}");
    assert!(kept.contains(r#" effect="allow" cause="rule" rule="own""#), "{kept}");
    assert!(kept.contains("decisions=3"), "{kept}");
}
