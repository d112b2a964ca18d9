//! Reloads as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::Stream;
use futures_util::stream::unfold;
use hclvm::syntax::NamedAttribute;
use hclvm::{Json as Shown, OwnedValue};
use hclvm_reload::{Outcome, Report, Status};
use serde_json::{Value as Json, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::Game;

/// Sends the last report, then each event.
pub(crate) async fn stream(State(game): State<Game>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let receiver = game.events.subscribe();
    let report = game.current().report();
    let first = json!({
        "status": status(&game.current().status()),
        "report": report.map(|report| self::report(&report)),
    });
    let events = unfold((Some(first.to_string()), receiver), async |(first, mut receiver)| {
        let text = match first {
            Some(first) => Arc::from(first),
            None => next(&mut receiver).await?,
        };
        Some((Ok(Event::default().data(text)), (None, receiver)))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// Waits for the next event. Those that came too fast are left out.
async fn next(receiver: &mut Receiver<Arc<str>>) -> Option<Arc<str>> {
    loop {
        match receiver.recv().await {
            Ok(text) => return Some(text),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}

/// Returns what an attempt did as an event.
pub(crate) fn text(outcome: &Outcome, now: &Status) -> String {
    let report = match outcome {
        Outcome::Reloaded(report) => Some(self::report(report)),
        _ => None,
    };
    json!({ "status": status(now), "report": report }).to_string()
}

/// Returns what is in use, what was rejected, and the last panic that was caught.
pub(crate) fn status(status: &Status) -> Json {
    let rejected = status.rejected.as_ref().map(
        |rejected| json!({ "problems": rejected.problems.to_string(), "seconds": rejected.age().as_secs() }),
    );
    let panic = status.panic.as_ref().map(ToString::to_string);
    json!({ "epoch": status.epoch, "hash": status.hash.to_string(), "rejected": rejected, "panic": panic })
}

fn report(report: &Report) -> Json {
    let paths = |list: &[NamedAttribute]| -> Vec<String> { list.iter().map(ToString::to_string).collect() };
    let value = |value: &Option<OwnedValue>| value.as_ref().map(|value| json!(Shown(value.get())));
    let update = &report.update;
    let values = report.values.iter().map(|change| {
        let (before, after) = (value(&change.before), value(&change.after));
        json!({ "path": change.path.to_string(), "before": before, "after": after })
    });
    json!({
        "line": report.to_string(),
        "added": paths(&update.added),
        "removed": paths(&update.removed),
        "changed": paths(&update.changed),
        "values": values.collect::<Vec<_>>(),
    })
}
