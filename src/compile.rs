//! From text to code: programs, and the cache of code that equal expressions share.

pub(crate) mod cache;
pub(crate) mod program;
pub(crate) mod scratch_pool;
pub(crate) mod unit;
