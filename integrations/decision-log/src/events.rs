//! Entries as events of the crate tracing.

use std::io;

use crate::entry::Entry;
use crate::sink::Sink;

/// Emits each entry as an event at level `INFO` with the target `hclvm::decision`, and dropped ones as a warning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Events;

impl Sink for Events {
    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        tracing::info!(
            target: "hclvm::decision",
            unix_ms = entry.unix_ms(),
            epoch = entry.origin.epoch,
            document = &*entry.origin.document,
            effect = entry.effect.as_str(),
            cause = entry.cause_text(),
            rule = entry.rule.as_deref(),
            reason = entry.reason.as_deref(),
            nanoseconds = entry.nanoseconds(),
            open = Some(entry.open.as_str()).filter(|open| !open.is_empty()),
            inputs = entry.inputs.as_str(),
            why = Some(entry.why.as_str()).filter(|why| !why.is_empty()),
        );
        Ok(())
    }

    fn dropped(&mut self, decisions: u64) -> io::Result<()> {
        tracing::warn!(target: "hclvm::decision", decisions, "decisions were not logged");
        Ok(())
    }
}
