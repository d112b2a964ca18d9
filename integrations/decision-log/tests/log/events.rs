//! Entries as events of the crate tracing.

use std::fmt::{Debug, Write as _};
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use hclvm_decision_log::{DecisionLog, Entry, Events, Sink};

use crate::rig::{Request, close};

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

#[test]
fn entries_are_events() {
    let (sender, entries) = channel();
    let log = DecisionLog::builder().start(Forward(sender)).expect("a thread");
    let request = Request::new(r#"{"user": {"id": "a"}, "owner": "a"}"#);
    request.record(&log, &mut request.session());
    close(log);
    let entry = entries.recv().expect("an entry");
    let kept = Arc::new(Mutex::new(String::new()));
    tracing::subscriber::with_default(Kept(Arc::clone(&kept)), || {
        Events.write(&entry).and_then(|()| Events.dropped(3)).expect("it is emitted");
    });
    let kept = kept.lock().expect("no panics");
    assert!(kept.starts_with("hclvm::decision unix_ms="), "{kept}");
    assert!(kept.contains(r#" effect="allow" cause="rule" rule="own""#), "{kept}");
    assert!(kept.contains("decisions=3"), "{kept}");
}
