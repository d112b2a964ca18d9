//! Authorization by policies in HCL: for [Envoy](https://www.envoyproxy.io) over gRPC and HTTP, and with the API of AuthZEN.
//!
//! ```text
//! envoy    gRPC: CheckRequest ──▶ Attributes ─┐
//! http     the request itself ──▶ Attributes ─┤
//! authzen  subject, action, resource, context ┴▶ decide: scope, policy ──▶ outcome: Answer ──▶ the response
//!                                                   ▲            └──▶ decision log, metrics
//! files ──▶ reload ──▶ policy: checked, with counters and the parts of requests that it reads
//! ```
//! The program is [`Server`] with the command line of [`Arguments`]. README.md describes policies, the scope that
//! they read, settings and metrics.
//!
//! A request is allowed only if a rule of the policy says so: a rule with an error, an unknown value, a limit that is
//! exceeded and an attribute that cannot be used deny it, unless [`Settings::fail_open`] is set.

mod admin;
mod answer;
mod arguments;
mod attributes;
mod authzen;
mod connections;
mod decide;
mod envoy;
mod http;
mod metrics;
mod outcome;
mod policy;
mod server;
mod settings;
mod telling;

use std::sync::Arc;

use hclvm_reload::Problems;

pub use arguments::Arguments;
pub use server::{Server, Stopped};
pub use settings::{Combining, LogSettings, Settings};
pub use telling::say;

/// Loads the policy of the settings as a service does, and serves nothing.
///
/// # Errors
/// Why the policy cannot be used.
pub fn check(settings: &Settings) -> Result<(), Problems> {
    policy::open(settings, &Arc::new(metrics::Metrics::new())).map(drop)
}
