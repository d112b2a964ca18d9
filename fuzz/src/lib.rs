//! What the fuzz targets share: a world to evaluate in, and values written out to be compared.

mod describe;
mod second;
mod world;

pub use describe::describe;
pub use second::walked;
pub use world::{World, engine};

/// What an evaluation gave, written out; `None` when it exceeded a limit.
pub type Outcome = Option<String>;
