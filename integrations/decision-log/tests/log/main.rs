//! What is logged of decisions, what is left out, and that the log neither delays decisions nor loses lines.

mod disk;
mod entries;
mod events;
mod file;
mod generated;
mod masks;
mod open;
mod queue;
mod random;
mod rig;
mod rotation;
mod sinks;
mod values;
mod writers;
