//! Mutation testing: small changes of the sources, each of which some test should notice.
//!
//! A build for each change would take days. All mutants are compiled in at once instead, behind a
//! switch that an environment variable sets (mutant schemata): `a + b` becomes
//! `(if on(17) { a - b } else { a + b })`.
//!
//! ```text
//! sources ─find─▶ mutants ─rewrite─▶ instrumented tree ─compile─▶ test programs
//!                    ▲                        │                         │
//!                    ╰── drop what rustc ◀────╯                 reach: which test executes
//!                        rejects                                which mutant; run: those
//!                                                               tests, one mutant at a time
//! ```

pub mod compile;
pub mod config;
pub mod constants;
pub mod find;
pub mod list;
pub mod mutant;
pub mod process;
pub mod reach;
pub mod report;
pub mod rewrite;
pub mod run;
pub mod sample;
pub mod tree;
