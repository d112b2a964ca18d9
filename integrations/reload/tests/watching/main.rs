//! Watched files: every way in which editors and tools replace them, with the notices of the system and by
//! polling. Time is given by the tests, so that no result depends on how fast the machine is; only the system's
//! notices are waited for.

mod editors;
mod fallback;
mod folders;
mod rig;
mod thread;
