#![doc = include_str!("../README.md")]

mod input;
mod output;

pub use input::{Unsupported, column, columns, readable};
pub use output::{Evaluated, array, natural_type, run, static_type};
