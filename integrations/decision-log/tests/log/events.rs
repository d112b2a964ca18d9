//! Entries as events of the crate tracing.

use std::fmt::{Debug, Write as _};
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use hclvm_decision_log::{Builder, DecisionLog, Entry, Events, Explain, Sink};
use serde_json::Value as Json;

use crate::rig::{PATIENCE, Request, close, logged};

/// A subscriber that keeps the fields of events as text.
struct Kept(Arc<Mutex<String>>);

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

/// Returns the entry for a request.
fn entry(builder: Builder, request: &Request) -> Entry {
    let (sender, entries) = channel();
    let log = builder.start(Forward(sender)).expect("a thread");
    request.record(&log, &mut request.session());
    close(log);
    entries.recv().expect("an entry")
}

/// Returns the events of an entry and of three decisions that were dropped, as text.
fn events(entry: &Entry) -> String {
    let kept = Arc::new(Mutex::new(String::new()));
    tracing::subscriber::with_default(Kept(Arc::clone(&kept)), || {
        Events.write(entry).and_then(|()| Events.dropped(3)).expect("it is emitted");
    });
    let kept = kept.lock().expect("no panics");
    kept.clone()
}

#[test]
fn entries_are_events() {
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    let shown = events(&entry(DecisionLog::builder(), &request));
    assert!(shown.starts_with("hclvm::decision unix_ms="), "{shown}");
    let parts = [
        r#" epoch=7 document="abc" effect="allow" cause="rule" rule="own" reason="owner \"a\"" nanoseconds=1500"#,
        r#" inputs="{\"user\":{\"id\":\"a\"},\"owner\":\"a\"}"hclvm::decision"#,
        "decisions=3",
    ];
    for part in parts {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains(" open=") && !shown.contains(" why="), "{shown}");
}

#[test]
fn events_have_what_is_open_and_what_explains_it() {
    let request = Request::new(r#"{"user": {}, "owner": "a"}"#);
    let entry = entry(DecisionLog::builder().explain(Explain::Branches), &request);
    let shown = events(&entry);
    for part in [format!(" open={:?}", entry.open), format!(" why={:?}", entry.why)] {
        assert!(part.len() > 20 && shown.contains(&part), "{part}: {shown}");
    }
    assert!(shown.contains(" cause=\"undecided\" ") && !shown.contains(" rule="), "{shown}");
}

#[test]
fn an_entry_is_its_line() {
    for values in [r#"{"user": {"id": "a"}, "owner": "a"}"#, "{}"] {
        let request = Request::new(values);
        let entry = entry(DecisionLog::builder().explain(Explain::Conditions), &request);
        let mut line: Json = serde_json::from_str(&entry.to_json()).expect("JSON");
        assert!(entry.time.elapsed().is_ok_and(|age| age < PATIENCE));
        assert_eq!(
            (entry.elapsed.as_nanos(), entry.origin.epoch, &*entry.origin.document),
            (1_500, 7, "abc")
        );
        line["unix_ms"].take();
        assert_eq!(line, {
            let mut line = logged(DecisionLog::builder().explain(Explain::Conditions), &request);
            line["unix_ms"].take();
            line
        });
        let text = |name: &str| line.get(name).and_then(Json::as_str);
        assert_eq!((text("rule"), text("reason")), (entry.rule.as_deref(), entry.reason.as_deref()));
        assert_eq!(line["fuel"], entry.fuel);
        // A sink may leave out the values.
        let mut without = entry.clone();
        without.inputs.clear();
        let without: Json = serde_json::from_str(&without.to_json()).expect("JSON");
        assert_eq!(without["inputs"], serde_json::json!({}));
    }
}
