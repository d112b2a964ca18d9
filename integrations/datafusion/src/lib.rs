#![doc = include_str!("../README.md")]

mod arguments;
mod call;
#[cfg(feature = "ballista")]
pub mod cluster;
mod columns;
mod evaluate;
mod expression;
mod functions;
mod library;
mod member;
mod results;
mod tables;
mod types;

pub use functions::Functions;
