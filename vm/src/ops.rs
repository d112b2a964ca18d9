//! What operators mean: each function here is one operator of the language on values of any kind.

pub mod equality;
