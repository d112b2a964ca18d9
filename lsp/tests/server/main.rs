//! The server as a client sees it, over a connection in memory.

mod client;
mod diagnostics;
mod editing;
mod lifecycle;
mod names;
mod policies;
mod rename;
mod values;
mod writing;
