//! Memory of evaluations and the tables that outlive them: arenas, budgets, symbols, layouts.
//!
//! Everything an evaluation allocates comes from an [`arena::Arena`], which charges the
//! evaluation's [`limits::Budget`]. Names of attributes and of variables are resolved to numbers
//! ([`name`], [`layout`]) before code runs.

pub(crate) mod arena;
pub mod cast;
pub mod hash;
pub(crate) mod layout;
pub(crate) mod limits;
pub(crate) mod name;
pub(crate) mod slot;
