//! Shared by the fuzz targets: an engine with a scope, and the description of results for comparison.

mod describe;
mod second;
mod world;

pub use describe::describe;
pub use second::walked;
pub use world::{World, engine};

/// The described result of an evaluation; `None` if it exceeded a limit.
pub type Outcome = Option<String>;
