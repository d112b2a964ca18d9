//! What is done to fast tier code after lowering, for sets of rules: [`link`] puts many programs into one
//! stream of instructions, [`cse`] lets them share what they have in common. Optimizations of a single
//! expression are the compiler's.

pub(super) mod cse;
pub mod link;
