//! From a parsed text to its code: the engine's settings, compilation units, the cache of code that
//! equal expressions share, and programs. Parsing itself is in `hclvm-compiler`; what runs programs
//! is in [`run`](crate::run).

pub(crate) mod artifact;
pub(crate) mod cache;
pub(crate) mod file;
pub(crate) mod in_parallel;
pub(crate) mod program;
pub(crate) mod saved_code;
pub(crate) mod scratch_pool;
pub(crate) mod settings;
pub(crate) mod text;
pub(crate) mod unit;
