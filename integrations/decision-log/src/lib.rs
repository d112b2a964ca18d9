//! Logs the decisions of [policies](hclvm::policy): what was decided, by which rule, why, and for which values.
//!
//! Writing never delays a decision: [`DecisionLog::record`] appends the decision and its values to memory of the log,
//! and a thread writes what is there every few milliseconds. What does not fit is counted, and the log says how much it
//! was. [`DecisionLog::status`] returns at any time what was written, failed and dropped, also if the [`Sink`] fails,
//! panics or blocks. [`LogFile`] is a file that is rotated.
//!
//! ```
//! use std::time::Instant;
//!
//! use hclvm_decision_log::{DecisionLog, JsonLines, Origin};
//!
//! let engine = hclvm::Engine::new();
//! let text = "rule \"own\" {\n  when   = user.id == owner\n  effect = \"allow\"\n}\n";
//! let module = engine.parse("policy.hcl", text)?.module()?;
//! let policy = module.policy(&hclvm::policy::PolicySpec::default())?;
//! let mut scope = module.scope();
//! scope.set_all_json(r#"{"user": {"id": "ann", "password": "secret"}, "owner": "ann"}"#)?;
//!
//! # let file = Vec::new();
//! let log = DecisionLog::builder().mask("user.password").start(JsonLines::new(file))?;
//! let mut session = engine.session();
//! let started = Instant::now();
//! let decision = policy.decide(&mut session, &scope)?;
//! log.record(&decision, &scope, &Origin::default(), started.elapsed());
//! let summary = log.close();
//! assert_eq!((summary.written, summary.dropped), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! It writes
//!
//! ```json
//! {"unix_ms":1789000000000,"epoch":0,"document":"","effect":"allow","cause":"rule","rule":"own","reason":null,
//!  "fuel":21,"nanoseconds":2100,"inputs":{"user":{"id":"ann","password":{"$masked":true}},"owner":"ann"}}
//! ```
//! as one line. Marked values are `{"$marked":["sensitive"]}`, and unknown ones `{"$unknown":"string"}`.
//!
//! Rules that failed or are unknown are named in `open`, with the codes and places of their errors:
//!
//! ```json
//! "open":{"rules":[{"rule":"own","is":"failed"}],"errors":[{"at":"policy.hcl:2:12-2:19","error":"unset-variable"}]}
//! ```
//! With [`Builder::explain`], an entry has what the conditions of the rules were as well, without values:
//!
//! ```json
//! "why":{"branches":"deny no-rule 0:0202","rules":[{"rule":"own","at":"policy.hcl:2:12-2:28","is":"false",
//!  "because":[{"at":"policy.hcl:2:12-2:28","is":"false"}]}]}
//! ```
//! [`Policy::explain`](hclvm::policy::Policy::explain) makes sentences of the branches.

mod buffers;
mod encoded;
mod entry;
mod hide;
mod inputs;
mod lines;
mod log;
mod log_file;
mod mask;
mod open;
mod sink;
mod status;
mod text;
mod why;
mod writer;

pub use entry::{Entry, Inputs, Origin};
pub use lines::JsonLines;
pub use log::{Builder, DecisionLog};
pub use log_file::{LogFile, Reopen};
pub use sink::Sink;
pub use status::{SinkError, Status, Summary, WriterState};
pub use why::Explain;

#[cfg(feature = "tracing")]
mod events;
#[cfg(feature = "tracing")]
pub use events::Events;
