//! What is logged of a decision.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hclvm::policy::{Cause, Decision};
use smol_str::SmolStr;

/// Where the policy of a decision comes from. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The number of the configuration in use; `hclvm-reload` counts them.
    pub epoch: u64,
    /// Identifies the text of the policy, such as by its hash.
    pub document: Arc<str>,
}

/// A decision as it is logged.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// When it was recorded.
    pub time: SystemTime,
    /// Where the policy comes from.
    pub origin: Origin,
    /// The effect.
    pub effect: SmolStr,
    /// Why the effect is that.
    pub cause: Cause,
    /// The first label of the rule that decided.
    pub rule: Option<SmolStr>,
    /// The reason of that rule.
    pub reason: Option<SmolStr>,
    /// How long deciding took.
    pub elapsed: Duration,
    /// The values of the scope as a JSON object, with masks. The thread that writes makes it.
    pub inputs: String,
}

impl Entry {
    pub(crate) fn new(decision: &Decision<'_>, origin: &Origin, elapsed: Duration) -> Self {
        Self {
            time: SystemTime::now(),
            origin: origin.clone(),
            effect: decision.effect().into(),
            cause: decision.cause(),
            rule: decision.name().map(SmolStr::new),
            reason: decision.reason().map(SmolStr::new),
            elapsed,
            inputs: String::new(),
        }
    }

    /// Returns the milliseconds from 1970 to the time of the decision, as logs have them.
    pub fn unix_ms(&self) -> u64 {
        let since = self.time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns how long deciding took.
    pub fn nanoseconds(&self) -> u64 {
        u64::try_from(self.elapsed.as_nanos()).unwrap_or(u64::MAX)
    }

    /// Returns the cause in one word: `rule`, `no-rule` or `undecided`.
    pub fn cause_text(&self) -> &'static str {
        match self.cause {
            Cause::Rule => "rule",
            Cause::NoRule => "no-rule",
            _ => "undecided",
        }
    }

    /// Returns the entry as one line of JSON, without a line break.
    pub fn to_json(&self) -> String {
        let text = |text: Option<&str>| text.map_or_else(|| "null".to_owned(), quoted);
        format!(
            "{{\"unix_ms\":{},\"epoch\":{},\"document\":{},\"effect\":{},\"cause\":\"{}\",\"rule\":{},\"reason\":{},\
             \"nanoseconds\":{},\"inputs\":{}}}",
            self.unix_ms(),
            self.origin.epoch,
            quoted(&self.origin.document),
            quoted(&self.effect),
            self.cause_text(),
            text(self.rule.as_deref()),
            text(self.reason.as_deref()),
            self.nanoseconds(),
            if self.inputs.is_empty() { "{}" } else { &self.inputs },
        )
    }
}

/// Returns a text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
