//! The project itself: what depends on what, and the tables and pages that are generated.

mod architecture;
mod arrows;
mod codes;
mod names;
mod public_root;
mod reference;
