//! Programs, scopes and sessions, and the tiers that run them.

mod batches;
mod cache;
mod columns;
mod conveniences;
mod determinism;
mod differential;
mod examples;
mod fall_back;
mod fast_tier;
mod fork;
mod host_functions;
mod host_misbehaves;
mod on_demand;
mod parallel;
mod projection;
mod rule_differential;
mod rule_index;
mod rule_sets;
mod rule_sharing;
mod saved;
mod scopes;
mod specialize;
mod specialize_differential;
mod thresholds;
