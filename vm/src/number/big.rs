//! The door to rug: floats of any precision.

use rug::Float;

/// A binary float with its own precision, never NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct Big(Float);
